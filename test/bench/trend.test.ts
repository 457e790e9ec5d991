import { expect, test } from 'vitest';
import { createUniform } from '../../bench/instances.ts';
import { judge, trendOf } from '../../bench/trend.ts';

const BLOCKS = 20;
const RUNS = 3000;

/** Block means of half an hour: noise of which a share of each goes into the next, and a slope per hour. */
function blocksOf(seed: number, likeness: number, slope: number): [number, number][] {
  const random = createUniform(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let noise = normal();
  return Array.from({ length: BLOCKS }, (_, i) => {
    noise = likeness * noise + Math.sqrt(1 - likeness ** 2) * normal();
    const hours = (i + 0.5) / (2 * BLOCKS);
    return [hours, 400 + noise + slope * hours];
  });
}

const share = (seeds: number, holds: (seed: number) => boolean) =>
  Array.from({ length: seeds }, (_, seed) => seed + 1).filter(holds).length / seeds;

test.for([
  [0, 0.01],
  [0.3, 0.02],
  [0.6, 0.05],
])(
  'what stays as it is rises or falls by chance rarely: likeness of neighbours %d, share %d',
  ([likeness, most]) => {
    const isCalledTrend = (seed: number) =>
      ['rises', 'falls'].includes(judge(trendOf(blocksOf(seed, likeness, 0))));
    expect(share(RUNS, isCalledTrend)).toBeLessThan(most);
  },
);

test('slopes are off by about their standard error', () => {
  const squares = Array.from({ length: RUNS }, (_, seed) => {
    const { slope, error } = trendOf(blocksOf(seed + 1, 0.3, 20));
    return ((slope - 20) / error) ** 2;
  });
  const typical = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / RUNS);
  expect(typical).toBeGreaterThan(0.8);
  expect(typical).toBeLessThan(1.2);
});

test('what rises by more than its noise hides is told, and noise that would hide it is not called flat', () => {
  expect(share(RUNS, (seed) => judge(trendOf(blocksOf(seed, 0.3, 20))) === 'rises')).toBeGreaterThan(0.95);
  const noisy = (seed: number) =>
    blocksOf(seed, 0.3, 0).map(([hours, value]): [number, number] => [hours, 400 + 40 * (value - 400)]);
  expect(share(RUNS, (seed) => judge(trendOf(noisy(seed))) === 'flat')).toBe(0);
  expect(judge(trendOf([0, 1, 2, 3].map((hours) => [hours, 7])))).toBe('flat');
});
