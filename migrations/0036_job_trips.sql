CREATE TABLE "job_trips" (
	"job_id" text NOT NULL,
	"piece" integer NOT NULL,
	"counts" "bytea" NOT NULL,
	CONSTRAINT "job_trips_job_id_piece_pk" PRIMARY KEY("job_id","piece")
);
--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "time_zone" text;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "speed_kmh" double precision DEFAULT 20 NOT NULL;--> statement-breakpoint
ALTER TABLE "job_trips" ADD CONSTRAINT "job_trips_job_id_jobs_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("job_id") ON DELETE cascade ON UPDATE no action;