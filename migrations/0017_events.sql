CREATE TABLE "demand_events" (
	"event_id" text PRIMARY KEY NOT NULL,
	"location_id" integer,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"factor" double precision,
	"name" text,
	CONSTRAINT "demand_events_id" CHECK (char_length("demand_events"."event_id") between 1 and 128),
	CONSTRAINT "demand_events_kind" CHECK (char_length("demand_events"."kind") between 1 and 64),
	CONSTRAINT "demand_events_name" CHECK (char_length("demand_events"."name") between 1 and 200),
	CONSTRAINT "demand_events_factor" CHECK ("demand_events"."factor" between 0 and 100),
	CONSTRAINT "demand_events_order" CHECK ("demand_events"."starts_at" < "demand_events"."ends_at"),
	CONSTRAINT "demand_events_years" CHECK ("demand_events"."starts_at" >= '1970-01-01T00:00Z' and "demand_events"."ends_at" <= '2199-12-31T23:00Z'),
	CONSTRAINT "demand_events_hours" CHECK ("demand_events"."starts_at" = date_trunc('hour', "demand_events"."starts_at", 'UTC') and "demand_events"."ends_at" = date_trunc('hour', "demand_events"."ends_at", 'UTC'))
);
--> statement-breakpoint
ALTER TABLE "demand_events" ADD CONSTRAINT "demand_events_location_id_locations_id_fk" FOREIGN KEY ("location_id") REFERENCES "public"."locations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "demand_events_location" ON "demand_events" USING btree ("location_id","ends_at");