import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { ProgressReport } from '../../../../src/core/optimize/progress.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';

/**
 * Four locations: 1 and 2 have vehicles, 3 and 4 have demand. From 1 to 3 costs 1, from 2 to 4 costs 1, across 3;
 * between 3 and 4, 2.
 */
const NETWORK = {
  location_ids: [1, 2, 3, 4],
  costs: [
    [0, 9, 1, 3],
    [9, 0, 3, 1],
    [1, 3, 0, 2],
    [3, 1, 2, 0],
  ],
};
type Refine = NonNullable<NonNullable<OptimizeRequest['options']>['refine']>;

function requestOf(refine: Refine, more: Partial<OptimizeRequest> = {}): OptimizeRequest {
  const at = (location: number, count: number) =>
    Array.from({ length: count }, (_, v) => ({ id: `${location}${v}`, location }));
  return {
    demand_forecast: { 3: [3], 4: [3] },
    fleet_state: { vehicles: [...at(1, 4), ...at(2, 4)] },
    constraints: { min_service_level: 1, ...more.constraints },
    options: { optimality_gap: 0, refine, ...more.options },
    network: NETWORK,
  };
}

async function solve(refine: Refine, more?: Partial<OptimizeRequest>) {
  const outcome = await optimize({ request: requestOf(refine, more), locations: [], settings: SETTINGS });
  if (outcome.status === 'infeasible')
    return outcome.errors.map(({ field, message }) => `${field}: ${message}`);
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
  const { total_cost, allocation_plan, refinement } = outcome.result;
  const moves: Record<string, number> = {};
  for (const { source_location: from, target_location: to } of allocation_plan)
    if (from !== to) moves[`${from}-${to}`] = (moves[`${from}-${to}`] ?? 0) + 1;
  return { cost: total_cost, moves, refinement, objective: outcome.certificate.objective };
}

describe('rules about pairs of locations', () => {
  test('are not there unless they are asked for', async () => {
    for (const refine of [{}, { min_vehicles_per_move: 1, cost_per_pair: 0 }]) {
      const moves = { '1-3': 3, '2-4': 3 };
      expect(await solve(refine)).toEqual({ cost: 6, moves, refinement: undefined, objective: 6 });
    }
  });

  test('a cost per pair is paid beside the total cost, and changes which plan is best', async () => {
    const refinement = { pairs: 2, cost_per_pair: 1.5, pair_cost: 3, pairs_without: 2, cost_without: 6 };
    expect(await solve({ cost_per_pair: 1.5 })).toEqual({
      cost: 6,
      moves: { '1-3': 3, '2-4': 3 },
      refinement,
      objective: 9,
    });
    // Four of six are enough, for 4 in two pairs. Three from one location cost 3 in one pair, and one more 3.
    const level = { constraints: { min_service_level: 0.5 } };
    expect(await solve({ cost_per_pair: 0.00001 }, level)).toMatchObject({
      cost: 3,
      refinement: { pairs: 1, cost_per_pair: 0.0001, pair_cost: 0.0001 },
    });
  });

  test('a move has the least number of vehicles, of all capacities together, even if fewer would do', async () => {
    const demand_forecast = { 3: [3], 4: [1] };
    const request = { ...requestOf({ min_vehicles_per_move: 2 }), demand_forecast };
    const outcome = await optimize({ request, locations: [], settings: SETTINGS });
    expect(outcome).toMatchObject({ status: 'optimal', result: { total_cost: 5 } });
    const vehicles = request.fleet_state.vehicles.map((v, at) => ({ ...v, capacity: at % 2 === 0 ? 1 : 2 }));
    const mixed = { ...requestOf({ min_vehicles_per_move: 3 }), demand_forecast, fleet_state: { vehicles } };
    const planned = await optimize({ request: mixed, locations: [], settings: SETTINGS });
    expect(planned).toMatchObject({ status: 'optimal', result: { total_cost: 6 } });
  });

  test('no more pairs are used than allowed, in all and from a location', async () => {
    expect(await solve({ max_pairs: 1 }, { constraints: { min_service_level: 0.5 } })).toMatchObject({
      cost: 3,
    });
    // All vehicles that are needed start at 1 and 2; each may go to one place only.
    const many = { demand_forecast: { 3: [4], 4: [2] } };
    const free = { ...requestOf({}), ...many };
    const one = { ...requestOf({ max_moves_from: 1 }), ...many };
    for (const request of [free, one]) {
      const outcome = await optimize({ request, locations: [], settings: SETTINGS });
      expect(outcome).toMatchObject({ status: 'optimal', result: { total_cost: 6 } });
    }
    const far = { ...requestOf({ max_moves_from: 1 }), demand_forecast: { 3: [5], 4: [2] } };
    expect(await optimize({ request: far, locations: [], settings: SETTINGS })).toMatchObject({
      status: 'infeasible',
      conflicts: expect.arrayContaining([
        expect.objectContaining({ constraint: 'max_moves_from', value: 1, relaxation: 2, proved: true }),
      ]),
    });
  });

  test('that allow no plan are explained, each with the nearest value that does', async () => {
    expect(await solve({ max_pairs: 1 })).toEqual([
      'options.refine.max_pairs: max_pairs 1 is fewer than a plan needs; raise it to at least 2',
      expect.stringMatching(/^fleet_state.vehicles: .*; add 3 vehicles of capacity 1/),
      'constraints.min_service_level: min_service_level 1 cannot be reached; lower it to at most 0.5',
    ]);
    expect(await solve({ min_vehicles_per_move: 5 })).toEqual([
      'options.refine.min_vehicles_per_move: min_vehicles_per_move 5 is more than vehicles can move together; ' +
        'lower it to at most 4',
      expect.stringMatching(
        /^fleet_state.vehicles: .*; add 6 vehicles .*\(sufficient; fewer were not checked/,
      ),
      'constraints.min_service_level: min_service_level 1 cannot be reached; lower it to at most 0',
    ]);
  });

  test('have a stage of their own in answers and progress, whose incumbents keep them', async () => {
    const { request, locations } = cityInstance(3, { locations: 12, perLocation: 4, fractional: true });
    const told: ProgressReport[] = [];
    const options = { refine: { cost_per_pair: 4 }, optimality_gap: 0, time_limit_seconds: 5 };
    const outcome = await optimize(
      { request: { ...request, options }, locations, settings: SETTINGS },
      { onProgress: (report) => told.push(report), progressIntervalMs: 0 },
    );
    if (!('result' in outcome)) throw new Error(outcome.status);
    expect(outcome.result.stages).toEqual(['min_cost_flow', 'milp_refinement']);
    const stages = told.map(({ stage }) => stage).filter((stage, at) => stage !== told[at - 1]?.stage);
    expect(stages).toEqual(['build', 'solve', 'milp_refinement', 'verify']);
    for (const { stage, incumbent } of told) {
      if (stage === 'solve') expect(incumbent ?? null).toBeNull();
      else if (incumbent != null) expect(incumbent).toBeGreaterThanOrEqual(outcome.certificate.bound - 1e-9);
    }
    for (let t = 1; t < told.length; t++)
      expect(told[t].progress).toBeGreaterThanOrEqual(told[t - 1].progress);
  });
});
