import { expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import { readJobPage } from '../../src/db/jobs/jobs.ts';
import { readDecisionPage } from '../../src/db/plans/decisions.ts';
import { readPlanPage } from '../../src/db/plans/plans.ts';
import { readReplayPage } from '../../src/db/plans/replays.ts';
import { deleteOccurrences } from '../../src/db/schedules/schedules.ts';
import { readAuditPage } from '../../src/db/service/audit.ts';
import { claimDeliveries, readDeliveryPage } from '../../src/db/webhooks/webhook-deliveries.ts';
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
  // Jobs of two owners: one has optimizations that are done, the other one decisions that failed, of which a schedule
  // made the older ones; the three oldest are of somebody else. With them go plans, replays, deliveries, audit entries
  // and occurrences. Nothing rare is among them; the newest deliveries wait, so that the planner expects many to be
  // claimed.
  const each = `from generate_series(1, ${STORED}) i, lateral (select now() - i * interval '1 hour' as t) l`;
  const ownerOr = (owner: string) => `case when i > ${STORED} - 3 then 'eve' else '${owner}' end`;
  await pool.query(
    `insert into jobs (job_id, kind, status, request_id, input_hash, solver_status, http_status, result, owner, created_at,
       finished_at) select 'opt_' || i, 'optimize', 'completed', 'r', '', 'optimal', 200, '{}', ${ownerOr('ada')}, t, t ${each}`,
  );
  await pool.query(
    `insert into jobs (job_id, kind, status, request_id, input_hash, solver_status, http_status, result, owner, created_at,
       finished_at, schedule_id)
     select 'dec_' || i, 'decision', 'failed', 'r', '', 'error', 500, '{}', ${ownerOr('bob')}, t, t,
       case when i > ${STORED / 2} then 'sch_1' end ${each}`,
  );
  await pool.query(
    `insert into decisions (decision_id, created_at, start_date, time_zone, horizon_hours, step_hours, vehicle_count, left_out_count,
       request, fleet, risk, forecast) select 'dec_' || i, t, t::date, 'UTC', 24, 1, 1, 0, '{}', '{}', '{}', '{}' ${each}`,
  );
  await pool.query(
    `insert into plans (plan_id, job_id, created_at, solver_status, total_cost, demand_coverage, utilization,
       rebalanced_count, total_distance_km, unmet_demand, vehicle_count, solve_time_ms, certificate, owner, schedule_id)
     select 'plan_' || i, 'dec_' || i, t, 'optimal', 1, 1, 1, 1, 1, 0, 1, 1, '{}', ${ownerOr('bob')},
       case when i > ${STORED / 2} then 'sch_1' end ${each}`,
  );
  await pool.query(
    `insert into replays (replay_id, request_id, created_at, summary, data, owner)
     select 'rep_' || i, 'r', t, '{}', '{}', ${ownerOr('bob')} ${each}`,
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
    `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, status, created_at, next_at, ended_at)
     select 'msg_dead_' || i, 'whk_2', 'job.completed', 'opt_' || i, '{}', 'dead', t, t, t ${each}`,
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
    'status of an owner': () => readJobPage(db, null, 50, { status: 'failed', owner: 'ada' }),
    'ended otherwise': () => readJobPage(db, null, 50, { status: 'completed', owner: 'bob' }),
    'solver status of an owner': () => readJobPage(db, null, 50, { solverStatus: 'error', owner: 'ada' }),
    'jobs of an owner with few': () => readJobPage(db, null, 50, { owner: 'eve' }),
    decisions: async () => expect(await readDecisionPage(db, null, 50)).toHaveLength(50),
    'decisions of an owner with other jobs': () => readDecisionPage(db, null, 50, 'ada'),
    'decisions of an owner with many': () => readDecisionPage(db, null, 50, 'bob'),
    'decisions of an owner with few': async () =>
      expect(await readDecisionPage(db, null, 50, 'eve')).toHaveLength(3),
    'decisions of nobody': () => readDecisionPage(db, null, 50, 'nobody'),
    'a deep page of decisions': async () => {
      const before: [string, string] = [new Date(Date.now() - (STORED / 2) * 3_600_000).toISOString(), 'a'];
      expect(await readDecisionPage(db, before, 50, 'bob')).toHaveLength(50);
    },
    'plans of an owner with few': () => readPlanPage(db, null, 50, { owner: 'eve' }),
    'plans of an owner with none': () => readPlanPage(db, null, 50, { owner: 'ada' }),
    'plans of a schedule': async () =>
      expect(await readPlanPage(db, null, 50, { scheduleId: 'sch_1' })).toHaveLength(50),
    'a deep page of its plans': async () => {
      const before: [string, string] = [new Date(Date.now() - STORED * 0.75 * 3_600_000).toISOString(), 'a'];
      const page = await readPlanPage(db, before, 50, { scheduleId: 'sch_1', owner: 'bob' });
      expect(page.map(({ planId }) => planId)).toEqual(page.map(({ jobId }) => jobId.replace('dec', 'plan')));
      expect(page[0]).toMatchObject({ planId: `plan_${STORED * 0.75}` });
      expect(page).toHaveLength(50);
    },
    'replays of an owner with few': () => readReplayPage(db, null, 50, 'eve'),
    'replays of an owner with none': () => readReplayPage(db, null, 50, 'ada'),
    operation: () => readAuditPage(db, { operation: 'delete_location' }, null, 50),
    dead: () => readDeliveryPage(db, 'whk_1', 'dead', null, 50),
    waiting: () => readDeliveryPage(db, 'whk_1', 'waiting', null, 50),
    delivered: () => readDeliveryPage(db, 'whk_2', 'delivered', null, 50),
    due: async () => expect(await claimDeliveries(db, new Map(), 5, 60)).toHaveLength(5),
    occurrences: async () => expect(await deleteOccurrences(30)(db, 100)).toBe(100),
  };
  for (const [name, call] of Object.entries(calls)) expect(await rowsRead(call), name).toBeLessThan(MOST);
});
