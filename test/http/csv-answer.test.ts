import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { send, startTestService } from '../helpers/service.ts';

describe('a plan as CSV', () => {
  const formulas = ['=1+1', '+A1', '-2', '@SUM(A1)', ' =1', '＝1'];
  const harmless = ['V1', 'a-b', 'say "x"', 'a,b', "'quoted'"];
  const ids = [...formulas, ...harmless];
  let url: string;
  beforeAll(async () => {
    const service = await startTestService({});
    const vehicles = ids.map((id) => ({ id, location: -1 }));
    const network = {
      location_ids: [-1, -2],
      costs: [
        [0, 0.25],
        [0.25, 0],
      ],
    };
    const demand_forecast = { '-1': [0], '-2': [ids.length] };
    const body = { demand_forecast, fleet_state: { vehicles }, network };
    const solved = await send(`${service.url}/api/v1/optimize`, { body });
    url = `${service.url}/api/v1/plans/${solved.body.metadata.plan_id}`;
  });
  const csv = async (query: string) =>
    (await send(`${url}${query}`, { headers: { accept: 'text/csv' } })).text;
  const rows = (text: string): Record<string, string>[] => parse(text, { columns: true });

  test('has the identifiers as they are stored', async () => {
    for (const query of ['', '?spreadsheet=false']) {
      expect(rows(await csv(query)).map((row) => row.vehicle_id)).toEqual(ids);
    }
  });

  test('with spreadsheet=true has no text that a spreadsheet takes for a formula, and numbers as they are', async () => {
    const text = await csv('?spreadsheet=true');
    expect(rows(text).map((row) => row.vehicle_id)).toEqual([...formulas.map((id) => `'${id}`), ...harmless]);
    expect(text.split('\r\n')[1]).toBe(`"'=1+1",-1,-2,0.25,rebalance`);
  });

  test('with spreadsheet=true begins with the mark by which a spreadsheet knows UTF-8, and without it with the header', async () => {
    const startOf = async (query: string) => {
      const answer = await fetch(`${url}${query}`, { headers: { accept: 'text/csv' } });
      return Buffer.from(await answer.arrayBuffer())
        .subarray(0, 4)
        .toString('latin1');
    };
    for (const part of ['vehicles', 'moves', 'locations']) {
      expect(await startOf(`?part=${part}&spreadsheet=true`)).toMatch(/^\xEF\xBB\xBF[a-z]/);
      expect(await startOf(`?part=${part}`)).toMatch(/^[a-z]{4}/);
    }
  });

  test('with another spreadsheet or another parameter is refused', async () => {
    for (const query of ['?spreadsheet=yes', '?spreadsheet=', '?sheet=true']) {
      const answer = await send(`${url}${query}`);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, query.slice(1).split('=')[0]]);
    }
  });
});
