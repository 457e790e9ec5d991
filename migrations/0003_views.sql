-- Views for analysts: their columns stay as they are when the tables below them change (docs/analyst/sql.md). A later
-- migration replaces a view in place (CREATE OR REPLACE), never drops it: so columns, comments and grants stay.

-- They have a schema of their own, and nobody else may use the one of the tables: whoever may name a table, and has no
-- right to it, still locks it by `PREPARE`.
CREATE SCHEMA reports;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
SET search_path = reports, public;

-- Plans

CREATE VIEW plan_summary AS
SELECT p.plan_id, p.job_id, p.created_at, p.solver_status, p.gap, p.total_cost, p.demand_coverage, p.utilization,
  p.rebalanced_count, p.total_distance_km, p.unmet_demand, p.vehicle_count, p.solve_time_ms, p.total_minutes,
  p.unmet_demand_cost,
  (p.findings #>> '{shortfall,requested}')::double precision AS requested_service_level,
  (p.findings #>> '{shortfall,reached}')::double precision AS reached_service_level,
  (p.findings #>> '{shortfall,unserved}')::double precision AS unserved_demand,
  (p.findings #>> '{shortfall,missing_vehicles}')::integer AS missing_vehicles
FROM plans p;

COMMENT ON VIEW plan_summary IS 'One row per stored plan: cost, KPIs, solver status, solve time.';
COMMENT ON COLUMN plan_summary.plan_id IS 'the plan; ids sort by time';
COMMENT ON COLUMN plan_summary.job_id IS
  'the job that made it; its record may be kept for a shorter time than the plan';
COMMENT ON COLUMN plan_summary.created_at IS 'when it was stored';
COMMENT ON COLUMN plan_summary.solver_status IS
  'optimal: proved within the gap that was asked for; feasible: the time limit came first';
COMMENT ON COLUMN plan_summary.gap IS
  'how far it may be from the best plan: (total_cost - bound) / total_cost; null where optimal';
COMMENT ON COLUMN plan_summary.total_cost IS
  'sum of the costs of its moves, in the unit of options.cost (by default km x OPTIMIZATION_COST_PER_KM), or of the '
  'network of the request';
COMMENT ON COLUMN plan_summary.demand_coverage IS 'share of the planning demand that it serves, 0 to 1';
COMMENT ON COLUMN plan_summary.utilization IS 'demand served / capacity of the operational vehicles, 0 to 1';
COMMENT ON COLUMN plan_summary.rebalanced_count IS 'vehicles that it moves';
COMMENT ON COLUMN plan_summary.total_distance_km IS
  'km of all its moves, each vehicle counted; null where the request brought costs without distances';
COMMENT ON COLUMN plan_summary.unmet_demand IS 'planning demand that it does not serve, in units of demand';
COMMENT ON COLUMN plan_summary.vehicle_count IS 'operational vehicles, moved or not';
COMMENT ON COLUMN plan_summary.solve_time_ms IS 'time in the solver thread, milliseconds';
COMMENT ON COLUMN plan_summary.total_minutes IS
  'minutes of all its moves, each vehicle counted; null unless it was made with stored travel that has all of them';
COMMENT ON COLUMN plan_summary.unmet_demand_cost IS
  'what the demand costs that it does not serve, in the unit of total_cost; null where that has no cost';
COMMENT ON COLUMN plan_summary.requested_service_level IS
  'only where shortage serve_most did not reach min_service_level: that level, 0 to 1; else null, as are the '
  'figures that follow';
COMMENT ON COLUMN plan_summary.reached_service_level IS
  'the level that the plan reaches instead, the highest that was found';
COMMENT ON COLUMN plan_summary.unserved_demand IS 'planning demand that it does not serve at that level';
COMMENT ON COLUMN plan_summary.missing_vehicles IS
  'further vehicles of the most common capacity with which the requested level is reached; null, too, where they do '
  'not help or are unknown';

CREATE VIEW plan_locations AS
SELECT p.plan_id, p.created_at, l.location_id, l.name, l.demand, l.vehicles_before, l.vehicles_after, l.capacity_after,
  l.served, l.demand - l.served AS unmet, l.priority::integer AS priority
FROM plans p,
  unnest(p.location_ids, p.location_names, p.location_demands, p.location_vehicles_before, p.location_vehicles_after,
      p.location_capacities, p.location_served, p.location_priorities)
    AS l (location_id, name, demand, vehicles_before, vehicles_after, capacity_after, served, priority);

COMMENT ON VIEW plan_locations IS
  'One row per location of a plan: demand, vehicles before and after the moves, and what they serve.';
COMMENT ON COLUMN plan_locations.plan_id IS 'the plan';
COMMENT ON COLUMN plan_locations.created_at IS 'when the plan was stored';
COMMENT ON COLUMN plan_locations.location_id IS 'the location';
COMMENT ON COLUMN plan_locations.name IS
  'its name when the request was accepted; null where the request brought a network';
COMMENT ON COLUMN plan_locations.demand IS
  'planning demand, in the unit of the demand of the request; for a decision, of the observations';
COMMENT ON COLUMN plan_locations.vehicles_before IS 'operational vehicles there before the moves';
COMMENT ON COLUMN plan_locations.vehicles_after IS 'operational vehicles there after the moves';
COMMENT ON COLUMN plan_locations.capacity_after IS 'what these vehicles can serve, in units of demand';
COMMENT ON COLUMN plan_locations.served IS 'demand that they serve: the smaller of demand and capacity_after';
COMMENT ON COLUMN plan_locations.unmet IS 'demand - served';
COMMENT ON COLUMN plan_locations.priority IS
  'priority level of its demand; null in plans in which no demand has one above 0';

-- Names and distances are joined within the plan: joined by the plan's id, those of all plans would be read whenever a
-- query does not name the plan itself (ten of 200 plans with 5,000 locations each: 12.7 s instead of 0.3 s). A location
-- of a plan has one name; the GROUP BY says so to the planner, which leaves out the joins of a query without names.
CREATE VIEW plan_moves AS
SELECT p.plan_id, p.created_at, (a.first_ordinal + v.n - 1)::integer AS ordinal, v.vehicle_id, v.source_location,
  v.target_location, v.cost,
  CASE WHEN v.source_location = v.target_location THEN 'stay' ELSE 'rebalance' END AS assignment,
  s.name AS source_name, t.name AS target_name,
  CASE WHEN v.source_location = v.target_location THEN 0 ELSE d.km END AS distance_km,
  CASE WHEN v.source_location = v.target_location THEN 0 ELSE d.minutes END AS duration_minutes
FROM plans p JOIN plan_parts a USING (plan_id)
  CROSS JOIN LATERAL unnest(a.vehicle_ids, a.source_locations, a.target_locations, a.costs)
    WITH ORDINALITY AS v (vehicle_id, source_location, target_location, cost, n)
  LEFT JOIN LATERAL (
    SELECT location_id, min(name) AS name
    FROM unnest(p.location_ids, p.location_names) AS l (location_id, name) GROUP BY location_id) s
    ON s.location_id = v.source_location
  LEFT JOIN LATERAL (
    SELECT location_id, min(name) AS name
    FROM unnest(p.location_ids, p.location_names) AS l (location_id, name) GROUP BY location_id) t
    ON t.location_id = v.target_location
  LEFT JOIN LATERAL (
    SELECT source, target, min(km) AS km, min(minutes) AS minutes
    FROM unnest(p.move_sources, p.move_targets, p.move_km, p.move_minutes) AS m (source, target, km, minutes)
    GROUP BY source, target) d
    ON d.source = v.source_location AND d.target = v.target_location;

COMMENT ON VIEW plan_moves IS
  'One row per vehicle of a plan, in the order of the request: where it stands, where it goes, at what cost.';
COMMENT ON COLUMN plan_moves.plan_id IS 'the plan';
COMMENT ON COLUMN plan_moves.created_at IS 'when the plan was stored';
COMMENT ON COLUMN plan_moves.ordinal IS 'place in the plan, from 1';
COMMENT ON COLUMN plan_moves.vehicle_id IS 'the vehicle, as the request named it';
COMMENT ON COLUMN plan_moves.source_location IS 'location where it stands';
COMMENT ON COLUMN plan_moves.target_location IS 'location where it is to be; the same where it stays';
COMMENT ON COLUMN plan_moves.cost IS 'cost of the move, 0 where it stays; unit as in plan_summary.total_cost';
COMMENT ON COLUMN plan_moves.assignment IS 'rebalance: it moves; stay: it does not';
COMMENT ON COLUMN plan_moves.source_name IS 'name of source_location, as in plan_locations; null where that has none';
COMMENT ON COLUMN plan_moves.target_name IS 'name of target_location, as in plan_locations; null where that has none';
COMMENT ON COLUMN plan_moves.distance_km IS
  'km from source_location to target_location, 0 where it stays; null where the request brought costs without '
  'distances';
COMMENT ON COLUMN plan_moves.duration_minutes IS
  'minutes that this takes by stored travel, as it was when the plan was made; null where that has none';

CREATE VIEW location_flows AS
SELECT f.plan_id, f.source_location, f.target_location, f.vehicles, f.cost, d.km AS distance_km,
  d.minutes AS duration_minutes
FROM (
    SELECT p.plan_id, v.source_location, v.target_location, count(*)::integer AS vehicles, sum(v.cost) AS cost
    FROM plans p JOIN plan_parts a USING (plan_id),
      unnest(a.source_locations, a.target_locations, a.costs) AS v (source_location, target_location, cost)
    WHERE v.source_location <> v.target_location
    GROUP BY p.plan_id, v.source_location, v.target_location) f
  LEFT JOIN (
    SELECT p.plan_id, m.source, m.target, min(m.km) AS km, min(m.minutes) AS minutes
    FROM plans p, unnest(p.move_sources, p.move_targets, p.move_km, p.move_minutes) AS m (source, target, km, minutes)
    GROUP BY p.plan_id, m.source, m.target) d
    ON d.plan_id = f.plan_id AND d.source = f.source_location AND d.target = f.target_location;

COMMENT ON VIEW location_flows IS 'Vehicles moved and their cost per plan and pair of locations.';
COMMENT ON COLUMN location_flows.plan_id IS 'the plan';
COMMENT ON COLUMN location_flows.source_location IS 'location that the vehicles leave';
COMMENT ON COLUMN location_flows.target_location IS 'location that they go to';
COMMENT ON COLUMN location_flows.vehicles IS 'how many';
COMMENT ON COLUMN location_flows.cost IS 'sum of their costs; unit as in plan_summary.total_cost';
COMMENT ON COLUMN location_flows.distance_km IS 'km from one to the other, as plan_moves.distance_km';
COMMENT ON COLUMN location_flows.duration_minutes IS 'minutes from one to the other, as plan_moves.duration_minutes';

CREATE VIEW plan_certificates AS
SELECT p.plan_id, c.objective, c.bound, c.gap, c.method, c.columns, c.rows, c.iterations, c.nodes, c.confirmed_within,
  c.checks
FROM plans p CROSS JOIN LATERAL json_to_record(p.certificate)
  AS c (objective double precision, bound double precision, gap double precision, method text, columns integer,
    rows integer, iterations integer, nodes integer, confirmed_within integer, checks text[]);

COMMENT ON VIEW plan_certificates IS 'One row per stored plan: what proves it, and how it was found.';
COMMENT ON COLUMN plan_certificates.plan_id IS 'the plan';
COMMENT ON COLUMN plan_certificates.objective IS 'its cost, as plan_summary.total_cost';
COMMENT ON COLUMN plan_certificates.bound IS 'proved: no plan for the request costs less';
COMMENT ON COLUMN plan_certificates.gap IS
  '(objective - bound) / objective, 0 where the objective is 0; of optimal plans too';
COMMENT ON COLUMN plan_certificates.method IS
  'what found the plan: none (no vehicles), network_simplex, linear (a linear programme whose solution is whole), '
  'mixed_integer (branch and cut), rounding or greedy (heuristics)';
COMMENT ON COLUMN plan_certificates.columns IS
  'columns of the largest model, or moves that the network simplex looked at';
COMMENT ON COLUMN plan_certificates.rows IS 'its rows';
COMMENT ON COLUMN plan_certificates.iterations IS 'of the simplex method, or pivots of the network simplex';
COMMENT ON COLUMN plan_certificates.nodes IS 'of the search trees';
COMMENT ON COLUMN plan_certificates.confirmed_within IS
  'iterations in which HiGHS confirmed the tree of the network simplex as optimal; null where it was not asked';
COMMENT ON COLUMN plan_certificates.checks IS
  'first what proved the bound, then what was checked of the plan; all passed';

-- Jobs, decisions and their forecasts

CREATE VIEW job_history AS
SELECT j.job_id, j.kind, j.request_id, coalesce(nullif(j.client_id, ''), j.caller) AS caller,
  j.priority::text AS priority, j.location_count, j.vehicle_count, j.status, j.solver_status, j.http_status,
  j.created_at, j.started_at, j.finished_at, j.attempts, j.crashes, a.worker_id, a.outcome, a.reason,
  t.total - least(t.total, coalesce(a.working, 0)) AS waiting_seconds,
  CASE WHEN t.total IS NOT NULL THEN least(t.total, coalesce(a.working, 0)) END AS solving_seconds,
  t.total AS total_seconds, p.plan_id, j.caller AS address, j.schedule_id
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

COMMENT ON VIEW job_history IS
  'One row per job, with what its attempts took together: who asked for what, how long it waited and was worked on, '
  'how it ended and why.';
COMMENT ON COLUMN job_history.job_id IS 'the job; ids sort by time';
COMMENT ON COLUMN job_history.kind IS 'what it computes: optimize, backtest, decision, replay';
COMMENT ON COLUMN job_history.request_id IS 'X-Request-Id of the request that made it';
COMMENT ON COLUMN job_history.caller IS
  'who asked: X-Client-Id of the request, else its key or subject, without authentication its address';
COMMENT ON COLUMN job_history.priority IS 'low, normal, high';
COMMENT ON COLUMN job_history.location_count IS 'locations of the problem';
COMMENT ON COLUMN job_history.vehicle_count IS 'vehicles of the request, operational or not';
COMMENT ON COLUMN job_history.status IS 'queued, running, completed, failed, cancelled';
COMMENT ON COLUMN job_history.solver_status IS
  'optimal, feasible, infeasible, error; null before the end and where cancelled';
COMMENT ON COLUMN job_history.http_status IS 'status of the answer; null before the end';
COMMENT ON COLUMN job_history.created_at IS 'when the request was accepted';
COMMENT ON COLUMN job_history.started_at IS 'when a worker claimed it first; null where none did';
COMMENT ON COLUMN job_history.finished_at IS 'when it ended; null before';
COMMENT ON COLUMN job_history.attempts IS 'times a worker claimed it';
COMMENT ON COLUMN job_history.crashes IS 'attempts that ended with the death of a worker or solver thread';
COMMENT ON COLUMN job_history.worker_id IS
  'worker of the last attempt: process:random; the worker''s log says on which host';
COMMENT ON COLUMN job_history.outcome IS
  'end of the last attempt: completed, failed, cancelled, released (its worker was stopped), crashed; null while it '
  'runs and without attempts';
COMMENT ON COLUMN job_history.reason IS 'why attempts led to no answer, a line each; null where all did';
COMMENT ON COLUMN job_history.waiting_seconds IS
  'time in which no worker had it, waits between attempts included; null before the end';
COMMENT ON COLUMN job_history.solving_seconds IS
  'time in which workers had it, all attempts, from claim to stored answer; null before the end';
COMMENT ON COLUMN job_history.total_seconds IS
  'from created_at to the stored answer: waiting_seconds + solving_seconds; null before the end';
COMMENT ON COLUMN job_history.plan_id IS 'its plan; null where it made none, or the plan is no longer kept';
COMMENT ON COLUMN job_history.address IS
  'who takes turns with whom: the owner of the key or the subject; without authentication an IPv4 address, the /64 '
  'network of an IPv6 one';
COMMENT ON COLUMN job_history.schedule_id IS 'the schedule that made it; null where a request did';

CREATE VIEW decision_summary AS
SELECT d.decision_id, j.created_at, d.created_at AS taken_at, j.finished_at, j.status, j.solver_status, j.caller,
  d.start_date, d.horizon_hours, d.step_hours,
  coalesce(j.facts ->> 'demand', 'mean') AS demand,
  coalesce((j.facts ->> 'demand_scale')::double precision, 1) AS demand_scale,
  (j.facts #>> '{risk,threshold}')::double precision AS risk_threshold,
  j.location_count, d.vehicle_count, d.left_out_count,
  p.plan_id, p.total_cost, p.demand_coverage, p.unmet_demand, p.rebalanced_count,
  (p.findings #>> '{shortfall,requested}')::double precision AS requested_service_level,
  (p.findings #>> '{shortfall,reached}')::double precision AS reached_service_level,
  (p.findings #>> '{shortfall,unserved}')::double precision AS unserved_demand,
  (p.findings #>> '{shortfall,missing_vehicles}')::integer AS missing_vehicles,
  d.start_hour
FROM decisions d JOIN jobs j ON j.job_id = d.decision_id LEFT JOIN plans p ON p.job_id = d.decision_id;

COMMENT ON VIEW decision_summary IS
  'One row per decision whose inputs have been collected: what was asked, and what came of it.';
COMMENT ON COLUMN decision_summary.decision_id IS 'the decision, the job_id of its job; ids sort by time';
COMMENT ON COLUMN decision_summary.created_at IS 'when the request was accepted';
COMMENT ON COLUMN decision_summary.taken_at IS 'when its inputs were stored: fleet, risk, forecast';
COMMENT ON COLUMN decision_summary.finished_at IS 'when it ended; null before';
COMMENT ON COLUMN decision_summary.status IS 'queued, running, completed, failed, cancelled';
COMMENT ON COLUMN decision_summary.solver_status IS
  'optimal, feasible, infeasible, error; null before the end and where cancelled';
COMMENT ON COLUMN decision_summary.caller IS 'who asked, as job_history.caller';
COMMENT ON COLUMN decision_summary.start_date IS 'first planned local day';
COMMENT ON COLUMN decision_summary.horizon_hours IS 'hours that are forecast';
COMMENT ON COLUMN decision_summary.step_hours IS 'hours of a step of the forecast';
COMMENT ON COLUMN decision_summary.demand IS
  'mean: planned with the expected demand; upper: with the upper end of its interval';
COMMENT ON COLUMN decision_summary.demand_scale IS 'factor on the forecast';
COMMENT ON COLUMN decision_summary.risk_threshold IS
  'vehicles with a risk score at or above it were left out; null: none';
COMMENT ON COLUMN decision_summary.location_count IS 'locations that are forecast';
COMMENT ON COLUMN decision_summary.vehicle_count IS 'vehicles of the fleet, operational or not';
COMMENT ON COLUMN decision_summary.left_out_count IS 'of these, left out because of their risk';
COMMENT ON COLUMN decision_summary.plan_id IS 'its plan; null where it made none, or the plan is no longer kept';
COMMENT ON COLUMN decision_summary.total_cost IS
  'as plan_summary.total_cost; null without a plan, as are the figures that follow';
COMMENT ON COLUMN decision_summary.demand_coverage IS 'share of the planning demand that the plan serves, 0 to 1';
COMMENT ON COLUMN decision_summary.unmet_demand IS 'planning demand that the plan does not serve';
COMMENT ON COLUMN decision_summary.rebalanced_count IS 'vehicles that the plan moves';
COMMENT ON COLUMN decision_summary.requested_service_level IS
  'only where shortage serve_most did not reach min_service_level: that level, 0 to 1; else null, as are the '
  'figures that follow';
COMMENT ON COLUMN decision_summary.reached_service_level IS
  'the level that the plan reaches instead, the highest that was found';
COMMENT ON COLUMN decision_summary.unserved_demand IS 'planning demand that it does not serve at that level';
COMMENT ON COLUMN decision_summary.missing_vehicles IS
  'further vehicles of the most common capacity with which the requested level is reached; null, too, where they do '
  'not help or are unknown';
COMMENT ON COLUMN decision_summary.start_hour IS
  'hour of start_date at which the plan begins, 0 to 23; 0 unless the request states start_at';

-- The inner query is a fence (OFFSET 0): the lists of a decision are joined with each other, once per decision.
CREATE VIEW forecast_values AS
SELECT d.decision_id, f.location_id, f.name, v.step::integer AS step,
  d.start_date + (d.start_hour + (v.step - 1) * d.step_hours) * interval '1 hour' AS starts_at, d.step_hours,
  v.expected::double precision AS expected, v.lower::double precision AS lower, v.upper::double precision AS upper
FROM decisions d
  CROSS JOIN LATERAL (
    SELECT m.key::integer AS location_id, n.name, m.value AS expected, i.value AS interval
    FROM json_each(d.forecast -> 'forecasts') m
      LEFT JOIN json_each(d.forecast -> 'intervals') i ON i.key = m.key
      LEFT JOIN json_to_recordset(d.locations) AS n (id integer, name text) ON n.id = m.key::integer
    OFFSET 0) f
  CROSS JOIN LATERAL ROWS FROM (
    json_array_elements_text(f.expected), json_array_elements_text(f.interval -> 'lower'),
    json_array_elements_text(f.interval -> 'upper')) WITH ORDINALITY AS v (expected, lower, upper, step);

COMMENT ON VIEW forecast_values IS
  'One row per decision, location and step: the forecast that the decision planned with, before demand_scale.';
COMMENT ON COLUMN forecast_values.decision_id IS 'the decision';
COMMENT ON COLUMN forecast_values.location_id IS 'the location';
COMMENT ON COLUMN forecast_values.name IS
  'its name when the inputs were collected; null where the request brought a network';
COMMENT ON COLUMN forecast_values.step IS 'step of the horizon, from 1';
COMMENT ON COLUMN forecast_values.starts_at IS
  'local time at which the step starts; on the clock of the first location that has a time zone where the request '
  'states start_at';
COMMENT ON COLUMN forecast_values.step_hours IS 'its hours; the last step ends with the horizon';
COMMENT ON COLUMN forecast_values.expected IS 'expected demand of the step, in the unit of the observations';
COMMENT ON COLUMN forecast_values.lower IS 'lower end of its interval';
COMMENT ON COLUMN forecast_values.upper IS 'upper end of its interval';

-- Schedules

CREATE VIEW schedule_summary AS
SELECT s.schedule_id, s.name, s.created_at, s.updated_at, s.cron, s.time_zone, s.missed, s.next_at IS NULL AS paused,
  s.next_at, coalesce(nullif(s.client_id, ''), s.caller) AS caller,
  (SELECT count(*)::integer FROM schedule_occurrences o
    WHERE o.schedule_id = s.schedule_id AND o.outcome = 'job') AS jobs,
  (SELECT count(*)::integer FROM schedule_occurrences o
    WHERE o.schedule_id = s.schedule_id AND o.outcome <> 'job') AS passed_over
FROM schedules s;

COMMENT ON VIEW schedule_summary IS 'One row per stored schedule: when it makes decisions, and how many it has made.';
COMMENT ON COLUMN schedule_summary.schedule_id IS 'the schedule; ids sort by time';
COMMENT ON COLUMN schedule_summary.name IS 'its name';
COMMENT ON COLUMN schedule_summary.created_at IS 'when it was stored';
COMMENT ON COLUMN schedule_summary.updated_at IS 'when it was last changed, paused or resumed';
COMMENT ON COLUMN schedule_summary.cron IS 'minute, hour, day of the month, month, day of the week';
COMMENT ON COLUMN schedule_summary.time_zone IS 'the time zone in which cron is read';
COMMENT ON COLUMN schedule_summary.missed IS 'run_last: the last missed occurrence is made up for; skip: none is';
COMMENT ON COLUMN schedule_summary.paused IS 'whether it has no occurrences for now';
COMMENT ON COLUMN schedule_summary.next_at IS 'its next occurrence; null while it is paused';
COMMENT ON COLUMN schedule_summary.caller IS 'who stored it, as job_history.caller';
COMMENT ON COLUMN schedule_summary.jobs IS 'occurrences that made a job, while they are kept';
COMMENT ON COLUMN schedule_summary.passed_over IS
  'occurrences that made none, while they are kept; of a long outage only the last hundred';

CREATE VIEW schedule_history AS
SELECT o.schedule_id, s.name, o.due_at, o.outcome, o.decided_at,
  extract(epoch FROM o.decided_at - o.due_at)::double precision AS late_seconds, o.job_id, j.status, j.solver_status,
  j.finished_at, p.plan_id, p.total_cost, p.demand_coverage, p.unmet_demand, p.rebalanced_count
FROM schedule_occurrences o
  JOIN schedules s ON s.schedule_id = o.schedule_id
  LEFT JOIN jobs j ON j.job_id = o.job_id
  LEFT JOIN plans p ON p.job_id = o.job_id;

COMMENT ON VIEW schedule_history IS
  'One row per occurrence of a stored schedule: whether it made a job, and what came of it.';
COMMENT ON COLUMN schedule_history.schedule_id IS 'the schedule';
COMMENT ON COLUMN schedule_history.name IS 'its name';
COMMENT ON COLUMN schedule_history.due_at IS 'when it was due';
COMMENT ON COLUMN schedule_history.outcome IS
  'job: it made a job; missed: no worker was running; overlapped: the job of an earlier occurrence had not ended';
COMMENT ON COLUMN schedule_history.decided_at IS 'when its job was stored, or it was passed over';
COMMENT ON COLUMN schedule_history.late_seconds IS 'from due_at to decided_at';
COMMENT ON COLUMN schedule_history.job_id IS 'its job, a decision; null where it made none';
COMMENT ON COLUMN schedule_history.status IS
  'queued, running, completed, failed, cancelled; null without a job, or where it is no longer kept';
COMMENT ON COLUMN schedule_history.solver_status IS
  'optimal, feasible, infeasible, error; null before the end and where cancelled';
COMMENT ON COLUMN schedule_history.finished_at IS 'when the job ended; null before';
COMMENT ON COLUMN schedule_history.plan_id IS 'its plan; null where it made none, or the plan is no longer kept';
COMMENT ON COLUMN schedule_history.total_cost IS
  'as plan_summary.total_cost; null without a plan, as are the figures that follow';
COMMENT ON COLUMN schedule_history.demand_coverage IS 'share of the planning demand that the plan serves, 0 to 1';
COMMENT ON COLUMN schedule_history.unmet_demand IS 'planning demand that the plan does not serve, in units of demand';
COMMENT ON COLUMN schedule_history.rebalanced_count IS 'vehicles that the plan moves';

-- Replays

CREATE VIEW replay_summary AS
SELECT r.replay_id, r.created_at,
  (r.summary->>'starts_at')::timestamp (3) with time zone AS starts_at,
  (r.summary->>'ends_at')::timestamp (3) with time zone AS ends_at,
  r.summary->>'time_zone' AS time_zone,
  (r.summary->>'locations')::integer AS locations,
  (r.summary->>'fleet_size')::integer AS fleet_size,
  (r.summary->>'trips_per_vehicle_hour')::double precision AS trips_per_vehicle_hour,
  (r.summary->>'unmet_demand_cost')::double precision AS unmet_demand_cost,
  r.summary->>'trip_flows' AS trip_flows,
  (r.summary->>'demand')::double precision AS demand,
  (r.summary->>'bound')::double precision AS bound
FROM replays r;

COMMENT ON VIEW replay_summary IS 'One row per stored replay: what plans would have brought in a period of the past.';
COMMENT ON COLUMN replay_summary.replay_id IS 'the replay, which is the id of its job; ids sort by time';
COMMENT ON COLUMN replay_summary.created_at IS 'when it ended and was stored';
COMMENT ON COLUMN replay_summary.starts_at IS 'begin of the first hour';
COMMENT ON COLUMN replay_summary.ends_at IS 'end of the last hour';
COMMENT ON COLUMN replay_summary.time_zone IS 'the time zone of the local days';
COMMENT ON COLUMN replay_summary.locations IS 'number of locations';
COMMENT ON COLUMN replay_summary.fleet_size IS 'number of vehicles';
COMMENT ON COLUMN replay_summary.trips_per_vehicle_hour IS 'trips that a vehicle serves in an hour';
COMMENT ON COLUMN replay_summary.unmet_demand_cost IS 'price of a lost trip, in the currency of the request';
COMMENT ON COLUMN replay_summary.trip_flows IS 'stored: trips end as the stored counts say; none: where they begin';
COMMENT ON COLUMN replay_summary.demand IS 'observed trips';
COMMENT ON COLUMN replay_summary.bound IS
  'proved: no policy has a smaller objective with expected trip ends; null if not known';

CREATE VIEW replay_policies AS
SELECT r.replay_id, p.policy->>'name' AS policy, p.policy->>'mode' AS mode, p.policy->>'demand' AS planned_demand,
  (f.figures->>'seed')::integer AS seed,
  (f.figures->>'served')::double precision AS served,
  (f.figures->>'lost')::double precision AS lost,
  (f.figures->>'served_share')::double precision AS served_share,
  (f.figures->>'moves')::integer AS moves,
  (f.figures->>'km')::double precision AS km,
  (f.figures->>'minutes')::double precision AS minutes,
  (f.figures->>'cost')::double precision AS cost,
  (f.figures->>'utilization')::double precision AS utilization,
  (f.figures->>'objective')::double precision AS objective,
  (f.figures->>'hours_without_plan')::integer AS hours_without_plan,
  (p.policy->>'confidence_level')::double precision AS confidence_level,
  (p.policy->>'horizon_hours')::integer AS horizon_hours,
  (p.policy->>'step_hours')::integer AS step_hours,
  (p.policy->>'replan_every_hours')::integer AS replan_every_hours
FROM replays r
  CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
  CROSS JOIN LATERAL (
    SELECT p.policy UNION ALL SELECT d FROM json_array_elements(p.policy->'drawn') d) AS f (figures);

COMMENT ON VIEW replay_policies IS
  'One row per replay, policy and seed: the figures of the table, with expected and with drawn trip ends.';
COMMENT ON COLUMN replay_policies.replay_id IS 'the replay';
COMMENT ON COLUMN replay_policies.policy IS 'name of the policy';
COMMENT ON COLUMN replay_policies.mode IS 'none, nightly, static, horizon';
COMMENT ON COLUMN replay_policies.planned_demand IS
  'what plans took for the demand ahead: mean, upper, spread, observed';
COMMENT ON COLUMN replay_policies.seed IS 'of the drawn trip ends; null: expected trip ends';
COMMENT ON COLUMN replay_policies.served IS 'trips served';
COMMENT ON COLUMN replay_policies.lost IS 'trips that nobody served';
COMMENT ON COLUMN replay_policies.served_share IS 'served of all trips, 0 to 1';
COMMENT ON COLUMN replay_policies.moves IS 'vehicles moved, each time counted';
COMMENT ON COLUMN replay_policies.km IS 'km of all moves';
COMMENT ON COLUMN replay_policies.minutes IS 'minutes of all moves';
COMMENT ON COLUMN replay_policies.cost IS 'cost of all moves, in the currency of the request';
COMMENT ON COLUMN replay_policies.utilization IS 'trips served, of those that all vehicles could serve, 0 to 1';
COMMENT ON COLUMN replay_policies.objective IS 'cost of all moves and price of lost trips';
COMMENT ON COLUMN replay_policies.hours_without_plan IS 'hours in which a plan was due and none kept the constraints';
COMMENT ON COLUMN replay_policies.confidence_level IS
  'of the interval whose upper end was planned for, 0 to 1; null: another demand';
COMMENT ON COLUMN replay_policies.horizon_hours IS 'hours of a plan that looks ahead, else null';
COMMENT ON COLUMN replay_policies.step_hours IS 'hours of its steps, else null';
COMMENT ON COLUMN replay_policies.replan_every_hours IS 'hours from one plan to the next';

CREATE VIEW replay_hours AS
SELECT r.replay_id, p.policy->>'name' AS policy,
  ((r.data->>'starts_at')::timestamp (3) with time zone + (d.n - 1) * interval '1 hour')::timestamp (3) with time zone
    AS starts_at,
  d.demand::double precision AS demand, s.served::double precision AS served, m.moves::integer AS moves
FROM replays r
  CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
  CROSS JOIN LATERAL json_array_elements_text(r.data->'demand_by_hour') WITH ORDINALITY AS d (demand, n)
  JOIN LATERAL json_array_elements_text(p.policy->'served_by_hour') WITH ORDINALITY AS s (served, n) ON s.n = d.n
  LEFT JOIN LATERAL json_array_elements_text(p.policy->'moves_by_hour') WITH ORDINALITY AS m (moves, n) ON m.n = d.n;

COMMENT ON VIEW replay_hours IS 'One row per replay, policy and hour, with expected trip ends.';
COMMENT ON COLUMN replay_hours.replay_id IS 'the replay';
COMMENT ON COLUMN replay_hours.policy IS 'name of the policy';
COMMENT ON COLUMN replay_hours.starts_at IS 'begin of the hour';
COMMENT ON COLUMN replay_hours.demand IS 'observed trips of all locations';
COMMENT ON COLUMN replay_hours.served IS 'trips served';
COMMENT ON COLUMN replay_hours.moves IS 'vehicles that leave in this hour';

CREATE VIEW replay_locations AS
SELECT r.replay_id, p.policy->>'name' AS policy, l.location_id::integer AS location_id,
  d.demand::double precision AS demand, s.served::double precision AS served
FROM replays r
  CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
  CROSS JOIN LATERAL json_array_elements_text(r.data->'location_ids') WITH ORDINALITY AS l (location_id, n)
  JOIN LATERAL json_array_elements_text(r.data->'demand_by_location') WITH ORDINALITY AS d (demand, n) ON d.n = l.n
  JOIN LATERAL json_array_elements_text(p.policy->'served_by_location') WITH ORDINALITY AS s (served, n) ON s.n = l.n;

COMMENT ON VIEW replay_locations IS 'One row per replay, policy and location, with expected trip ends.';
COMMENT ON COLUMN replay_locations.replay_id IS 'the replay';
COMMENT ON COLUMN replay_locations.policy IS 'name of the policy';
COMMENT ON COLUMN replay_locations.location_id IS 'the location';
COMMENT ON COLUMN replay_locations.demand IS 'observed trips';
COMMENT ON COLUMN replay_locations.served IS 'trips served';

CREATE VIEW replay_location_hours AS
SELECT r.replay_id, p.policy->>'name' AS policy,
  ((s.starts_at)::timestamp (3) with time zone + (h.n - 1) * interval '1 hour')::timestamp (3) with time zone
    AS starts_at,
  c.location_id::integer AS location_id, c.demand::double precision AS demand, c.lost::double precision AS lost
FROM replays r
  -- Taken out once: each look into the text reads all of it.
  CROSS JOIN LATERAL (
    SELECT r.data->>'starts_at' AS starts_at, r.data->'location_ids' AS location_ids,
      r.data->'demand_by_hour_and_location' AS demand, r.data->'policies' AS policies
    OFFSET 0) AS s
  CROSS JOIN LATERAL json_array_elements(s.policies) AS p (policy)
  CROSS JOIN LATERAL (
    SELECT CASE WHEN json_typeof(s.demand) = 'array' THEN s.demand END AS demand,
      CASE WHEN json_typeof(p.policy->'lost_by_hour_and_location') = 'array'
        THEN p.policy->'lost_by_hour_and_location' END AS lost
    OFFSET 0) AS a
  CROSS JOIN LATERAL ROWS FROM (json_array_elements(a.demand), json_array_elements(a.lost))
    WITH ORDINALITY AS h (demand, lost, n)
  CROSS JOIN LATERAL ROWS FROM (
    json_array_elements_text(s.location_ids), json_array_elements_text(h.demand), json_array_elements_text(h.lost))
    AS c (location_id, demand, lost);

COMMENT ON VIEW replay_location_hours IS
  'One row per replay, policy, hour and location, with expected trip ends; none of replays that are too large for it.';
COMMENT ON COLUMN replay_location_hours.replay_id IS 'the replay';
COMMENT ON COLUMN replay_location_hours.policy IS 'name of the policy';
COMMENT ON COLUMN replay_location_hours.starts_at IS 'begin of the hour';
COMMENT ON COLUMN replay_location_hours.location_id IS 'the location';
COMMENT ON COLUMN replay_location_hours.demand IS 'observed trips, to a thousandth';
COMMENT ON COLUMN replay_location_hours.lost IS 'trips that nobody served, to a thousandth';

RESET search_path;
