CREATE TABLE "demand_observations" (
	"location_id" integer NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"demand" double precision NOT NULL,
	CONSTRAINT "demand_observations_location_id_hour_pk" PRIMARY KEY("location_id","hour"),
	CONSTRAINT "demand_observations_demand" CHECK ("demand_observations"."demand" >= 0 and "demand_observations"."demand" < 'Infinity'),
	CONSTRAINT "demand_observations_hour" CHECK ("demand_observations"."hour" = date_trunc('hour', "demand_observations"."hour", 'UTC'))
);
--> statement-breakpoint
CREATE TABLE "demand_revision" (
	"single" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"revision" integer NOT NULL,
	CONSTRAINT "demand_revision_single" CHECK ("demand_revision"."single")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"job_id" text PRIMARY KEY NOT NULL,
	"status" text NOT NULL,
	"request_id" text NOT NULL,
	"input" json,
	"progress" double precision DEFAULT 0 NOT NULL,
	"stage" text,
	"incumbent" double precision,
	"bound" double precision,
	"gap" double precision,
	"solver_status" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"worker_id" text,
	"heartbeat_at" timestamp (3) with time zone,
	"cancel_requested" boolean DEFAULT false NOT NULL,
	"http_status" integer,
	"result" json,
	"idempotency_key" text,
	"input_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "jobs_status" CHECK ("jobs"."status" in ('queued', 'running', 'completed', 'failed', 'cancelled')),
	CONSTRAINT "jobs_solver_status" CHECK ("jobs"."solver_status" in ('optimal', 'feasible', 'infeasible', 'error')),
	CONSTRAINT "jobs_progress" CHECK ("jobs"."progress" between 0 and 1),
	CONSTRAINT "jobs_ended" CHECK (("jobs"."status" in ('completed', 'failed', 'cancelled')) = ("jobs"."finished_at" is not null) and ("jobs"."finished_at" is null) = ("jobs"."result" is null) and ("jobs"."result" is null) = ("jobs"."http_status" is null))
);
--> statement-breakpoint
CREATE TABLE "locations" (
	"id" integer PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"latitude" double precision NOT NULL,
	"longitude" double precision NOT NULL,
	"time_zone" text,
	CONSTRAINT "locations_latitude" CHECK ("locations"."latitude" between -90 and 90),
	CONSTRAINT "locations_longitude" CHECK ("locations"."longitude" between -180 and 180)
);
--> statement-breakpoint
CREATE TABLE "plan_items" (
	"plan_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"vehicle_id" text NOT NULL,
	"source_location" integer NOT NULL,
	"target_location" integer NOT NULL,
	"cost" double precision NOT NULL,
	"assignment" text NOT NULL,
	CONSTRAINT "plan_items_plan_id_ordinal_pk" PRIMARY KEY("plan_id","ordinal"),
	CONSTRAINT "plan_items_assignment" CHECK ("plan_items"."assignment" in ('rebalance', 'stay'))
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"plan_id" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"solver_status" text NOT NULL,
	"gap" double precision,
	"total_cost" double precision NOT NULL,
	"demand_coverage" double precision NOT NULL,
	"utilization" double precision NOT NULL,
	"rebalanced_count" integer NOT NULL,
	"total_distance_km" double precision,
	"unmet_demand" double precision NOT NULL,
	"vehicle_count" integer NOT NULL,
	"solve_time_ms" double precision NOT NULL,
	"certificate" json NOT NULL,
	CONSTRAINT "plans_solver_status" CHECK ("plans"."solver_status" in ('optimal', 'feasible'))
);
--> statement-breakpoint
CREATE TABLE "vehicles" (
	"vehicle_id" text PRIMARY KEY NOT NULL,
	"location_id" integer NOT NULL,
	"status" text NOT NULL,
	"capacity" double precision NOT NULL,
	CONSTRAINT "vehicles_status" CHECK ("vehicles"."status" in ('operational', 'maintenance', 'downtime')),
	CONSTRAINT "vehicles_capacity" CHECK ("vehicles"."capacity" > 0)
);
--> statement-breakpoint
ALTER TABLE "demand_observations" ADD CONSTRAINT "demand_observations_location_id_locations_id_fk" FOREIGN KEY ("location_id") REFERENCES "public"."locations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_items" ADD CONSTRAINT "plan_items_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_job_id_jobs_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("job_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vehicles" ADD CONSTRAINT "vehicles_location_id_locations_id_fk" FOREIGN KEY ("location_id") REFERENCES "public"."locations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_idempotency_key" ON "jobs" USING btree ("idempotency_key");--> statement-breakpoint
CREATE INDEX "jobs_live" ON "jobs" USING btree ("status","created_at","job_id") WHERE "jobs"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "jobs_created" ON "jobs" USING btree ("created_at","job_id");--> statement-breakpoint
CREATE UNIQUE INDEX "plans_job" ON "plans" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "plans_created" ON "plans" USING btree ("created_at","plan_id");--> statement-breakpoint
CREATE INDEX "vehicles_location" ON "vehicles" USING btree ("location_id");