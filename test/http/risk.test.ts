import { beforeAll, describe, expect, test } from 'vitest';
import { send, startTestService } from '../helpers/service.ts';

describe('POST /api/v1/risk/score', () => {
  let url: string;
  beforeAll(async () => {
    const service = await startTestService({
      workers: 0,
      overrides: {
        RISK_SCORING: 'age=0.5/1000 utilization=0.2/0.2..0.6 maintenance=0.3/10 medium=0.1 high=0.5',
      },
    });
    url = `${service.url}/api/v1/risk/score`;
  });
  const vehicle = (i: number) => ({
    id: `V${i}`,
    age_days: i % 1300,
    utilization_rate: (i % 11) / 10,
    days_since_maintenance: i % 13,
  });
  const vehicles = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => vehicle(from + i));
  const scores = async (list: object[]) =>
    (await send(url, { body: { vehicles: list } })).body.data.risk_scores;

  test('weights, scales and thresholds are those of the settings', async () => {
    const list = [
      { id: 'a', age_days: 500, utilization_rate: 0.4, days_since_maintenance: 5 },
      { id: 'b', age_days: 100, utilization_rate: 0.2, days_since_maintenance: 0 },
      { id: 'c', age_days: 199, utilization_rate: 0, days_since_maintenance: 0 },
    ];
    expect(await scores(list)).toEqual([
      {
        vehicle_id: 'a',
        risk_score: 0.5,
        risk_category: 'high',
        factors: { age_contribution: 0.25, utilization_contribution: 0.1, maintenance_contribution: 0.15 },
      },
      expect.objectContaining({ vehicle_id: 'b', risk_score: 0.05, risk_category: 'low' }),
      expect.objectContaining({ vehicle_id: 'c', risk_score: 0.0995, risk_category: 'low' }),
    ]);
  });

  test.each([4999, 5000, 5001, 10_000, 12_345])(
    'a request of %i vehicles gets the scores of its parts, in one envelope',
    async (count) => {
      const { status, body, headers } = await send(url, { body: { vehicles: vehicles(0, count) } });
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(Object.keys(body)).toEqual(['status', 'data', 'metadata']);
      expect(body.metadata.request_id).toBe(headers.get('x-request-id'));
      const parts = [await scores(vehicles(0, 3000)), await scores(vehicles(3000, 4000))];
      expect(body.data.risk_scores.slice(0, 4000)).toEqual(parts.flat());
      expect(body.data.risk_scores.slice(-900)).toEqual(await scores(vehicles(count - 900, count)));
      expect(body.data.risk_scores).toHaveLength(count);
    },
  );

  test('a fault in the middle of a large request is named, and at most 100 are', async () => {
    const list: object[] = vehicles(0, 20_000);
    list[9876] = { ...vehicle(1), utilization_rate: 2 };
    const one = await send(url, { body: { vehicles: list } });
    expect([one.status, one.body.errors.map((e: { field: string }) => e.field)]).toEqual([
      400,
      ['vehicles[9876].utilization_rate'],
    ]);
    const all = await send(url, { body: { vehicles: Array(20_000).fill({ id: '' }) } });
    expect([all.status, all.body.errors.length]).toEqual([400, 100]);
  });
});
