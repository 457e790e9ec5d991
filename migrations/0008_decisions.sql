CREATE TABLE "decisions" (
	"decision_id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"start_date" date NOT NULL,
	"vehicle_count" integer NOT NULL,
	"left_out_count" integer NOT NULL,
	"request" json NOT NULL,
	"fleet" json NOT NULL,
	"risk" json NOT NULL,
	"forecast" json NOT NULL,
	"locations" json,
	CONSTRAINT "decisions_vehicles" CHECK ("decisions"."left_out_count" between 0 and "decisions"."vehicle_count")
);
--> statement-breakpoint
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_decision_id_jobs_job_id_fk" FOREIGN KEY ("decision_id") REFERENCES "public"."jobs"("job_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "decisions_created" ON "decisions" USING btree ("created_at","decision_id");