ALTER TABLE "plans" ADD COLUMN "unmet_demand_cost" double precision;--> statement-breakpoint
-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md).
CREATE OR REPLACE VIEW plan_summary AS
SELECT p.plan_id, p.job_id, p.created_at, p.solver_status, p.gap, p.total_cost, p.demand_coverage,
       p.utilization, p.rebalanced_count, p.total_distance_km, p.unmet_demand, p.vehicle_count, p.solve_time_ms,
       p.total_minutes, p.unmet_demand_cost
FROM plans p;
--> statement-breakpoint
COMMENT ON COLUMN plan_summary.unmet_demand_cost IS 'what the demand costs that it does not serve; null where that has no cost';
