import { expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { movesOfFlow, NO_MOVES } from '../../../src/core/optimize/problem/moves.ts';
import { createPastForecasts } from '../../../src/core/replay/forecasts.ts';
import { drawsOf } from '../../../src/core/replay/random.ts';
import { simulate } from '../../../src/core/replay/simulate.ts';
import type { Dispatch, ReplayedPast } from '../../../src/core/replay/types.ts';
import { hoursOf, poisson, seededRandom, seriesOf, utcHour, weeklyShape } from '../forecast/samples.ts';

/** Two locations, four hours; trips end where they begin. */
function twoPlaces(demand: number[], minutes: number): ReplayedPast {
  const ofPairs = (value: number) => Float64Array.of(0, value, value, 0);
  return {
    locationIds: Int32Array.of(1, 2),
    hours: 4,
    firstHour: 0,
    demand: Float64Array.from(demand),
    tripsPerHour: 2,
    travel: { km: ofPairs(5), minutes: ofPairs(minutes), cost: ofPairs(5) },
    ends: [{ starts: Int32Array.of(0, 1, 2), targets: Int32Array.of(0, 1), shares: Float64Array.of(1, 1) }],
  };
}

const moveFirst = (count: number): Dispatch => {
  return async ({ hour }) =>
    hour === 0 ? movesOfFlow(Int32Array.of(0), Int32Array.of(1), Int32Array.of(count)) : NO_MOVES;
};

test('a vehicle that moves serves nobody until it arrives, when an hour begins', async () => {
  const demand = [0, 9, 0, 9, 0, 9, 0, 9];
  for (const [minutes, served] of [
    [20, [0, 2, 2, 2]],
    [60, [0, 2, 2, 2]],
    [61, [0, 0, 2, 2]],
    [150, [0, 0, 0, 2]],
  ] as const) {
    const record = await simulate(twoPlaces(demand, minutes), Int32Array.of(1, 0), moveFirst(1), {
      kind: 'expected',
    });
    expect([...record!.served].filter((_, u) => u % 2 === 1)).toEqual(served);
  }
});

test('half a load takes half a vehicle with expected trip ends, and a whole one with drawn ends', async () => {
  const past = twoPlaces([3, 0, 3, 0, 3, 0, 3, 0], 10);
  const still: Dispatch = async () => NO_MOVES;
  const expected = await simulate(past, Int32Array.of(2, 0), still, { kind: 'expected' });
  const drawn = await simulate(past, Int32Array.of(2, 0), still, { kind: 'drawn', seed: 1 });
  expect(expected!.serving[0]).toBe(1.5);
  expect(drawn!.serving[0]).toBe(2);
  expect(drawn!.served).toEqual(expected!.served);
});

test('a policy cannot move vehicles that are not there', async () => {
  const past = twoPlaces([0, 0, 0, 0, 0, 0, 0, 0], 10);
  await expect(simulate(past, Int32Array.of(1, 1), moveFirst(2), { kind: 'expected' })).rejects.toThrow(
    '2 vehicles cannot move from 0 to 1; 1 are there',
  );
});

test('draws depend on seed, hour and location, and are uniform', () => {
  const mean = (seed: number, hour: number, location: number) => {
    const draw = drawsOf(seed, hour, location);
    return Array.from({ length: 2000 }, draw).reduce((sum, value) => sum + value, 0) / 2000;
  };
  const means = [mean(1, 0, 0), mean(2, 0, 0), mean(1, 1, 0), mean(1, 0, 1)];
  expect(new Set(means).size).toBe(4);
  for (const one of means) expect(Math.abs(one - 0.5)).toBeLessThan(0.03);
});

test('a forecast is that of the observations before its hour, also across a change of the clock', () => {
  const random = seededRandom(3);
  // New York's clock skips an hour on 10 March 2024 and repeats one on 3 November.
  for (const [day, hours] of [
    ['2024-03-10T03:00Z', 23],
    ['2024-11-03T02:00Z', 25],
  ] as const) {
    const firstHour = utcHour(day);
    const history = seriesOf(
      hoursOf(5, (hour) => poisson(random, weeklyShape(hour, 20))),
      { timeZone: 'America/New_York', startHour: firstHour - 5 * 168 + 24 },
    );
    const ahead = createPastForecasts([history], { firstHour, hoursAhead: hours, confidenceLevels: [0.9] });
    const cut = { ...history, values: history.values.slice(0, -24) };
    const [result] = forecastMany([cut], {
      ...{ originHour: firstHour, horizonHours: hours + 1, stepHours: 1, confidenceLevel: 0.9 },
    }).results;
    if (result.status !== 'ok') throw new Error(result.status);
    const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
    const localDay = result.values.subarray(0, 24);
    expect(ahead.mean(0, hours)).toHaveLength(hours);
    expect(total(ahead.mean(0, hours))).toBeCloseTo(total(localDay), 6);
    expect(total(ahead.upper(0.9)(0, hours))).toBeGreaterThan(total(ahead.mean(0, hours)));
  }
});
