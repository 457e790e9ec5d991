import { describe, expect, test } from 'vitest';
import { solveByConfigurations } from '../../../../src/core/optimize/column-generation/configuration-model.ts';
import { listConfigurations } from '../../../../src/core/optimize/column-generation/configurations.ts';
import { criticalLevels, demandFrom, withFloors } from '../../../../src/core/optimize/problem/floors.ts';
import { createIncumbent } from '../../../../src/core/optimize/problem/incumbent.ts';
import type { Floor } from '../../../../src/core/optimize/problem/model.ts';
import { planNearest } from '../../../../src/core/optimize/problem/nearest.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { startCpuClock } from '../compute.ts';
import { cheapestAboveFloors } from '../exhaustive.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';
import { withPriorities } from '../priorities/instances.ts';
import { hasMovable, tinyInstance } from '../tiny-instances.ts';

const INSTANCES = 1000;
const MINUTE = 60_000;
/** It takes some tens of milliseconds. This only catches work that does not listen, even on a busy machine. */
const MAX_LATE_MS = 2500;
/** The cost of a plan of the large problem, which a bound must not exceed. */
const KNOWN_UNITS = 2_595_922;

/** A request that this method supports, with floors of its priority levels in every third. */
function pose(seed: number) {
  const random = createRandom(seed + 3e6);
  const instance = withPriorities(tinyInstance(seed), seed);
  const { total_fleet_size: _, ...constraints } = instance.request.constraints ?? {};
  const request = { ...instance.request, constraints: { ...constraints, max_rebalancing_cost: null } };
  const { locations } = instance;
  if (!hasMovable(request)) return null;
  const problem = buildProblem(request, locations, SETTINGS);
  const floors: Floor[] = [];
  // What pinned vehicles serve is not part of a floor, so these requests have none.
  if (seed % 3 === 1) {
    for (const level of criticalLevels(problem)) {
      const most = demandFrom(problem, level);
      const least = floors.at(-1)?.served ?? 0;
      floors.push({ level, served: Math.max(least, most * random.pick([0.5, 0.8, 1])) });
    }
  }
  return { request, locations, problem: withFloors(problem, floors), floors };
}

describe('choosing a configuration per location', () => {
  test('finds and proves the cheapest plan of random requests, tried against every plan', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { plan: 0, none: 0, floors: 0, docks: 0, pinned: 0, started: 0 };
    for (const seed of seeds(1, INSTANCES)) {
      const posed = pose(seed);
      if (!posed) continue;
      const { request, locations, problem, floors } = posed;
      const configurations = listConfigurations(problem);
      const cheapest = cheapestAboveFloors(request, locations, floors);
      const control = { deadlineMs: performance.now() + MINUTE };
      const incumbent = createIncumbent(problem, 0, control);
      if (
        seed % 2 === 0 &&
        incumbent.consider(
          planNearest(problem, () => false),
          'greedy',
        )
      )
        seen.started++;
      const ended =
        configurations && (await solveByConfigurations(problem, configurations, incumbent, control));
      if (ended !== (cheapest === null ? 'infeasible' : 'open')) wrong.push({ seed, cheapest, ended });
      const found = incumbent.best()?.objectiveUnits ?? null;
      if (found !== cheapest || (cheapest !== null && !incumbent.isProved()))
        wrong.push({ seed, cheapest, found, bound: incumbent.boundUnits() });
      if (cheapest === null) seen.none++;
      else {
        seen.plan++;
        if (floors.length > 0) seen.floors++;
        if (problem.bounds || problem.limits.maxVehiclesPerLocation < 9) seen.docks++;
        if (problem.pinned) seen.pinned++;
      }
    }
    expect(wrong).toEqual([]);
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(enough(INSTANCES / 20));
  });

  test('lets no more vehicles leave a location than were there, where two short moves cost less than one', async () => {
    const far = 100;
    const request = {
      demand_forecast: { 1: [0], 2: [0], 3: [1], 4: [1] },
      fleet_state: {
        vehicles: [
          { id: 'a', location: 1, capacity: 1 },
          { id: 'b', location: 2, capacity: 1 },
        ],
      },
      network: {
        location_ids: [1, 2, 3, 4],
        costs: [
          [0, 1, far, far],
          [1, 0, 1, 1],
          [far, 1, 0, far],
          [far, 1, far, 0],
        ],
      },
      constraints: { min_service_level: 1, max_rebalancing_cost: null },
    };
    const problem = buildProblem(request, [], SETTINGS);
    const control = { deadlineMs: performance.now() + MINUTE };
    const incumbent = createIncumbent(problem, 0, control);
    await solveByConfigurations(problem, listConfigurations(problem) ?? [], incumbent, control);
    expect(incumbent.best()?.objectiveUnits).toBe((far + 1) * 10_000);
    expect(incumbent.isProved()).toBe(true);
  });

  /** It takes some seconds to prove. */
  function poseLarge() {
    const { request, locations } = cityInstance(10, {
      locations: 20,
      perLocation: 3,
      fractional: true,
      capacities: [1.37, 2.61, 3.9, 5.23],
      load: 1,
    });
    const constraints = { min_service_level: 0.985, max_rebalancing_cost: null };
    const problem = buildProblem({ ...request, constraints }, locations, SETTINGS);
    const configurations = listConfigurations(problem);
    if (!configurations) throw new Error('too many configurations');
    return { problem, configurations };
  }

  test('ends soon after its first report of progress if that sets the stop flag, and proves nothing', async () => {
    const { problem, configurations } = poseLarge();
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    let cpuMs: (() => number) | null = null;
    const control = {
      deadlineMs: performance.now() + MINUTE,
      stopFlag,
      onProgress: () => {
        cpuMs ??= startCpuClock();
        Atomics.store(stopFlag, 0, 1);
      },
    };
    const incumbent = createIncumbent(problem, 0, control);
    expect(await solveByConfigurations(problem, configurations, incumbent, control)).toBe('open');
    expect(cpuMs!()).toBeLessThan(MAX_LATE_MS);
    expect(incumbent.finish('stopped')).toEqual({ kind: 'cancelled' });
  });

  test('ends soon after its deadline, with a bound that no later one contradicts', async () => {
    const { problem, configurations } = poseLarge();
    const bounds: number[] = [];
    for (const limitMs of [1, 100, 400]) {
      const cpuMs = startCpuClock();
      const control = { deadlineMs: performance.now() + limitMs };
      const incumbent = createIncumbent(problem, 0, control);
      expect(await solveByConfigurations(problem, configurations, incumbent, control)).toBe('open');
      expect(cpuMs()).toBeLessThan(limitMs + MAX_LATE_MS);
      expect(incumbent.isProved()).toBe(false);
      bounds.push(incumbent.boundUnits());
    }
    for (const bound of bounds) expect(bound).toBeLessThanOrEqual(KNOWN_UNITS);
  });

  test('gives up the list of a fleet with far too many configurations at once', () => {
    const { request, locations } = cityInstance(11, {
      locations: 60,
      perLocation: 100,
      fractional: true,
      capacities: [1.01, 1.02, 1.03, 1.04, 1.05],
      load: 1,
    });
    const constraints = { min_service_level: 0.999, max_rebalancing_cost: null };
    const problem = buildProblem({ ...request, constraints }, locations, SETTINGS);
    const cpuMs = startCpuClock();
    expect(listConfigurations(problem)).toBeNull();
    expect(cpuMs()).toBeLessThan(1000);
  });
});
