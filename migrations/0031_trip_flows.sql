CREATE TABLE "trip_flows" (
	"from_location_id" integer NOT NULL,
	"to_location_id" integer NOT NULL,
	"hour_of_week" smallint,
	"trips" double precision NOT NULL,
	CONSTRAINT "trip_flows_key" UNIQUE NULLS NOT DISTINCT("from_location_id","to_location_id","hour_of_week"),
	CONSTRAINT "trip_flows_hour_of_week" CHECK ("trip_flows"."hour_of_week" between 0 and 167),
	CONSTRAINT "trip_flows_trips" CHECK ("trip_flows"."trips" between 0 and 1000000000000)
);
