import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { placeInProportion } from '../../src/core/replay/place-fleet.ts';
import { hoursOf, MONDAY, seriesOf } from '../core/forecast/samples.ts';
import { storeDemand } from '../helpers/decisions.ts';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

const COMMAND = fileURLToPath(new URL('../../src/commands/replay/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => runWith({}, ...args);
const runWith = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', env: { ...process.env, ...env } });

describe('npm run replay', () => {
  test('prints a row per policy and a bound below all of them, and writes picture and figures', () => {
    const [svg, json] = [join(folder, 'day.svg'), join(folder, 'day.json')];
    const days = ['--from', '2017-04-30', '--days', '1', '--seeds', '1'];
    const { stdout, stderr, status } = run(
      ...[...days, '--policies', 'none,horizon-2-observed', '--svg', svg, '--json', json],
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^8,000 vehicles, 1 days from 2017-04-30, \d+,\d{3} trips; a lost trip costs 6 km\./,
    );
    expect(stdout).toMatch(/\n\| none \| \d+\.\d\d % \| 0 \| 0 \| 0 \| – \|/);
    expect(stdout).toMatch(/\n\| horizon-2-observed \| \d+\.\d\d % \| [1-9]/);
    const { bound, policies, demand_by_hour, demand_by_location } = JSON.parse(readFileSync(json, 'utf8'));
    for (const { expected } of policies) expect(expected.objective).toBeGreaterThanOrEqual(bound);
    expect(demand_by_hour).toHaveLength(24);
    expect(demand_by_location).toHaveLength(73);
    expect(policies[1].drawn).toHaveLength(1);
    expect(readFileSync(svg, 'utf8')).toContain('Sun, 30 Apr');
  });

  test('says what is wrong with a command line, and which hours the sample has', () => {
    for (const [args, message, code] of [
      [['--policies', 'none,hourly'], '--policies names hourly; give none, nightly, static, or horizon-2', 2],
      [['--policies', 'none-upper'], '--policies names none-upper', 2],
      [['--policies', 'static-spread'], '--policies names static-spread', 2],
      [['--fleet', '0'], '--fleet is 0; give a whole number from 1 to 10000000', 2],
      [['--confidence', '0.4'], '--confidence is 0.4; give a number from 0.5 to 0.999', 2],
      [['--from', '2017-13-01'], '--from is 2017-13-01; give a day as YYYY-MM-DD', 2],
      [['--week', '1'], "Unknown option '--week'", 2],
      [['--database', '--holidays', 'US'], '--holidays is for the sample; a database has its own', 2],
      [['--holidays', 'XX'], 'XX', 2],
      [['--fleet', 'stored'], '--fleet is stored; give a whole number', 2],
      [['--days', '8'], 'the sample has the hours from 2017-01-01T05Z to 2017-05-04T03Z', 1],
    ] as const) {
      const { stderr, status } = run(...args);
      expect(stderr).toContain(message);
      expect(status).toBe(code);
    }
  });
});

describe('npm run replay -- --database', () => {
  const REQUEST = {
    ...{ from: '2026-02-07', to: '2026-02-08', fleet: { size: 12 }, trips_per_vehicle_hour: 2 },
    ...{
      unmet_demand_cost: 50,
      cost: { per_km: 1 },
      policies: [{ mode: 'none' }, { mode: 'static' }],
      seeds: [1],
    },
  };

  test('comes to the figures of the job on the same stored data, with its events', async () => {
    const service = await startTestService({});
    for (const { id } of TEST_LOCATIONS)
      await storeDemand(
        service.pool,
        id,
        `case when h % 24 between 3 * ${id} and 12 then 5 + ${id} else 1 end`,
      );
    const event = { event_id: 'fair', location_id: 1, from: '2026-02-07T06:00Z', to: '2026-02-07T12:00Z' };
    const events = [{ ...event, kind: 'fair', factor: 3 }];
    await send(`${service.url}/api/v1/data/events`, { method: 'PUT', body: { events } });
    const { body } = await send(`${service.url}/api/v1/replays`, { body: REQUEST });
    const json = join(folder, 'stored.json');
    const env = { DATABASE_URL: service.config.DATABASE_URL };
    const options = ['--from', '2026-02-07', '--days', '1', '--fleet', '12', '--price', '50', '--seeds', '1'];
    const { stdout, stderr, status } = runWith(
      env,
      ...['--database', ...options, '--policies', 'none,static', '--json', json],
    );
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toMatch(/^12 vehicles, 1 days from 2026-02-07/);
    const { bound, policies, demand_by_hour } = JSON.parse(readFileSync(json, 'utf8'));
    expect(bound).toBe(body.data.bound);
    expect(demand_by_hour).toEqual(body.data.demand_by_hour);
    for (const [i, { expected, served_by_hour, drawn }] of policies.entries()) {
      const own = body.data.policies[i];
      expect([expected.served, expected.objective]).toEqual([own.served, own.objective]);
      expect(served_by_hour).toEqual(own.served_by_hour);
      expect(drawn[0].served).toBe(own.drawn[0].served);
    }
    const late = runWith(env, '--database', '--from', '2026-02-08', '--days', '3', '--fleet', 'stored');
    expect([late.status, late.stderr]).toEqual([
      1,
      expect.stringMatching(/^to: the period ends at 2026-02-11T00/),
    ]);
  });
});

test('a fleet is placed in proportion to the demand before the period, to the last vehicle', () => {
  const levels = [1, 2, 3, 0];
  const series = levels.map((level, i) =>
    // What comes later does not count.
    seriesOf(
      hoursOf(2, (hour) => (hour < 168 ? level : 100)),
      { locationId: i },
    ),
  );
  expect([...placeInProportion(series, MONDAY + 168, 12)]).toEqual([2, 4, 6, 0]);
  expect([...placeInProportion(series, MONDAY + 168, 13)]).toEqual([2, 4, 7, 0]);
  expect([...placeInProportion(series, MONDAY + 168, 1)]).toEqual([0, 0, 1, 0]);
});
