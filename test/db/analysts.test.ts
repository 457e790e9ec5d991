// Names in the catalog of PostgreSQL:
// cspell:ignore pronargs regnamespace
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../src/db/migrate.ts';
import { replayExample } from '../../src/http/documents/examples.ts';
import { atEnd } from '../helpers/at-end.ts';
import { send, startTestService } from '../helpers/service.ts';

const DOCUMENT = path.join(import.meta.dirname, '../../docs/analyst/sql.md');
const text = readFileSync(DOCUMENT, 'utf8');
/** Analysts rely on the columns and types that the document shows: a change of one breaks their queries. */
const VIEWS = [...text.matchAll(/^### `(\w+)`/gm)].map(([, view]) => view);

/** Rows as a Markdown table, the names of the columns first. */
const markdownTable = (rows: unknown[][]) =>
  rows
    .map((row) => `| ${row.map((cell) => cell ?? '').join(' | ')} |\n`)
    .toSpliced(1, 0, `|${' --- |'.repeat(rows[0].length)}\n`)
    .join('');

describe('the views for analysts', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let pool: pg.Pool;

  beforeAll(async () => {
    service = await startTestService({ sample: true });
    const options = '-c search_path=reports,public';
    pool = new pg.Pool({ connectionString: service.config.DATABASE_URL, options });
    atEnd(() => pool.end());
    await makePlans(pool, service.url);
  }, 180_000);

  const describeColumns = async (view: string) =>
    (
      await pool.query<{ name: string; type: string; comment: string | null }>(
        `select attname as name, format_type(atttypid, atttypmod) as type, col_description(attrelid, attnum) as comment
         from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attnum`,
        [view],
      )
    ).rows;

  test('are replaced in place by migrations, never dropped or renamed, so that grants and reports stay', () => {
    const statements = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).flatMap(({ sql }) => sql);
    expect(statements.filter((statement) => /\b(drop|alter)\s+view\b/i.test(statement))).toEqual([]);
  });

  test('have a comment on every view and every column', async () => {
    for (const view of VIEWS) {
      const { rows } = await pool.query("select obj_description($1::regclass, 'pg_class') as comment", [
        view,
      ]);
      expect(rows[0].comment, view).toMatch(/\.$/);
      for (const { name, comment } of await describeColumns(view))
        expect(comment, `${view}.${name}`).toBeTruthy();
    }
  });

  test('are documented as they are, each column with its type, with seven queries and their results on the sample', async () => {
    const views = await pool.query<{ name: string }>(
      "select viewname as name from pg_views where schemaname = 'reports' order by 1",
    );
    expect(views.rows.map(({ name }) => name)).toEqual(VIEWS.toSorted());
    let document = text;
    for (const view of VIEWS) {
      const { rows } = await pool.query("select obj_description($1::regclass, 'pg_class') as comment", [
        view,
      ]);
      const columns = await describeColumns(view);
      const cells = columns.map(({ name, type, comment }) => [`\`${name}\``, type, comment]);
      const body = `${rows[0].comment}\n\n${markdownTable([['column', 'type', 'meaning'], ...cells])}`;
      document = document.replace(sectionOf(view), (_, title) => `${title}${body}`);
    }
    const queries = [...document.matchAll(/```sql\n(select|with)\b([\s\S]*?)```\n\n((?:^\|.*\n)+)/gm)];
    expect(queries).toHaveLength(7);
    for (const [block, verb, rest, earlier] of queries) {
      const { fields, rows } = await pool.query({ text: verb + rest, rowMode: 'array' });
      const table = keepTimes(markdownTable([fields.map((field) => field.name), ...rows]), earlier);
      document = document.replace(block, () => block.replace(earlier, () => table));
    }
    await expect(document).toMatchFileSnapshot(DOCUMENT);
  });

  test('show the locations of a plan as its answer does, and name those of its moves', async () => {
    const { rows: plans } = await pool.query<{ plan_id: string }>(
      'select plan_id from plan_summary order by created_at limit 1',
    );
    const planId = plans[0].plan_id;
    const { data } = (await send(`${service.url}/api/v1/plans/${planId}`)).body;
    const { rows: locations } = await pool.query(
      `select location_id, name, demand, vehicles_before, vehicles_after, capacity_after, served, unmet
       from plan_locations where plan_id = $1 order by location_id`,
      [planId],
    );
    expect(locations).toEqual(data.locations);
    expect(locations.length).toBeGreaterThan(50);
    const { rows: moves } = await pool.query(
      `select source_name, target_name, s.name as source, t.name as target from plan_moves
       join locations s on s.id = source_location join locations t on t.id = target_location where plan_id = $1`,
      [planId],
    );
    expect(moves).toHaveLength(data.vehicle_count);
    for (const { source_name, target_name, source, target } of moves)
      expect([source_name, target_name]).toEqual([source, target]);
  });

  test('read no locations for the moves of a plan where no names are wanted', async () => {
    const explain = async (columns: string) => {
      const { rows } = await pool.query(`explain verbose select ${columns} from plan_moves where cost > 1`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await explain('vehicle_id, source_location, target_location')).not.toContain(
      'unnest(p.location_names)',
    );
    expect(await explain('vehicle_id, source_name')).toContain('unnest(p.location_names)');
  });

  test('read for the names of moves only the locations of the plans that a query asks for', async () => {
    const { rows } =
      await pool.query(`explain (analyze, format json) select source_name, target_name from plan_moves
      where created_at = (select max(created_at) from plan_summary)`);
    const read = { plans: 0, names: 0 };
    const count = (node: PlanNode) => {
      const actual = node['Actual Rows'] * node['Actual Loops'];
      if (node['Node Type'] === 'Function Scan' && /^l(_\d+)?$/.test(node.Alias ?? '')) read.names += actual;
      if (node['Relation Name'] === 'plans' && node.Alias === 'p') read.plans += actual;
      for (const child of node.Plans ?? []) count(child);
    };
    count(rows[0]['QUERY PLAN'][0].Plan);
    const newest = `select count(*)::int as locations from plan_locations
      where created_at = (select max(created_at) from plan_summary)`;
    const { locations } = (await pool.query(newest)).rows[0];
    expect(locations).toBeGreaterThan(50);
    expect(read).toEqual({ plans: 1, names: 2 * locations });
  });

  test('show a decision with its plan, and every value of its forecast', async () => {
    const body = { horizon_hours: 6, step_hours: 2, demand_scale: 0.01, risk: { threshold: 0.9 } };
    const made = (await send(`${service.url}/api/v1/decisions`, { body })).body;
    const { decision_id } = made.data;
    const decision = (await send(`${service.url}/api/v1/decisions/${decision_id}`)).body.data;
    const { forecasts, intervals, metadata } = decision.inputs.forecast;
    const summary = await pool.query(
      `select status, plan_id, start_date::text, start_hour, horizon_hours, step_hours, demand, demand_scale, risk_threshold,
         location_count, vehicle_count, left_out_count, total_cost
       from decision_summary where decision_id = $1`,
      [decision_id],
    );
    expect(summary.rows).toEqual([
      {
        status: 'completed',
        plan_id: made.metadata.plan_id,
        start_date: metadata.start_date,
        start_hour: 0,
        horizon_hours: 6,
        step_hours: 2,
        demand: 'mean',
        demand_scale: 0.01,
        risk_threshold: 0.9,
        location_count: Object.keys(forecasts).length,
        vehicle_count: decision.inputs.fleet.length,
        left_out_count: made.data.left_out.length,
        total_cost: made.data.plan.total_cost,
      },
    ]);
    const values = await pool.query(
      `select location_id, name, step, starts_at::text, step_hours, expected, lower, upper
       from forecast_values where decision_id = $1 order by location_id, step`,
      [decision_id],
    );
    const names = new Map(decision.inputs.locations.map(({ id, name }: Named) => [id, name]));
    expect(values.rows).toEqual(
      Object.keys(forecasts)
        .map(Number)
        .toSorted((a, b) => a - b)
        .flatMap((id) =>
          forecasts[id].map((expected: number, i: number) => ({
            location_id: id,
            name: names.get(id),
            step: i + 1,
            starts_at: `${metadata.start_date} 0${2 * i}:00:00`,
            step_hours: 2,
            expected,
            lower: intervals[id].lower[i],
            upper: intervals[id].upper[i],
          })),
        ),
    );
    const queries = [...text.slice(text.indexOf('\n## Decisions')).matchAll(/```sql\n([\s\S]*?)```/g)];
    const results = await Promise.all(queries.map(async ([, sql]) => (await pool.query(sql)).rowCount));
    expect(results).toEqual([1, 9]);
  });

  test('show a schedule, and what came of each of its occurrences', async () => {
    const decision = { horizon_hours: 6, step_hours: 2, demand_scale: 0.01 };
    const body = { name: 'yearly', cron: '0 0 1 1 *', time_zone: 'UTC', decision };
    const headers = { 'x-client-id': 'desk' };
    const { schedule_id } = (await send(`${service.url}/api/v1/schedules`, { body, headers })).body.data;
    await pool.query("update schedules set next_at = date_trunc('year', now(), 'UTC') - interval '1 year'");
    const read = async () => (await send(`${service.url}/api/v1/schedules/${schedule_id}`)).body.data;
    let schedule = await read();
    while (schedule.occurrences[0]?.status !== 'completed') schedule = await read();
    const summary = await pool.query(
      'select name, cron, time_zone, missed, paused, next_at, caller, jobs, passed_over from schedule_summary',
    );
    expect(summary.rows).toEqual([
      {
        ...{ name: 'yearly', cron: '0 0 1 1 *', time_zone: 'UTC', missed: 'run_last', paused: false },
        ...{ next_at: new Date(schedule.next_at), caller: 'desk', jobs: 1, passed_over: 1 },
      },
    ]);
    const history = await pool.query(
      `select due_at, outcome, job_id, status, plan_id, total_cost is not null as has_cost, late_seconds > 0 as is_late
       from schedule_history where schedule_id = $1 order by due_at desc`,
      [schedule_id],
    );
    const [made, missed] = schedule.occurrences;
    const { job_id, plan_id } = made;
    expect(history.rows).toEqual([
      {
        ...{ due_at: new Date(made.due_at), outcome: 'job', job_id, status: 'completed', plan_id },
        ...{ has_cost: true, is_late: true },
      },
      {
        ...{ due_at: new Date(missed.due_at), outcome: 'missed', job_id: null, status: null, plan_id: null },
        ...{ has_cost: false, is_late: true },
      },
    ]);
    const { rows } = await pool.query('select job_id from job_history where schedule_id = $1', [schedule_id]);
    expect(rows).toEqual([{ job_id }]);
  });

  test('show a replay, policy by policy, and its series', async () => {
    const { body } = await send(`${service.url}/api/v1/replays`, { body: { ...replayExample, seeds: [1] } });
    const { replay_id, starts_at, demand, fleet_size, bound, policies } = body.data;
    const summary = await pool.query(
      'select replay_id, starts_at, fleet_size, demand, bound from replay_summary',
    );
    expect(summary.rows).toEqual([{ replay_id, starts_at: new Date(starts_at), fleet_size, demand, bound }]);
    const { rows } = await pool.query(`select p.policy, p.served, p.km, drawn.served as drawn,
        (select sum(served) from replay_hours h where h.replay_id = p.replay_id and h.policy = p.policy) as hours,
        (select sum(served) from replay_locations l where l.replay_id = p.replay_id and l.policy = p.policy) as places
      from replay_policies p join replay_policies drawn
        on drawn.replay_id = p.replay_id and drawn.policy = p.policy and drawn.seed = 1
      where p.seed is null`);
    type Policy = { name: string; served: number; km: number; drawn: { served: number }[] };
    expect(rows).toEqual(
      policies.map(({ name, served, km, drawn }: Policy) => ({
        ...{ policy: name, served, km, drawn: drawn[0].served },
        ...{ hours: expect.closeTo(served, 6), places: expect.closeTo(served, 6) },
      })),
    );
  });

  test('show a job with what all its attempts took and why they led to no answer', async () => {
    await pool.query(`
      insert into jobs (job_id, status, request_id, input_hash, attempts, crashes, http_status, result, created_at, started_at, finished_at)
      values ('retried', 'completed', 'r', '', 3, 1, 200, '{}', '2026-03-01T00:00:00Z', '2026-03-01T00:00:10Z', '2026-03-01T00:01:00Z');
      insert into job_attempts (job_id, attempt, worker_id, started_at, ended_at, outcome, reason) values
      ('retried', 1, 'a', '2026-03-01T00:00:10Z', '2026-03-01T00:00:15Z', 'crashed', 'silent'),
      ('retried', 2, 'b', '2026-03-01T00:00:20Z', '2026-03-01T00:00:21Z', 'released', 'stopped'),
      ('retried', 3, 'c', '2026-03-01T00:00:30Z', '2026-03-01T00:01:01Z', 'completed', null);
      insert into jobs (job_id, status, request_id, input_hash, http_status, result, created_at, finished_at)
      values ('cancelled', 'cancelled', 'r', '', 409, '{}', '2026-03-01T00:00:00Z', '2026-03-01T00:00:05Z');
      insert into jobs (job_id, status, request_id, input_hash, attempts, started_at) values ('live', 'running', 'r', '', 1, now());
      insert into job_attempts (job_id, attempt, worker_id) values ('live', 1, 'w')`);
    const { rows } = await pool.query(
      `select job_id, worker_id, outcome, reason, waiting_seconds as waiting, solving_seconds as solving, total_seconds as total
       from job_history where job_id in ('retried', 'cancelled', 'live') order by job_id`,
    );
    await pool.query("delete from jobs where job_id in ('retried', 'cancelled', 'live')");
    const reason = 'attempt 1: silent\nattempt 2: stopped';
    expect(rows).toEqual([
      { job_id: 'cancelled', worker_id: null, outcome: null, reason: null, waiting: 5, solving: 0, total: 5 },
      {
        job_id: 'live',
        worker_id: 'w',
        outcome: null,
        reason: null,
        waiting: null,
        solving: null,
        total: null,
      },
      {
        job_id: 'retried',
        worker_id: 'c',
        outcome: 'completed',
        reason,
        waiting: 24,
        solving: 37,
        total: 61,
      },
    ]);
  });

  describe('and the role of the document', () => {
    let url: URL;
    const connect = async () => {
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      atEnd(() => client.end());
      return client;
    };

    beforeAll(async () => {
      url = new URL(service.config.DATABASE_URL ?? '');
      const [sql] = /(?<=## A role[\s\S]*?```sql\n)[\s\S]*?(?=```)/.exec(text) ?? [''];
      const admin = new pg.Client({ connectionString: url.href });
      await admin.connect();
      await admin.query(sql.replace(/(?<=on database )fleet/, admin.escapeIdentifier(url.pathname.slice(1))));
      atEnd(() => admin.query('drop owned by analyst cascade; drop role analyst').finally(() => admin.end()));
      url.username = 'analyst';
      url.password = encodeURIComponent(/password '(.*)' /.exec(sql)?.[1] ?? '');
    });

    test('go together: it reads them by name, and has limits against accidents', async () => {
      const analyst = await connect();
      for (const view of VIEWS) {
        const { rows } = await analyst.query(`select count(*)::int as n from ${view}`);
        expect(rows[0].n, view).toBeGreaterThan(0);
      }
      await expect(analyst.query('create schema s')).rejects.toThrow(/permission denied|read-only/);
      for (const [limit, value] of [
        ['statement_timeout', '5min'],
        ['idle_in_transaction_session_timeout', '1min'],
        ['temp_file_limit', '2GB'],
      ]) {
        expect((await analyst.query(`show ${limit}`)).rows).toEqual([{ [limit]: value }]);
      }
    });

    test('are all there is for it: it can read, change, lock or call nothing else', async () => {
      const analyst = await connect();
      await analyst.query('set default_transaction_read_only = off');
      const { rows: tables } = await pool.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname in ('public', 'drizzle')`,
      );
      expect(tables.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'public.event_secret',
          'public.service_locks',
          'drizzle.__drizzle_migrations',
        ]),
      );
      const { rows: functions } = await pool.query<{ name: string; count: number }>(
        "select proname as name, pronargs as count from pg_proc where pronamespace = 'public'::regnamespace",
      );
      expect(functions.map(({ name }) => name)).toContain('claim_job');
      const forbidden = [
        ...tables.flatMap(({ name }) => [
          ...[`select from ${name}`, `delete from ${name}`, `lock table ${name} in access share mode`],
          // Locks the table for whoever may name it, without any right to it.
          ...[`prepare p as delete from ${name}`, `prepare p as select from ${name} for update`],
        ]),
        ...functions.map(({ name, count }) => `select public.${name}(${Array(count).fill('null')})`),
        ...VIEWS.flatMap((view) => [
          ...[`delete from ${view}`, `select from ${view} for update`],
          `lock table ${view} in row share mode`,
        ]),
        ...['create table t (i int)', 'create table public.t (i int)', 'create temp table t (i int)'],
        ...['select lo_create(0)', 'select lo_creat(0)', "select lo_from_bytea(0, 'x')"],
        ...['set temp_file_limit = -1', 'alter role analyst set temp_file_limit = -1'],
      ];
      for (const statement of forbidden) {
        const outcome = await analyst.query(`begin; ${statement}`).then(
          () => 'done',
          ({ message }) => message,
        );
        // A view that is no plain list of rows of a table takes no changes from anybody.
        expect(outcome, statement).toMatch(/permission denied|^cannot (delete|lock)|is not allowed with/);
        await analyst.query('rollback');
      }
    });

    test('cannot stop the service: nothing waits for a lock that it holds', async () => {
      const analyst = await connect();
      await analyst.query(
        'set default_transaction_read_only = off; set idle_in_transaction_session_timeout = 0',
      );
      await analyst.query('begin');
      const held = [];
      const attempts = VIEWS.flatMap((view) => [
        `lock table ${view} in access share mode`,
        `prepare lock_${view} as select from ${view} for update`,
        `prepare change_${view} as delete from ${view}`,
      ]);
      for (const statement of attempts) {
        await analyst.query('savepoint before');
        await analyst.query(statement).then(
          () => held.push(statement),
          () => analyst.query('rollback to before'),
        );
      }
      expect(held.length).toBeGreaterThan(2 * VIEWS.length);
      const body = { horizon_hours: 6, step_hours: 2, demand_scale: 0.01 };
      const schedule = { name: 'meanwhile', cron: '0 0 1 1 *', time_zone: 'UTC', decision: body };
      const { fleet } = (await send(`${service.url}/api/v1/data/fleet`)).body.data;
      const { locations } = (await send(`${service.url}/api/v1/data/locations`)).body.data;
      const answers = await Promise.all([
        send(`${service.url}/api/v1/decisions`, { body }),
        send(`${service.url}/api/v1/schedules`, { body: schedule }),
        send(`${service.url}/api/v1/data/fleet?replace=true`, { method: 'PUT', body: { fleet } }),
        send(`${service.url}/api/v1/data/locations`, { method: 'PUT', body: { locations } }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 200]);
      await analyst.query('rollback');
    });

    test('hear nothing: an answer that travels between processes does not show', async () => {
      const analyst = await connect();
      const heard: string[] = [];
      analyst.on('notification', ({ payload }) => heard.push(payload ?? ''));
      await analyst.query(`listen ${analyst.escapeIdentifier(`${service.config.QUEUE_PREFIX}_ended`)}`);
      const body = { horizon_hours: 6, step_hours: 2, demand_scale: 0.01 };
      const { decision_id } = (await send(`${service.url}/api/v1/decisions`, { body })).body.data;
      await expect.poll(() => heard).not.toEqual([]);
      for (const message of heard) {
        expect(message + Buffer.from(message, 'base64').toString('latin1')).not.toContain(decision_id);
      }
    });

    test('get no more connections than its limit', async () => {
      const open = [];
      await expect(async () => {
        for (;;) open.push(await connect());
      }).rejects.toThrow('too many connections for role');
      expect(open.length).toBeLessThanOrEqual(10);
    });
  });

  test('nothing takes an advisory lock, which every role may hold', async () => {
    const root = path.join(import.meta.dirname, '../..');
    for (const folder of ['src', 'workers', 'migrations']) {
      for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(ts|sql)$/.test(file)) continue;
        expect(readFileSync(path.join(root, folder, file), 'utf8'), file).not.toMatch(/pg_(try_)?advisory/);
      }
    }
  });
});

type Named = { id: number; name: string };
type PlanNode = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Node Type': string;
  'Relation Name'?: string;
  Alias?: string;
  Plans?: PlanNode[];
};

/** Plans the busiest hour of seven days of the sample, and asks for too much once. */
async function makePlans(pool: pg.Pool, url: string): Promise<void> {
  const { fleet } = (await send(`${url}/api/v1/data/fleet`)).body.data;
  for (let day = 24; day <= 31; day++) {
    // The last request is that of the 30th once more, for twice the demand.
    const { rows } = await pool.query<{ id: number; hours: number[] }>(
      `select location_id as id, array_agg(demand order by hour) as hours from demand_observations
       where (hour at time zone 'America/New_York')::date = $1 group by location_id order by location_id`,
      [`2017-04-${Math.min(day, 30)}`],
    );
    const share = day <= 30 ? 1 : 2;
    const scaled = rows.map(({ id, hours }) => [id, hours.map((demand) => demand * share)]);
    const { status, text } = await send(`${url}/api/v1/optimize`, {
      body: {
        demand_forecast: Object.fromEntries(scaled),
        fleet_state: { vehicles: fleet },
        options: { demand_aggregation: 'system_peak', priority: day === 30 ? 'high' : 'normal' },
      },
      headers: { 'x-client-id': day % 7 === 1 || day % 7 === 2 ? 'weekend-desk' : 'dispatch' },
    });
    expect(status, text.slice(0, 500)).toBe(day <= 30 ? 200 : 422);
  }
}

/** Title of a view's section, and all that follows up to the end of its table. */
function sectionOf(view: string): RegExp {
  return new RegExp(`(### \`${view}\`\\n\\n)[^#]*?(?:^\\|.*\\n)+`, 'm');
}

/** Figures of a run in columns that end in _seconds differ from run to run: those of the document stay. */
function keepTimes(table: string, earlier: string): string {
  const names = table.split('\n')[0].split('|');
  const old = earlier.split('\n').map((line) => line.split('|'));
  return table
    .split('\n')
    .map((line, row) =>
      line
        .split('|')
        .map((cell, i) => {
          const isTime = names[i]?.trim().endsWith('_seconds') && Number.isFinite(Number(cell));
          const kept = old[row]?.[i];
          return isTime && row > 1 && kept !== undefined && Number.isFinite(Number(kept)) ? kept : cell;
        })
        .join('|'),
    )
    .join('\n');
}
