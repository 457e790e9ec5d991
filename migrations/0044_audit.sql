CREATE TABLE "audit_log" (
	"audit_id" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"key_id" text,
	"address" text,
	"operation" text NOT NULL,
	"method" text,
	"path" text,
	"resource_id" text,
	"job_id" text,
	"request_id" text,
	"http_status" integer
);
--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("at","audit_id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor","at","audit_id");