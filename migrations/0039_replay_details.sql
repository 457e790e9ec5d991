ALTER TABLE "job_replays" ADD COLUMN "version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE VIEW replay_location_hours AS
SELECT r.replay_id, p.policy->>'name' AS policy, ((s.starts_at)::timestamp (3) with time zone + (h.n - 1) * interval '1 hour')::timestamp (3) with time zone AS starts_at,
       c.location_id::integer AS location_id, c.demand::double precision AS demand, c.lost::double precision AS lost
FROM replays r CROSS JOIN LATERAL (
  -- Taken out once: each look into the text reads all of it.
  SELECT r.data->>'starts_at' AS starts_at, r.data->'location_ids' AS location_ids, r.data->'demand_by_hour_and_location' AS demand,
         r.data->'policies' AS policies OFFSET 0) AS s
CROSS JOIN LATERAL json_array_elements(s.policies) AS p (policy)
CROSS JOIN LATERAL (
  SELECT CASE WHEN json_typeof(s.demand) = 'array' THEN s.demand END AS demand,
         CASE WHEN json_typeof(p.policy->'lost_by_hour_and_location') = 'array' THEN p.policy->'lost_by_hour_and_location' END AS lost
  OFFSET 0) AS a
CROSS JOIN LATERAL ROWS FROM (json_array_elements(a.demand), json_array_elements(a.lost)) WITH ORDINALITY AS h (demand, lost, n)
CROSS JOIN LATERAL ROWS FROM (json_array_elements_text(s.location_ids), json_array_elements_text(h.demand), json_array_elements_text(h.lost))
  AS c (location_id, demand, lost);
--> statement-breakpoint
COMMENT ON VIEW replay_location_hours IS 'One row per replay, policy, hour and location, with expected trip ends; none of replays that are too large for it.';
COMMENT ON COLUMN replay_location_hours.replay_id IS 'the replay';
COMMENT ON COLUMN replay_location_hours.policy IS 'name of the policy';
COMMENT ON COLUMN replay_location_hours.starts_at IS 'begin of the hour';
COMMENT ON COLUMN replay_location_hours.location_id IS 'the location';
COMMENT ON COLUMN replay_location_hours.demand IS 'observed trips, to a thousandth';
COMMENT ON COLUMN replay_location_hours.lost IS 'trips that nobody served, to a thousandth';
