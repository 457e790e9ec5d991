ALTER TABLE "plans" ADD COLUMN "findings" json;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "insights" json;--> statement-breakpoint
-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md).
CREATE OR REPLACE VIEW plan_summary AS
SELECT p.plan_id, p.job_id, p.created_at, p.solver_status, p.gap, p.total_cost, p.demand_coverage,
       p.utilization, p.rebalanced_count, p.total_distance_km, p.unmet_demand, p.vehicle_count, p.solve_time_ms,
       p.total_minutes, p.unmet_demand_cost,
       (p.findings #>> '{shortfall,requested}')::double precision AS requested_service_level,
       (p.findings #>> '{shortfall,reached}')::double precision AS reached_service_level,
       (p.findings #>> '{shortfall,unserved}')::double precision AS unserved_demand,
       (p.findings #>> '{shortfall,missing_vehicles}')::integer AS missing_vehicles
FROM plans p;
--> statement-breakpoint
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
       (p.findings #>> '{shortfall,missing_vehicles}')::integer AS missing_vehicles
FROM decisions d JOIN jobs j ON j.job_id = d.decision_id LEFT JOIN plans p ON p.job_id = d.decision_id;
--> statement-breakpoint
COMMENT ON COLUMN plan_summary.requested_service_level IS 'only where shortage serve_most did not reach min_service_level: that level, 0 to 1; else null, as are the figures that follow';
COMMENT ON COLUMN plan_summary.reached_service_level IS 'the level that the plan reaches instead, the highest that was found';
COMMENT ON COLUMN plan_summary.unserved_demand IS 'planning demand that it does not serve at that level';
COMMENT ON COLUMN plan_summary.missing_vehicles IS 'further vehicles of the most common capacity with which the requested level is reached; null, too, where they do not help or are unknown';
--> statement-breakpoint
COMMENT ON COLUMN decision_summary.requested_service_level IS 'only where shortage serve_most did not reach min_service_level: that level, 0 to 1; else null, as are the figures that follow';
COMMENT ON COLUMN decision_summary.reached_service_level IS 'the level that the plan reaches instead, the highest that was found';
COMMENT ON COLUMN decision_summary.unserved_demand IS 'planning demand that it does not serve at that level';
COMMENT ON COLUMN decision_summary.missing_vehicles IS 'further vehicles of the most common capacity with which the requested level is reached; null, too, where they do not help or are unknown';