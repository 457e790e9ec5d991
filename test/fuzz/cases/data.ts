import { strict as assert } from 'node:assert';
import { assertRefused, type Case } from './case.ts';

/** A location that no other data names. */
const PLACE = { id: 2_000_000_001, name: 'Fuzzed place', latitude: 40.75, longitude: -73.98 };
const LOCATIONS = '/api/v1/data/locations';
const FLEET = '/api/v1/data/fleet';
const TRAVEL = '/api/v1/data/travel';

export const dataCases: Case[] = [
  {
    name: 'a location without observations does not stop a decision, and is named in it',
    seconds: 5,
    async run({ call }) {
      const put = await call('PUT', LOCATIONS, { body: { locations: [PLACE] } });
      assert.ok(put.status === 201 || put.status === 200, put.text);
      try {
        const decision = await call('POST', '/api/v1/decisions', { body: { demand_scale: 0.001 } });
        assert.equal(decision.status, 200, decision.text.slice(0, 500));
        assert.ok(JSON.stringify(decision.body.data.without_history).includes(String(PLACE.id)));
        const strict = { demand_scale: 0.001, on_missing_history: 'fail' };
        assertRefused(await call('POST', '/api/v1/decisions', { body: strict }), 503);
      } finally {
        const gone = await call('DELETE', `${LOCATIONS}/${PLACE.id}`);
        assert.equal(gone.status, 200, gone.text);
      }
    },
  },
  {
    name: 'a location with vehicles is deleted with ?cascade=true only',
    async run({ call }) {
      await call('PUT', LOCATIONS, { body: { locations: [PLACE] } });
      await call('PUT', FLEET, { body: { fleet: [{ vehicle_id: 'FUZZED', location_id: PLACE.id }] } });
      const kept = await call('DELETE', `${LOCATIONS}/${PLACE.id}`);
      assertRefused(kept, 409);
      assert.equal(kept.body.errors[0].code, 'CONFLICT');
      const gone = await call('DELETE', `${LOCATIONS}/${PLACE.id}?cascade=true`);
      assert.equal(gone.status, 200, gone.text);
      assertRefused(await call('DELETE', `${FLEET}/FUZZED`), 404);
    },
  },
  {
    name: 'replacing the fleet by itself changes nothing, nor does a body with one fault',
    async run({ call }) {
      const { body } = await call('GET', FLEET);
      const fleet = body.data.fleet;
      const again = await call('PUT', `${FLEET}?replace=true`, { body: { fleet } });
      assert.equal(again.status, 200, again.text.slice(0, 300));
      const faulty = [{ ...fleet[0], capacity: -1 }];
      assertRefused(
        await call('PUT', `${FLEET}?replace=true`, { body: { fleet: faulty } }),
        400,
        'fleet[0].capacity',
      );
      const after = await call('GET', FLEET);
      assert.deepEqual(after.body.data, body.data);
    },
  },
  {
    name: 'replacing travel by itself changes nothing, nor does a body with one fault',
    seconds: 5,
    async run({ call }) {
      const list = () => call('GET', TRAVEL, { headers: { accept: 'text/csv' } });
      const before = await list();
      assert.ok(before.text.split('\n').length > 2, 'the service has no travel');
      const put = (body: string) =>
        call('PUT', `${TRAVEL}?replace=true`, { body, headers: { 'content-type': 'text/csv' } });
      const again = await put(before.text);
      assert.equal(again.status, 200, again.text.slice(0, 300));
      assert.equal(again.body.data.removed.travel, 0);
      const lines = before.text.split('\n');
      for (const cell of ['-1', 'NaN', 'Infinity', '1e400', '1000001', '', '0x1']) {
        const [from, to, , minutes] = lines[1].split(',');
        assertRefused(await put([lines[0], [from, to, cell, minutes].join(',')].join('\n')), 400, 'line 2');
      }
      assertRefused(await put([...lines.slice(0, 2), lines[1]].join('\n')), 400, 'line 3');
      assertRefused(await put(lines[0]), 400);
      assert.equal((await list()).text, before.text);
    },
  },
  {
    name: 'ids that spreadsheets would run are safe with ?spreadsheet=true',
    async run({ call }) {
      const network = {
        location_ids: [1, 2],
        costs: [
          [0, 1],
          [1, 0],
        ],
      };
      const vehicles = ['=1+1', '@x', '+2', '-3'].map((id) => ({ id, location: 1, capacity: 1 }));
      const body = { demand_forecast: { '2': [2] }, fleet_state: { vehicles }, network };
      const solved = await call('POST', '/api/v1/optimize', { body });
      assert.equal(solved.status, 200, solved.text);
      const plan = await call('GET', `/api/v1/plans/${solved.body.metadata.plan_id}?spreadsheet=true`, {
        headers: { accept: 'text/csv' },
      });
      for (const line of plan.text.split('\n').slice(1)) assert.doesNotMatch(line, /^"?[=+@-]/, line);
    },
  },
];
