-- Lists by a kind of job, an operation or a status that is rare read everything until they had enough: jobs by kind,
-- also those of an owner, audit entries by operation, deliveries that wait or were given up. Writes to these tables wait
-- while an index is built; operators of large ones build it before, by the same name (docs/operator/upgrades.md).
CREATE INDEX IF NOT EXISTS "audit_log_operation" ON "audit_log" USING btree ("operation","at","audit_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_kind" ON "jobs" USING btree ("kind","created_at","job_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_owner_kind" ON "jobs" USING btree ("owner","kind","created_at","job_id") WHERE "jobs"."owner" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "webhook_deliveries_open" ON "webhook_deliveries" USING btree ("webhook_id","status","created_at","delivery_id") WHERE "webhook_deliveries"."status" <> 'delivered';