import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_REPLAY_CELLS } from '../../../src/contracts/replays.ts';
import { buildHorizon } from '../../../src/core/optimize/horizon/build-horizon.ts';
import { planHorizon } from '../../../src/core/optimize/horizon/plan-horizon.ts';
import { fromUnits } from '../../../src/core/optimize/problem/costs.ts';
import { checkRecord } from '../../../src/core/replay/check-record.ts';
import { createPlanner } from '../../../src/core/replay/planner.ts';
import { type ReplayReport, replay } from '../../../src/core/replay/replay.ts';
import { reportFigures } from '../../../src/core/replay/report.ts';
import type { ReplayRecord } from '../../../src/core/replay/types.ts';
import { casesOfDay } from '../../helpers/depth.ts';
import { threadCache } from '../optimize/cached.ts';
import { CITY_FLEET, CITY_HOURS, CITY_OPTIONS, forecastsOf, smallCity } from './small-city.ts';

const city = smallCity();
const forecasts = forecastsOf(city);
let report: ReplayReport;
beforeAll(async () => {
  report = (await replay(city.past, CITY_FLEET, forecasts, CITY_OPTIONS)) as ReplayReport;
});
const runsOf = ({ policies }: ReplayReport) =>
  policies.flatMap(({ expected, drawn }) => [expected, ...drawn]);
/** All vehicles, in every hour: those that are free, and those that left for places at which they are not yet. */
function vehiclesByHour({ vehicles, moves }: ReplayRecord): number[] {
  const { minutes } = city.past.travel;
  const n = CITY_FLEET.length;
  return Array.from({ length: CITY_HOURS }, (_, hour) => {
    const free = vehicles.subarray(hour * n, (hour + 1) * n);
    const away = moves.filter((move) => {
      const isLate = move.hour + minutes[move.from * n + move.to] / 60 > hour;
      return move.hour < hour && isLate;
    });
    return (
      free.reduce((sum, count) => sum + count, 0) + away.reduce((sum, { vehicles: count }) => sum + count, 0)
    );
  });
}
const shareOf = (name: string) =>
  report.policies.find(({ policy }) => policy.name === name)!.expected.figures.servedShare;

describe('a replay', { tags: ['slow'] }, () => {
  test('tells its progress after each simulated hour', async () => {
    const told: number[][] = [];
    const options = { ...CITY_OPTIONS, policies: CITY_OPTIONS.policies.slice(0, 2), withBound: false };
    await replay(city.past, CITY_FLEET, forecasts, options, { onProgress: (...one) => told.push(one) });
    const all = 2 * (1 + options.seeds.length) * CITY_HOURS;
    expect(told).toEqual(Array.from({ length: all }, (_, i) => [i + 1, all]));
  });

  test('conserves vehicles in every hour, whatever the policy and wherever trips end', () => {
    const fleet = CITY_FLEET.reduce((sum, vehicles) => sum + vehicles, 0);
    for (const { ends, record } of runsOf(report)) {
      const counts = vehiclesByHour(record);
      expect(counts).toHaveLength(CITY_HOURS);
      const most = ends.kind === 'drawn' ? 0 : 1e-9 * fleet;
      for (const count of counts) expect(Math.abs(count - fleet)).toBeLessThanOrEqual(most);
    }
    expect(runsOf(report).filter(({ record }) => record.moves.length > 0)).toHaveLength(24);
  });

  test('has only whole vehicles where trip ends are drawn', () => {
    for (const { drawn } of report.policies)
      for (const { record } of drawn) expect(record.vehicles.every(Number.isInteger)).toBe(true);
  });

  test('repeats to the digit by seed, and differs by seed', async () => {
    const options = { ...CITY_OPTIONS, withBound: false, policies: CITY_OPTIONS.policies.slice(2, 4) };
    const again = (await replay(city.past, CITY_FLEET, forecasts, options)) as ReplayReport;
    expect(again.policies).toEqual(report.policies.slice(2, 4));
    const [first, second] = again.policies[0].drawn;
    expect(first.figures.served).not.toBe(second.figures.served);
  });

  test('says what was lost at each location in each hour, to a thousandth, if the answer stays small', () => {
    const found = reportFigures(city.past, report);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const rows = found.demand_by_hour_and_location!;
    expect(rows).toHaveLength(CITY_HOURS);
    for (const [t, row] of rows.entries()) expect(sum(row)).toBeCloseTo(found.demand_by_hour[t], 1);
    for (const policy of found.policies) {
      const lost = policy.lost_by_hour_and_location!;
      for (const [t, row] of lost.entries()) {
        expect(sum(row)).toBeCloseTo(found.demand_by_hour[t] - policy.served_by_hour[t], 1);
        for (const [j, trips] of row.entries()) {
          expect(trips).toBeGreaterThanOrEqual(0);
          expect(trips).toBeLessThanOrEqual(rows[t][j]);
          expect(Math.round(1000 * trips) / 1000).toBe(trips);
        }
      }
      for (const j of found.location_ids.keys()) {
        const here = sum(lost.map((row) => row[j]));
        expect(here).toBeCloseTo(found.demand_by_location[j] - policy.served_by_location[j], 1);
      }
    }
    const many = Math.floor(MAX_REPLAY_CELLS / city.past.demand.length);
    const repeated = { ...report, policies: new Array(many).fill(report.policies[0]) };
    const large = reportFigures(city.past, repeated);
    expect(large).toMatchObject({ demand_by_hour_and_location: null });
    expect(large.policies[0].lost_by_hour_and_location).toBeNull();
    const most = reportFigures(city.past, { ...repeated, policies: repeated.policies.slice(1) });
    expect(most.policies[0].lost_by_hour_and_location).toHaveLength(CITY_HOURS);
  });

  test('decides nothing by later demand', async () => {
    const at = 20;
    const changed = smallCity((demand, hour) => (hour < at ? demand : 3 * demand + 7));
    const other = (await replay(
      changed.past,
      CITY_FLEET,
      forecastsOf(changed),
      CITY_OPTIONS,
    )) as ReplayReport;
    // What is decided when an hour begins knows only the hours before it.
    const early = ({ record }: ReturnType<typeof runsOf>[number]) =>
      record.moves.filter(({ hour }) => hour <= at);
    for (const [i, { policy, expected, drawn }] of report.policies.entries()) {
      const { expected: otherExpected, drawn: otherDrawn } = other.policies[i];
      const same = [expected, ...drawn].map(early);
      const others = [otherExpected, ...otherDrawn].map(early);
      if (policy.demand === 'observed') expect(others).not.toEqual(same);
      else expect(others, policy.name).toEqual(same);
    }
    expect(other.policies[3].expected.record.moves).not.toEqual(report.policies[3].expected.record.moves);
  });

  test('never beats the bound, which knows all demand', () => {
    const objectives = report.policies.map(({ expected }) => expected.objective);
    for (const objective of objectives) expect(objective).toBeGreaterThanOrEqual(report.bound!);
    expect(report.bound!).toBeGreaterThan(0.8 * Math.min(...objectives));
  });

  test('has a bound that no plan of all hours beats', async () => {
    const { travel, demand, ends } = city.past;
    const n = CITY_FLEET.length;
    const constraints = { unmet_demand_cost: CITY_OPTIONS.unmetDemandCost };
    const { base } = createPlanner(city.past, { constraints, timeLimitSeconds: 60, gap: 0 }, threadCache);
    const problem = buildHorizon(
      { ...base, supply: CITY_FLEET },
      {
        ...{ stepHours: 1, speedKmh: 1, isAhead: false, demand },
        minutesOf: (from, to) => travel.minutes[from * n + to],
        flows: new Array(CITY_HOURS).fill(ends[0]),
      },
    );
    if ('field' in problem) throw new Error(problem.message);
    const whole = await planHorizon(problem, 0, { deadlineMs: 1e9 }, threadCache);
    if (whole.kind !== 'solved') throw new Error(whole.kind);
    expect(report.bound!).toBeLessThanOrEqual(fromUnits(whole.solution.boundUnits));
  });

  test('serves more the more its plans know: nobody moves, a plan a night, one each hour, the demand itself', () => {
    expect(shareOf('nightly mean')).toBeGreaterThan(shareOf('none mean'));
    expect(shareOf('horizon mean')).toBeGreaterThan(shareOf('nightly mean') + 0.02);
    expect(shareOf('horizon observed')).toBeGreaterThan(shareOf('horizon mean'));
  });

  test('is never worse by more than the spread of seeds if plans look further ahead, also with rules', async () => {
    const ahead = CITY_OPTIONS.policies[3];
    const ceiling = { max_rebalancing_cost: 12, max_vehicles_per_location: 16 };
    const kinds = casesOfDay([
      { demand: 'mean' },
      { demand: 'spread' },
      { demand: 'mean', constraints: ceiling },
    ] as const);
    const policies = kinds.flatMap((kind) =>
      [2, 4, 8].map((horizonHours) => ({ ...ahead, ...kind, horizonHours })),
    );
    const options = { ...CITY_OPTIONS, policies, seeds: [1, 2, 3], withBound: false };
    const found = (await replay(city.past, CITY_FLEET, forecasts, options)) as ReplayReport;
    const objectives = found.policies.map(({ drawn }) => drawn.map(({ objective }) => objective));
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    for (const k of kinds.keys()) {
      const [two, four, eight] = objectives.slice(3 * k, 3 * k + 3);
      for (const [shorter, longer] of [
        [two, four],
        [two, eight],
        [four, eight],
      ])
        expect(mean(longer)).toBeLessThan(mean(shorter) + Math.max(...shorter) - Math.min(...shorter));
      // A ceiling binds all of them alike.
      if (!('constraints' in kinds[k])) expect(mean(four)).toBeLessThan(0.97 * mean(two));
    }
  });

  test('ends with the stop flag', async () => {
    const stopFlag = Int32Array.of(0);
    const onProgress = (done: number) => {
      if (done === 60) stopFlag[0] = 1;
    };
    expect(await replay(city.past, CITY_FLEET, forecasts, CITY_OPTIONS, { stopFlag, onProgress })).toBeNull();
  });
});

test('the check finds a vehicle too many, a trip too many, and a move that nobody made', {
  tags: ['slow'],
}, () => {
  const { record } = report.policies[3].drawn[0];
  const spoil = (change: (copy: typeof record) => void): string[] => {
    const copy = structuredClone(record);
    change(copy);
    return checkRecord(city.past, CITY_FLEET, copy);
  };
  expect(spoil(() => {})).toEqual([]);
  expect(spoil(({ vehicles }) => vehicles[50]++).join()).toContain('do not follow from the hour before');
  expect(spoil(({ served }) => (served[50] = city.past.demand[50] + 1)).join()).toContain('trips served');
  expect(spoil(({ serving }) => (serving[50] = 100)).join()).toContain('vehicles serve');
  expect(spoil(({ moves }) => moves.push({ hour: 9, from: 0, to: 1, vehicles: 1 })).join()).toContain(
    'hour 10',
  );
});
