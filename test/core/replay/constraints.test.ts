import { beforeAll, describe, expect, test } from 'vitest';
import type { Constraints } from '../../../src/contracts/optimize.ts';
import { createPlanner, planStep } from '../../../src/core/replay/planner.ts';
import { type ReplayPolicy, replay } from '../../../src/core/replay/replay.ts';
import { casesOfDay } from '../../helpers/depth.ts';
import { threadCache } from '../optimize/cached.ts';
import { CITY_FLEET, CITY_HOURS, CITY_OPTIONS, forecastsOf, smallCity } from './small-city.ts';

/** Three locations in a row, 1 km apart, where a vehicle serves a trip an hour. */
const ROW = {
  locationIds: Int32Array.of(1, 2, 3),
  travel: {
    km: Float64Array.of(0, 1, 2, 1, 0, 1, 2, 1, 0),
    minutes: Float64Array.of(0, 5, 10, 5, 0, 5, 10, 5, 0),
    cost: Float64Array.of(0, 1, 2, 1, 0, 1, 2, 1, 0),
  },
  tripsPerHour: 1,
};

/** Where vehicles stand after the plan; null without one. */
async function planned(
  constraints: Constraints,
  [supply, demand, there]: [number[], number[], number[]],
): Promise<number[] | null> {
  const planner = createPlanner(ROW, { constraints, timeLimitSeconds: 60, gap: 0 }, threadCache);
  const moves = await planStep(
    planner,
    Int32Array.from(supply),
    Float64Array.from(demand),
    Float64Array.from(there),
  );
  if (!moves) return null;
  const after = supply.slice();
  for (const [m, from] of moves.source.entries()) {
    after[from] -= moves.count[m];
    after[moves.target[m]] += moves.count[m];
  }
  return after;
}

describe('a plan of a replay', () => {
  const IDLE = [6, 0, 0];
  const NOBODY = [0, 0, 0];

  test('serves what pays, by the price of each location', async () => {
    expect(await planned({ unmet_demand_cost: 1.5 }, [IDLE, [0, 2, 3], NOBODY])).toEqual([4, 2, 0]);
    const prices = { unmet_demand_cost: { default: 0, 3: 5 } };
    expect(await planned(prices, [IDLE, [0, 2, 3], NOBODY])).toEqual([3, 0, 3]);
  });

  test('counts vehicles that will be there anyway: for the level, for bounds, and for the size of the fleet', async () => {
    // Three of the eight trips are served anyway; 75 % are three more.
    expect(await planned({ min_service_level: 0.75 }, [IDLE, [0, 8, 0], [0, 3, 0]])).toEqual([3, 3, 0]);
    const docks = { unmet_demand_cost: 9, max_vehicles_per_location: 4 };
    expect(
      await planned(docks, [
        [4, 0, 0],
        [0, 8, 0],
        [0, 3, 0],
      ]),
    ).toEqual([3, 1, 0]);
    expect(await planned({ min_vehicles_per_location: 2 }, [IDLE, [0, 0, 0], [0, 1, 2]])).toEqual([5, 1, 0]);
    const size = { unmet_demand_cost: 9, total_fleet_size: 4 };
    expect(await planned(size, [IDLE, [0, 8, 0], [0, 3, 0]])).toEqual([5, 1, 0]);
  });

  test('cannot refuse those that come anyway', async () => {
    const docks = { unmet_demand_cost: 9, max_vehicles_per_location: { 2: 2 } };
    expect(
      await planned(docks, [
        [4, 0, 0],
        [0, 8, 1],
        [0, 3, 0],
      ]),
    ).toEqual([3, 0, 1]);
  });

  test('serves critical demand first, and stays below its ceiling', async () => {
    const cheap = { unmet_demand_cost: 5, max_rebalancing_cost: 2 };
    expect(await planned(cheap, [IDLE, [0, 3, 3], NOBODY])).toEqual([4, 2, 0]);
    expect(await planned({ ...cheap, priorities: { 3: 9 } }, [IDLE, [0, 3, 3], NOBODY])).toEqual([5, 0, 1]);
    // Without critical demand in this hour, there is nothing to put first.
    expect(await planned({ ...cheap, priorities: { 1: 9 } }, [IDLE, [0, 3, 3], NOBODY])).toEqual([4, 2, 0]);
  });

  test('serves most where the level is out of reach, or is none, as asked', async () => {
    const far = { min_service_level: 1 };
    expect(await planned(far, [IDLE, [0, 9, 0], NOBODY])).toEqual([0, 6, 0]);
    expect(await planned({ ...far, shortage: 'fail' }, [IDLE, [0, 9, 0], NOBODY])).toBeNull();
    expect(await planned({ min_vehicles_per_location: 3 }, [IDLE, [0, 9, 0], NOBODY])).toBeNull();
  });
});

describe('a replay', { tags: ['slow'] }, () => {
  const city = smallCity();
  let forecasts: ReturnType<typeof forecastsOf>;
  beforeAll(() => {
    forecasts = forecastsOf(city);
  });
  const replayOne = async (
    changes: Partial<ReplayPolicy>,
    ends: typeof city.past.ends,
    fleet: Int32Array,
  ) => {
    const policies = [{ ...CITY_OPTIONS.policies[2], ...changes }];
    const options = { ...CITY_OPTIONS, policies, seeds: [], withBound: false };
    const report = await replay({ ...city.past, ends }, fleet, forecasts, options);
    return report!.policies[0].expected;
  };
  /** Several tests compare with the same replay: each is made once. */
  const made = new Map<string, ReturnType<typeof replayOne>>();
  const run = (changes: Partial<ReplayPolicy>, ends = city.past.ends, fleet = CITY_FLEET) => {
    const key = JSON.stringify([changes, ends === city.past.ends, [...fleet]]);
    const found = made.get(key) ?? replayOne(changes, ends, fleet);
    made.set(key, found);
    return found;
  };
  /** Trips end where they begin. */
  const STAYING = [
    {
      starts: Int32Array.from({ length: CITY_FLEET.length + 1 }, (_, j) => j),
      targets: Int32Array.from(CITY_FLEET, (_, j) => j),
      shares: new Float64Array(CITY_FLEET.length).fill(1),
    },
  ];

  test('moves nobody in hours whose constraints no plan keeps, and counts these hours', async () => {
    const { figures } = await run({ constraints: { min_vehicles_per_location: 20 } });
    expect([figures.hoursWithoutPlan, figures.moves]).toEqual([CITY_HOURS, 0]);
    const some = await run({ constraints: { min_service_level: 0.999, shortage: 'fail' } });
    expect(some.figures.hoursWithoutPlan).toBeGreaterThan(0);
    expect(some.figures.hoursWithoutPlan).toBeLessThan(CITY_HOURS);
    expect((await run({})).figures.hoursWithoutPlan).toBe(0);
  });

  test('keeps bounds per location in plans that look ahead', async () => {
    const ahead = { mode: 'horizon' as const, constraints: { min_vehicles_per_location: 4 } };
    const bounded = await run(ahead, STAYING);
    expect(bounded.record.moves).not.toEqual((await run({ mode: 'horizon' }, STAYING)).record.moves);
    const { vehicles } = bounded.record;
    const left = vehicles.slice();
    for (const { hour, from, vehicles: count } of bounded.record.moves)
      left[hour * CITY_FLEET.length + from] -= count;
    expect(Math.min(...left)).toBeGreaterThanOrEqual(4);
  });

  test('serves critical demand first in plans that look ahead, wherever trips end', async () => {
    const few = Int32Array.from(CITY_FLEET, () => 4);
    const servedAt = ({ record: { served } }: Awaited<ReturnType<typeof run>>, at: number) =>
      served.reduce((sum, trips, u) => sum + (u % few.length === at ? trips : 0), 0);
    const constraints = { priorities: { 14: 1 } };
    for (const [ends, demand] of casesOfDay([
      [city.past.ends, 'mean'],
      [STAYING, 'mean'],
      [city.past.ends, 'spread'],
    ] as const)) {
      const plain = await run({ mode: 'horizon', demand }, ends, few);
      const first = await run({ mode: 'horizon', demand, constraints }, ends, few);
      expect(servedAt(first, 4)).toBeGreaterThan(1.5 * servedAt(plain, 4));
      expect(first.figures.served).toBeLessThan(plain.figures.served);
    }
  });

  test('spends no more on the moves of an hour than its ceiling, and uses it', async () => {
    const spentByHour = ({ record: { moves } }: Awaited<ReturnType<typeof run>>) => {
      const spent = new Float64Array(CITY_HOURS);
      for (const { hour, from, to, vehicles } of moves)
        spent[hour] += vehicles * city.past.travel.cost[from * CITY_FLEET.length + to];
      return spent;
    };
    const most = 9;
    for (const mode of ['static', 'horizon'] as const) {
      expect(Math.max(...spentByHour(await run({ mode })))).toBeGreaterThan(2 * most);
      const spent = spentByHour(await run({ mode, constraints: { max_rebalancing_cost: most } }));
      expect(Math.max(...spent)).toBe(most);
    }
  });

  test('moves fewer vehicles if only some of them may serve, and as many if the limit is the fleet', async () => {
    const limited = (total_fleet_size: number) => run({ mode: 'horizon', constraints: { total_fleet_size } });
    const fleet = CITY_FLEET.reduce((sum, vehicles) => sum + vehicles, 0);
    const [usual, all, few] = [await run({ mode: 'horizon' }), await limited(fleet), await limited(12)];
    expect(all.record.moves).toEqual(usual.record.moves);
    expect(few.figures.moves).toBeLessThan(0.8 * usual.figures.moves);
  });

  test('moves as many vehicles of a pair at once as the options of its plans ask for', async () => {
    const fewest = ({ record }: Awaited<ReturnType<typeof run>>) =>
      Math.min(...record.moves.map(({ vehicles }) => vehicles));
    expect(fewest(await run({ mode: 'static' }))).toBe(1);
    const refined = await run({ mode: 'static', options: { refine: { min_vehicles_per_move: 3 } } });
    expect(fewest(refined)).toBe(3);
  });

  test('plans with a cost of moves of its own, and counts what they cost', async () => {
    const moveCost = city.past.travel.cost.map((cost) => 4 * cost);
    for (const mode of ['static', 'horizon'] as const) {
      const [usual, dear] = [await run({ mode }), await run({ mode, moveCost })];
      expect(dear.figures.km).toBeLessThan(0.5 * usual.figures.km);
      expect(dear.figures.cost).toBeCloseTo(dear.figures.km, 6);
    }
  });

  test('plans a night for what its policy takes of the day ahead, by default the busiest hour', async () => {
    const nightly = (demand_aggregation?: 'system_peak' | 'mean' | 'quantile:0.9') =>
      run({ mode: 'nightly', ...(demand_aggregation && { options: { demand_aggregation } }) });
    const [usual, peak, mean, most] = [
      await nightly(),
      await nightly('system_peak'),
      await nightly('mean'),
      await nightly('quantile:0.9'),
    ];
    expect(peak).toEqual(usual);
    expect(mean.record.moves).not.toEqual(usual.record.moves);
    expect(most.record.moves).not.toEqual(mean.record.moves);
  });

  test('plans for the upper end of the interval of the level that its policy names', async () => {
    const forecasts = forecastsOf(city);
    expect(() => forecasts.upper(0.5)).toThrow('no interval of 0.5');
    const of = (confidenceLevel: number) => ({
      ...CITY_OPTIONS.policies[4],
      ...{ name: `upper ${confidenceLevel}`, confidenceLevel },
    });
    const options = { ...CITY_OPTIONS, policies: [of(0.5), of(0.9)], seeds: [], withBound: false };
    const levels = [0.5, 0.9];
    const report = await replay(city.past, CITY_FLEET, forecastsOf(city, levels), options);
    const [half, most] = report!.policies.map(({ expected }) => expected);
    expect(most.record.moves).not.toEqual(half.record.moves);
    // A level is that of its own interval, whatever others are forecast.
    const alone = await replay(city.past, CITY_FLEET, forecastsOf(city), {
      ...options,
      policies: [of(0.9)],
    });
    expect(alone!.policies[0].expected).toEqual(most);
  });

  test('looks ahead in longer steps, which say less, without vehicles that have not arrived yet', async () => {
    const nobody = await run({ mode: 'none' });
    const hourly = await run({ mode: 'horizon', horizonHours: 8 });
    for (const stepHours of [2, 4]) {
      const coarse = await run({ mode: 'horizon', horizonHours: 8, stepHours });
      expect(coarse.record.moves).not.toEqual(hourly.record.moves);
      expect(coarse.figures.servedShare).toBeGreaterThan(nobody.figures.servedShare + 0.02);
      expect(coarse.figures.servedShare).toBeLessThan(hourly.figures.servedShare);
    }
  });
});
