-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md).
-- Items of a plan that was removed do not count while they wait to be deleted.
CREATE OR REPLACE VIEW location_flows AS
SELECT i.plan_id, i.source_location, i.target_location, count(*)::integer AS vehicles, sum(i.cost) AS cost
FROM plan_items i JOIN plans p USING (plan_id)
WHERE i.assignment = 'rebalance'
GROUP BY i.plan_id, i.source_location, i.target_location;
--> statement-breakpoint
CREATE VIEW job_history AS
SELECT j.job_id, j.kind, j.request_id, j.caller, j.priority::text AS priority, j.location_count, j.vehicle_count,
       j.status, j.solver_status, j.http_status, j.created_at, j.started_at, j.finished_at,
       j.attempts, j.crashes, a.worker_id, a.outcome, a.reason,
       t.total - least(t.total, coalesce(a.working, 0)) AS waiting_seconds,
       CASE WHEN t.total IS NOT NULL THEN least(t.total, coalesce(a.working, 0)) END AS solving_seconds,
       t.total AS total_seconds,
       p.plan_id
FROM jobs j
LEFT JOIN plans p ON p.job_id = j.job_id
CROSS JOIN LATERAL (
  SELECT (array_agg(worker_id ORDER BY attempt DESC))[1] AS worker_id,
         (array_agg(outcome ORDER BY attempt DESC))[1] AS outcome,
         string_agg('attempt ' || attempt || ': ' || reason, E'\n' ORDER BY attempt) AS reason,
         sum(extract(epoch FROM ended_at - started_at))::double precision AS working,
         max(ended_at) AS ended_at
  FROM job_attempts WHERE job_attempts.job_id = j.job_id) a
-- The end as the worker saw it: storing the plan belongs to the job.
CROSS JOIN LATERAL (
  SELECT CASE WHEN j.finished_at IS NOT NULL
         THEN extract(epoch FROM greatest(j.finished_at, a.ended_at) - j.created_at)::double precision END AS total) t;
--> statement-breakpoint
COMMENT ON VIEW plan_summary IS 'One row per stored plan: cost, KPIs, solver status, solve time.';
COMMENT ON COLUMN plan_summary.plan_id IS 'the plan; ids sort by time';
COMMENT ON COLUMN plan_summary.job_id IS 'the job that made it; its record may be kept for a shorter time than the plan';
COMMENT ON COLUMN plan_summary.created_at IS 'when it was stored';
COMMENT ON COLUMN plan_summary.solver_status IS 'optimal: proved within the gap that was asked for; feasible: the time limit came first';
COMMENT ON COLUMN plan_summary.gap IS 'how far it may be from the best plan: (total_cost - bound) / total_cost; null where optimal';
COMMENT ON COLUMN plan_summary.total_cost IS 'sum of the costs of its moves; km x OPTIMIZATION_COST_PER_KM, or the unit of the network of the request';
COMMENT ON COLUMN plan_summary.demand_coverage IS 'share of the planning demand that it serves, 0 to 1';
COMMENT ON COLUMN plan_summary.utilization IS 'demand served / capacity of the operational vehicles, 0 to 1';
COMMENT ON COLUMN plan_summary.rebalanced_count IS 'vehicles that it moves';
COMMENT ON COLUMN plan_summary.total_distance_km IS 'km of all its moves; null where the request brought costs without distances';
COMMENT ON COLUMN plan_summary.unmet_demand IS 'planning demand that it does not serve';
COMMENT ON COLUMN plan_summary.vehicle_count IS 'operational vehicles, moved or not';
COMMENT ON COLUMN plan_summary.solve_time_ms IS 'time in the solver thread, milliseconds';
--> statement-breakpoint
COMMENT ON VIEW plan_moves IS 'One row per vehicle of a plan, in the order of the request: where it stands, where it goes, at what cost.';
COMMENT ON COLUMN plan_moves.plan_id IS 'the plan';
COMMENT ON COLUMN plan_moves.created_at IS 'when the plan was stored';
COMMENT ON COLUMN plan_moves.ordinal IS 'place in the plan, from 1';
COMMENT ON COLUMN plan_moves.vehicle_id IS 'the vehicle, as the request named it';
COMMENT ON COLUMN plan_moves.source_location IS 'location where it stands';
COMMENT ON COLUMN plan_moves.target_location IS 'location where it is to be; the same where it stays';
COMMENT ON COLUMN plan_moves.cost IS 'cost of the move, 0 where it stays; unit as in plan_summary.total_cost';
COMMENT ON COLUMN plan_moves.assignment IS 'rebalance: it moves; stay: it does not';
--> statement-breakpoint
COMMENT ON VIEW location_flows IS 'Vehicles moved and their cost per plan and pair of locations.';
COMMENT ON COLUMN location_flows.plan_id IS 'the plan';
COMMENT ON COLUMN location_flows.source_location IS 'location that the vehicles leave';
COMMENT ON COLUMN location_flows.target_location IS 'location that they go to';
COMMENT ON COLUMN location_flows.vehicles IS 'how many';
COMMENT ON COLUMN location_flows.cost IS 'sum of their costs; unit as in plan_summary.total_cost';
--> statement-breakpoint
COMMENT ON VIEW job_history IS 'One row per job, with what its attempts took together: who asked for what, how long it waited and was worked on, how it ended and why.';
COMMENT ON COLUMN job_history.job_id IS 'the job; ids sort by time';
COMMENT ON COLUMN job_history.kind IS 'what it computes: optimize, backtest, decision';
COMMENT ON COLUMN job_history.request_id IS 'X-Request-Id of the request that made it';
COMMENT ON COLUMN job_history.caller IS 'who takes turns with whom: X-Client-Id of the request, else its address';
COMMENT ON COLUMN job_history.priority IS 'low, normal, high';
COMMENT ON COLUMN job_history.location_count IS 'locations of the problem';
COMMENT ON COLUMN job_history.vehicle_count IS 'vehicles of the request, operational or not';
COMMENT ON COLUMN job_history.status IS 'queued, running, completed, failed, cancelled';
COMMENT ON COLUMN job_history.solver_status IS 'optimal, feasible, infeasible, error; null before the end and where cancelled';
COMMENT ON COLUMN job_history.http_status IS 'status of the answer; null before the end';
COMMENT ON COLUMN job_history.created_at IS 'when the request was accepted';
COMMENT ON COLUMN job_history.started_at IS 'when a worker claimed it first; null where none did';
COMMENT ON COLUMN job_history.finished_at IS 'when it ended; null before';
COMMENT ON COLUMN job_history.attempts IS 'times a worker claimed it';
COMMENT ON COLUMN job_history.crashes IS 'attempts that ended with the death of a worker or solver thread';
COMMENT ON COLUMN job_history.worker_id IS 'worker of the last attempt: host:process:random';
COMMENT ON COLUMN job_history.outcome IS 'end of the last attempt: completed, failed, cancelled, released (its worker was stopped), crashed; null while it runs and without attempts';
COMMENT ON COLUMN job_history.reason IS 'why attempts led to no answer, a line each; null where all did';
COMMENT ON COLUMN job_history.waiting_seconds IS 'time in which no worker had it, waits between attempts included; null before the end';
COMMENT ON COLUMN job_history.solving_seconds IS 'time in which workers had it, all attempts, from claim to stored answer; null before the end';
COMMENT ON COLUMN job_history.total_seconds IS 'from created_at to the stored answer: waiting_seconds + solving_seconds; null before the end';
COMMENT ON COLUMN job_history.plan_id IS 'its plan; null where it made none, or the plan is no longer kept';
