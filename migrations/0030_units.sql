-- Only comments: what the figures of plans and forecasts are counted in.
COMMENT ON COLUMN plan_summary.total_cost IS 'sum of the costs of its moves, in the unit of options.cost (by default km x OPTIMIZATION_COST_PER_KM), or of the network of the request';
COMMENT ON COLUMN plan_summary.total_distance_km IS 'km of all its moves, each vehicle counted; null where the request brought costs without distances';
COMMENT ON COLUMN plan_summary.total_minutes IS 'minutes of all its moves, each vehicle counted; null unless it was made with stored travel that has all of them';
COMMENT ON COLUMN plan_summary.unmet_demand IS 'planning demand that it does not serve, in units of demand';
COMMENT ON COLUMN plan_summary.unmet_demand_cost IS 'what the demand costs that it does not serve, in the unit of total_cost; null where that has no cost';
COMMENT ON COLUMN plan_locations.demand IS 'planning demand, in the unit of the demand of the request; for a decision, of the observations';
COMMENT ON COLUMN forecast_values.expected IS 'expected demand of the step, in the unit of the observations';
