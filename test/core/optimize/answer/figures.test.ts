import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { greatCircleKm, greatCircleMatrix } from '../../../../src/core/geo.ts';
import { VERIFIED } from '../../../../src/core/optimize/answer/verify.ts';
import { dualBound } from '../../../../src/core/optimize/direct/bound.ts';
import { wholeMoves } from '../../../../src/core/optimize/direct/extract.ts';
import { formulate } from '../../../../src/core/optimize/direct/formulation.ts';
import { fromUnits, toUnitsDown, toUnitsUp } from '../../../../src/core/optimize/problem/costs.ts';
import { servedDemand } from '../../../../src/core/optimize/problem/evaluate.ts';
import { createProgress } from '../../../../src/core/optimize/progress.ts';
import { UNKNOWN_PROGRESS } from '../../../../src/core/optimize/run/control.ts';
import { isFullDepth, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { createRandom, randomInstance, SETTINGS } from '../instances.ts';

describe('great-circle distance', () => {
  test('is that of known places', () => {
    const paris = { latitude: 48.8566, longitude: 2.3522 };
    const london = { latitude: 51.5074, longitude: -0.1278 };
    expect(greatCircleKm(paris, london)).toBeCloseTo(343.56, 1);
    expect(greatCircleKm({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 })).toBeCloseTo(
      Math.PI * 6371.0088,
      6,
    );
    expect(greatCircleKm(paris, paris)).toBe(0);
  });
  test('is symmetric and crosses the date line the short way', () => {
    const east = { latitude: 0, longitude: 179.5 };
    const west = { latitude: 0, longitude: -179.5 };
    expect(greatCircleKm(east, west)).toBeCloseTo(111.195, 2);
    const matrix = greatCircleMatrix([east, west]);
    expect([...matrix]).toEqual([0, greatCircleKm(east, west), greatCircleKm(east, west), 0]);
  });
});

test('sums of an answer have no digits that come from adding doubles, and still add up', async () => {
  const request: OptimizeRequest = {
    demand_forecast: { 1: [0.1], 2: [0.7], 3: [0.2] },
    fleet_state: { vehicles: [{ id: 'a', location: 1, capacity: 0.7 }] },
    constraints: { min_service_level: 1, shortage: 'serve_most' },
  };
  const locations = [1, 2, 3].map((id) => ({ id, latitude: 0, longitude: id / 1000 }));
  const outcome = await optimize({ request, locations, settings: SETTINGS });
  if (outcome.status !== 'optimal') throw new Error(outcome.status);
  const { kpis, shortfall, locations: each } = outcome.result;
  expect(0.1 + 0.2).not.toBe(0.3);
  expect([kpis.unmet_demand, shortfall!.unserved]).toEqual([0.3, 0.3]);
  expect(kpis.total_distance_km).toBe(Number(kpis.total_distance_km!.toPrecision(12)));
  expect(each!.reduce((sum, { unmet }) => sum + unmet, 0)).toBeCloseTo(kpis.unmet_demand, 12);
});

describe('cost units', () => {
  test('round up, but never away from what the decimal means', () => {
    expect(toUnitsUp(0.1)).toBe(1000);
    expect(toUnitsUp(1.1)).toBe(11_000);
    expect(toUnitsUp(4.35)).toBe(43_500);
    expect(toUnitsUp(0.10001)).toBe(1001);
    expect(toUnitsUp(0.1 + 1e-9)).toBe(1001);
    expect(toUnitsUp(0)).toBe(0);
    expect(toUnitsUp(1e-9)).toBe(1);
  });
  test('keep every decimal of at most four places', () => {
    for (let units = 0; units < 200_000; units += 7) {
      expect(toUnitsUp(units / 1e4)).toBe(units);
      expect(toUnitsDown(units / 1e4)).toBe(units);
      expect(toUnitsUp(fromUnits(units + 12_345_678_900_000))).toBe(units + 12_345_678_900_000);
    }
  });
  test('keep the triangle inequality', () => {
    const random = createRandom(3);
    for (let i = 0; i < 10_000; i++) {
      const [a, b] = [random.next() * 50, random.next() * 50];
      expect(toUnitsUp(a + b)).toBeLessThanOrEqual(toUnitsUp(a) + toUnitsUp(b));
    }
  });
  test('of a ceiling round down', () => {
    expect(toUnitsDown(0.0003)).toBe(3);
    expect(toUnitsDown(0.00039)).toBe(3);
    expect(toUnitsDown(1e15)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('dualBound', () => {
  test('never exceeds the optimum, whatever the multipliers, and reaches it with the right ones', () => {
    // min 2a + 3b, a + b ≥ 4, 0 ≤ a ≤ 3, 0 ≤ b ≤ 5: optimum 9 at (3, 1), dual 3.
    const model = {
      columnCount: 2,
      rowCount: 1,
      cost: Float64Array.of(2, 3),
      lower: Float64Array.of(0, 0),
      upper: Float64Array.of(3, 5),
      rowLower: Float64Array.of(4),
      rowUpper: Float64Array.of(Number.POSITIVE_INFINITY),
      starts: Int32Array.of(0, 2),
      indices: Int32Array.of(0, 1),
      values: Float64Array.of(1, 1),
    };
    expect(dualBound(model, Float64Array.of(3))).toBe(9);
    for (const dual of [-5, 0, 1, 2.5, 3.5, 10])
      expect(dualBound(model, Float64Array.of(dual))).toBeLessThan(9);
  });
});

describe('wholeMoves', () => {
  const problem = buildProblem(
    {
      demand_forecast: { 2: [2] },
      fleet_state: { vehicles: ['a', 'b'].map((id) => ({ id, location: 1 })) },
      network: { location_ids: [1, 2], costs: [1, 2].map(() => [1, 1]) },
    },
    [],
    SETTINGS,
  );
  const f = formulate(problem);
  // Columns: stay, move, steps.
  const moves = (...values: number[]) => wholeMoves(problem, f, Float64Array.of(...values));

  test('rounds what the solver left next to whole', () => {
    expect(moves(1 - 1e-9, 1 + 1e-9, 1)).toEqual({
      capacityClass: Int32Array.of(0),
      source: Int32Array.of(0),
      target: Int32Array.of(1),
      count: Int32Array.of(1),
    });
  });
  test('refuses fractions, and vehicles that are lost, made or owed', () => {
    expect(moves(0.5, 1.5, 1)).toBeNull();
    expect(moves(1, 0, 1)).toBeNull();
    expect(moves(1, 2, 1)).toBeNull();
    expect(moves(-1, 3, 1)).toBeNull();
  });
});

describe('the certificate', () => {
  test('says what was proved: no plan is cheaper than its bound, and the gap is that between the two', {
    tags: 'slow',
  }, async () => {
    const methods = new Set<string>();
    const seen = new Set<string>();
    for (const seed of seeds(90_001, 90_300)) {
      const { request, locations } = randomInstance(seed);
      request.options = { ...request.options, optimality_gap: seed % 2 === 0 ? 0 : 0.5 };
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      if (outcome.status !== 'optimal') continue;
      const { objective, bound, gap, method, checks, confirmed_within } = outcome.certificate;
      const { columns, rows, iterations, nodes } = outcome.certificate;
      const cheapest = cheapestByTryingAll(request, locations)!.costUnits / 1e4;
      expect(objective).toBe(outcome.result.total_cost);
      expect(objective, `seed ${seed}`).toBeGreaterThanOrEqual(cheapest);
      expect(bound, `seed ${seed}`).toBeLessThanOrEqual(cheapest);
      expect(gap).toBeCloseTo(objective === 0 ? 0 : (objective - bound) / objective, 12);
      expect(gap).toBeLessThanOrEqual(Math.max(request.options.optimality_gap!, 2e-9));
      for (const count of [columns, rows, iterations, nodes]) {
        expect(Number.isInteger(count) && count >= 0, `seed ${seed} ${method}`).toBe(true);
      }
      if (method === 'none') expect([columns, rows, iterations, nodes]).toEqual([0, 0, 0, 0]);
      if (method !== 'none' && objective > 0)
        expect(Math.min(columns, rows), `seed ${seed} ${method}`).toBeGreaterThan(0);
      expect(checks.slice(-VERIFIED.length)).toEqual(VERIFIED);
      const proofs = checks.slice(0, -VERIFIED.length);
      for (const proof of proofs) seen.add(proof);
      const isFlow = proofs.includes('reduced costs of all moves');
      expect(proofs.includes('no cost below 0'), `seed ${seed}`).toBe(bound === 0 && !isFlow);
      expect(proofs.includes('tree confirmed optimal by HiGHS')).toBe(confirmed_within !== undefined);
      if (proofs.includes('bound of branch and cut')) expect(nodes + iterations).toBeGreaterThan(0);
      methods.add(method);
    }
    if (!isFullDepth) return;
    expect([...methods]).toEqual(expect.arrayContaining(['none', 'network_simplex']));
    expect(methods.size).toBeGreaterThan(2);
    expect(seen.size).toBe(5);
  });
});

describe('progress of stages', () => {
  test('never falls, whatever the shares do', () => {
    const told: number[] = [];
    const progress = createProgress(false, (p) => told.push(p.progress));
    progress.at('build');
    for (const share of [0.5, 0.2, 0.9, -1, 7, Number.NaN]) {
      progress.solving({ ...UNKNOWN_PROGRESS, share });
    }
    progress.at('verify');
    progress.at('solve', 0.5);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(Math.max(...told)).toBeLessThanOrEqual(1);
  });
});

describe('servedDemand', () => {
  test('counts the vehicles that serve most, up to the fleet size', () => {
    const problem = buildProblem(
      {
        demand_forecast: { 1: [5], 2: [1] },
        fleet_state: {
          vehicles: [
            { id: 'a', location: 1, capacity: 3 },
            { id: 'b', location: 1, capacity: 3 },
            { id: 'c', location: 2, capacity: 4 },
            { id: 'd', location: 2, capacity: 1 },
          ],
        },
        network: {
          location_ids: [1, 2],
          costs: [
            [0, 1],
            [1, 0],
          ],
        },
      },
      [],
      SETTINGS,
    );
    expect([0, 1, 2, 3, 4].map((size) => servedDemand(problem, problem.supply, size))).toEqual([
      0, 3, 5, 6, 6,
    ]);
  });
});

describe('kpis', () => {
  const network = {
    location_ids: [1, 2],
    costs: [
      [0, 2.5],
      [2.5, 0],
    ],
    distances_km: [
      [0, 8],
      [8, 0],
    ],
  };
  async function kpis(over: Partial<OptimizeRequest>) {
    const request: OptimizeRequest = {
      demand_forecast: { 1: [1], 2: [3] },
      fleet_state: {
        vehicles: Array.from({ length: 5 }, (_, v) => ({
          id: `v${v}`,
          location: 1,
          status: 'operational' as const,
        })),
      },
      constraints: { min_service_level: 0.75 },
      network,
      ...over,
    };
    const outcome = await optimize({ request, locations: [], settings: SETTINGS });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    return outcome.result.kpis;
  }

  test('are coverage, utilization, moves, cost, distance and what is not served', async () => {
    expect(await kpis({})).toEqual({
      demand_coverage: 0.75,
      utilization: 0.6,
      rebalanced_count: 2,
      total_cost: 5,
      total_distance_km: 16,
      unmet_demand: 1,
    });
  });
  test('say nothing of distance where the network says nothing', async () => {
    const { distances_km: _, ...bare } = network;
    expect(await kpis({ network: bare })).toMatchObject({ total_distance_km: null, total_cost: 5 });
  });
  test('are 1 covered without demand, 0 utilized without vehicles', async () => {
    expect(await kpis({ demand_forecast: { 1: [0] } })).toMatchObject({ demand_coverage: 1, utilization: 0 });
    expect(await kpis({ demand_forecast: { 1: [0] }, fleet_state: { vehicles: [] } })).toEqual({
      demand_coverage: 1,
      utilization: 0,
      rebalanced_count: 0,
      total_cost: 0,
      total_distance_km: 0,
      unmet_demand: 0,
    });
  });
  test('leave out vehicles that are not operational', async () => {
    const vehicles = [
      { id: 'a', location: 1 },
      { id: 'b', location: 1, status: 'maintenance' as const },
      { id: 'c', location: 2, status: 'downtime' as const },
    ];
    expect(await kpis({ demand_forecast: { 1: [1] }, fleet_state: { vehicles } })).toMatchObject({
      demand_coverage: 1,
      utilization: 1,
    });
  });
});
