/** @module-tag slow */
import { describe, expect, it } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { verifyOutlook } from '../../../../src/core/optimize/answer/verify-outlook.ts';
import { partsFromOutcomes } from '../../../../src/core/optimize/horizon/demand-parts.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import type { OptimizeInput, TripCounts } from '../../../../src/core/optimize/problem/model.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached } from '../cached.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { formulateRuled } from './ruled-formulation.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null, minServiceLevel: 0, optimalityGap: 0 };
const IDS = [4, 7, 9];
const N = IDS.length;
const LOCATIONS = IDS.map((id, j) => ({ id, latitude: 40 + j / 1000, longitude: 0 }));
/** 0.111… km from one location to the next, rounded up. */
const UNITS = [1112, 2224, 1112, 1112, 2224, 1112];
/** Half of the trips end where they began, a quarter at each of the other locations. */
const TRIPS: TripCounts = {
  from: Int32Array.from(IDS.flatMap((from) => IDS.map(() => from))),
  to: Int32Array.from(IDS.flatMap(() => IDS)),
  hour: new Int16Array(N * N).fill(-1),
  trips: Float64Array.of(2, 1, 1, 1, 2, 1, 1, 1, 2),
};
const FLOW = {
  starts: Int32Array.of(0, 3, 6, 9),
  targets: Int32Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2),
  shares: TRIPS.trips.map((count) => count / 4),
};

type Spread = { input: OptimizeInput & { outcomes: Record<string, number[]>[] }; problem: HorizonProblem };

/** Three locations whose demand has three outcomes, and the same problem written down step by step. */
function spreadRequest(seed: number, hasFlows: boolean): Spread {
  const random = createRandom(seed);
  const steps = random.integer(2, 3);
  const drawn = Array.from({ length: steps * N }, () =>
    [0, 1, 2].map(() => random.integer(0, 4)).sort((a, b) => a - b),
  );
  const forecastOf = (figure: (values: number[]) => number) =>
    Object.fromEntries(
      IDS.map((id, j) => [id, Array.from({ length: steps }, (_, t) => figure(drawn[t * N + j]))]),
    );
  const mean = ([low, middle, high]: number[]) => (low + middle + high) / 3;
  const rowsOf = (figure: (values: number[]) => number) =>
    Float64Array.of(...new Array(N).fill(0), ...drawn.map(figure));
  const places = Array.from({ length: random.integer(2, 7) }, () => random.integer(0, N - 1));
  const supply = new Int32Array((steps + 1) * N);
  for (const j of places) supply[j]++;
  const [price, level] = [random.integer(1, 4) / 10, random.pick([0, 0.5])];
  const demand = rowsOf(mean);
  return {
    input: {
      request: {
        demand_forecast: forecastOf(mean),
        fleet_state: { vehicles: places.map((j, v) => ({ id: `${v}`, location: IDS[j] })) },
        constraints: { unmet_demand_cost: price, min_service_level: level, shortage: 'serve_most' },
        options: { horizon: {} },
      },
      locations: LOCATIONS,
      settings,
      tripCounts: hasFlows ? TRIPS : null,
      outcomes: [0, 1, 2].map((k) => forecastOf((values) => values[k])),
    },
    problem: {
      ...{ n: N, steps: steps + 1, supply, demand, capacity: 1 },
      parts: partsFromOutcomes([0, 1, 2].map((k) => rowsOf((values) => values[k]))),
      pairs: {
        starts: Int32Array.of(0, 2, 4, 6),
        targets: Int32Array.of(1, 2, 0, 2, 0, 1),
        units: Float64Array.from(UNITS),
        delay: new Uint8Array(6).fill(1),
      },
      unmetUnits: Float64Array.from(demand, (_, u) => (u < N ? 0 : price * 1e4)),
      required: level * demand.reduce((a, b) => a + b, 0),
      ...(hasFlows && { flows: new Array(steps + 1).fill(FLOW) }),
    },
  };
}

async function solved(input: OptimizeInput) {
  const outcome = await optimizeCached(input);
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome;
}

describe('a request whose demand may turn out in several ways', () => {
  it('is answered with the best of all plans for these outcomes, and states what is expected of them', async () => {
    let others = 0;
    for (const seed of seeds(1, 60)) {
      const hasFlows = seed % 2 === 0;
      const { input, problem } = spreadRequest(seed, hasFlows);
      const { result } = await solved(input);
      const ruled = { base: problem, capacities: Float64Array.of(1), supply: problem.supply };
      const best = formulateRuled(ruled, hasFlows ? true : 'all')!.objectiveUnits / 1e4;
      const label = `seed ${seed}`;
      expect(result.horizon_cost!, label).toBeCloseTo(best, 3);
      expect(result.horizon_bound!, label).toBeCloseTo(best, 3);
      for (const [t, { demand }] of result.outlook!.entries()) {
        const row = problem.demand.subarray((t + 1) * N, (t + 2) * N);
        expect(demand, label).toBeCloseTo(
          row.reduce((a, b) => a + b, 0),
          5,
        );
      }
      const { outcomes: _, ...certain } = input;
      const mean = (await solved(certain)).result;
      if (mean.total_cost !== result.total_cost) others++;
      // What is expected to be served is at most what serves the mean.
      if (problem.required === 0)
        expect(result.horizon_bound!, label).toBeGreaterThan(mean.horizon_bound! - 1e-3);
    }
    expect(others).toBeGreaterThan(enough(5));
  });

  it('is planned as demand that is certain, to the last digit, if it has one outcome', async () => {
    for (const seed of seeds(1, 40)) {
      const { outcomes: _, ...certain } = spreadRequest(seed, seed % 2 === 0).input;
      // What is missing for a level is not searched for outcomes.
      certain.request.constraints!.min_service_level = 0;
      const one = await solved({ ...certain, outcomes: [certain.request.demand_forecast] });
      expect(one, `seed ${seed}`).toEqual(await solved(certain));
    }
  });

  it('keeps pinned vehicles where they are, which serve the surest demand', async () => {
    const { input } = spreadRequest(3, false);
    const outcomes = [0, 0, 6].map((rare) => ({ '4': [2, 2 + rare] }));
    const request: OptimizeRequest = {
      ...input.request,
      demand_forecast: { '4': [2, 4] },
      fleet_state: { vehicles: [0, 1, 2].map((v) => ({ id: `${v}`, location: 4, pinned: v < 2 })) },
    };
    const { result } = await solved({ ...input, request, outcomes });
    // The third vehicle has work in one of three outcomes.
    expect(result.outlook!.map(({ served }) => served)).toEqual([2, 2.333333]);
  });

  type Change = { request: OptimizeRequest; previous?: Map<string, number>; tripCounts?: TripCounts };
  const changes: [string, (request: OptimizeRequest) => Change][] = [
    [
      'several capacities',
      ({ fleet_state: { vehicles }, ...rest }) => ({
        request: {
          ...rest,
          fleet_state: { vehicles: vehicles.map((one, v) => ({ ...one, capacity: v + 1 })) },
        },
      }),
    ],
    [
      'priorities',
      (request) => ({
        request: { ...request, constraints: { ...request.constraints, priorities: { default: 2 } } },
      }),
    ],
    [
      'a change cost',
      (request) => ({
        request: { ...request, options: { ...request.options, previous_plan_id: 'p', change_cost: 1 } },
        previous: new Map([['0', 4]]),
      }),
    ],
    [
      'bounds together with trip flows',
      (request) => ({
        request: { ...request, constraints: { ...request.constraints, max_vehicles_per_location: 9 } },
        tripCounts: TRIPS,
      }),
    ],
    [
      'a ceiling in the way',
      (request) => ({
        request: { ...request, constraints: { ...request.constraints, max_rebalancing_cost: 0 } },
      }),
    ],
    [
      'one step',
      ({ demand_forecast, ...rest }) => ({
        request: {
          ...rest,
          demand_forecast: Object.fromEntries(
            Object.entries(demand_forecast).map(([id, [one]]) => [id, [one]]),
          ),
        },
      }),
    ],
  ];
  it.each(changes)('keeps %s, and never serves more than the mean would', async (_, change) => {
    const { input } = spreadRequest(1, false);
    // All vehicles are at one location, and demand elsewhere is worth a move.
    input.request.fleet_state.vehicles = [0, 1, 2, 3].map((v) => ({ id: `${v}`, location: 4 }));
    input.request.constraints!.unmet_demand_cost = 9;
    const all = { ...input, ...change(input.request) };
    const { result } = await solved(all);
    expect(verifyOutlook(all, result)).toEqual([]);
    const { outcomes: __, ...certain } = all;
    expect(result.horizon_bound!).toBeGreaterThan((await solved(certain)).result.horizon_bound! - 1e-3);
  });

  it('has an answer that is checked against every outcome by itself', async () => {
    for (const seed of seeds(1, 20)) {
      const { input } = spreadRequest(seed, seed % 2 === 0);
      const { result } = await solved(input);
      expect(verifyOutlook(input, result)).toEqual([]);
      const [first, ...later] = result.outlook!;
      const able = input.request.fleet_state.vehicles.length;
      const tooMuch = {
        ...first,
        served: Math.min(able, first.demand),
        unmet: Math.max(0, first.demand - able),
      };
      // What the vehicles would serve of the mean is more than they serve on average.
      if (tooMuch.served > first.served + 0.1) {
        const outlook = [tooMuch, ...later];
        expect(verifyOutlook(input, { ...result, outlook }), `seed ${seed}`).toContainEqual(
          expect.stringMatching(/step 0: .* at most on average/),
        );
      }
      const other = input.outcomes.map((outcome, k) => (k === 2 ? { ...outcome, '4': [99] } : outcome));
      expect(verifyOutlook({ ...input, outcomes: other }, result)).toContainEqual(
        expect.stringMatching(/outcomes have the mean/),
      );
    }
  });
});
