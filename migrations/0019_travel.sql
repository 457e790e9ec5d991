CREATE TABLE "travel" (
	"from_location_id" integer NOT NULL,
	"to_location_id" integer NOT NULL,
	"distance_km" double precision NOT NULL,
	"duration_minutes" double precision NOT NULL,
	CONSTRAINT "travel_from_location_id_to_location_id_pk" PRIMARY KEY("from_location_id","to_location_id"),
	CONSTRAINT "travel_distance_km" CHECK ("travel"."distance_km" between 0 and 1000000),
	CONSTRAINT "travel_duration_minutes" CHECK ("travel"."duration_minutes" between 0 and 1000000)
);
