ALTER TABLE "plans" ADD COLUMN "total_minutes" double precision;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "move_minutes" double precision[];--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_move_minutes" CHECK (cardinality("plans"."move_minutes") = cardinality("plans"."move_sources"));--> statement-breakpoint
-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md).
CREATE OR REPLACE VIEW plan_summary AS
SELECT p.plan_id, p.job_id, p.created_at, p.solver_status, p.gap, p.total_cost, p.demand_coverage,
       p.utilization, p.rebalanced_count, p.total_distance_km, p.unmet_demand, p.vehicle_count, p.solve_time_ms,
       p.total_minutes
FROM plans p;
--> statement-breakpoint
COMMENT ON COLUMN plan_summary.total_minutes IS 'minutes of all its moves; null unless stored travel has all of them';
