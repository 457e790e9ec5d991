/** @module-tag slow */
import { describe, expect, it } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { optimizeCached } from '../cached.ts';
import { SETTINGS } from '../instances.ts';
import { formulateRuled } from './ruled-formulation.ts';
import { type TinyAhead, tinyAhead } from './tiny-requests.ts';

/** The first and the last seed of a test: 20,000 at full depth, which take about an hour. */
const CHUNKS: [number, number][] = isFullDepth
  ? Array.from({ length: 200 }, (_, c) => [100 * c + 1, 100 * c + 100])
  : [[1, 600]];

/** What is wrong with the answer to a request, in short names. */
async function faultsOf({ input, problem, demand, servesMost }: TinyAhead): Promise<string[]> {
  const { request } = input;
  const faults = checkRequest(request, new Set(input.locations.map(({ id }) => id)), input.settings);
  expect(faults).toEqual([]);
  const { n } = problem.base;
  const total = demand.reduce((a, b) => a + b, 0);
  const byPinned = total - problem.base.demand.reduce((a, b) => a + b, 0);
  const best = formulateRuled(problem, problem.base.flows ? true : 'all');
  const outcome = await optimizeCached(input);
  if (!best) return outcome.status === 'infeasible' ? [] : [`verdict ${outcome.status}, not infeasible`];
  const reached = total === 0 ? 1 : (byPinned + best.served.at(-1)!) / total;
  if (!best.isReached && !servesMost) {
    if (outcome.status !== 'infeasible') return [`verdict ${outcome.status}, not 422`];
    const most = formulateRuled({ ...problem, levels: undefined }, problem.base.flows ? true : 'all')!;
    const level = outcome.conflicts.find(({ constraint }) => constraint === 'min_service_level');
    const highest = (byPinned + most.served[0]) / total;
    const isRight = level?.proved && Math.abs(level.relaxation! - highest) < 2e-6;
    return isRight ? [] : [`highest level ${level?.relaxation} ${level?.proved}, not ${highest}`];
  }
  if (!('result' in outcome)) return [`verdict ${JSON.stringify(outcome).slice(0, 300)}`];
  const { result } = outcome;
  const wrong: string[] = [];
  const { shortfall, priorities = [], horizon_cost: cost = 0, horizon_bound: bound = 0 } = result;
  if ((shortfall === undefined) !== best.isReached) wrong.push(`shortfall ${shortfall?.reached}`);
  if (shortfall && Math.abs(shortfall.reached - reached) > 1e-6)
    wrong.push(`reached ${shortfall.reached}, not ${reached}`);
  if (shortfall && shortfall.reached_at_most > shortfall.reached + 1e-6)
    wrong.push(`reached ${shortfall.reached} at most ${shortfall.reached_at_most}`);
  const levels = problem.levels!;
  const critical = [...new Set(demand.keys().map((u) => (demand[u] > 0 ? levels[u % n] : 0)))];
  critical.sort((a, b) => b - a);
  const isOpen = (level: number) => problem.base.demand.some((one, u) => one > 0 && levels[u % n] === level);
  let own = 0;
  let at = -1;
  for (const level of critical.filter((one) => one > 0)) {
    if (isOpen(level)) at++;
    own += priorities.find((one) => one.level === level)?.served ?? Number.NaN;
    const pinned = demand.reduce(
      (sum, one, u) => sum + (levels[u % n] >= level ? one - problem.base.demand[n + u] : 0),
      0,
    );
    const expected = (at < 0 ? 0 : best.served[at]) + pinned;
    if (!(Math.abs(own - expected) < 1e-5)) wrong.push(`level ${level} gets ${own}, not ${expected}`);
  }
  const units = best.objectiveUnits / 1e4;
  const noise = 1e-3;
  if (wrong.length === 0 && cost > units + noise) wrong.push(`cost ${cost}, not ${units}`);
  const least = best.leastUnits / 1e4;
  if (wrong.length === 0 && cost < least - noise) wrong.push(`cost ${cost} below ${least}`);
  if (bound > units + noise) wrong.push(`bound ${bound} above ${units}`);
  if (result.solver_status !== 'optimal') wrong.push(`status ${result.solver_status}`);
  return wrong;
}

it.each(CHUNKS)(
  'a tiny request that looks ahead is answered with the best of all plans whose moves are whole, proved (%i to %i)',
  { tags: ['slow'] },
  async (first, last) => {
    const wrong: string[] = [];
    for (const seed of seeds(first, last)) {
      const found = await faultsOf(tinyAhead(seed)).catch((error) => [`${error}`]);
      if (found.length > 0) wrong.push(`seed ${seed}: ${found.join('; ')}`);
    }
    expect(wrong).toEqual([]);
  },
);

// HiGHS 1.15 ended branch and cut of these with a wrong verdict or bound, or noise hid that a plan was proved.
it.each([
  917, 1381, 3200, 3611, 3872, 4317, 4578, 5731, 6265, 7830, 7905, 9080, 9852, 12873, 14940, 15499, 15916,
  16207, 19292, 19990,
])('a tiny request whose answer was wrong once is answered as the others are (%i)', async (seed) => {
  expect(await faultsOf(tinyAhead(seed))).toEqual([]);
});

it('a plan that looks ahead is never dearer without one of its constraints', { tags: ['slow'] }, async () => {
  let compared = 0;
  for (const seed of seeds(1, 600)) {
    const { input } = tinyAhead(seed);
    const { constraints = {}, ...request } = input.request;
    const costOf = async (asked: typeof constraints) => {
      const outcome = await optimizeCached({ ...input, request: { ...request, constraints: asked } });
      const isReached = 'result' in outcome && !outcome.result.shortfall;
      return isReached ? outcome.result.horizon_cost! : Number.POSITIVE_INFINITY;
    };
    const cost = await costOf(constraints);
    for (const name of [
      'max_rebalancing_cost',
      'total_fleet_size',
      'priorities',
      'min_vehicles_per_location',
      'max_vehicles_per_location',
    ] as const) {
      // Critical demand may get more without another constraint, and that may cost more.
      if (constraints[name] === undefined || (constraints.priorities && name !== 'priorities')) continue;
      const { [name]: _, ...others } = constraints;
      expect(await costOf(others), `seed ${seed} without ${name}`).toBeLessThanOrEqual(cost + 1e-3);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(enough(200));
});

describe('a plan of one vehicle in Manhattan', () => {
  const locations = [
    { id: 12, latitude: 40.702946, longitude: -74.015563 },
    { id: 13, latitude: 40.712038, longitude: -74.016079 },
    { id: 161, latitude: 40.758028, longitude: -73.977698 },
    { id: 237, latitude: 40.768615, longitude: -73.965635 },
  ];
  const ids = locations.map(({ id }) => id);
  const TRIPS = [
    [414, 2225, 2121, 511],
    [8717, 32179, 29772, 9555],
    [2598, 37637, 197980, 254998],
    [447, 11851, 264363, 473039],
  ];
  const tripCounts = {
    from: Int32Array.from(TRIPS.flat(), (_, c) => ids[Math.floor(c / 4)]),
    to: Int32Array.from(TRIPS.flat(), (_, c) => ids[c % 4]),
    hour: new Int16Array(16).fill(-1),
    trips: Float64Array.from(TRIPS.flat()),
  };
  const settings = { ...SETTINGS, maxRebalancingCost: null };
  const ask = (request: OptimizeRequest) => optimizeCached({ request, locations, settings, tripCounts });
  const planned = async (request: OptimizeRequest) => {
    const outcome = await ask(request);
    if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
    return outcome.result;
  };
  const options = { optimality_gap: 0, horizon: {} };

  it('that serves the most costs as little as one that has to serve as much, and its bound says so', async () => {
    for (const [at, demand_forecast] of [
      [161, { '13': [1.2, 1.3], '161': [1.1, 0.2], '237': [1.6, 0.5] }],
      [12, { '12': [0.5, 0.4], '161': [0.8, 0.1] }],
    ] as const) {
      const request = { demand_forecast, fleet_state: { vehicles: [{ id: 'V', location: at }] }, options };
      const asked = (constraints: OptimizeRequest['constraints']) =>
        ({ ...request, constraints }) as unknown as OptimizeRequest;
      const most = await planned(asked({ min_service_level: 1, shortage: 'serve_most' }));
      const { reached = 0, reached_at_most: atMost } = most.shortfall ?? {};
      expect(most.solver_status).toBe('optimal');
      expect(atMost).toBeCloseTo(reached, 7);
      expect(most.horizon_bound).toBeCloseTo(most.horizon_cost!, 3);
      const same = await planned(asked({ min_service_level: reached - 1e-7 }));
      expect(same.horizon_cost).toBeCloseTo(most.horizon_cost!, 3);
      const more = await ask(asked({ min_service_level: reached + 1e-6 }));
      expect(more.status).toBe('infeasible');
    }
  });

  it('serves the level that is asked for first, then critical demand, as a static plan does', async () => {
    const plan = async (min_service_level: number, more: object, forecast: Record<string, number[]>) =>
      await ask({
        demand_forecast: forecast,
        fleet_state: { vehicles: [{ id: 'V', location: 12 }] },
        constraints: { min_service_level, priorities: { '13': 9 } },
        options: more,
      });
    const ahead = { horizon: { trip_flows: 'none' as const } };
    const steps = { '12': [1, 1], '13': [0, 0.5] };
    const enough = await plan(0.8, ahead, steps);
    expect(enough).toMatchObject({ status: 'optimal', result: { priorities: [{ level: 9, served: 0 }] } });
    const short = await plan(0.9, ahead, steps);
    expect(short).toMatchObject({ conflicts: [{ constraint: 'min_service_level', relaxation: 0.8 }, {}] });
    const atOnce = { '12': [2], '13': [0.5] };
    expect(await plan(0.4, {}, atOnce)).toMatchObject({ result: { priorities: [{ level: 9, served: 0 }] } });
  });

  it('has the locations that only a priority names, and counts pinned vehicles as those of the fleet', async () => {
    for (const more of [{}, { horizon: { trip_flows: 'none' as const } }]) {
      const { shortfall, locations: all } = await planned({
        demand_forecast: { '12': 'horizon' in more ? [12, 12] : [12] },
        fleet_state: {
          vehicles: [1, 2, 3].map((v) => ({ id: `${v}`, location: 12, capacity: 3, pinned: true })),
        },
        constraints: { min_service_level: 1, shortage: 'serve_most', priorities: { '13': 2 } },
        options: more,
      });
      expect(all?.map(({ location_id }) => location_id)).toEqual([12, 13]);
      expect(shortfall).toMatchObject({ reached: 0.75, missing_vehicles: 1 });
      const supply = shortfall!.relaxations.find(({ constraint }) => constraint === 'supply');
      expect(supply?.message).toMatch(/add 1 vehicle of capacity 3/);
    }
  });
});
