-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md). As with the names (migration
-- plan_moves_by_plan), distances are joined within the plan, and the GROUP BY lets the planner leave out what a query
-- does not want.
CREATE OR REPLACE VIEW plan_moves AS
SELECT p.plan_id, p.created_at, (a.first_ordinal + v.n - 1)::integer AS ordinal, v.vehicle_id, v.source_location, v.target_location,
       v.cost, CASE WHEN v.source_location = v.target_location THEN 'stay' ELSE 'rebalance' END AS assignment,
       s.name AS source_name, t.name AS target_name,
       CASE WHEN v.source_location = v.target_location THEN 0 ELSE d.km END AS distance_km,
       CASE WHEN v.source_location = v.target_location THEN 0 ELSE d.minutes END AS duration_minutes
FROM plans p JOIN plan_parts a USING (plan_id)
     CROSS JOIN LATERAL unnest(a.vehicle_ids, a.source_locations, a.target_locations, a.costs)
       WITH ORDINALITY AS v (vehicle_id, source_location, target_location, cost, n)
     LEFT JOIN LATERAL (SELECT location_id, min(name) AS name
       FROM unnest(p.location_ids, p.location_names) AS l (location_id, name) GROUP BY location_id) s ON s.location_id = v.source_location
     LEFT JOIN LATERAL (SELECT location_id, min(name) AS name
       FROM unnest(p.location_ids, p.location_names) AS l (location_id, name) GROUP BY location_id) t ON t.location_id = v.target_location
     LEFT JOIN LATERAL (SELECT source, target, min(km) AS km, min(minutes) AS minutes
       FROM unnest(p.move_sources, p.move_targets, p.move_km, p.move_minutes) AS m (source, target, km, minutes)
       GROUP BY source, target) d ON d.source = v.source_location AND d.target = v.target_location;
--> statement-breakpoint
CREATE OR REPLACE VIEW location_flows AS
SELECT f.plan_id, f.source_location, f.target_location, f.vehicles, f.cost, d.km AS distance_km, d.minutes AS duration_minutes
FROM (SELECT p.plan_id, v.source_location, v.target_location, count(*)::integer AS vehicles, sum(v.cost) AS cost
      FROM plans p JOIN plan_parts a USING (plan_id),
           unnest(a.source_locations, a.target_locations, a.costs) AS v (source_location, target_location, cost)
      WHERE v.source_location <> v.target_location
      GROUP BY p.plan_id, v.source_location, v.target_location) f
     LEFT JOIN (SELECT p.plan_id, m.source, m.target, min(m.km) AS km, min(m.minutes) AS minutes
      FROM plans p, unnest(p.move_sources, p.move_targets, p.move_km, p.move_minutes) AS m (source, target, km, minutes)
      GROUP BY p.plan_id, m.source, m.target) d ON d.plan_id = f.plan_id AND d.source = f.source_location AND d.target = f.target_location;
--> statement-breakpoint
COMMENT ON COLUMN plan_moves.distance_km IS 'km from source_location to target_location, 0 where it stays; null where the request brought costs without distances';
COMMENT ON COLUMN plan_moves.duration_minutes IS 'minutes that this takes by stored travel, as it was when the plan was made; null where that has none';
COMMENT ON COLUMN location_flows.distance_km IS 'km from one to the other, as plan_moves.distance_km';
COMMENT ON COLUMN location_flows.duration_minutes IS 'minutes from one to the other, as plan_moves.duration_minutes';
