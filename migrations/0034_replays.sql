CREATE TABLE "replays" (
	"replay_id" text PRIMARY KEY NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"summary" json NOT NULL,
	"data" json NOT NULL
);
--> statement-breakpoint
ALTER TABLE "jobs" DROP CONSTRAINT "jobs_kind";--> statement-breakpoint
CREATE INDEX "replays_created" ON "replays" USING btree ("created_at","replay_id");--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_kind" CHECK ("jobs"."kind" in ('optimize', 'backtest', 'decision', 'replay'));--> statement-breakpoint
CREATE VIEW replay_summary AS
SELECT r.replay_id, r.created_at,
       (r.summary->>'starts_at')::timestamp (3) with time zone AS starts_at, (r.summary->>'ends_at')::timestamp (3) with time zone AS ends_at,
       r.summary->>'time_zone' AS time_zone, (r.summary->>'locations')::integer AS locations, (r.summary->>'fleet_size')::integer AS fleet_size,
       (r.summary->>'trips_per_vehicle_hour')::double precision AS trips_per_vehicle_hour,
       (r.summary->>'unmet_demand_cost')::double precision AS unmet_demand_cost, r.summary->>'trip_flows' AS trip_flows,
       (r.summary->>'demand')::double precision AS demand, (r.summary->>'bound')::double precision AS bound
FROM replays r;
--> statement-breakpoint
CREATE VIEW replay_policies AS
SELECT r.replay_id, p.policy->>'name' AS policy, p.policy->>'mode' AS mode, p.policy->>'demand' AS planned_demand, (f.figures->>'seed')::integer AS seed,
       (f.figures->>'served')::double precision AS served, (f.figures->>'lost')::double precision AS lost,
       (f.figures->>'served_share')::double precision AS served_share, (f.figures->>'moves')::integer AS moves,
       (f.figures->>'km')::double precision AS km, (f.figures->>'minutes')::double precision AS minutes, (f.figures->>'cost')::double precision AS cost,
       (f.figures->>'utilization')::double precision AS utilization, (f.figures->>'objective')::double precision AS objective
FROM replays r CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
CROSS JOIN LATERAL (SELECT p.policy UNION ALL SELECT d FROM json_array_elements(p.policy->'drawn') d) AS f (figures);
--> statement-breakpoint
CREATE VIEW replay_hours AS
SELECT r.replay_id, p.policy->>'name' AS policy, ((r.data->>'starts_at')::timestamp (3) with time zone + (d.n - 1) * interval '1 hour')::timestamp (3) with time zone AS starts_at,
       d.demand::double precision AS demand, s.served::double precision AS served
FROM replays r CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
CROSS JOIN LATERAL json_array_elements_text(r.data->'demand_by_hour') WITH ORDINALITY AS d (demand, n)
JOIN LATERAL json_array_elements_text(p.policy->'served_by_hour') WITH ORDINALITY AS s (served, n) ON s.n = d.n;
--> statement-breakpoint
CREATE VIEW replay_locations AS
SELECT r.replay_id, p.policy->>'name' AS policy, l.location_id::integer AS location_id, d.demand::double precision AS demand, s.served::double precision AS served
FROM replays r CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
CROSS JOIN LATERAL json_array_elements_text(r.data->'location_ids') WITH ORDINALITY AS l (location_id, n)
JOIN LATERAL json_array_elements_text(r.data->'demand_by_location') WITH ORDINALITY AS d (demand, n) ON d.n = l.n
JOIN LATERAL json_array_elements_text(p.policy->'served_by_location') WITH ORDINALITY AS s (served, n) ON s.n = l.n;
--> statement-breakpoint
COMMENT ON VIEW replay_summary IS 'One row per stored replay: what plans would have brought in a period of the past.';
COMMENT ON COLUMN replay_summary.replay_id IS 'the replay, which is the id of its job; ids sort by time';
COMMENT ON COLUMN replay_summary.created_at IS 'when it ended and was stored';
COMMENT ON COLUMN replay_summary.starts_at IS 'begin of the first hour';
COMMENT ON COLUMN replay_summary.ends_at IS 'end of the last hour';
COMMENT ON COLUMN replay_summary.time_zone IS 'the time zone of the local days';
COMMENT ON COLUMN replay_summary.locations IS 'number of locations';
COMMENT ON COLUMN replay_summary.fleet_size IS 'number of vehicles';
COMMENT ON COLUMN replay_summary.trips_per_vehicle_hour IS 'trips that a vehicle serves in an hour';
COMMENT ON COLUMN replay_summary.unmet_demand_cost IS 'price of a lost trip, in the currency of the request';
COMMENT ON COLUMN replay_summary.trip_flows IS 'stored: trips end as the stored counts say; none: where they begin';
COMMENT ON COLUMN replay_summary.demand IS 'observed trips';
COMMENT ON COLUMN replay_summary.bound IS 'proved: no policy has a smaller objective with expected trip ends; null if not known';
--> statement-breakpoint
COMMENT ON VIEW replay_policies IS 'One row per replay, policy and seed: the figures of the table, with expected and with drawn trip ends.';
COMMENT ON COLUMN replay_policies.replay_id IS 'the replay';
COMMENT ON COLUMN replay_policies.policy IS 'name of the policy';
COMMENT ON COLUMN replay_policies.mode IS 'none, nightly, static, horizon';
COMMENT ON COLUMN replay_policies.planned_demand IS 'what plans took for the demand ahead: mean, upper, observed';
COMMENT ON COLUMN replay_policies.seed IS 'of the drawn trip ends; null: expected trip ends';
COMMENT ON COLUMN replay_policies.served IS 'trips served';
COMMENT ON COLUMN replay_policies.lost IS 'trips that nobody served';
COMMENT ON COLUMN replay_policies.served_share IS 'served of all trips, 0 to 1';
COMMENT ON COLUMN replay_policies.moves IS 'vehicles moved, each time counted';
COMMENT ON COLUMN replay_policies.km IS 'km of all moves';
COMMENT ON COLUMN replay_policies.minutes IS 'minutes of all moves';
COMMENT ON COLUMN replay_policies.cost IS 'cost of all moves, in the currency of the request';
COMMENT ON COLUMN replay_policies.utilization IS 'trips served, of those that all vehicles could serve, 0 to 1';
COMMENT ON COLUMN replay_policies.objective IS 'cost of all moves and price of lost trips';
--> statement-breakpoint
COMMENT ON VIEW replay_hours IS 'One row per replay, policy and hour, with expected trip ends.';
COMMENT ON COLUMN replay_hours.replay_id IS 'the replay';
COMMENT ON COLUMN replay_hours.policy IS 'name of the policy';
COMMENT ON COLUMN replay_hours.starts_at IS 'begin of the hour';
COMMENT ON COLUMN replay_hours.demand IS 'observed trips of all locations';
COMMENT ON COLUMN replay_hours.served IS 'trips served';
--> statement-breakpoint
COMMENT ON VIEW replay_locations IS 'One row per replay, policy and location, with expected trip ends.';
COMMENT ON COLUMN replay_locations.replay_id IS 'the replay';
COMMENT ON COLUMN replay_locations.policy IS 'name of the policy';
COMMENT ON COLUMN replay_locations.location_id IS 'the location';
COMMENT ON COLUMN replay_locations.demand IS 'observed trips';
COMMENT ON COLUMN replay_locations.served IS 'trips served';
COMMENT ON COLUMN job_history.kind IS 'what it computes: optimize, backtest, decision, replay';
