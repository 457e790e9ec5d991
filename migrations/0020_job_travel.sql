CREATE TABLE "job_travel" (
	"job_id" text NOT NULL,
	"from_location_id" integer NOT NULL,
	"pairs" "bytea" NOT NULL,
	CONSTRAINT "job_travel_job_id_from_location_id_pk" PRIMARY KEY("job_id","from_location_id")
);
--> statement-breakpoint
ALTER TABLE "job_travel" ADD CONSTRAINT "job_travel_job_id_jobs_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("job_id") ON DELETE cascade ON UPDATE no action;