import type pg from 'pg';

const STARTED_AT = Date.parse('2025-01-01T00:00:00Z');
const MINUTE_MS = 60_000;

/** Job `i` was made `i` minutes after the first one, and so was its plan, if it has one. */
export const timeOf = (i: number) => new Date(STARTED_AT + Math.round(i) * MINUTE_MS).toISOString();
const id = (kind: string, i: number) => `${kind}_00000000-0000-7000-8000-${String(i).padStart(12, '0')}`;
export const jobId = (i: number) => id('opt', i);
export const planId = (i: number) => id('plan', i);

/**
 * Fills an empty database with
 * - ended jobs with inputs and answers of some KB; one in a thousand failed
 * - plans of 500 vehicles, of which a fifth moves
 * - 1,000 queued and 8 running jobs
 * - two plans of 100,000 vehicles, and a removed one whose items are still stored
 */
export async function fillDatabase(pool: pg.Pool, plans: number, jobs: number): Promise<void> {
  await pool.query(
    `insert into jobs (job_id, status, request_id, input, input_hash, solver_status, http_status, result, caller,
       attempts, location_count, vehicle_count, created_at, started_at, finished_at)
     select 'opt_00000000-0000-7000-8000-' || lpad(i::text, 12, '0'),
       case when i % 1000 = 0 then 'failed' else 'completed' end, 'r',
       json_build_object('filler', repeat(md5(i::text), 60)), '',
       case when i % 1000 = 0 then 'error' when i % 10 = 0 then 'feasible' else 'optimal' end, 200,
       json_build_object('filler', repeat(md5(i::text), 40)), 'caller ' || i % 20, 1, 20, 200 + i % 800,
       t, t + interval '1 second', t + interval '1 second' * (2 + i % 5)
     from generate_series(0, $1::int - 1) i, lateral (select $2::timestamptz + i * interval '1 minute' as t) l`,
    [jobs, timeOf(0)],
  );
  await pool.query(
    `insert into job_attempts (job_id, attempt, worker_id, started_at, ended_at, outcome)
     select job_id, 1, 'w', started_at, finished_at, case status when 'failed' then 'failed' else 'completed' end from jobs`,
  );
  await pool.query(
    `insert into plans (plan_id, job_id, created_at, solver_status, total_cost, demand_coverage, utilization,
       rebalanced_count, total_distance_km, unmet_demand, vehicle_count, solve_time_ms, certificate, moved_locations)
     select 'plan_00000000-0000-7000-8000-' || lpad(i::text, 12, '0'),
       'opt_00000000-0000-7000-8000-' || lpad((i * $3 / $1)::text, 12, '0'),
       $2::timestamptz + (i * $3 / $1) * interval '1 minute', 'optimal', (i * 7919) % $1, ((i * 104729) % $1)::float8 / $1,
       0.8, 100, 1, 0, 500, 10, json_build_object('filler', repeat('x', 500)),
       case when i % ($1 / 2) = 7 then array[1, 2, 3, 5000] else array[1, 2, 3, 4 + i % 900] end
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
  await pool.query('vacuum analyze');
}
