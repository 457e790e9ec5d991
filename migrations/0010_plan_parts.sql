CREATE TABLE "plan_parts" (
	"plan_id" text NOT NULL,
	"first_ordinal" integer NOT NULL,
	"vehicle_ids" text[] NOT NULL,
	"source_locations" integer[] NOT NULL,
	"target_locations" integer[] NOT NULL,
	"costs" double precision[] NOT NULL,
	CONSTRAINT "plan_parts_plan_id_first_ordinal_pk" PRIMARY KEY("plan_id","first_ordinal"),
	CONSTRAINT "plan_parts_lengths" CHECK (cardinality("plan_parts"."vehicle_ids") = cardinality("plan_parts"."source_locations") and cardinality("plan_parts"."vehicle_ids") = cardinality("plan_parts"."target_locations") and cardinality("plan_parts"."vehicle_ids") = cardinality("plan_parts"."costs"))
);
--> statement-breakpoint
INSERT INTO plan_parts (plan_id, first_ordinal, vehicle_ids, source_locations, target_locations, costs)
SELECT plan_id, 1 + 1000 * ((ordinal - 1) / 1000), array_agg(vehicle_id ORDER BY ordinal), array_agg(source_location ORDER BY ordinal),
       array_agg(target_location ORDER BY ordinal), array_agg(cost ORDER BY ordinal)
FROM plan_items GROUP BY 1, 2;
--> statement-breakpoint
-- Replaced in place, never dropped: columns, comments and grants stay (docs/analysts.md).
CREATE OR REPLACE VIEW plan_moves AS
SELECT p.plan_id, p.created_at, (a.first_ordinal + v.n - 1)::integer AS ordinal, v.vehicle_id, v.source_location, v.target_location,
       v.cost, CASE WHEN v.source_location = v.target_location THEN 'stay' ELSE 'rebalance' END AS assignment
FROM plans p JOIN plan_parts a USING (plan_id),
     unnest(a.vehicle_ids, a.source_locations, a.target_locations, a.costs)
       WITH ORDINALITY AS v (vehicle_id, source_location, target_location, cost, n);
--> statement-breakpoint
CREATE OR REPLACE VIEW location_flows AS
SELECT p.plan_id, v.source_location, v.target_location, count(*)::integer AS vehicles, sum(v.cost) AS cost
FROM plans p JOIN plan_parts a USING (plan_id),
     unnest(a.source_locations, a.target_locations, a.costs) AS v (source_location, target_location, cost)
WHERE v.source_location <> v.target_location
GROUP BY p.plan_id, v.source_location, v.target_location;
--> statement-breakpoint
DROP TABLE "plan_items";
