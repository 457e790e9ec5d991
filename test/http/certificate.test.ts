import { beforeAll, describe, expect, test } from 'vitest';
import { VERIFIED } from '../../src/core/optimize/answer/verify.ts';
import { cheapestByTryingAll } from '../core/optimize/exhaustive.ts';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

/** Vehicles of these capacities at place 1, demand at places 2 to 4. */
const request = (capacities: number[], demand: number[]) => ({
  demand_forecast: Object.fromEntries(demand.map((value, i) => [String(i + 2), [value]])),
  fleet_state: { vehicles: capacities.map((capacity, v) => ({ id: `v${v}`, location: 1, capacity })) },
  constraints: { min_service_level: 0.9 },
  options: { optimality_gap: 0 },
});

describe('the certificate of a stored plan', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({});
  });

  test.each([
    {
      kind: 'a pure flow',
      body: request([1, 1, 1, 1, 1], [2, 1, 1]),
      expected: { method: 'network_simplex', nodes: 0, confirmed_within: expect.any(Number) },
      proofs: ['reduced costs of all moves', 'tree confirmed optimal by HiGHS'],
    },
    {
      kind: 'fractional demand',
      body: request([1, 1, 1, 1, 1], [1.5, 0.75, 0.3]),
      expected: { method: expect.stringMatching(/network_simplex|mixed_integer|linear/) },
      proofs: ['bound from prices of all moves'],
    },
    {
      kind: 'several capacities',
      body: request([1, 2, 4, 1, 2], [2.5, 3, 1.2]),
      expected: { method: expect.stringMatching(/mixed_integer|rounding|linear/) },
      proofs: ['bound from prices of all moves'],
    },
    {
      kind: 'a fleet that stands right',
      body: { ...request([1, 1], [0, 0, 0]), demand_forecast: { '1': [1.5] } },
      expected: { method: 'network_simplex', bound: 0, objective: 0 },
      proofs: ['no cost below 0'],
    },
  ])(
    'says of $kind what it costs, what is proved, how, and what was checked; the same in table, view and answer',
    async ({ body, expected, proofs }) => {
      const answer = await send(`${service.url}/api/v1/optimize`, { body });
      expect(answer.status, answer.text).toBe(200);
      const { plan_id } = answer.body.metadata;
      const stored = await service.pool.query('select certificate from plans where plan_id = $1', [plan_id]);
      const { certificate } = stored.rows[0];
      const cost = answer.body.data.total_cost;
      const cheapest = cheapestByTryingAll(body, TEST_LOCATIONS)!.costUnits / 1e4;
      expect(cost).toBe(cheapest);
      expect(certificate).toEqual({
        objective: cost,
        bound: cheapest,
        gap: 0,
        method: expect.any(String),
        columns: expect.any(Number),
        rows: expect.any(Number),
        iterations: expect.any(Number),
        nodes: expect.any(Number),
        ...('confirmed_within' in expected && { confirmed_within: 0 }),
        checks: expect.arrayContaining(VERIFIED),
      });
      expect(certificate).toMatchObject(expected);
      expect(certificate.checks.slice(-VERIFIED.length)).toEqual(VERIFIED);
      const proved = certificate.checks.slice(0, -VERIFIED.length);
      // Branching is called where prices do not prove the plan.
      expect(proved.filter((check: string) => check !== 'bound of branch and cut')).toEqual(proofs);

      const { rows } = await service.pool.query(
        'select * from reports.plan_certificates where plan_id = $1',
        [plan_id],
      );
      expect(rows).toEqual([{ plan_id, confirmed_within: null, ...certificate }]);
      const plan = await send(`${service.url}/api/v1/plans/${plan_id}`);
      expect(plan.body.data.certificate).toEqual(certificate);
    },
  );
});
