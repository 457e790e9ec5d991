import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { totalChange } from '../../../../src/core/optimize/infeasible/looser-bounds.ts';
import type { ConstraintName } from '../../../../src/core/optimize/problem/constraints.ts';
import type { Conflict, OptimizeOutcome } from '../../../../src/core/optimize/problem/model.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import {
  changed,
  NO_CONSTRAINT,
  relaxed,
  withoutForbiddenMoves,
  withTotalChange,
} from '../changed-requests.ts';
import { cheapestByTryingAll, readFacts } from '../exhaustive.ts';
import { createRandom, type Instance, randomInstance, SETTINGS } from '../instances.ts';

type Infeasible = Extract<OptimizeOutcome, { status: 'infeasible' }>;

async function infeasible(
  request: OptimizeRequest,
  locations: Instance['locations'] = [],
): Promise<Infeasible> {
  const outcome = await optimize({ request, locations, settings: SETTINGS });
  if (outcome.status !== 'infeasible') throw new Error(`is ${outcome.status}`);
  return outcome;
}

/** The nearest value that is tighter than the relaxation, if one lies between it and the request's value. */
function slightlyTighter({
  constraint,
  value,
  relaxation,
}: Pick<Conflict, 'constraint' | 'value' | 'relaxation'>): number | null {
  const step: Partial<Record<ConstraintName, number>> = {
    min_service_level: 2e-6,
    max_distance: -0.1,
    max_rebalancing_cost: -1e-4,
    min_vehicles_per_location: 1,
    max_vehicles_per_location: -1,
    total_fleet_size: -1,
  };
  const tighter = Math.round((relaxation! + step[constraint]!) * 1e7) / 1e7;
  const between = step[constraint]! < 0 ? tighter > value! : tighter < value!;
  return between ? tighter : null;
}

/** Requests with a constraint changed by the next smaller amount. */
function tighterRequests(
  request: OptimizeRequest,
  locations: Instance['locations'],
  change: Pick<Conflict, 'constraint' | 'value' | 'relaxation' | 'changes'>,
): OptimizeRequest[] {
  const { constraint, changes } = change;
  if (changes && (constraint === 'min_vehicles_per_location' || constraint === 'max_vehicles_per_location')) {
    const total = totalChange(changes) - 1;
    return total > 0 ? withTotalChange(request, constraint, readFacts(request, locations).ids, total) : [];
  }
  const tighter = slightlyTighter(change);
  return tighter === null ? [] : [changed(request, constraint, tighter)];
}

function withVehicles(
  request: OptimizeRequest,
  added: { location_id: number; capacity: number }[],
): OptimizeRequest {
  const more = added.map(({ location_id, capacity }, v) => ({
    id: `new${v}`,
    location: location_id,
    capacity,
  }));
  return { ...request, fleet_state: { vehicles: [...request.fleet_state.vehicles, ...more] } };
}

/** The capacity of most operational vehicles; the smaller one of a tie. */
function commonCapacity(request: OptimizeRequest): number {
  const standard = request.constraints?.capacity_per_vehicle ?? SETTINGS.capacityPerVehicle;
  const counts = new Map<number, number>();
  for (const { status, capacity = standard } of request.fleet_state.vehicles) {
    if ((status ?? 'operational') === 'operational') counts.set(capacity, (counts.get(capacity) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, many], [b, few]) => few - many || a - b);
  return most?.[0] ?? standard;
}

/** All distributions of `count` vehicles over the places. */
function placements(places: number[], count: number): number[][] {
  if (count <= 0) return [[]];
  return places.flatMap((place, p) => placements(places.slice(p), count - 1).map((rest) => [place, ...rest]));
}

/** A random request. With a fleet size, half of them have pinned vehicles, which compete with the others for it. */
function instanceOf(seed: number): Instance {
  const instance = randomInstance(seed);
  const random = createRandom(seed + 5e6);
  const { request } = instance;
  if (request.constraints?.total_fleet_size === undefined || random.chance(0.5)) return instance;
  const vehicles = request.fleet_state.vehicles.map((v) => ({ ...v, pinned: random.chance(0.5) }));
  return { ...instance, request: { ...request, fleet_state: { vehicles } } };
}

const SEEDS = 1200;
const FEWER_SEEDS = 600;
/** With more vehicles than this, there are too many plans to try. */
const MAX_TRIED_VEHICLES = 6;

describe('an infeasible problem', () => {
  test('is explained by changes that make it feasible and are the smallest that do, for every random instance', {
    tags: 'slow',
  }, async () => {
    const seen = new Map<string, number>();
    const wrong: unknown[] = [];
    const feasible = (request: OptimizeRequest, locations: Instance['locations']) =>
      cheapestByTryingAll(request, locations) !== null;
    let instances = 0;
    let fewerTried = 0;
    let unhelpfulTried = 0;
    for (const seed of seeds(10_001, 10_000 + SEEDS)) {
      const { request, locations } = instanceOf(seed);
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      if (outcome.status !== 'infeasible') continue;
      instances++;
      const { conflicts, errors, together } = outcome;
      if (conflicts.length === 0 || errors.length !== conflicts.length + (together ? 1 : 0)) {
        wrong.push({ seed, conflicts });
      }
      for (const conflict of conflicts) {
        const { constraint, relaxation, proved } = conflict;
        if (constraint === 'network') {
          // The cost of the forbidden moves is unknown, so there is no plan to show. At no cost, there is a plan or
          // there is none.
          if (relaxation !== null) wrong.push({ seed, conflict });
          if (feasible(withoutForbiddenMoves(request), locations) === proved) {
            wrong.push({ seed, conflict, reason: `${proved ? 'they would help' : 'they would not help'}` });
          }
          const count = proved ? 'network alone' : 'network helps';
          seen.set(count, (seen.get(count) ?? 0) + 1);
          continue;
        }
        if (constraint === 'supply') {
          const additions = conflict.additions ?? [];
          const added = additions.flatMap(({ vehicles, ...at }) =>
            Array.from({ length: vehicles }, () => at),
          );
          expect(added.length).toBe(relaxation === null ? 0 : relaxation - conflict.value!);
          if (!proved) wrong.push({ seed, conflict, reason: 'not proved' });
          if (relaxation === null) {
            const capacity = commonCapacity(request);
            const room = MAX_TRIED_VEHICLES - request.fleet_state.vehicles.length;
            for (const places of room > 0 ? placements(readFacts(request, locations).ids, room) : []) {
              // Additional vehicles may be in the way, so every number of them is tried.
              for (let count = 1; count <= room; count++) {
                const list = places.slice(0, count).map((location_id) => ({ location_id, capacity }));
                if (feasible(withVehicles(request, list), locations)) {
                  wrong.push({ seed, conflict, reason: `enough are ${places.slice(0, count).join()}` });
                }
                unhelpfulTried++;
              }
            }
            continue;
          }
          seen.set('supply helps', (seen.get('supply helps') ?? 0) + 1);
          const more = await optimize({
            request: withVehicles(request, added),
            locations,
            settings: SETTINGS,
          });
          if (more.status !== 'optimal') wrong.push({ seed, conflict, reason: `with them ${more.status}` });
          if (request.fleet_state.vehicles.length + added.length > MAX_TRIED_VEHICLES) continue;
          for (const fewer of placements(readFacts(request, locations).ids, added.length - 1)) {
            const { capacity } = added[0];
            const list = fewer.map((location_id) => ({ location_id, capacity }));
            if (feasible(withVehicles(request, list), locations)) {
              wrong.push({ seed, conflict, reason: `enough are ${fewer.join()}` });
            }
            fewerTried++;
          }
          continue;
        }
        if (!proved) wrong.push({ seed, conflict, reason: 'not proved' });
        const count = `${constraint} ${relaxation === null ? 'alone' : 'helps'}`;
        seen.set(count, (seen.get(count) ?? 0) + 1);
        if (relaxation === null) {
          if (feasible(changed(request, constraint, NO_CONSTRAINT[constraint]!), locations)) {
            wrong.push({ seed, conflict, reason: 'changing it alone does help' });
          }
          continue;
        }
        if (!feasible(relaxed(request, conflict), locations)) {
          wrong.push({ seed, conflict, reason: 'not feasible' });
        }
        const again = await optimize({
          request: relaxed(request, conflict),
          locations,
          settings: SETTINGS,
        });
        if (again.status !== 'optimal') wrong.push({ seed, conflict, reason: `solves to ${again.status}` });
        for (const tighter of tighterRequests(request, locations, conflict)) {
          if (!feasible(tighter, locations)) continue;
          wrong.push({ seed, conflict, reason: 'a smaller change is sufficient', tighter });
        }
      }
      // Every constraint that would help alone is named.
      for (const [name, noLimit] of Object.entries(NO_CONSTRAINT)) {
        const named = conflicts.some((c) => c.constraint === name);
        if (!named && feasible(changed(request, name as ConstraintName, noLimit), locations)) {
          wrong.push({ seed, name, reason: 'would help and is not named', conflicts });
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(instances).toBeGreaterThan(enough(200));
    expect(fewerTried).toBeGreaterThan(enough(100));
    expect(unhelpfulTried).toBeGreaterThan(enough(100));
    for (const name of [...Object.keys(NO_CONSTRAINT), 'supply', 'network'])
      expect(seen.get(`${name} helps`) ?? 0, name).toBeGreaterThan(enough(3));
  });

  test('that no change of one limit helps is explained by changes that together do, each of them needed and the smallest', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = new Map<string, number>();
    let instances = 0;
    let tried = 0;
    const feasible = (request: OptimizeRequest, locations: Instance['locations']) => {
      if (request.fleet_state.vehicles.length > MAX_TRIED_VEHICLES) return false;
      tried++;
      return cheapestByTryingAll(request, locations) !== null;
    };
    for (const seed of seeds(18_001, 18_000 + FEWER_SEEDS)) {
      const { request, locations } = instanceOf(seed);
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      if (outcome.status !== 'infeasible' || !outcome.together) continue;
      instances++;
      const { together, errors } = outcome;
      if (errors.at(-1)?.field !== 'constraints') wrong.push({ seed, errors });
      let changedSoFar = request;
      for (const [at, change] of together.entries()) {
        const { constraint, additions } = change;
        seen.set(constraint, (seen.get(constraint) ?? 0) + 1);
        if (!change.proved) wrong.push({ seed, change, reason: 'not proved' });
        const loose = (base: OptimizeRequest) =>
          together
            .slice(at + 1)
            .reduce((r, later) => changed(r, later.constraint, NO_CONSTRAINT[later.constraint]!), base);
        if (constraint === 'supply') {
          const added = additions!.flatMap(({ vehicles, ...place }) =>
            Array.from({ length: vehicles }, () => place),
          );
          if (feasible(loose(changedSoFar), locations)) wrong.push({ seed, change, reason: 'not needed' });
          changedSoFar = withVehicles(changedSoFar, added);
          continue;
        }
        if (feasible(loose(changedSoFar), locations)) wrong.push({ seed, change, reason: 'not needed' });
        for (const tighter of tighterRequests(changedSoFar, locations, change)) {
          if (feasible(loose(tighter), locations))
            wrong.push({ seed, change, reason: 'less is enough', tighter });
        }
        changedSoFar = relaxed(changedSoFar, change);
      }
      const after = await optimize({ request: changedSoFar, locations, settings: SETTINGS });
      if (after.status !== 'optimal') wrong.push({ seed, together, reason: after.status });
    }
    expect(wrong).toEqual([]);
    expect(instances).toBeGreaterThan(enough(20));
    expect(tried).toBeGreaterThan(enough(60));
    expect(seen.size).toBeGreaterThan(enough(3));
  });

  const vehicles = (count: number, location: number, capacity = 1) =>
    Array.from({ length: count }, (_, v) => ({ id: `${location}-${v}`, location, capacity }));
  const network = {
    location_ids: [1, 2],
    costs: [
      [0, 3.5],
      [3.5, 0],
    ],
    distances_km: [
      [0, 7.04],
      [7.04, 0],
    ],
  };

  test('names too small a supply, what is missing, and the highest reachable service level', async () => {
    const { errors, conflicts } = await infeasible({
      demand_forecast: { 1: [4], 2: [6] },
      fleet_state: { vehicles: [...vehicles(3, 1), ...vehicles(5, 2)] },
      constraints: { min_service_level: 0.95 },
      network,
    });
    expect(conflicts).toEqual([
      {
        constraint: 'supply',
        value: 8,
        relaxation: 10,
        insufficient: 9,
        proved: true,
        additions: expect.any(Array),
      },
      { constraint: 'min_service_level', value: 0.95, relaxation: 0.8, insufficient: null, proved: true },
    ]);
    expect(errors).toEqual([
      {
        code: 'INFEASIBLE_PROBLEM',
        message:
          '8 operational vehicles with a total capacity of 8 cannot serve the required 9.5 (95 % of the demand 10); ' +
          'add 2 vehicles of capacity 1 (for example 1 at location 1 and 1 at location 2)',
        field: 'fleet_state.vehicles',
        detail: 'in conflict with min_service_level',
        relaxation: { constraint: 'supply', value: 8, relaxation: 10, proved: true },
      },
      {
        code: 'INFEASIBLE_PROBLEM',
        message: 'min_service_level 0.95 cannot be reached; lower it to at most 0.8',
        field: 'constraints.min_service_level',
        detail: 'in conflict with supply',
        relaxation: { constraint: 'min_service_level', value: 0.95, relaxation: 0.8, proved: true },
      },
    ]);
  });

  test('names the shortest sufficient distance, rounded up to 0.1 km, under the name that the request uses', async () => {
    const { errors } = await infeasible({
      demand_forecast: { 2: [2] },
      fleet_state: { vehicles: vehicles(2, 1) },
      constraints: { max_rebalancing_distance_km: 5, min_demand_coverage: 1 },
      network,
    });
    expect(errors.map(({ field, message }) => [field, message])).toContainEqual([
      'constraints.max_rebalancing_distance_km',
      'max_rebalancing_distance_km 5 km is too short: no operational vehicle is within reach of location 2; ' +
        'raise it to at least 7.1 km',
    ]);
    expect(errors.map(({ field }) => field)).toContain('constraints.min_demand_coverage');
  });

  test('names the cost of the cheapest plan', async () => {
    const { conflicts } = await infeasible({
      demand_forecast: { 2: [2] },
      fleet_state: { vehicles: vehicles(2, 1) },
      constraints: { max_rebalancing_cost: 6.9999, min_service_level: 1 },
      network,
    });
    expect(conflicts).toContainEqual({
      constraint: 'max_rebalancing_cost',
      value: 6.9999,
      relaxation: 7,
      insufficient: null,
      proved: true,
    });
  });

  test('names forbidden moves', async () => {
    const { errors } = await infeasible({
      demand_forecast: { 2: [2] },
      fleet_state: { vehicles: vehicles(2, 1) },
      network: {
        location_ids: [1, 2],
        costs: [
          [0, null],
          [1, 0],
        ],
      },
    });
    expect(errors.find((e) => e.field === 'network.costs')?.message).toBe(
      'with the moves that network.costs forbids (null), no operational vehicle can reach location 2; ' +
        'allow more moves',
    );
  });

  test('is told in the singular where there is one vehicle, and in words where there is none', async () => {
    const message = async (count: number) => {
      const { errors } = await infeasible({
        demand_forecast: { 2: [3] },
        fleet_state: { vehicles: vehicles(count, 2, 2) },
        constraints: { min_service_level: 1 },
        network,
      });
      return errors.find(({ field }) => field === 'fleet_state.vehicles')?.message;
    };
    expect(await message(1)).toBe(
      '1 operational vehicle with a total capacity of 2 cannot serve the required 3 (100 % of the demand 3); ' +
        'add 1 vehicle of capacity 2 (for example 1 at location 2)',
    );
    expect(await message(0)).toBe(
      'there is no operational vehicle to serve the required 3 (100 % of the demand 3); ' +
        'add 3 vehicles of capacity 1 (for example 3 at location 2)',
    );
  });

  test('is not explained past the stop flag', async () => {
    const random = createRandom(5);
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const request: OptimizeRequest = {
      demand_forecast: { 2: [random.integer(3, 5)] },
      fleet_state: { vehicles: vehicles(2, 1) },
      network,
    };
    const outcome = await optimize(
      { request, locations: [], settings: SETTINGS },
      {
        stopFlag,
        onProgress: ({ stage }) => {
          if (stage === 'explain') Atomics.store(stopFlag, 0, 1);
        },
      },
    );
    expect(outcome).toEqual({ status: 'cancelled' });
  });
});
