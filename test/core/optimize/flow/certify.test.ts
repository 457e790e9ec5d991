import { describe, expect, test } from 'vitest';
import { certify, certifyMostServed } from '../../../../src/core/optimize/flow/certify.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import type { Duals, Flow, FlowProblem, SolvedFlow } from '../../../../src/core/optimize/flow/types.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';
import { type DenseProblem, metricProblem, randomProblem } from './flow-instances.ts';

/** Vehicles at 0, demand at 1 (near) and 2 (far): 3 of 4 units are required, so one unit of 2 is left. */
const problem: DenseProblem = {
  n: 3,
  supply: Int32Array.of(5, 0, 0),
  demand: Int32Array.of(0, 2, 2),
  required: 3,
  cost: { kind: 'dense', units: Float64Array.of(0, 10, 30, 10, 0, 25, 30, 25, 0) },
};
const flow: Flow = { from: Int32Array.of(0, 0), to: Int32Array.of(1, 2), units: Int32Array.of(2, 1) };
const duals: Duals = { service: 30, supply: Float64Array.of(0, 0, 0), demand: Float64Array.of(0, 20, 0) };

const faultOf = (p: FlowProblem = problem, f = flow, d = duals) => {
  const check = certify(p, f, d);
  return check.ok ? null : check.fault;
};

describe('a certificate is refused', () => {
  test('never where flow and prices are right', () => {
    expect(certify(problem, flow, duals)).toEqual({ ok: true, cost: 50, served: 3 });
  });

  test.each<[string, Partial<Flow>, RegExp]>([
    [
      'a move missing',
      { from: Int32Array.of(0), to: Int32Array.of(1), units: Int32Array.of(2) },
      /2 units are served/,
    ],
    ['too many vehicles leaving', { units: Int32Array.of(2, 4) }, /6 vehicles leave/],
    ['a dearer way of serving the same', { units: Int32Array.of(1, 2) }, /demand left at 1 has a price/],
    ['a move that serves nobody', { units: Int32Array.of(3, 1) }, /3 vehicles go to location 1/],
    ['more served than required', { units: Int32Array.of(2, 2) }, /more is served than required/],
    ['no vehicles moving', { units: Int32Array.of(2, 0) }, /carries 0/],
    ['a location that there is not', { to: Int32Array.of(1, 3) }, /does not lead between two locations/],
    ['arrays of different length', { to: Int32Array.of(1) }, /differ in length/],
  ])('for a flow with %s', (_, change, fault) => {
    expect(faultOf(problem, { ...flow, ...change })).toMatch(fault);
  });

  test.each<[string, Partial<Duals>, RegExp]>([
    ['too high a multiplier of service', { service: 31 }, /costs less than the prices say/],
    ['too low a multiplier of service', { service: 29 }, /costs more than the prices say/],
    ['a negative price', { supply: Float64Array.of(-1, 0, 0) }, /price of a vehicle at 0 is -1/],
    ['a price that is no number', { demand: Float64Array.of(0, Number.NaN, 0) }, /is NaN/],
    [
      'a price of idle vehicles',
      { service: 31, supply: Float64Array.of(1, 0, 0) },
      /idle vehicles at 0 have a price/,
    ],
    [
      'a price of demand that is left',
      { service: 31, demand: Float64Array.of(0, 21, 1) },
      /demand left at 2/,
    ],
    ['a fraction of a unit', { service: 29.5 }, /multiplier of service is 29.5/],
  ])('for prices with %s', (_, change, fault) => {
    expect(faultOf(problem, flow, { ...duals, ...change })).toMatch(fault);
  });

  test.each<[string, Float64Array, RegExp | null]>([
    ['right', Float64Array.of(10, 0), null],
    ['too low', Float64Array.of(9, 0), /staying at 0 is underpriced/],
    ['too high', Float64Array.of(11, 0), /serving at 0 is not worth its price/],
  ])('where vehicles serve at home, unless the price of demand there is right: %s', (_, demand, fault) => {
    const home: FlowProblem = {
      n: 2,
      supply: Int32Array.of(3, 0),
      demand: Int32Array.of(2, 1),
      required: 3,
      cost: { kind: 'dense', units: Float64Array.of(0, 10, 10, 0) },
    };
    const move: Flow = { from: Int32Array.of(0), to: Int32Array.of(1), units: Int32Array.of(1) };
    const found = faultOf(home, move, { service: 10, supply: new Float64Array(2), demand });
    if (fault) expect(found).toMatch(fault);
    else expect(found).toBeNull();
  });

  test('for a move that is not allowed', () => {
    const units = problem.cost.units.slice();
    units[2] = Number.POSITIVE_INFINITY;
    expect(faultOf({ ...problem, cost: { kind: 'dense', units } })).toMatch(/not allowed/);
    expect(
      faultOf({
        ...problem,
        cost: {
          kind: 'sparse',
          starts: Int32Array.of(0, 1, 1, 1),
          targets: Int32Array.of(1),
          units: Float64Array.of(10),
        },
      }),
    ).toMatch(/not allowed/);
  });

  test('when a move becomes cheaper than the prices allow', () => {
    const units = problem.cost.units.slice();
    units[2] = 29;
    expect(faultOf({ ...problem, cost: { kind: 'dense', units } })).toMatch(/less than the prices/);
  });

  test('the same where one place has all demand, unless the move is forbidden', () => {
    const n = 6;
    // Vehicles at 0 to 4; those of 0 and 1 serve at 5.
    const units = Float64Array.from({ length: n * n }, (_, a) =>
      a % n === 5 ? 10 + 10 * Math.floor(a / n) : 7,
    );
    const one: DenseProblem = {
      n,
      supply: Int32Array.of(3, 3, 3, 3, 3, 0),
      demand: Int32Array.of(0, 0, 0, 0, 0, 4),
      required: 4,
      cost: { kind: 'dense', units },
    };
    const solved = solveFlow(one);
    if (solved.kind !== 'solved') throw new Error(solved.kind);
    const faultAt = (i: number, cost: number) =>
      faultOf(
        { ...one, cost: { kind: 'dense', units: units.with(i * n + 5, cost) } },
        solved.flow,
        solved.duals,
      );
    for (const i of [2, 3, 4]) {
      expect(faultAt(i, 20)).toBeNull();
      expect(faultAt(i, 19)).toBe(`the move from ${i} to 5 costs less than the prices say`);
      expect(faultAt(i, -1)).toBeNull();
      expect(faultAt(i, Number.POSITIVE_INFINITY)).toBeNull();
    }
  });
});

test('no tampering with flow or prices of 1,000 answers passes with another cost', () => {
  let tampered = 0;
  for (const seed of seeds(0, 999)) {
    const random = createRandom(seed);
    const instance = random.chance(0.5) ? metricProblem(seed) : randomProblem(seed);
    const outcome = solveFlow(instance);
    if (outcome.kind !== 'solved') continue;
    const changed = structuredClone({ flow: outcome.flow, duals: outcome.duals }) as SolvedFlow;
    const at = random.integer(0, instance.n - 1);
    const move = random.integer(0, Math.max(0, changed.flow.units.length - 1));
    const step = random.pick([-1, 1]);
    random.pick([
      () => (changed.flow.units[move] += step),
      () => (changed.flow.to[move] = at),
      () => (changed.duals.service += step),
      () => (changed.duals.supply[at] += step),
      () => (changed.duals.demand[at] += step),
    ])();
    const check = certify(instance, changed.flow, changed.duals);
    if (check.ok) expect(check.cost, `seed ${seed}`).toBe(outcome.cost);
    else tampered++;
  }
  expect(tampered).toBeGreaterThan(enough(200));
});

test('a cover that misses an allowed move, or that adds up to another number, proves nothing', () => {
  const scarce = { ...problem, supply: Int32Array.of(1, 0, 0) };
  const outcome = solveFlow(scarce);
  if (outcome.kind !== 'infeasible') throw new Error(outcome.kind);
  expect(outcome.served).toBe(1);
  expect(certifyMostServed(scarce, outcome.cover, 1)).toBe(true);
  expect(certifyMostServed(scarce, outcome.cover, 0)).toBe(false);
  expect(certifyMostServed(scarce, outcome.cover, 2)).toBe(false);
  expect(certifyMostServed(scarce, { sources: new Uint8Array(3), sinks: new Uint8Array(3) }, 0)).toBe(false);
});
