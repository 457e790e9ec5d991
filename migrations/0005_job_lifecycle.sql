CREATE TYPE "public"."job_priority" AS ENUM('low', 'normal', 'high');--> statement-breakpoint
CREATE TABLE "job_attempts" (
	"job_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"worker_id" text NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"outcome" text,
	"reason" text,
	"phases" jsonb,
	CONSTRAINT "job_attempts_job_id_attempt_pk" PRIMARY KEY("job_id","attempt"),
	CONSTRAINT "job_attempts_attempt" CHECK ("job_attempts"."attempt" >= 1),
	CONSTRAINT "job_attempts_outcome" CHECK ("job_attempts"."outcome" in ('completed', 'failed', 'cancelled', 'released', 'crashed')),
	CONSTRAINT "job_attempts_ended" CHECK (("job_attempts"."ended_at" is null) = ("job_attempts"."outcome" is null)),
	CONSTRAINT "job_attempts_phases" CHECK (jsonb_typeof("job_attempts"."phases") = 'array')
);
--> statement-breakpoint
DROP INDEX "jobs_live";--> statement-breakpoint
DROP INDEX "jobs_idempotency_key";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "kind" text DEFAULT 'optimize' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "priority" "job_priority" DEFAULT 'normal' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "caller" text DEFAULT 'unknown' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "turn" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "crashes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "retry_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "idempotency_expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "location_count" integer;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "vehicle_count" integer;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "size_class" smallint GENERATED ALWAYS AS (64 * round(log(2.0, location_count + 1)) + round(log(2.0, vehicle_count + 1))) STORED;--> statement-breakpoint
ALTER TABLE "job_attempts" ADD CONSTRAINT "job_attempts_job_id_jobs_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("job_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "jobs_queue" ON "jobs" USING btree ("priority" DESC NULLS FIRST,"turn","created_at","job_id") WHERE "jobs"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "jobs_running" ON "jobs" USING btree ("priority","turn") WHERE "jobs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "jobs_turn" ON "jobs" USING btree ("priority","caller","turn") WHERE "jobs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_like_size" ON "jobs" USING btree ("kind","size_class","finished_at") WHERE "jobs"."status" = 'completed';--> statement-breakpoint
CREATE INDEX "jobs_finished" ON "jobs" USING btree ("finished_at","job_id") WHERE "jobs"."finished_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_idempotency_key" ON "jobs" USING btree ("idempotency_key") WHERE "jobs"."idempotency_key" is not null;--> statement-breakpoint
-- What was stored before: keys expire a day after their job was made, and the last attempt is known.
UPDATE "jobs" SET "idempotency_expires_at" = "created_at" + interval '24 hours' WHERE "idempotency_key" is not null;--> statement-breakpoint
INSERT INTO "job_attempts" ("job_id", "attempt", "worker_id", "started_at", "ended_at", "outcome")
SELECT "job_id", "attempts", coalesce("worker_id", 'unknown'), coalesce("started_at", "created_at"), "finished_at",
       CASE WHEN "finished_at" is not null THEN "status" END
FROM "jobs" WHERE "attempts" > 0 and "status" <> 'queued';--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_kind" CHECK ("jobs"."kind" in ('optimize', 'backtest', 'decision'));--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_caller" CHECK (length("jobs"."caller") between 1 and 128);--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_turn_number" CHECK ("jobs"."turn" >= 0);--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_attempts" CHECK ("jobs"."attempts" >= 0 and "jobs"."crashes" between 0 and "jobs"."attempts");--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_retry" CHECK ("jobs"."retry_at" is null or "jobs"."status" = 'queued');--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_idempotency" CHECK (("jobs"."idempotency_key" is null) = ("jobs"."idempotency_expires_at" is null));--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_size" CHECK ("jobs"."location_count" >= 0 and "jobs"."vehicle_count" >= 0);