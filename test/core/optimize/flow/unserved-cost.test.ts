import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { certify } from '../../../../src/core/optimize/flow/certify.ts';
import { solvePlaceFlow } from '../../../../src/core/optimize/flow/place-flow.ts';
import { asFlowProblem, solvePureFlow } from '../../../../src/core/optimize/flow/pure-flow.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import { hasLocationBounds } from '../../../../src/core/optimize/problem/variants.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { randomBounds, withBounds } from '../bounds-by-location.ts';
import { buildCached } from '../cached.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { createRandom, type Instance, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { hasMovable, tinyInstance } from '../tiny-instances.ts';
import { randomPrice } from '../unmet-prices.ts';

const control = { deadlineMs: Number.POSITIVE_INFINITY };

/**
 * The same request with vehicles of one capacity, demand in whole loads of it, and a cost of unmet demand that is whole
 * per load. Every third has bounds per location.
 */
function pricedLoads(seed: number, { request, locations }: Pick<Instance, 'request' | 'locations'>) {
  const random = createRandom(seed + 3e6);
  const capacity = random.pick([1, 1, 0.5, 2.5]);
  const { vehicles } = request.fleet_state;
  const ids = locations.map(({ id }) => id);
  const share = vehicles.length / ids.length;
  const {
    total_fleet_size: _size,
    min_vehicles_per_location: _min,
    max_vehicles_per_location: _max,
    ...others
  } = request.constraints!;
  const twoDecimals = (price: number) => Math.round(price * 100) / 100;
  const price = randomPrice(random, ids);
  const constraints = {
    ...others,
    capacity_per_vehicle: capacity,
    max_rebalancing_cost: null,
    unmet_demand_cost:
      typeof price === 'number'
        ? twoDecimals(price)
        : Object.fromEntries(Object.entries(price).map(([id, each]) => [id, twoDecimals(each)])),
    ...(random.chance(0.5) && { min_service_level: 0 }),
  };
  if (constraints.min_service_level !== undefined) delete constraints.min_demand_coverage;
  const bounds = randomBounds(
    random,
    ids,
    () => random.integer(0, Math.ceil(share * 0.7)),
    () => random.integer(Math.floor(share / 2), Math.ceil(share * 2)),
  );
  const demand_forecast = Object.fromEntries(
    Object.entries(request.demand_forecast).map(([id, steps]) => [
      id,
      [capacity * Math.round(Math.max(...steps) / (vehicles[0]?.capacity ?? 1))],
    ]),
  );
  const asked: OptimizeRequest = {
    ...request,
    demand_forecast,
    fleet_state: { vehicles: vehicles.map((vehicle) => ({ ...vehicle, capacity })) },
    constraints: seed % 3 === 0 ? withBounds(constraints, bounds) : constraints,
  };
  return { request: asked, locations };
}

/** The objective in units of 1e-4, `infeasible`, or what happened instead. */
async function solvePriced({ request, locations }: Pick<Instance, 'request' | 'locations'>) {
  const problem = buildCached(request, locations, SETTINGS);
  const outcome = hasLocationBounds(problem)
    ? await solvePlaceFlow(problem, control)
    : await solvePureFlow(problem, control);
  if (outcome?.kind !== 'solved') return outcome?.kind ?? 'not solved here';
  const { objectiveUnits, boundUnits, figures } = outcome.solution;
  return boundUnits === objectiveUnits && figures.confirmedWithin !== undefined
    ? objectiveUnits
    : 'not proved';
}

describe('whole loads of one class, of which those that are not served have a cost', () => {
  test('the network simplex finds and proves the cheapest plan of all, tried one by one, on tiny requests', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { solved: 0, infeasible: 0, bounded: 0, unserved: 0, beyondTheFloor: 0 };
    for (const seed of seeds(1, 2000)) {
      const asked = pricedLoads(seed, tinyInstance(seed));
      if (!hasMovable(asked.request)) continue;
      const expected = cheapestByTryingAll(asked.request, asked.locations)?.costUnits ?? 'infeasible';
      const found = await solvePriced(asked);
      if (found !== expected) wrong.push({ seed, found, expected });
      if (expected === 'infeasible') seen.infeasible++;
      else seen.solved++;
      if (seed % 3 === 0) seen.bounded++;
      const problem = buildCached(asked.request, asked.locations, SETTINGS);
      const flow = hasLocationBounds(problem) ? null : asFlowProblem(problem);
      const solved = flow && solveFlow(flow);
      if (solved?.kind !== 'solved') continue;
      if (solved.duals.service === 0 && flow!.required > 0) seen.beyondTheFloor++;
      if (solved.basis.unserved.includes(1)) seen.unserved++;
      // A certificate of other costs of unserved loads is refused, unless they change nothing.
      const dearer = { ...flow!, unservedCost: flow!.unservedCost!.map((cost) => cost + 1) };
      const check = certify(dearer, solved.flow, solved.duals);
      if (check.ok && check.cost === solved.cost && solved.duals.demand.some((price) => price > 0)) {
        wrong.push({ seed, check });
      }
    }
    expect(wrong).toEqual([]);
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(100));
  });

  test('HiGHS alone finds the same optimum, on random requests of middle size', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    let solved = 0;
    for (const seed of seeds(1, 200)) {
      const asked = pricedLoads(seed, mediumRequest(seed));
      if (!hasMovable(asked.request)) continue;
      const found = await solvePriced(asked);
      const alone = solveByHighs(asked.request, asked.locations, SETTINGS, { gap: 0, seconds: 10 });
      if (alone.kind === 'unknown') continue;
      const expected = alone.kind === 'solved' ? Math.round(alone.costUnits) : 'infeasible';
      const isSame = typeof found === 'number' && Math.abs(found - Number(expected)) <= 1 + 1e-9 * found;
      if (found !== expected && !isSame) wrong.push({ seed, found, expected });
      if (typeof found === 'number') solved++;
    }
    expect(wrong).toEqual([]);
    expect(solved).toBeGreaterThan(enough(120));
  });
});
