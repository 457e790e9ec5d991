CREATE OR REPLACE VIEW replay_policies AS
SELECT r.replay_id, p.policy->>'name' AS policy, p.policy->>'mode' AS mode, p.policy->>'demand' AS planned_demand, (f.figures->>'seed')::integer AS seed,
       (f.figures->>'served')::double precision AS served, (f.figures->>'lost')::double precision AS lost,
       (f.figures->>'served_share')::double precision AS served_share, (f.figures->>'moves')::integer AS moves,
       (f.figures->>'km')::double precision AS km, (f.figures->>'minutes')::double precision AS minutes, (f.figures->>'cost')::double precision AS cost,
       (f.figures->>'utilization')::double precision AS utilization, (f.figures->>'objective')::double precision AS objective,
       (f.figures->>'hours_without_plan')::integer AS hours_without_plan, (p.policy->>'confidence_level')::double precision AS confidence_level,
       (p.policy->>'horizon_hours')::integer AS horizon_hours, (p.policy->>'step_hours')::integer AS step_hours,
       (p.policy->>'replan_every_hours')::integer AS replan_every_hours
FROM replays r CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
CROSS JOIN LATERAL (SELECT p.policy UNION ALL SELECT d FROM json_array_elements(p.policy->'drawn') d) AS f (figures);
--> statement-breakpoint
CREATE OR REPLACE VIEW replay_hours AS
SELECT r.replay_id, p.policy->>'name' AS policy, ((r.data->>'starts_at')::timestamp (3) with time zone + (d.n - 1) * interval '1 hour')::timestamp (3) with time zone AS starts_at,
       d.demand::double precision AS demand, s.served::double precision AS served, m.moves::integer AS moves
FROM replays r CROSS JOIN LATERAL json_array_elements(r.data->'policies') AS p (policy)
CROSS JOIN LATERAL json_array_elements_text(r.data->'demand_by_hour') WITH ORDINALITY AS d (demand, n)
JOIN LATERAL json_array_elements_text(p.policy->'served_by_hour') WITH ORDINALITY AS s (served, n) ON s.n = d.n
LEFT JOIN LATERAL json_array_elements_text(p.policy->'moves_by_hour') WITH ORDINALITY AS m (moves, n) ON m.n = d.n;
--> statement-breakpoint
COMMENT ON COLUMN replay_policies.hours_without_plan IS 'hours in which a plan was due and none kept the constraints';
COMMENT ON COLUMN replay_policies.confidence_level IS 'of the interval whose upper end was planned for, 0 to 1; null: another demand';
COMMENT ON COLUMN replay_policies.horizon_hours IS 'hours of a plan that looks ahead, else null';
COMMENT ON COLUMN replay_policies.step_hours IS 'hours of its steps, else null';
COMMENT ON COLUMN replay_policies.replan_every_hours IS 'hours from one plan to the next';
COMMENT ON COLUMN replay_hours.moves IS 'vehicles that leave in this hour';
