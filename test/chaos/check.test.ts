import { expect, test } from 'vitest';
import type { OptimizationResult } from '../../src/contracts/optimize.ts';
import { optimize } from '../../src/core/optimize/optimize.ts';
import { SETTINGS } from '../core/optimize/instances.ts';
import { checkSubscriptions } from './check.ts';
import { planFaults } from './check-plan.ts';
import { planStorm } from './faults.ts';
import { createLedger } from './ledger.ts';
import { chaosLocations, chaosProblems } from './problems.ts';

const locations = chaosLocations(1);
const problems = chaosProblems(1, locations);

async function solve(name: string) {
  const { request } = problems.find((problem) => problem.name === name)!;
  const outcome = await optimize({ request, locations, settings: SETTINGS });
  if (outcome.status !== 'optimal') throw new Error(outcome.status);
  return { request, result: outcome.result };
}

const changes: [string, (right: OptimizationResult) => OptimizationResult, RegExp][] = [
  ['another cost', (r) => ({ ...r, total_cost: r.total_cost + 0.01 }), /total_cost/],
  ['another coverage', (r) => ({ ...r, kpis: { ...r.kpis, demand_coverage: 0.5 } }), /demand_coverage/],
  ['a missing vehicle', (r) => ({ ...r, allocation_plan: r.allocation_plan.slice(1) }), /number of items/],
  [
    'a vehicle that is there twice',
    (r) => ({ ...r, allocation_plan: r.allocation_plan.with(1, r.allocation_plan[0]) }),
    /item 1 is not/,
  ],
];

test.each(['tiny-0', 'small-0'])(
  'the check of plans finds nothing wrong with a right one (%s)',
  async (name) => {
    const { request, result } = await solve(name);
    expect(planFaults(request, result, locations)).toEqual([]);
  },
);

test.each(changes)('the check of plans notices %s', async (_what, change, complaint) => {
  const { request, result } = await solve('small-0');
  expect(planFaults(request, change(result), locations).join()).toMatch(complaint);
});

test('the ledger notices two answers for one job, two jobs for one key, and two completes for one subscription', () => {
  const ledger = createLedger();
  const [problem] = problems;
  ledger.answered('opt_a', problem, { cost: 1 }, 'POST');
  ledger.answered('opt_a', problem, { cost: 1 }, 'GET');
  ledger.accepted('opt_a', problem, '202', 'key');
  ledger.accepted('opt_a', problem, '200', 'key');
  expect(ledger.faults).toEqual([]);
  ledger.answered('opt_a', problem, { cost: 2 }, 'subscriber');
  ledger.accepted('opt_b', problem, '202', 'key');
  expect(ledger.faults.map(({ message }) => message.replace(/^\d+ ms: /, ''))).toEqual([
    expect.stringMatching(/^subscriber was told \w+, but POST was told \w+$/),
    'key key made the jobs opt_a and opt_b',
  ]);
  ledger.subscribed('opt_a', problem, 'api-1#0').completes = 2;
  const findings: Parameters<typeof checkSubscriptions>[1] = [];
  checkSubscriptions(ledger, findings);
  expect(findings).toEqual([{ message: '2 complete messages on api-1#0', jobId: 'opt_a' }]);
});

test('the same seed makes the same faults and problems, another seed others', () => {
  expect(planStorm(7, 60, true)).toEqual(planStorm(7, 60, true));
  expect(planStorm(7, 60, true)).not.toEqual(planStorm(8, 60, true));
  expect(new Set(planStorm(7, 60, true).map(({ kind }) => kind)).size).toBe(10);
  expect(chaosProblems(1, locations)).toEqual(problems);
});
