-- The key carries the demand, so that a history is read from the index alone: rows of a location lie far apart in the
-- table, since they arrive hour by hour (src/db/README.md has the measurement). The key is built anew: about a
-- minute and a half per 100 million rows, in which nobody else reads or writes the observations.
ALTER TABLE demand_observations
  DROP CONSTRAINT demand_observations_location_id_hour_pk,
  ADD CONSTRAINT demand_observations_location_id_hour_pk PRIMARY KEY (location_id, hour) INCLUDE (demand);
--> statement-breakpoint
-- Only pages that a vacuum has seen need no look at the table; by default one comes after every fifth row is new,
-- which for years of history is after months.
ALTER TABLE demand_observations
  SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 120000);
