CREATE TABLE "job_previous" (
	"job_id" text NOT NULL,
	"first_ordinal" integer NOT NULL,
	"vehicle_ids" text[] NOT NULL,
	"target_locations" integer[] NOT NULL,
	CONSTRAINT "job_previous_job_id_first_ordinal_pk" PRIMARY KEY("job_id","first_ordinal")
);
--> statement-breakpoint
ALTER TABLE "job_previous" ADD CONSTRAINT "job_previous_job_id_jobs_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("job_id") ON DELETE cascade ON UPDATE no action;