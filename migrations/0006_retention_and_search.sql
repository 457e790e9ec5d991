CREATE TABLE "removed_plans" (
	"plan_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE "plan_items" DROP CONSTRAINT "plan_items_plan_id_plans_plan_id_fk";
--> statement-breakpoint
ALTER TABLE "plans" DROP CONSTRAINT "plans_job_id_jobs_job_id_fk";
--> statement-breakpoint
DROP INDEX "plan_items_source";--> statement-breakpoint
DROP INDEX "plan_items_target";--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "moved_locations" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "jobs_status_created" ON "jobs" USING btree ("status","created_at","job_id") WHERE "jobs"."status" in ('completed', 'failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "jobs_solver_status_created" ON "jobs" USING btree ("solver_status","created_at","job_id") WHERE "jobs"."solver_status" is not null;--> statement-breakpoint
CREATE INDEX "jobs_input" ON "jobs" USING btree ("finished_at") WHERE "jobs"."finished_at" is not null and "jobs"."input" is not null;--> statement-breakpoint
CREATE INDEX "plans_cost" ON "plans" USING btree ("total_cost");--> statement-breakpoint
CREATE INDEX "plans_coverage" ON "plans" USING btree ("demand_coverage");--> statement-breakpoint
CREATE INDEX "plans_moved_locations" ON "plans" USING gin ("moved_locations");--> statement-breakpoint
-- Plans that are stored already are found as before.
UPDATE "plans" SET "moved_locations" = m."locations"
FROM (SELECT i."plan_id", array_agg(DISTINCT l."id" ORDER BY l."id") AS "locations"
      FROM "plan_items" i, LATERAL (VALUES (i."source_location"), (i."target_location")) l ("id")
      WHERE i."assignment" = 'rebalance' GROUP BY i."plan_id") m
WHERE m."plan_id" = "plans"."plan_id";
