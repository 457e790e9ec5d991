-- The one row that caches compare (see demand_revision in src/db/schema.ts).
INSERT INTO demand_revision (revision) VALUES (0);
--> statement-breakpoint
-- Views for analysts: their columns stay as they are when the tables below them change.
CREATE VIEW plan_summary AS
SELECT p.plan_id, p.job_id, p.created_at, p.solver_status, p.gap, p.total_cost, p.demand_coverage,
       p.utilization, p.rebalanced_count, p.total_distance_km, p.unmet_demand, p.vehicle_count, p.solve_time_ms
FROM plans p;
--> statement-breakpoint
COMMENT ON VIEW plan_summary IS 'One row per stored plan: cost, KPIs, solver status, solve time.';
--> statement-breakpoint
CREATE VIEW plan_moves AS
SELECT i.plan_id, p.created_at, i.ordinal, i.vehicle_id, i.source_location, i.target_location, i.cost, i.assignment
FROM plan_items i JOIN plans p USING (plan_id);
--> statement-breakpoint
COMMENT ON VIEW plan_moves IS 'One row per vehicle of a plan, in the order of the request: where it stands, where it goes, at what cost.';
--> statement-breakpoint
CREATE VIEW location_flows AS
SELECT plan_id, source_location, target_location, count(*)::integer AS vehicles, sum(cost) AS cost
FROM plan_items WHERE assignment = 'rebalance'
GROUP BY plan_id, source_location, target_location;
--> statement-breakpoint
COMMENT ON VIEW location_flows IS 'Vehicles moved and their cost per plan and pair of locations.';
