import type pg from 'pg';

const STARTED_AT = Date.parse('2025-01-01T00:00:00Z');
const MINUTE_MS = 60_000;

/** Job `i` was made `i` minutes after the first one, and so was its plan, if it has one. */
export const timeOf = (i: number) => new Date(STARTED_AT + Math.round(i) * MINUTE_MS).toISOString();
const id = (kind: string, i: number) => `${kind}_00000000-0000-7000-8000-${String(i).padStart(12, '0')}`;
export const jobId = (i: number) => id('opt', i);
export const planId = (i: number) => id('plan', i);
export const deliveryId = (i: number) => id('msg', i);
export const auditId = (i: number) => id('aud', i);

/**
 * Fills an empty database with
 * - ended jobs with inputs and answers of some KB; one in a thousand failed, one in ten is a decision of a schedule,
 *   one in a thousand a backtest; of 20 owners, and one in ten thousand of another one
 * - plans of 500 vehicles, of which a fifth moves
 * - 1,000 queued and 8 running jobs
 * - two plans of 100,000 vehicles, and a removed one whose items are still stored
 * - what comes with jobs (`fillRecords`)
 */
export async function fillDatabase(pool: pg.Pool, plans: number, jobs: number): Promise<void> {
  await pool.query(
    `insert into jobs (job_id, kind, status, request_id, input, input_hash, solver_status, http_status, result, caller,
       attempts, location_count, vehicle_count, created_at, started_at, finished_at, schedule_id, owner)
     select 'opt_00000000-0000-7000-8000-' || lpad(i::text, 12, '0'),
       case when i % 10 = 0 then 'decision' when i % 1000 = 501 then 'backtest' else 'optimize' end,
       case when i % 1000 = 0 then 'failed' else 'completed' end, 'r',
       json_build_object('filler', repeat(md5(i::text), 60)), '',
       case when i % 1000 = 0 then 'error' when i % 10 = 0 then 'feasible' else 'optimal' end, 200,
       json_build_object('filler', repeat(md5(i::text), 40)), 'caller ' || i % 20, 1, 20, 200 + i % 800,
       t, t + interval '1 second', t + interval '1 second' * (2 + i % 5),
       case when i % 10 = 0 then 'sch_' || i / 10 % 100 end, ${OWNER}
     from generate_series(0, $1::int - 1) i, lateral (select $2::timestamptz + i * interval '1 minute' as t) l`,
    [jobs, timeOf(0)],
  );
  await pool.query(
    `insert into job_attempts (job_id, attempt, worker_id, started_at, ended_at, outcome)
     select job_id, 1, 'w', started_at, finished_at, case status when 'failed' then 'failed' else 'completed' end from jobs`,
  );
  await pool.query(
    `insert into plans (plan_id, job_id, created_at, solver_status, total_cost, demand_coverage, utilization,
       rebalanced_count, total_distance_km, unmet_demand, vehicle_count, solve_time_ms, certificate, moved_locations, owner,
       schedule_id)
     select 'plan_00000000-0000-7000-8000-' || lpad(i::text, 12, '0'),
       'opt_00000000-0000-7000-8000-' || lpad((i * $3 / $1)::text, 12, '0'),
       $2::timestamptz + (i * $3 / $1) * interval '1 minute', 'optimal', (i * 7919) % $1, ((i * 104729) % $1)::float8 / $1,
       0.8, 100, 1, 0, 500, 10, json_build_object('filler', repeat('x', 500)),
       case when i % ($1 / 2) = 7 then array[1, 2, 3, 5000] else array[1, 2, 3, 4 + i % 900] end,
       'owner ' || i % 20, case when i * $3 / $1 % 10 = 0 then 'sch_' || i * $3 / $1 / 10 % 100 end
     from generate_series(0, $1::int - 1) i`,
    [plans, timeOf(0), jobs],
  );
  await pool.query(
    `insert into plan_parts select plan_id, 1, array_agg('V' || lpad(o::text, 6, '0') order by o), array_agg(o % 70 order by o),
       array_agg((o + (o % 5 = 0)::int) % 70 order by o), array_agg((o % 5 = 0)::int order by o)
     from plans, generate_series(1, 500) o group by plan_id`,
  );
  await pool.query(
    `insert into plans (plan_id, job_id, created_at, solver_status, total_cost, demand_coverage, utilization,
       rebalanced_count, total_distance_km, unmet_demand, vehicle_count, solve_time_ms, certificate)
     select 'plan_big_' || i, 'opt_big_' || i, now(), 'optimal', 5000, 0.4, 0.8, 20000, 1, 0, 100000, 10, '{}'
     from generate_series(0, 1) i`,
  );
  await pool.query(
    `insert into plan_parts select 'plan_big_' || i, min(o), array_agg('V' || lpad(((o * 7) % 100000)::text, 6, '0') order by o),
       array_agg(o % 1000 order by o), array_agg((o + (o % 5 = i)::int) % 1000 order by o), array_agg((o % 5 = i)::int order by o)
     from generate_series(0, 2) i, generate_series(1, 100000) o group by i, (o - 1) / 1000`,
  );
  await pool.query("insert into removed_plans values ('plan_big_2')");
  await pool.query(
    `insert into jobs (job_id, status, request_id, input, input_hash, caller, priority, attempts, worker_id,
       heartbeat_at, started_at, location_count, vehicle_count)
     select 'opt_queued_' || i, case when i < 8 then 'running' else 'queued' end, 'r', '{}', '', 'caller ' || i % 20,
       (array['low', 'normal', 'high'])[1 + i % 3]::job_priority, (i < 8)::int, case when i < 8 then 'w' end,
       case when i < 8 then now() end, case when i < 8 then now() end, 20, 200
     from generate_series(0, 1007) i`,
  );
  await fillRecords(pool, jobs);
  await pool.query('vacuum analyze');
}

/** The owner of job `i`, and of what it made. */
const OWNER = `case when i % 10000 = 9 then 'rare' else 'owner ' || i % 20 end`;

/**
 * What comes with so many jobs:
 * - the inputs of decisions, 100 schedules with the occurrences that made them, and 5,000 occurrences whose jobs are
 *   deleted; three schedules are due
 * - an event for each job to one of 50 webhooks, one in ten thousand a dead letter; 1,000 that wait for another one; a
 *   dead letter for each job to a third one
 * - a replay for every tenth job
 * - an audit entry for each job; one in a thousand stores the fleet, and one in a hundred thousand deletes a location
 * - 1,000 jobs that ended within the hour, 1,000 API keys, three workers
 */
async function fillRecords(pool: pg.Pool, jobs: number): Promise<void> {
  const from = `from generate_series(0, $1::int - 1) i,
    lateral (select 'opt_00000000-0000-7000-8000-' || lpad(i::text, 12, '0') as job_id,
      $2::timestamptz + i * interval '1 minute' as t) l`;
  const ofJobs = [jobs, timeOf(0)];
  await pool.query(
    `insert into decisions (decision_id, created_at, start_date, time_zone, horizon_hours, step_hours, vehicle_count, left_out_count,
       request, fleet, risk, forecast)
     select job_id, t, t::date, 'UTC', 24, 1, 200, 0, '{}', '{}', '{}', '{}' ${from} where i % 10 = 0`,
    ofJobs,
  );
  await pool.query(
    `insert into schedules (schedule_id, name, cron, time_zone, missed, next_at, input, input_hash, facts, priority, caller,
       client_id, location_count, vehicle_count, created_at, owner)
     select 'sch_' || i, 'schedule ' || i, '0 * * * *', 'UTC', 'run_last', now() + (i - 2.5) * interval '1 hour', '{}', '',
       '{"hasFleet": true}', 'normal', 'caller 1', '', 20, 200, now() - i * interval '1 day', ${OWNER}
     from generate_series(0, 99) i`,
  );
  await pool.query(
    `insert into schedule_occurrences (schedule_id, due_at, outcome, job_id, decided_at)
     select 'sch_' || i / 10 % 100, t, 'job', job_id, t ${from} where i % 10 = 0
     union all
     select 'sch_' || i % 100, t, 'job', 'dec_deleted_' || i, t
     from generate_series(1, 5000) i, lateral (select $2::timestamptz - i * interval '1 hour' as t) l`,
    ofJobs,
  );
  await pool.query(
    `insert into webhooks (webhook_id, url, events, secret)
     select 'whk_' || i, 'https://receiver.example/' || i, array['job.completed', 'job.failed'], ''
     from generate_series(0, 49) i`,
  );
  await pool.query(
    `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, status, attempts, created_at, next_at,
       retry_until, ended_at, last_http_status)
     select 'msg_00000000-0000-7000-8000-' || lpad(i::text, 12, '0'), 'whk_0', 'job.completed', job_id,
       json_build_object('filler', repeat(md5(i::text), 15)), case when i % 10000 = 3 then 'dead' else 'delivered' end, 1, t,
       t, t + interval '1 day', t + interval '1 second', 200 ${from}`,
    ofJobs,
  );
  await pool.query(
    `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, created_at, next_at, retry_until)
     select 'msg_waiting_' || i, 'whk_1', 'job.completed', 'opt_queued_' || i, '{}', now() - i * interval '1 minute',
       now() + (i - 500) * interval '1 minute', now() + interval '1 day'
     from generate_series(0, 999) i`,
  );
  await pool.query(
    `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, status, attempts, created_at, next_at,
       retry_until, ended_at)
     select 'msg_away_' || i, 'whk_2', 'job.completed', job_id, '{}', 'dead', 9, t, t, t, t + interval '1 day' ${from}`,
    ofJobs,
  );
  await pool.query(
    `insert into replays (replay_id, request_id, created_at, summary, data, owner)
     select 'rep_' || i, 'r', t, '{}', '{}', ${OWNER} ${from} where i % 10 = 9`,
    ofJobs,
  );
  await pool.query(
    `insert into audit_log (audit_id, at, actor, key_id, address, operation, method, path, job_id, request_id, http_status)
     select 'aud_00000000-0000-7000-8000-' || lpad(i::text, 12, '0'), t, ${OWNER}, 'key', '192.0.2.1',
       case when i % 100000 = 5 then 'delete_location' when i % 1000 = 5 then 'put_fleet' else 'optimize' end, 'POST',
       '/api/v1/optimize', job_id, 'r', 200 ${from}`,
    ofJobs,
  );
  await pool.query(
    `insert into jobs (job_id, status, request_id, input_hash, solver_status, http_status, result, caller, attempts,
       location_count, vehicle_count, created_at, started_at, finished_at)
     select 'opt_recent_' || i, 'completed', 'r', '', 'optimal', 200, '{}', 'caller ' || i % 20, 1, 20, 200, t,
       t + interval '1 second', t + interval '2 seconds'
     from generate_series(1, 1000) i, lateral (select now() - i * interval '3.5 seconds' as t) l`,
  );
  await pool.query(
    `insert into api_keys (key_id, secret_hash, name, role, tier, owner)
     select 'key_' || i, decode(md5(i::text) || md5(i::text), 'hex'), 'key ' || i, 'planner', 'default', 'owner ' || i % 20
     from generate_series(0, 999) i`,
  );
  await pool.query(
    `insert into workers (worker_id, slots) select i || ':' || uuidv7(), 2 from generate_series(1, 3) i`,
  );
}
