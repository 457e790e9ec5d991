import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { Explained } from '../../../../src/core/optimize/infeasible/infeasible.ts';
import type { Conflict } from '../../../../src/core/optimize/problem/model.ts';
import { createShortfall } from '../../../../src/core/optimize/shortage/shortfall.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { buildCached as build } from '../cached.ts';
import { SETTINGS } from '../instances.ts';

/** What a shortfall of five vehicles says if explanations know this of additional vehicles. */
async function missing(supply: Pick<Conflict, 'relaxation' | 'insufficient' | 'proved'>, gap: number) {
  const request: OptimizeRequest = {
    demand_forecast: { 1: [10] },
    fleet_state: { vehicles: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, location: 1 })) },
    constraints: { min_service_level: 0 },
  };
  const problem = build(request, [{ id: 1, latitude: 0, longitude: 0 }], SETTINGS);
  const solved = await solveProblem(problem, 0, { deadlineMs: Number.POSITIVE_INFINITY });
  if (solved.kind !== 'solved') throw new Error(solved.kind);
  const conflicts: Conflict[] = [{ constraint: 'supply', value: 5, ...supply }];
  const relaxation = { constraint: 'supply' as const, value: 5, ...supply };
  const errors = [
    { code: 'INFEASIBLE_PROBLEM' as const, message: 'few', field: null, detail: null, relaxation },
  ];
  const reasons: Explained = { conflicts, errors, sets: [], together: null };
  const short = createShortfall(problem, { solution: solved.solution, most: 5 }, reasons, gap);
  expect(short.relaxations).toMatchObject([{ relaxation: supply.relaxation, proved: supply.proved }]);
  return short.missing_vehicles;
}

test('missing vehicles are the fewest, to the gap, and unknown where a number is only known to be enough', async () => {
  expect(await missing({ relaxation: 10, insufficient: 9, proved: true }, 0)).toBe(5);
  expect(await missing({ relaxation: 2944, insufficient: null, proved: false }, 0.01)).toBeNull();
  expect(await missing({ relaxation: 2944, insufficient: 700, proved: false }, 0.01)).toBeNull();
  expect(await missing({ relaxation: 205, insufficient: 203, proved: false }, 0.01)).toBe(200);
  expect(await missing({ relaxation: 205, insufficient: 203, proved: false }, 0)).toBeNull();
  expect(await missing({ relaxation: null, insufficient: null, proved: true }, 0.01)).toBeNull();
});
