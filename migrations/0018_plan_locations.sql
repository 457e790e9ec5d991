ALTER TABLE "decisions" ADD COLUMN "horizon_hours" integer;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "step_hours" integer;--> statement-breakpoint
UPDATE decisions d SET horizon_hours = m.horizon_hours, step_hours = m.step_hours
FROM decisions f CROSS JOIN LATERAL json_to_record(f.forecast -> 'metadata') AS m (horizon_hours integer, step_hours integer)
WHERE f.decision_id = d.decision_id;--> statement-breakpoint
ALTER TABLE "decisions" ALTER COLUMN "horizon_hours" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "decisions" ALTER COLUMN "step_hours" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "location_ids" integer[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "location_names" text[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "location_demands" double precision[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "location_vehicles_before" integer[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "location_vehicles_after" integer[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "location_capacities" double precision[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "location_served" double precision[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "move_sources" integer[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "move_targets" integer[];--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "move_km" double precision[];--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_locations" CHECK (array[cardinality("plans"."location_names"), cardinality("plans"."location_demands"), cardinality("plans"."location_vehicles_before"), cardinality("plans"."location_vehicles_after"), cardinality("plans"."location_capacities"), cardinality("plans"."location_served")] = array_fill(cardinality("plans"."location_ids"), array[6]));--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_moves" CHECK (array[cardinality("plans"."move_targets"), cardinality("plans"."move_km")] = array_fill(cardinality("plans"."move_sources"), array[2]));
--> statement-breakpoint
CREATE VIEW plan_locations AS
SELECT p.plan_id, p.created_at, l.location_id, l.name, l.demand, l.vehicles_before, l.vehicles_after, l.capacity_after, l.served,
       l.demand - l.served AS unmet
FROM plans p,
     unnest(p.location_ids, p.location_names, p.location_demands, p.location_vehicles_before, p.location_vehicles_after,
            p.location_capacities, p.location_served)
       AS l (location_id, name, demand, vehicles_before, vehicles_after, capacity_after, served);
--> statement-breakpoint
-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md). A location of a plan has one name; the
-- GROUP BY says so to the planner, which then leaves out the joins of a query that wants no names.
CREATE OR REPLACE VIEW plan_moves AS
SELECT p.plan_id, p.created_at, (a.first_ordinal + v.n - 1)::integer AS ordinal, v.vehicle_id, v.source_location, v.target_location,
       v.cost, CASE WHEN v.source_location = v.target_location THEN 'stay' ELSE 'rebalance' END AS assignment,
       s.name AS source_name, t.name AS target_name
FROM plans p JOIN plan_parts a USING (plan_id)
     CROSS JOIN LATERAL unnest(a.vehicle_ids, a.source_locations, a.target_locations, a.costs)
       WITH ORDINALITY AS v (vehicle_id, source_location, target_location, cost, n)
     LEFT JOIN (SELECT plan_id, location_id, min(name) AS name FROM plan_locations GROUP BY plan_id, location_id) s
       ON s.plan_id = p.plan_id AND s.location_id = v.source_location
     LEFT JOIN (SELECT plan_id, location_id, min(name) AS name FROM plan_locations GROUP BY plan_id, location_id) t
       ON t.plan_id = p.plan_id AND t.location_id = v.target_location;
--> statement-breakpoint
CREATE VIEW decision_summary AS
SELECT d.decision_id, j.created_at, d.created_at AS taken_at, j.finished_at, j.status, j.solver_status, j.caller,
       d.start_date, d.horizon_hours, d.step_hours,
       CASE WHEN j.facts IS NOT NULL THEN coalesce(j.facts ->> 'demand', 'mean') END AS demand,
       CASE WHEN j.facts IS NOT NULL THEN coalesce((j.facts ->> 'demand_scale')::double precision, 1) END AS demand_scale,
       (j.facts #>> '{risk,threshold}')::double precision AS risk_threshold,
       j.location_count, d.vehicle_count, d.left_out_count,
       p.plan_id, p.total_cost, p.demand_coverage, p.unmet_demand, p.rebalanced_count
FROM decisions d JOIN jobs j ON j.job_id = d.decision_id LEFT JOIN plans p ON p.job_id = d.decision_id;
--> statement-breakpoint
-- The inner query is a fence (OFFSET 0): the lists of a decision are joined with each other, once per decision.
CREATE VIEW forecast_values AS
SELECT d.decision_id, f.location_id, f.name, v.step::integer AS step,
       d.start_date + (v.step - 1) * d.step_hours * interval '1 hour' AS starts_at, d.step_hours,
       v.expected::double precision AS expected, v.lower::double precision AS lower, v.upper::double precision AS upper
FROM decisions d
     CROSS JOIN LATERAL (
       SELECT m.key::integer AS location_id, n.name, m.value AS expected, i.value AS interval
       FROM json_each(d.forecast -> 'forecasts') m
            LEFT JOIN json_each(d.forecast -> 'intervals') i ON i.key = m.key
            LEFT JOIN json_to_recordset(d.locations) AS n (id integer, name text) ON n.id = m.key::integer
       OFFSET 0) f
     CROSS JOIN LATERAL ROWS FROM (json_array_elements_text(f.expected), json_array_elements_text(f.interval -> 'lower'),
       json_array_elements_text(f.interval -> 'upper')) WITH ORDINALITY AS v (expected, lower, upper, step);
--> statement-breakpoint
COMMENT ON VIEW plan_locations IS 'One row per location of a plan: demand, vehicles before and after the moves, and what they serve. Plans of earlier versions have none.';
COMMENT ON COLUMN plan_locations.plan_id IS 'the plan';
COMMENT ON COLUMN plan_locations.created_at IS 'when the plan was stored';
COMMENT ON COLUMN plan_locations.location_id IS 'the location';
COMMENT ON COLUMN plan_locations.name IS 'its name when the request was accepted; null where the request brought a network';
COMMENT ON COLUMN plan_locations.demand IS 'planning demand';
COMMENT ON COLUMN plan_locations.vehicles_before IS 'operational vehicles there before the moves';
COMMENT ON COLUMN plan_locations.vehicles_after IS 'operational vehicles there after the moves';
COMMENT ON COLUMN plan_locations.capacity_after IS 'what these vehicles can serve, in units of demand';
COMMENT ON COLUMN plan_locations.served IS 'demand that they serve: the smaller of demand and capacity_after';
COMMENT ON COLUMN plan_locations.unmet IS 'demand - served';
--> statement-breakpoint
COMMENT ON COLUMN plan_moves.source_name IS 'name of source_location, as in plan_locations; null in plans of earlier versions';
COMMENT ON COLUMN plan_moves.target_name IS 'name of target_location, as in plan_locations; null in plans of earlier versions';
--> statement-breakpoint
COMMENT ON VIEW decision_summary IS 'One row per decision whose inputs have been collected: what was asked, and what came of it.';
COMMENT ON COLUMN decision_summary.decision_id IS 'the decision, the job_id of its job; ids sort by time';
COMMENT ON COLUMN decision_summary.created_at IS 'when the request was accepted';
COMMENT ON COLUMN decision_summary.taken_at IS 'when its inputs were stored: fleet, risk, forecast';
COMMENT ON COLUMN decision_summary.finished_at IS 'when it ended; null before';
COMMENT ON COLUMN decision_summary.status IS 'queued, running, completed, failed, cancelled';
COMMENT ON COLUMN decision_summary.solver_status IS 'optimal, feasible, infeasible, error; null before the end and where cancelled';
COMMENT ON COLUMN decision_summary.caller IS 'who asked, as job_history.caller';
COMMENT ON COLUMN decision_summary.start_date IS 'first planned local day';
COMMENT ON COLUMN decision_summary.horizon_hours IS 'hours that are forecast';
COMMENT ON COLUMN decision_summary.step_hours IS 'hours of a step of the forecast';
COMMENT ON COLUMN decision_summary.demand IS 'mean: planned with the expected demand; upper: with the upper end of its interval; null in decisions of earlier versions';
COMMENT ON COLUMN decision_summary.demand_scale IS 'factor on the forecast; null in decisions of earlier versions';
COMMENT ON COLUMN decision_summary.risk_threshold IS 'vehicles with a risk score at or above it were left out; null: none';
COMMENT ON COLUMN decision_summary.location_count IS 'locations that are forecast';
COMMENT ON COLUMN decision_summary.vehicle_count IS 'vehicles of the fleet, operational or not';
COMMENT ON COLUMN decision_summary.left_out_count IS 'of these, left out because of their risk';
COMMENT ON COLUMN decision_summary.plan_id IS 'its plan; null where it made none, or the plan is no longer kept';
COMMENT ON COLUMN decision_summary.total_cost IS 'as plan_summary.total_cost; null without a plan, as are the figures that follow';
COMMENT ON COLUMN decision_summary.demand_coverage IS 'share of the planning demand that the plan serves, 0 to 1';
COMMENT ON COLUMN decision_summary.unmet_demand IS 'planning demand that the plan does not serve';
COMMENT ON COLUMN decision_summary.rebalanced_count IS 'vehicles that the plan moves';
--> statement-breakpoint
COMMENT ON VIEW forecast_values IS 'One row per decision, location and step: the forecast that the decision planned with, before demand_scale.';
COMMENT ON COLUMN forecast_values.decision_id IS 'the decision';
COMMENT ON COLUMN forecast_values.location_id IS 'the location';
COMMENT ON COLUMN forecast_values.name IS 'its name when the inputs were collected; null where the request brought a network';
COMMENT ON COLUMN forecast_values.step IS 'step of the horizon, from 1';
COMMENT ON COLUMN forecast_values.starts_at IS 'local time at which the step starts';
COMMENT ON COLUMN forecast_values.step_hours IS 'its hours; the last step ends with the horizon';
COMMENT ON COLUMN forecast_values.expected IS 'expected demand of the step';
COMMENT ON COLUMN forecast_values.lower IS 'lower end of its interval';
COMMENT ON COLUMN forecast_values.upper IS 'upper end of its interval';
