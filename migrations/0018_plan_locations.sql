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
