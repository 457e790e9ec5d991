ALTER TABLE "jobs" ADD COLUMN "locations" json;--> statement-breakpoint
-- Jobs that are still to be done: all locations, which are more than they name; that does no harm.
UPDATE jobs SET locations = (
  SELECT json_agg(json_build_object('id', id, 'latitude', latitude, 'longitude', longitude) ORDER BY id) FROM locations)
WHERE status IN ('queued', 'running') AND kind = 'optimize' AND input -> 'network' IS NULL;
