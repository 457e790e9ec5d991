ALTER TABLE "plans" ADD COLUMN "location_priorities" smallint[];--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_location_priorities" CHECK (cardinality("plans"."location_priorities") = cardinality("plans"."location_ids"));--> statement-breakpoint
-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md).
CREATE OR REPLACE VIEW plan_locations AS
SELECT p.plan_id, p.created_at, l.location_id, l.name, l.demand, l.vehicles_before, l.vehicles_after, l.capacity_after, l.served,
       l.demand - l.served AS unmet, l.priority::integer AS priority
FROM plans p,
     unnest(p.location_ids, p.location_names, p.location_demands, p.location_vehicles_before, p.location_vehicles_after,
            p.location_capacities, p.location_served, p.location_priorities)
       AS l (location_id, name, demand, vehicles_before, vehicles_after, capacity_after, served, priority);
--> statement-breakpoint
COMMENT ON COLUMN plan_locations.priority IS 'priority level of its demand; null in plans in which no demand has one above 0';
