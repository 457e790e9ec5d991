/** @module-tag slow */
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import * as certificates from '../../../../src/core/optimize/flow/certify.ts';
import * as confirmations from '../../../../src/core/optimize/flow/flow-confirm.ts';
import * as tree from '../../../../src/core/optimize/flow/read-tree.ts';
import type { Flow, FlowProblem } from '../../../../src/core/optimize/flow/types.ts';
import { seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { createRandom, SETTINGS } from '../instances.ts';

// Other files of this process have loaded the real ones.
vi.hoisted(() => vi.resetModules());
// Real functions, until a test makes one of them do damage.
vi.mock('../../../../src/core/optimize/flow/read-tree.ts', { spy: true });
vi.mock('../../../../src/core/optimize/flow/certify.ts', { spy: true });
vi.mock('../../../../src/core/optimize/flow/flow-confirm.ts', { spy: true });
const right = await vi.importActual<typeof tree>('../../../../src/core/optimize/flow/read-tree.ts');

const INSTANCES = 40;
const settings = { ...SETTINGS, maxRebalancingCost: null };
const solve = (request: OptimizeRequest) => optimize({ request, locations: [], settings });

beforeEach(() => vi.resetAllMocks());
afterAll(() => {
  vi.doUnmock('../../../../src/core/optimize/flow/read-tree.ts');
  vi.doUnmock('../../../../src/core/optimize/flow/certify.ts');
  vi.doUnmock('../../../../src/core/optimize/flow/flow-confirm.ts');
  vi.resetModules();
});

/**
 * Every vehicle has to move, from one of at least three locations to one of at least two. Costs violate the triangle
 * inequality.
 */
function pureFlow(seed: number): OptimizeRequest {
  const random = createRandom(seed);
  const location_ids = Array.from({ length: random.integer(5, 12) }, (_, i) => i + 1);
  const isSource = (id: number) => id % 2 === 1;
  const vehicles = location_ids.filter(isSource).flatMap((location) => {
    const count = random.integer(1, 6);
    return Array.from({ length: count }, (_, v) => ({ id: `${location}-${v}`, location }));
  });
  const wanted = location_ids.filter((id) => !isSource(id));
  const demand_forecast = Object.fromEntries(wanted.map((id) => [id, [1]]));
  for (let left = vehicles.length - wanted.length; left > 0; left--)
    demand_forecast[random.pick(wanted)][0]++;
  const costs = location_ids.map(() => location_ids.map(() => random.integer(1, 900_000) / 1e4));
  return {
    demand_forecast,
    fleet_state: { vehicles },
    constraints: { min_service_level: 1 },
    network: { location_ids, costs },
    options: { optimality_gap: 0 },
  };
}

/** Two vehicles swap targets: as many leave and arrive as before, at another cost. */
function withTargetsSwapped({ from, to, units }: Flow): Flow {
  const moves = Array.from(units, (count, m) => ({ from: from[m], to: to[m], count }));
  for (const a of moves) {
    const b = moves.find((move) => move.from !== a.from && move.to !== a.to);
    if (!b) continue;
    a.count--;
    b.count--;
    moves.push({ from: a.from, to: b.to, count: 1 }, { from: b.from, to: a.to, count: 1 });
    break;
  }
  const kept = moves.filter((move) => move.count > 0);
  return {
    from: Int32Array.from(kept, (move) => move.from),
    to: Int32Array.from(kept, (move) => move.to),
    units: Int32Array.from(kept, (move) => move.count),
  };
}

function costOf({ n, cost }: FlowProblem, { from, to, units }: Flow): number {
  if (cost.kind !== 'dense') throw new Error('all moves are allowed here');
  return units.reduce((sum, count, m) => sum + count * cost.units[from[m] * n + to[m]], 0);
}

/**
 * Solves each instance without and with the damage.
 * @param look checks the result of the damage before it is undone
 */
async function expectHighsToSolveOn(damage: () => void, look: () => unknown): Promise<void> {
  for (const seed of seeds(1, INSTANCES)) {
    const request = pureFlow(seed);
    const known = await solve(request);
    if (known.status !== 'optimal') throw new Error(`seed ${seed}: ${known.status}`);
    expect(known.certificate).toMatchObject({ method: 'network_simplex', confirmed_within: 0 });
    vi.clearAllMocks();
    damage();
    const found = await solve(request);
    await look();
    vi.resetAllMocks();
    if (found.status !== 'optimal') throw new Error(`seed ${seed}: ${found.status}`);
    const { objective, checks, ...others } = found.certificate;
    expect(found.result.total_cost, `seed ${seed}`).toBe(known.result.total_cost);
    expect(others, `seed ${seed}`).toMatchObject({ bound: objective, gap: 0, method: 'linear' });
    expect(others).not.toHaveProperty('confirmed_within');
    expect(checks[0]).toBe('bound from prices of all moves');
    expect(checks).not.toContain('reduced costs of all moves');
    expect(checks).not.toContain('tree confirmed optimal by HiGHS');
  }
}

const lastCheck = () => vi.mocked(certificates.certify).mock.results.at(-1)?.value;
const lastConfirmation = () => vi.mocked(confirmations.confirmFlow).mock.settledResults.at(-1)?.value;

describe('the plan is the optimum by HiGHS, with its own proof, where', () => {
  test('a flow that is not the cheapest is refused its certificate', () =>
    expectHighsToSolveOn(
      () =>
        vi.mocked(tree.readFlow).mockImplementation((...args) => withTargetsSwapped(right.readFlow(...args))),
      () => {
        expect(lastCheck()).toMatchObject({ ok: false });
        expect(confirmations.confirmFlow).not.toHaveBeenCalled();
      },
    ));

  test('prices that are off by a unit are', () =>
    expectHighsToSolveOn(
      () =>
        vi.mocked(tree.readDuals).mockImplementation((...args) => {
          const duals = right.readDuals(...args);
          return { ...duals, service: duals.service + 1 };
        }),
      () => expect(lastCheck()).toMatchObject({ ok: false }),
    ));

  test('a flow that is not the cheapest has got a certificate, and HiGHS does not confirm it', () =>
    expectHighsToSolveOn(
      () => {
        vi.mocked(tree.readFlow).mockImplementation((...args) => withTargetsSwapped(right.readFlow(...args)));
        vi.mocked(certificates.certify).mockImplementation((problem, flow) => ({
          ok: true,
          cost: costOf(problem, flow),
          served: problem.required,
        }));
      },
      () => expect(lastConfirmation()).toEqual({ kind: 'contradicted' }),
    ));

  test('HiGHS fails while it is asked', () =>
    expectHighsToSolveOn(
      () => vi.mocked(confirmations.confirmFlow).mockRejectedValue(new Error('run failed')),
      () => expect(lastCheck()).toMatchObject({ ok: true }),
    ));
});

test('that there is no plan is proved by HiGHS where the cover that should prove it is refused', async () => {
  const request = pureFlow(1);
  // No move to location 2 is allowed.
  for (const row of request.network!.costs) row[1] = null;
  vi.mocked(tree.readCover).mockImplementation((_, { n }) => ({
    sources: new Uint8Array(n),
    sinks: new Uint8Array(n),
  }));
  const found = await solve(request);
  expect(vi.mocked(certificates.certifyMostServed).mock.results[0]).toMatchObject({ value: false });
  expect(found.status).toBe('infeasible');
});
