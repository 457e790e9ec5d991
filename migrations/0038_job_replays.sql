CREATE TABLE "job_replays" (
	"job_id" text PRIMARY KEY NOT NULL,
	"inputs" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job_replays" ADD CONSTRAINT "job_replays_job_id_jobs_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("job_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
COMMENT ON COLUMN replay_policies.planned_demand IS 'what plans took for the demand ahead: mean, upper, spread, observed';
