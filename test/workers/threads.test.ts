import { afterAll, expect, test } from 'vitest';
import type { Progress } from '../../src/db/jobs/jobs.ts';
import { readPackedText } from '../../src/db/packed-json.ts';
import { openThreads } from '../../workers/run/threads.ts';
import { cityInstance, SETTINGS } from '../core/optimize/instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const threads = openThreads(1, 10);
afterAll(() => threads.close());

const start = (
  instance: ReturnType<typeof cityInstance>,
  limitSeconds: number,
  onProgress: (progress: Progress) => void = () => {},
) => {
  const request = JSON.stringify({
    ...instance.request,
    options: { optimality_gap: 0, time_limit_seconds: limitSeconds },
  });
  const task = {
    request,
    locations: JSON.stringify(instance.locations),
    travel: null,
    previous: null,
    trips: null,
    settings,
  };
  return threads.start('optimize', task, limitSeconds, onProgress);
};
const hard = cityInstance(31, { locations: 263, perLocation: 10, fractional: true, capacities: [1, 2, 3] });
const easy = cityInstance(32, { locations: 5, perLocation: 4, fractional: false });

test('a solve that is stopped ends as cancelled, and the next one is done, again and again', async () => {
  for (const stopAt of ['build', 'solve', 'solve']) {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const solve = start(hard, 60, ({ stage }) => stage === stopAt && resolve());
    await reached;
    solve.stop();
    expect(await solve.outcome).toMatchObject({ status: 'cancelled' });
    expect((await start(easy, 10).outcome).status).toBe('optimal');
  }
});

test('a solve whose time is up reports its plan and its gap', async () => {
  // Seconds, so that there is a bound too on a machine that has much else to do.
  const outcome = await start(hard, 4).outcome;
  if (outcome.status !== 'feasible') throw new Error(outcome.status);
  const { text, packed } = outcome.plan;
  expect(JSON.parse(readPackedText(packed ?? Buffer.from(text).toString())).gap).toBeGreaterThan(0);
  expect(outcome.record.figures.gap).toBeGreaterThan(0);
  expect(JSON.parse(outcome.record.certificate).bound).toBeGreaterThan(0);
});
