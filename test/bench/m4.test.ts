import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { scoreM4 } from '../../bench/m4.ts';
import { readM4Hourly } from '../../bench/m4-files.ts';
import { m4LikeSeries } from '../../bench/m4-like.ts';
import {
  isSeasonal,
  naive2,
  naiveScale,
  overallWeightedAverage,
  scoreIntervals,
  scorePoints,
  seasonalIndices,
  seasonalNaive,
} from '../../bench/m4-scores.ts';

const series = (...values: number[]) => Float64Array.from(values);
const repeat = (pattern: number[], times: number) =>
  Float64Array.from({ length: pattern.length * times }, (_, i) => pattern[i % pattern.length]);

describe('scores, by hand', () => {
  // In-sample seasonal naive with m = 2: |12 − 10| and |18 − 20|, mean 2.
  const history = series(10, 20, 12, 18);
  const actual = series(14, 20);

  test('sMAPE and MASE', () => {
    expect(naiveScale(history, 2)).toBe(2);
    const { smape, mase } = scorePoints(series(10, 30), actual, history, 2);
    expect(smape).toBeCloseTo(((200 * 4) / 24 + (200 * 10) / 50) / 2, 12);
    expect(mase).toBe((4 + 10) / 2 / 2);
  });

  test('MSIS pays 40 for each unit outside, and counts what is inside', () => {
    const score = scoreIntervals(series(12, 12), series(16, 18), actual, history, 2);
    expect(score.msis).toBeCloseTo((4 + (6 + 40 * 2)) / 2 / 2, 12);
    expect(score.inside).toBe(1);
    expect(scoreIntervals(series(15, 20), series(16, 20), actual, history, 2).msis).toBeCloseTo(
      (1 + 40) / 4,
      12,
    );
  });

  test('OWA is the mean of both relative to Naive2', () => {
    expect(overallWeightedAverage({ smape: 5, mase: 1 }, { smape: 10, mase: 4 })).toBe((0.5 + 0.25) / 2);
  });
});

describe('Naive2, by hand', () => {
  const season = repeat([1, 2, 3, 2], 5);

  test('indices of a season without trend are its values over their mean, for even and odd periods', () => {
    expect([...seasonalIndices(season, 4)]).toEqual([0.5, 1, 1.5, 1]);
    seasonalIndices(repeat([1, 2, 3], 6), 3).forEach((index, i) => {
      expect(index).toBeCloseTo((i + 1) / 2, 12);
    });
  });

  test('an even period takes half weights at both ends of its moving average', () => {
    // m = 2: trends (1 + 2·4 + 3)/4 = 3, (4 + 2·3 + 8)/4 = 4.5, (3 + 2·8 + 5)/4 = 6; ratios 4/3, 3/4.5 and 8/6.
    const [even, odd] = seasonalIndices(series(1, 4, 3, 8, 5), 2);
    const [a, b] = [3 / 4.5, (4 / 3 + 8 / 6) / 2];
    expect(even).toBeCloseTo(a / ((a + b) / 2), 12);
    expect(odd).toBeCloseTo(b / ((a + b) / 2), 12);
  });

  test('the autocorrelation 0.8 at lag 4 passes the limit 0.595', () => {
    expect(isSeasonal(season, 4)).toBe(true);
    expect([...naive2(season, 4, 6)]).toEqual([1, 2, 3, 2, 1, 2]);
    expect([...naive2(season.slice(0, 18), 4, 3)]).toEqual([3, 2, 1]);
  });

  test('below three periods, beyond the lags of R and without a season it is the last value', () => {
    expect(isSeasonal(season.subarray(0, 11), 4)).toBe(false);
    expect([...naive2(season.subarray(0, 11), 4, 2)]).toEqual([3, 3]);
    // ⌊10 log₁₀ 72⌋ = 18 lags: R has no autocorrelation at lag 24.
    expect(isSeasonal(repeat([1, 2, 3, 4, 5, 6, 7, 8], 9), 24)).toBe(false);
    expect(
      isSeasonal(
        Float64Array.from({ length: 40 }, (_, t) => t),
        4,
      ),
    ).toBe(true);
    expect(isSeasonal(series(...[2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5]), 3)).toBe(false);
    expect(isSeasonal(new Float64Array(40).fill(3), 4)).toBe(false);
  });

  test('the seasonal naive method repeats the last season', () => {
    expect([...seasonalNaive(series(9, 1, 2, 3), 3, 5)]).toEqual([1, 2, 3, 1, 2]);
  });
});

const folder = mkdtempSync(path.join(tmpdir(), 'm4-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Ten by night, twenty by day, but 12 in the very first hour. */
const hours = (count: number) =>
  Array.from({ length: count }, (_, t) => (t === 0 ? 12 : t % 24 < 12 ? 10 : 20));
const quoted = (cells: (string | number)[]) => cells.map((cell) => `"${cell}"`).join(',');

function writeFiles(name: string, change: { train?: string; test?: string; info?: string } = {}): string {
  const where = path.join(folder, name);
  mkdirSync(where);
  const header = quoted(Array.from({ length: 101 }, (_, i) => `V${i + 1}`));
  const train = [
    header,
    quoted(['H1', ...hours(100)]),
    quoted(['H2', ...hours(76), ...new Array(24).fill('')]),
  ];
  const files = {
    'Hourly-train.csv': change.train ?? train.join('\n'),
    'Hourly-test.csv':
      change.test ?? ['"V1","V2","V3"', quoted(['H1', 11, 11]), quoted(['H2', 11, 11])].join('\n'),
    'M4-info.csv':
      change.info ??
      'M4id,category,Frequency,Horizon,SP,StartingDate\nY1,Macro,1,6,Yearly,01-01-79 12:00\n' +
        'H1,Other,24,2,Hourly,01-07-15 12:00\nH2,Other,24,2,Hourly,01-07-15 12:00\n',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(where, file), text);
  return where;
}

describe('the files of the competition', () => {
  test('are read as published: quoted, padded with empty cells, other frequencies left out', async () => {
    const all = await readM4Hourly(writeFiles('whole'));
    expect(all.map(({ id, period, history }) => [id, period, history.length])).toEqual([
      ['H1', 24, 100],
      ['H2', 24, 76],
    ]);
    expect(all[1].history[75]).toBe(10);
    expect([...all[0].actual]).toEqual([11, 11]);
  });

  test('give the scores computed by hand', async () => {
    const report = scoreM4(await readM4Hourly(path.join(folder, 'whole')));
    // Both series: forecast 10, came 11. Scales 2/76 and 2/52; too short for R's lag 24, so Naive2 is the last value,
    // 10.
    for (const score of [report.seasonalNaive, report.naive2]) {
      expect(score.smape).toBeCloseTo(200 / 21, 10);
      expect(score.mase).toBeCloseTo((76 / 2 + 52 / 2) / 2, 10);
    }
    expect(report.seasonalNaive.owa).toBeCloseTo(1, 12);
    expect(report.engine.smape).toBeGreaterThan(5);
    expect(report.engine.smape).toBeLessThan(10.5);
    expect(report.engine.owa).toBeCloseTo(
      (report.engine.smape / report.naive2.smape + report.engine.mase / report.naive2.mase) / 2,
      12,
    );
  });

  test.each([
    ['a value that is text', { test: '"V1"\n"H1","11","x"\n' }, /Hourly-test.csv:2: value 2 is "x"/],
    ['a gap', { train: '"V1"\n"H1","1","","3"\n' }, /Hourly-train.csv:2: value 2 is ""/],
    ['an unknown series', { info: 'M4id,category\n' }, /Hourly-train.csv:2: H1 is not in M4-info.csv/],
    ['too few values', { test: '"V1"\n"H1","11"\n' }, /H1 has 1 values in Hourly-test.csv, .* says 2/],
    ['a short history', { train: '"V1"\n"H1","1","2"\n' }, /H1 has 2 values, fewer than a season/],
    ['nothing', { train: '"V1"\n' }, /holds no series/],
  ])('with %s are refused with their place', async (name, change, message) => {
    await expect(readM4Hourly(writeFiles(name, change))).rejects.toThrow(message);
  });

  test('are scored by the command, which says what is missing', () => {
    const command = path.join(import.meta.dirname, '../../bench/m4.ts');
    const run = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });
    const scored = run(path.join(folder, 'whole'));
    expect(scored.stderr).toMatch(/^2 series/m);
    expect(scored.stdout).toMatch(/seasonal naive \| 9\.52 \| 32\.000 \| 1\.000/);
    expect(scored.stdout).toMatch(
      /this service \| \d+\.\d\d \| \d+\.\d{3} \| \d\.\d{3} \| \d+\.\d\d \| \d+\.\d %/,
    );
    expect(run().stderr).toContain('give the folder');
    const empty = run(path.join(folder, 'nowhere'));
    expect(empty.status).toBe(1);
    expect(empty.stderr).toContain('M4-info.csv');
  });
});

test('on made-up series like those of the competition the targets hold: OWA, and 93 to 97 % in 95 % intervals', () => {
  const { engine } = scoreM4(m4LikeSeries(200, 7));
  expect(engine.owa).toBeLessThan(0.4);
  expect(engine.coverage).toBeGreaterThan(0.93);
  expect(engine.coverage).toBeLessThan(0.97);
});
