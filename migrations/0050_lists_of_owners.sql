-- Lists of an owner by a status that is rare with this owner and not with others, and of what was delivered to a receiver that
-- is always away, read everything until they had enough. Writes to these tables wait while an index is built; operators of
-- large ones build it before, by the same name (docs/operator/upgrades.md).
CREATE INDEX IF NOT EXISTS "jobs_owner_status" ON "jobs" USING btree ("owner","status","created_at","job_id") WHERE "jobs"."owner" is not null and "jobs"."status" in ('completed', 'failed', 'cancelled');--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_owner_solver_status" ON "jobs" USING btree ("owner","solver_status","created_at","job_id") WHERE "jobs"."owner" is not null and "jobs"."solver_status" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "webhook_deliveries_delivered" ON "webhook_deliveries" USING btree ("webhook_id","created_at","delivery_id") WHERE "webhook_deliveries"."status" = 'delivered';