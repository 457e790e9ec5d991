-- One name for it, as it is written from now on.
UPDATE plans SET certificate = replace(certificate::text, '"confirmedWithin":', '"confirmed_within":')::json
WHERE certificate::text LIKE '%"confirmedWithin":%';
--> statement-breakpoint
CREATE VIEW plan_certificates AS
SELECT p.plan_id, c.objective, c.bound, c.gap, c.method, c.columns, c.rows, c.iterations, c.nodes, c.confirmed_within, c.checks
FROM plans p CROSS JOIN LATERAL json_to_record(p.certificate)
  AS c (objective double precision, bound double precision, gap double precision, method text, columns integer, rows integer,
        iterations integer, nodes integer, confirmed_within integer, checks text[]);
--> statement-breakpoint
COMMENT ON VIEW plan_certificates IS 'One row per stored plan: what proves it, and how it was found.';
COMMENT ON COLUMN plan_certificates.plan_id IS 'the plan';
COMMENT ON COLUMN plan_certificates.objective IS 'its cost, as plan_summary.total_cost';
COMMENT ON COLUMN plan_certificates.bound IS 'proved: no plan for the request costs less';
COMMENT ON COLUMN plan_certificates.gap IS '(objective - bound) / objective, 0 where the objective is 0; of optimal plans too';
COMMENT ON COLUMN plan_certificates.method IS 'what found the plan: none (no vehicles), network_simplex, linear (a linear programme whose solution is whole), mixed_integer (branch and cut), rounding or greedy (heuristics)';
COMMENT ON COLUMN plan_certificates.columns IS 'columns of the largest model, or moves that the network simplex looked at';
COMMENT ON COLUMN plan_certificates.rows IS 'its rows';
COMMENT ON COLUMN plan_certificates.iterations IS 'of the simplex method, or pivots of the network simplex';
COMMENT ON COLUMN plan_certificates.nodes IS 'of the search trees';
COMMENT ON COLUMN plan_certificates.confirmed_within IS 'iterations in which HiGHS confirmed the tree of the network simplex as optimal; null where it was not asked';
COMMENT ON COLUMN plan_certificates.checks IS 'first what proved the bound, then what was checked of the plan; all passed';
