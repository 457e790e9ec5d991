/** @module-tag slow */
import { describe, expect, test } from 'vitest';
import { verifyOutlook } from '../../../../src/core/optimize/answer/verify-outlook.ts';
import type { ProgressReport } from '../../../../src/core/optimize/progress.ts';
import { casesOfDay } from '../../../helpers/depth.ts';
import { optimizeCached } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';

const PLACES = 60;
const STEPS = 8;
const { request: city, locations } = cityInstance(7, { locations: PLACES, perLocation: 8, fractional: true });
const ids = locations.map(({ id }) => id);
const ends = ids.flatMap((from, i) => [1, 4, 9, 16, 25].map((k) => ({ from, to: ids[(i + k) % PLACES] })));
const TRIPS = {
  from: Int32Array.from(ends, ({ from }) => from),
  to: Int32Array.from(ends, ({ to }) => to),
  hour: new Int16Array(ends.length).fill(-1),
  trips: new Float64Array(ends.length).fill(1),
};
/** In each step the peaks are elsewhere. */
const demandOf = (j: number) =>
  Array.from({ length: STEPS }, (_, t) => city.demand_forecast[ids[(j + 7 * t) % PLACES]][0]);

describe.each([
  ['with trip flows', TRIPS, {}],
  ['without trip flows', null, {}],
  ['with rules about pairs', null, { refine: { max_pairs: 20 } }],
] as const)('a plan that looks ahead, %s', (_, tripCounts, rules) => {
  const inputOf = (timeLimitSeconds: number) => ({
    locations,
    tripCounts,
    settings: { ...SETTINGS, maxRebalancingCost: null },
    request: {
      demand_forecast: Object.fromEntries(ids.map((id, j) => [id, demandOf(j)])),
      fleet_state: city.fleet_state,
      options: { horizon: {}, optimality_gap: 0, time_limit_seconds: timeLimitSeconds, ...rules },
      constraints: { min_service_level: 0.9, shortage: 'serve_most' as const },
    },
  });

  test('is there, and keeps all rules, whenever time is up', async () => {
    for (const seconds of casesOfDay([0.02, 0.1, 0.3, 0.6, 1, 2])) {
      const input = inputOf(seconds);
      const outcome = await optimizeCached(input);
      if (!('result' in outcome)) throw new Error(`${seconds} s: ${JSON.stringify(outcome)}`);
      expect(verifyOutlook(input, outcome.result), `${seconds} s`).toEqual([]);
    }
  });

  test('tells progress that never falls, and ends when it is cancelled', { tags: 'slow' }, async () => {
    const told: ProgressReport[] = [];
    await optimizeCached(inputOf(30), { onProgress: (one) => told.push(one), progressIntervalMs: 0 });
    expect([...new Set(told.map(({ stage }) => stage))]).toEqual(['build', 'solve', 'verify']);
    expect(told.some(({ iterations }) => (iterations ?? 0) > 0)).toBe(true);
    const shares = told.map(({ progress }) => progress);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const onProgress = ({ iterations }: ProgressReport) => {
      if (iterations) Atomics.store(stopFlag, 0, 1);
    };
    const outcome = await optimizeCached(inputOf(30), { onProgress, stopFlag, progressIntervalMs: 0 });
    expect(outcome).toEqual({ status: 'cancelled' });
  });
});
