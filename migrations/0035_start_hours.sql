ALTER TABLE "decisions" ADD COLUMN "start_hour" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_start_hour" CHECK ("decisions"."start_hour" between 0 and 23);--> statement-breakpoint
-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md).
CREATE OR REPLACE VIEW decision_summary AS
SELECT d.decision_id, j.created_at, d.created_at AS taken_at, j.finished_at, j.status, j.solver_status, j.caller,
       d.start_date, d.horizon_hours, d.step_hours,
       CASE WHEN j.facts IS NOT NULL THEN coalesce(j.facts ->> 'demand', 'mean') END AS demand,
       CASE WHEN j.facts IS NOT NULL THEN coalesce((j.facts ->> 'demand_scale')::double precision, 1) END AS demand_scale,
       (j.facts #>> '{risk,threshold}')::double precision AS risk_threshold,
       j.location_count, d.vehicle_count, d.left_out_count,
       p.plan_id, p.total_cost, p.demand_coverage, p.unmet_demand, p.rebalanced_count,
       (p.findings #>> '{shortfall,requested}')::double precision AS requested_service_level,
       (p.findings #>> '{shortfall,reached}')::double precision AS reached_service_level,
       (p.findings #>> '{shortfall,unserved}')::double precision AS unserved_demand,
       (p.findings #>> '{shortfall,missing_vehicles}')::integer AS missing_vehicles,
       d.start_hour
FROM decisions d JOIN jobs j ON j.job_id = d.decision_id LEFT JOIN plans p ON p.job_id = d.decision_id;
--> statement-breakpoint
CREATE OR REPLACE VIEW forecast_values AS
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
     CROSS JOIN LATERAL ROWS FROM (json_array_elements_text(f.expected), json_array_elements_text(f.interval -> 'lower'),
       json_array_elements_text(f.interval -> 'upper')) WITH ORDINALITY AS v (expected, lower, upper, step);
--> statement-breakpoint
COMMENT ON COLUMN decision_summary.start_hour IS 'hour of start_date at which the plan begins, 0 to 23; 0 unless the request states start_at';
COMMENT ON COLUMN forecast_values.starts_at IS 'local time at which the step starts; on the clock of the first location that has a time zone where the request states start_at';
