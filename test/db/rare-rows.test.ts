import { expect, test } from 'vitest';
import { readAuditPage } from '../../src/db/audit.ts';
import { openDatabase } from '../../src/db/client.ts';
import { readDecisionPage } from '../../src/db/decisions.ts';
import { readJobPage } from '../../src/db/jobs.ts';
import { deleteOccurrences } from '../../src/db/schedules.ts';
import { claimDeliveries, readDeliveryPage } from '../../src/db/webhook-deliveries.ts';
import { atEnd } from '../helpers/at-end.ts';
import { createTestDatabase } from '../helpers/services.ts';

const STORED = 20_000;
/** A tenth of what is stored. */
const MOST = STORED / 10;

// One connection, whose counts are brought up to date before they are read.
const { db, pool, close } = openDatabase(await createTestDatabase(), { poolSize: 1, onError: () => {} });
atEnd(close);

/** Rows that a call reads of all tables, by whichever plan. */
async function rowsRead(call: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_user_tables',
    );
    return rows[0].n;
  };
  const before = await count();
  await call();
  return (await count()) - before;
}

test('what is rare is found without reading all that is stored: by kind, owner, operation and status', async () => {
  // Jobs of two owners, each with a delivery, an audit entry and an occurrence. Nothing rare is among them; the newest
  // deliveries wait, so that the planner expects many to be claimed.
  const each = `from generate_series(1, ${STORED}) i, lateral (select now() - i * interval '1 hour' as t) l`;
  await pool.query(
    `insert into jobs (job_id, kind, status, request_id, input_hash, http_status, result, owner, created_at, finished_at)
     select 'opt_' || i, 'optimize', 'completed', 'r', '', 200, '{}', 'ada', t, t ${each}`,
  );
  await pool.query(
    `insert into jobs (job_id, kind, status, request_id, input_hash, http_status, result, owner, created_at, finished_at)
     select 'dec_' || i, 'decision', 'completed', 'r', '', 200, '{}', 'bob', t, t ${each}`,
  );
  await pool.query(
    `insert into decisions (decision_id, created_at, start_date, horizon_hours, step_hours, vehicle_count, left_out_count,
       request, fleet, risk, forecast) select 'dec_' || i, t, t::date, 24, 1, 1, 0, '{}', '{}', '{}', '{}' ${each}`,
  );
  await pool.query(
    `insert into webhooks (webhook_id, url, events, secret)
     select 'whk_' || i, 'https://a.example', '{job.completed}', '' from generate_series(1, 50) i`,
  );
  await pool.query(
    `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, status, created_at, next_at, ended_at)
     select 'msg_' || i, 'whk_1', 'job.completed', 'opt_' || i, '{}', case when i > 2000 then 'delivered' else 'waiting' end,
       t, t, case when i > 2000 then t end ${each}`,
  );
  await pool.query(
    `insert into audit_log (audit_id, at, actor, operation) select 'aud_' || i, t, 'ada', 'optimize' ${each}`,
  );
  await pool.query(
    `insert into schedules (schedule_id, name, cron, time_zone, missed, input, input_hash, facts, priority, caller,
       client_id, location_count, vehicle_count)
     values ('sch_1', 'one', '0 * * * *', 'UTC', 'skip', '{}', '', '{}', 'normal', 'a', '', 1, 1)`,
  );
  await pool.query(
    `insert into schedule_occurrences (schedule_id, due_at, outcome, job_id, decided_at)
     select 'sch_1', t, 'job', 'dec_gone_' || i, t ${each}`,
  );
  await pool.query('vacuum analyze');

  const calls = {
    kind: () => readJobPage(db, null, 50, { kind: 'replay' }),
    'kind of an owner': () => readJobPage(db, null, 50, { kind: 'decision', owner: 'ada' }),
    'decisions of an owner': () => readDecisionPage(db, null, 50, 'eve'),
    operation: () => readAuditPage(db, { operation: 'delete_location' }, null, 50),
    dead: () => readDeliveryPage(db, 'whk_1', 'dead', null, 50),
    waiting: () => readDeliveryPage(db, 'whk_1', 'waiting', null, 50),
    due: async () => expect(await claimDeliveries(db, new Map(), 5, 60)).toHaveLength(5),
    occurrences: async () => expect(await deleteOccurrences(30)(db, 100)).toBe(100),
  };
  for (const [name, call] of Object.entries(calls)) expect(await rowsRead(call), name).toBeLessThan(MOST);
});
