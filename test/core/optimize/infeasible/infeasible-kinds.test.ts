import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { explainInfeasible } from '../../../../src/core/optimize/infeasible/infeasible.ts';
import { reachMost } from '../../../../src/core/optimize/problem/distances/reachable.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type {
  Conflict,
  LocationPoint,
  OptimizeSettings,
  Problem,
} from '../../../../src/core/optimize/problem/model.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { boundEveryFifth } from '../bounds-by-location.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { relaxed } from '../changed-requests.ts';
import { startCpuClock } from '../compute.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';
import { mostByAllMoves } from '../most-by-all-moves.ts';

const NO_CEILING: OptimizeSettings = { ...SETTINGS, maxRebalancingCost: null };
const control = (ms = 300_000) => ({ deadlineMs: performance.now() + ms });

type Case = { request: OptimizeRequest; locations: LocationPoint[]; problem: Problem };

function build(request: OptimizeRequest, locations: LocationPoint[]): Case {
  return { request, locations, problem: buildProblem(request, locations, NO_CEILING) };
}

/** 5 to 25 locations, of every kind; the requirements exceed the fleet, its reach, or the ceiling. */
function randomCase(seed: number): Case {
  const random = createRandom(seed);
  const { request, locations } = cityInstance(seed, {
    locations: random.integer(5, 25),
    perLocation: random.integer(1, 4),
    fractional: random.chance(0.6),
    capacities: random.pick([[1], [1], [2], [1, 2], [1, 2, 4]]),
    load: random.pick([0.7, 0.9, 1.1, 1.4]),
  });
  const constraints: NonNullable<OptimizeRequest['constraints']> = {
    min_service_level: random.pick([0.8, 0.95, 1]),
  };
  if (random.chance(0.5)) constraints.max_distance = random.integer(10, 120) / 10;
  if (random.chance(0.3)) constraints.max_rebalancing_cost = random.integer(0, 40);
  if (random.chance(0.15)) constraints.max_vehicles_per_location = random.integer(1, 6);
  if (random.chance(0.5)) constraints.min_vehicles_per_location = random.integer(1, 3);
  if (random.chance(0.15)) {
    constraints.total_fleet_size = Math.round(request.fleet_state.vehicles.length * random.pick([0.3, 0.6]));
  }
  const bounded = boundEveryFifth(seed, createRandom(seed + 1e6), constraints, locations, [3, 7]);
  return build({ ...request, constraints: bounded }, locations);
}

/** The request after a reader has applied the change in the message. */
function relaxedCase(
  { request, locations }: Case,
  change: Pick<Conflict, 'constraint' | 'relaxation' | 'additions' | 'changes'>,
): Case {
  if (change.constraint !== 'supply') return build(relaxed(request, change), locations);
  const more = change.additions!.flatMap(({ location_id, vehicles, capacity }) =>
    Array.from({ length: vehicles }, (_, v) => ({
      id: `new-${location_id}-${v}`,
      location: location_id,
      capacity,
    })),
  );
  return build(
    { ...request, fleet_state: { vehicles: [...request.fleet_state.vehicles, ...more] } },
    locations,
  );
}

describe('an infeasible problem of any kind', () => {
  test('is explained by changes that each make it feasible when it is solved again', {
    tags: 'slow',
  }, async () => {
    const helped = new Map<string, number>();
    let proved = 0;
    let unproved = 0;
    let jointly = 0;
    for (const seed of seeds(61_000, 61_249)) {
      const instance = randomCase(seed);
      const before = await solveProblem(instance.problem, 1, control(2000));
      if (before.kind !== 'infeasible') continue;
      const { conflicts, errors, together } = await explainInfeasible(
        instance.request,
        instance.problem,
        control(),
        { mostMs: 60_000 }, // Enough time to find everything, even on a busy machine.
      );
      expect(conflicts.length, `seed ${seed}`).toBeGreaterThan(0);
      expect(errors).toHaveLength(conflicts.length + (together ? 1 : 0));
      const helpsAlone = conflicts.some(({ relaxation }) => relaxation !== null);
      expect(helpsAlone || together !== null, `seed ${seed} ${JSON.stringify(conflicts)}`).toBe(true);
      if (together) {
        jointly++;
        expect(together.length).toBeGreaterThan(1);
        const changed = together.reduce((at, change) => relaxedCase(at, change), instance);
        const after = await solveProblem(changed.problem, 1, control());
        expect(after.kind, `seed ${seed} ${JSON.stringify(together)}`).toBe('solved');
      }
      for (const conflict of conflicts) {
        const { constraint, relaxation, insufficient, value } = conflict;
        if (relaxation === null) continue;
        if (conflict.proved) proved++;
        else unproved++;
        helped.set(constraint, (helped.get(constraint) ?? 0) + 1);
        const after = await solveProblem(relaxedCase(instance, conflict).problem, 1, control());
        expect(after.kind, `seed ${seed} ${JSON.stringify(conflict)}`).toBe('solved');
        if (insufficient !== null) {
          const isBetween = (insufficient - value!) * (relaxation - insufficient) > 0;
          expect(isBetween, `seed ${seed} ${JSON.stringify(conflict)}`).toBe(true);
          if (constraint === 'supply') continue;
          const still = await solveProblem(
            relaxedCase(instance, { ...conflict, relaxation: insufficient }).problem,
            0.5,
            control(5000),
          );
          expect(still.kind, `seed ${seed} ${JSON.stringify(conflict)}`).not.toBe('solved');
        }
      }
    }
    for (const name of [
      'supply',
      'min_service_level',
      'max_distance',
      'max_rebalancing_cost',
      'max_vehicles_per_location',
      'min_vehicles_per_location',
      'total_fleet_size',
    ]) {
      expect(helped.get(name) ?? 0, name).toBeGreaterThan(enough(2));
    }
    expect(proved).toBeGreaterThan(enough(10 * unproved));
    expect(jointly).toBeGreaterThan(enough(5));
  });

  test('names every location where no vehicle may come, ten of them by number', async () => {
    const ids = Array.from({ length: 14 }, (_, i) => i + 1);
    const request: OptimizeRequest = {
      demand_forecast: Object.fromEntries(ids.map((id) => [id, [1]])),
      fleet_state: { vehicles: ids.map((v) => ({ id: `v${v}`, location: 1 })) },
      constraints: { max_distance: 5, min_service_level: 1 },
    };
    const locations = ids.map((id) => ({ id, latitude: id < 3 ? 0 : 10, longitude: id / 1e3 }));
    const { conflicts, errors } = await explainInfeasible(
      request,
      build(request, locations).problem,
      control(),
    );
    expect(conflicts.find(({ constraint }) => constraint === 'max_distance')!.unreachable).toEqual(
      ids.slice(2),
    );
    expect(errors.find(({ field }) => field === 'constraints.max_distance')!.message).toMatch(
      'no operational vehicle is within reach of locations 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more; raise it to',
    );
  });

  test('names a service level that a plan reaches, if the search for one knew less when time was over', async () => {
    const { request, locations } = cityInstance(7, {
      locations: 40,
      perLocation: 3,
      fractional: true,
      capacities: [1],
      load: 1.6,
    });
    const constraints = { min_service_level: 1, max_vehicles_per_location: { default: 4 } };
    const bounded = { ...request, constraints };
    const { problem } = build(bounded, locations);
    const levelOf = async (asked: object, ms: number) => {
      const { conflicts } = await explainInfeasible(bounded, problem, control(ms), asked);
      return conflicts.find(({ constraint }) => constraint === 'min_service_level')!;
    };
    const [late, known] = [await levelOf({}, -1), await levelOf({ reached: 0.4321 }, -1)];
    expect(late.relaxation ?? 0).toBeLessThan(0.4321);
    expect(known).toEqual({ ...late, relaxation: 0.4321, proved: false });
    const settled = await levelOf({ reached: 0.0001 }, 60_000);
    expect(settled).toEqual(await levelOf({}, 60_000));
    expect(settled.relaxation).toBeGreaterThan(0.4321);
  });

  describe('by bounds that differ by location', () => {
    type Constraints = NonNullable<OptimizeRequest['constraints']>;
    const explain = async (constraints: Constraints, ids: number[], more: Partial<OptimizeRequest> = {}) => {
      const request: OptimizeRequest = {
        demand_forecast: { 1: [1] },
        fleet_state: { vehicles: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, location: 1 })) },
        constraints: { max_distance: 1e6, max_rebalancing_cost: null, ...constraints },
        ...more,
      };
      const locations = ids.map((id) => ({ id, latitude: 40, longitude: -74 + id / 100 }));
      const names = new Map([
        [1, 'Harbour'],
        [2, 'Pier'],
      ]);
      const { errors } = await explainInfeasible(request, build(request, locations).problem, control(), {
        names,
      });
      return (field: string) => errors.find((error) => error.field === field)!.message;
    };

    test('is told by how much minimums have to fall in total, and where, by name and number', async () => {
      const message = await explain({ min_vehicles_per_location: { default: 1, 2: 4, 3: 2 } }, [1, 2, 3]);
      expect(message('constraints.min_vehicles_per_location')).toBe(
        'min_vehicles_per_location (by location, up to 4) cannot be satisfied at every location; ' +
          'lower it by 2 in total, for example from 4 to 2 at location 2 (Pier)',
      );
    });

    test('is told by how much maximums have to rise in total, and where', async () => {
      const message = await explain(
        { max_vehicles_per_location: { default: 1, 2: 0 }, max_distance: 0 },
        [1, 2],
      );
      expect(message('constraints.max_vehicles_per_location')).toBe(
        'max_vehicles_per_location (by location, from 0) cannot be satisfied at every location; ' +
          'raise it by 4 in total, for example from 1 to 5 at location 1 (Harbour)',
      );
    });

    test('is told which of the locations with a minimum no vehicle may reach', async () => {
      const message = await explain({ min_vehicles_per_location: { 3: 1 }, max_distance: 0 }, [1, 2, 3], {
        demand_forecast: { 1: [1], 2: [0] },
      });
      expect(message('constraints.max_distance')).toMatch(
        'max_distance 0 km is too short: no operational vehicle is within reach of location 3; raise it to',
      );
    });

    test('is told of many locations the smallest changes in total', async () => {
      const ids = Array.from({ length: 14 }, (_, i) => i + 1);
      const each = Object.fromEntries(ids.map((id) => [id, 1]));
      const message = await explain({ min_vehicles_per_location: each }, ids);
      expect(message('constraints.min_vehicles_per_location')).toMatch(
        'lower it by 9 in total, for example from 1 to 0 at location',
      );
    });

    test('is told so of changes that are sufficient together', async () => {
      const network = {
        location_ids: [1, 2, 3],
        costs: [1, 2, 3].map((from) => [1, 2, 3].map((to) => (from === to ? 0 : null))),
      };
      const message = await explain({ min_vehicles_per_location: { 2: 1, 3: 2 } }, [], {
        demand_forecast: { 3: [1] },
        network,
      });
      expect(message('constraints')).toMatch(
        'min_vehicles_per_location: lower it by 3 in total, for example from 2 to 0 at location 3 and ' +
          'from 1 to 0 at location 2 (Pier), then',
      );
    });
  });

  test.each([
    ['too little supply', { load: 1.3 }, {}],
    ['too short a distance', { load: 0.9 }, { max_distance: 1 }],
    ['too low a ceiling', { load: 0.9 }, { max_rebalancing_cost: 400 }],
    [
      'too low a ceiling and too short a distance',
      { load: 0.9 },
      { max_rebalancing_cost: 400, max_distance: 3 },
    ],
  ])(
    'of 263 locations and fractional demand is explained in a few seconds: %s',
    { tags: 'slow' },
    async (_, size, constraints) => {
      const { request, locations } = cityInstance(71, {
        locations: 263,
        perLocation: 10,
        fractional: true,
        ...size,
      });
      const instance = build({ ...request, constraints }, locations);
      const cpuMs = startCpuClock();
      const { conflicts } = await explainInfeasible(instance.request, instance.problem, control());
      expect(cpuMs()).toBeLessThan(8000);
      expect(conflicts.some(({ relaxation }) => relaxation !== null)).toBe(true);
      for (const conflict of conflicts) {
        if (conflict.relaxation === null) continue;
        const after = await solveProblem(relaxedCase(instance, conflict).problem, 1, control());
        expect(after.kind, JSON.stringify(conflict)).toBe('solved');
      }
    },
  );
});

test('what ten seconds leave open is looked for until the time limit where explanations are asked for', async () => {
  const { request, locations } = cityInstance(9, {
    locations: 50,
    perLocation: 4,
    fractional: true,
    capacities: [1, 2, 4],
    load: 1.1,
  });
  const outcome = await optimize({
    request: {
      ...request,
      constraints: { min_service_level: 0.97, max_distance: 6 },
      options: { explain: true, time_limit_seconds: 90 },
    },
    locations,
    settings: NO_CEILING,
  });
  if (outcome.status !== 'infeasible') throw new Error(outcome.status);
  expect(outcome.conflicts.map(({ constraint, proved }) => [constraint, proved])).toEqual([
    ['supply', true],
    ['min_service_level', true],
  ]);
});

describe('the most demand that can be reached', () => {
  test('is what the solver finds, for random fleets of one class', { tags: 'slow' }, async () => {
    let limited = 0;
    for (const seed of seeds(67_000, 67_199)) {
      const random = createRandom(seed);
      const { request, locations } = cityInstance(seed, {
        locations: random.integer(2, 12),
        perLocation: random.integer(1, 3),
        fractional: random.chance(0.8),
        capacities: [random.pick([1, 2.5])],
        load: random.pick([0.7, 1, 1.5]),
      });
      const constraints = {
        min_service_level: 0,
        max_distance: random.integer(0, 25),
        ...(random.chance(0.3) ? { total_fleet_size: random.integer(1, 12) } : {}),
      };
      const { problem } = build({ ...request, constraints }, locations);
      const { served, broken } = evaluateMoves(problem, reachMost(problem, () => false)!.moves);
      expect(broken).toEqual([]);
      const most = await mostByAllMoves(problem, control());
      expect(most.proved).toBe(true);
      expect(served, `seed ${seed}`).toBeCloseTo(most.plan!.served, 5);
      const total = problem.demand.reduce((sum, d) => sum + d, 0);
      if (served < total - 1e-6) limited++;
    }
    expect(limited).toBeGreaterThan(enough(100));
  });
});

test('a ceiling is not named as in the way where no plan of any cost exists, however little time there is', async () => {
  const { request, locations } = cityInstance(11, {
    locations: 150,
    perLocation: 12,
    fractional: true,
    capacities: [1],
    load: 0.75,
  });
  const docks = Object.fromEntries(locations.map(({ id }, i) => [id, 8 + 5 * (i % 4)]));
  const constraints = {
    max_rebalancing_cost: 1e6,
    min_service_level: 0.99,
    max_vehicles_per_location: docks,
  };
  const bounded = { ...request, constraints };
  for (const mostMs of [50, 100, 200, 400, 800]) {
    const { problem } = build(bounded, locations);
    const { conflicts } = await explainInfeasible(bounded, problem, control(), { mostMs });
    const ceiling = conflicts.find(({ constraint }) => constraint === 'max_rebalancing_cost');
    expect(ceiling?.proved ?? false, `${mostMs} ms`).toBe(false);
  }
});
