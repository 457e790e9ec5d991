-- Bounds for what is stored (src/contracts/bounds.ts). Rows that lie outside of them were stored by earlier versions, and a
-- single one could stop every plan. Each of them is kept, as it was, in out_of_bounds with what became of it:
--   demand    the observation is removed. An hour without a row is unknown, which forecasts can do with; a demand that was
--             clamped would be taken for real.
--   vehicle   the capacity becomes the nearest bound, and the vehicle goes to downtime: no plan counts on it until somebody
--             has corrected it. A date becomes unknown. Where the id is empty or too long, the vehicle is removed.
--   location  the name is cut, or made of the id where it is empty.
-- Where there are none, nothing is written. The checks read each table once, the observations for about a second per million.
CREATE TABLE "out_of_bounds" (
	"table_name" text NOT NULL,
	"row" json NOT NULL,
	"outcome" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
INSERT INTO out_of_bounds (table_name, "row", outcome)
SELECT 'demand_observations', row_to_json(o), 'removed'
FROM demand_observations o
WHERE NOT (demand BETWEEN 0 AND 1000000) OR NOT (hour BETWEEN '1970-01-01T00:00Z' AND '2199-12-31T23:00Z');
--> statement-breakpoint
DELETE FROM demand_observations
WHERE NOT (demand BETWEEN 0 AND 1000000) OR NOT (hour BETWEEN '1970-01-01T00:00Z' AND '2199-12-31T23:00Z');
--> statement-breakpoint
-- Caches of forecasts hear of it.
UPDATE demand_revision SET revision = revision + 1
WHERE EXISTS (SELECT FROM out_of_bounds WHERE table_name = 'demand_observations');
--> statement-breakpoint
INSERT INTO out_of_bounds (table_name, "row", outcome)
SELECT 'vehicles', row_to_json(v), 'removed' FROM vehicles v WHERE char_length(vehicle_id) NOT BETWEEN 1 AND 128;
--> statement-breakpoint
DELETE FROM vehicles WHERE char_length(vehicle_id) NOT BETWEEN 1 AND 128;
--> statement-breakpoint
INSERT INTO out_of_bounds (table_name, "row", outcome)
SELECT 'vehicles', row_to_json(v), concat_ws('; ',
  CASE WHEN NOT (capacity BETWEEN 0.000001 AND 1000000000) THEN 'capacity set to the nearest bound, status to downtime' END,
  CASE WHEN NOT (acquired_on BETWEEN '1900-01-01' AND '2199-12-31') THEN 'acquired_on removed' END,
  CASE WHEN NOT (last_maintenance_on BETWEEN '1900-01-01' AND '2199-12-31') THEN 'last_maintenance_on removed' END)
FROM vehicles v
WHERE NOT (capacity BETWEEN 0.000001 AND 1000000000) OR NOT (acquired_on BETWEEN '1900-01-01' AND '2199-12-31')
  OR NOT (last_maintenance_on BETWEEN '1900-01-01' AND '2199-12-31');
--> statement-breakpoint
-- NaN is greater than any number here.
UPDATE vehicles SET capacity = least(greatest(capacity, 0.000001), 1000000000), status = 'downtime'
WHERE NOT (capacity BETWEEN 0.000001 AND 1000000000);
--> statement-breakpoint
UPDATE vehicles SET
  acquired_on = CASE WHEN acquired_on BETWEEN '1900-01-01' AND '2199-12-31' THEN acquired_on END,
  last_maintenance_on = CASE WHEN last_maintenance_on BETWEEN '1900-01-01' AND '2199-12-31' THEN last_maintenance_on END
WHERE NOT (acquired_on BETWEEN '1900-01-01' AND '2199-12-31')
  OR NOT (last_maintenance_on BETWEEN '1900-01-01' AND '2199-12-31');
--> statement-breakpoint
INSERT INTO out_of_bounds (table_name, "row", outcome)
SELECT 'locations', row_to_json(l), 'name replaced' FROM locations l WHERE char_length(name) NOT BETWEEN 1 AND 200;
--> statement-breakpoint
UPDATE locations SET name = CASE name WHEN '' THEN 'location ' || id ELSE left(name, 200) END
WHERE char_length(name) NOT BETWEEN 1 AND 200;
--> statement-breakpoint
ALTER TABLE "demand_observations" DROP CONSTRAINT "demand_observations_demand";--> statement-breakpoint
ALTER TABLE "vehicles" DROP CONSTRAINT "vehicles_capacity";--> statement-breakpoint
ALTER TABLE "demand_observations" ADD CONSTRAINT "demand_observations_years" CHECK ("demand_observations"."hour" between '1970-01-01T00:00Z' and '2199-12-31T23:00Z');--> statement-breakpoint
ALTER TABLE "demand_observations" ADD CONSTRAINT "demand_observations_demand" CHECK ("demand_observations"."demand" between 0 and 1000000);--> statement-breakpoint
ALTER TABLE "locations" ADD CONSTRAINT "locations_name" CHECK (char_length("locations"."name") between 1 and 200);--> statement-breakpoint
ALTER TABLE "vehicles" ADD CONSTRAINT "vehicles_id" CHECK (char_length("vehicles"."vehicle_id") between 1 and 128);--> statement-breakpoint
ALTER TABLE "vehicles" ADD CONSTRAINT "vehicles_acquired_on" CHECK ("vehicles"."acquired_on" between '1900-01-01' and '2199-12-31');--> statement-breakpoint
ALTER TABLE "vehicles" ADD CONSTRAINT "vehicles_last_maintenance_on" CHECK ("vehicles"."last_maintenance_on" between '1900-01-01' and '2199-12-31');--> statement-breakpoint
ALTER TABLE "vehicles" ADD CONSTRAINT "vehicles_capacity" CHECK ("vehicles"."capacity" between 0.000001 and 1000000000);
