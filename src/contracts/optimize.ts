import { type Static, Type } from 'typebox';
import {
  DEFAULT_SPEED_KMH,
  LOCATION_KEY,
  LOCATION_OR_DEFAULT_KEY,
  MAX_COST,
  MAX_COUNT,
  MAX_DEMAND,
  MAX_DISTANCE_KM,
  MAX_LOCATION_ID,
  MAX_MOVE_RATE,
  MAX_PRIORITY_LEVEL,
  MAX_SPEED_KMH,
  MAX_TRIPS_PER_VEHICLE_HOUR,
  MAX_UNMET_DEMAND_COST,
  MIN_LOCATION_ID,
  MIN_SPEED_KMH,
  MIN_TIME_LIMIT_SECONDS,
  MIN_TRIPS_PER_VEHICLE_HOUR,
  STEP_HOURS,
} from './bounds.ts';
import { Metadata, Timestamp } from './envelope.ts';
import { JOB_PRIORITIES } from './priorities.ts';
import { SufficientChange } from './sufficient-change.ts';
import { Capacity, VEHICLE_STATUSES, VehicleFigures, VehicleId } from './vehicles.ts';

/** Longest demand series: hours of a leap year. */
export const MAX_TIME_STEPS = 8784;
/** Maximum number of vehicles of one request. */
export const MAX_REQUEST_VEHICLES = 500_000;
/** Maximum number of locations with demand of one request. */
const MAX_DEMAND_LOCATIONS = 20_000;
/** Maximum number of locations of a network. Its matrices have as many rows and columns. */
const MAX_NETWORK_LOCATIONS = 5000;

export const LocationId = Type.Integer({ minimum: MIN_LOCATION_ID, maximum: MAX_LOCATION_ID });

/** Priority of a location's demand, see `Constraints`. */
export const PriorityLevel = Type.Integer({ minimum: 0, maximum: MAX_PRIORITY_LEVEL });

export const VehicleInput = Type.Object(
  {
    id: Type.Optional(VehicleId),
    vehicle_id: Type.Optional(VehicleId),
    location: Type.Optional(LocationId),
    location_id: Type.Optional(LocationId),
    capacity: Type.Optional({ ...Capacity, description: 'default: `constraints.capacity_per_vehicle`' }),
    status: Type.Optional(Type.Enum([...VEHICLE_STATUSES], { default: 'operational' })),
    pinned: Type.Optional(
      Type.Boolean({ default: false, description: 'the vehicle stays where it is, and serves there' }),
    ),
    available_at: Type.Optional(
      Type.String({
        format: 'date-time',
        maxLength: 100,
        description:
          'the vehicle is on its way to `location`, and free there from this time on. If it is not free when the ' +
          'first step of a plan that looks ahead begins, it is no part of the plan, but of the steps after it. Any ' +
          'other plan has it as if it were `pinned` there, whatever the time',
      }),
    ),
    ...VehicleFigures,
  },
  {
    $id: 'VehicleInput',
    additionalProperties: false,
    description:
      'A vehicle: `id` and `location`, or `vehicle_id` and `location_id` as GET /api/v1/data/fleet returns them. ' +
      'The plan does not depend on its dates and utilization.',
  },
);
export type VehicleInput = Static<typeof VehicleInput>;

const DemandForecast = Type.Record(
  Type.String({ pattern: LOCATION_KEY }),
  Type.Array(Type.Number({ minimum: 0, maximum: MAX_DEMAND }), { minItems: 1, maxItems: MAX_TIME_STEPS }),
  {
    $id: 'DemandForecast',
    minProperties: 1,
    maxProperties: MAX_DEMAND_LOCATIONS,
    additionalProperties: false,
    description:
      'location id → demand per time step, in units of vehicle capacity, or in trips where ' +
      '`options.trips_per_vehicle_hour` says how many a vehicle serves',
  },
);

const Count = Type.Integer({ minimum: 0, maximum: MAX_COUNT });
const Distance = Type.Number({ minimum: 0, maximum: MAX_DISTANCE_KM });
const Share = Type.Number({ minimum: 0, maximum: 1 });

const COUNTS_BY_LOCATION =
  'A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all ' +
  'other locations, which otherwise have no such bound. A location that is named becomes part of the problem';

/** A count for all locations, or one per location. */
const CountsByLocation = (description: string) =>
  Type.Union(
    [
      Count,
      Type.Record(Type.String({ pattern: LOCATION_OR_DEFAULT_KEY }), Count, {
        maxProperties: MAX_DEMAND_LOCATIONS,
        additionalProperties: false,
      }),
    ],
    { description: `${description}. ${COUNTS_BY_LOCATION}` },
  );

const UnmetDemandCost = Type.Number({ minimum: 0, maximum: MAX_UNMET_DEMAND_COST });

const SHORTAGES = ['fail', 'serve_most'] as const;

export const Constraints = Type.Object(
  {
    max_distance: Type.Optional({ ...Distance, description: 'maximum km that a vehicle moves' }),
    max_rebalancing_distance_km: Type.Optional({ ...Distance, description: 'alias of `max_distance`' }),
    min_service_level: Type.Optional({ ...Share, description: 'share of planning demand to serve' }),
    min_demand_coverage: Type.Optional({ ...Share, description: 'alias of `min_service_level`' }),
    max_rebalancing_cost: Type.Optional(
      Type.Union([Type.Number({ minimum: 0, maximum: MAX_COST }), Type.Null()], {
        description: 'limit of the total cost of the plan; null lifts it',
      }),
    ),
    capacity_per_vehicle: Type.Optional({
      ...Capacity,
      description: 'capacity of vehicles that do not state one',
    }),
    min_vehicles_per_location: Type.Optional(
      CountsByLocation('fewest operational vehicles at a location after the moves'),
    ),
    max_vehicles_per_location: Type.Optional(
      CountsByLocation('most operational vehicles at a location after the moves'),
    ),
    priorities: Type.Optional(
      Type.Record(Type.String({ pattern: LOCATION_OR_DEFAULT_KEY }), PriorityLevel, {
        maxProperties: MAX_DEMAND_LOCATIONS,
        additionalProperties: false,
        description:
          'priority level of the demand of locations, 0 (ordinary) to 9: `{"12": 9}`, or `{"default": 0, "12": 9}` ' +
          'with one for all others. Locations that are not named have the `priority` that is stored with them, ' +
          'without a `network`. Demand of a higher level is served first, before the cost counts. A location that ' +
          'is named becomes part of the problem',
      }),
    ),
    total_fleet_size: Type.Optional({ ...Count, description: 'maximum number of serving vehicles' }),
    unmet_demand_cost: Type.Optional(
      Type.Union(
        [
          Type.Null(),
          UnmetDemandCost,
          Type.Record(Type.String({ pattern: LOCATION_OR_DEFAULT_KEY }), UnmetDemandCost, {
            maxProperties: MAX_DEMAND_LOCATIONS,
            additionalProperties: false,
          }),
        ],
        {
          description:
            'what a unit of demand costs that is not served: the plan is the cheapest in moving and unmet demand ' +
            'together, and `min_service_level` stays a floor (0 if only the price shall decide). A number for all ' +
            'locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other ' +
            'locations, which otherwise have none. A location that is named becomes part of the problem. ' +
            '`max_rebalancing_cost` limits the cost of moving alone',
        },
      ),
    ),
    shortage: Type.Optional(
      Type.Enum([...SHORTAGES], {
        description:
          'if `min_service_level` is out of reach within the other constraints: `fail` answers 422; `serve_most` ' +
          'answers the cheapest of the plans that serve the most demand, with `data.shortfall`. Default: `fail`, ' +
          'and `serve_most` for decisions',
      }),
    ),
  },
  { $id: 'Constraints', additionalProperties: false },
);
export type Constraints = Static<typeof Constraints>;

/** Locations that constraints by location name, possibly more than once. */
export function boundedLocationIds(constraints: Constraints = {}): number[] {
  const { min_vehicles_per_location: least, max_vehicles_per_location: most, priorities } = constraints;
  return [least, most, constraints.unmet_demand_cost, priorities]
    .flatMap((numbers) => (typeof numbers === 'object' ? Object.keys(numbers ?? {}) : []))
    .filter((key) => key !== 'default')
    .map(Number);
}

const Matrix = (description: string) =>
  Type.Array(
    Type.Array(Type.Union([Type.Number({ minimum: 0 }), Type.Null()]), { maxItems: MAX_NETWORK_LOCATIONS }),
    { maxItems: MAX_NETWORK_LOCATIONS, description },
  );

export const NetworkInput = Type.Object(
  {
    location_ids: Type.Array(LocationId, { minItems: 1, maxItems: MAX_NETWORK_LOCATIONS }),
    costs: Matrix(
      '`costs[i][j]` of moving one vehicle from location i to j; null forbids the move. At most 1e11 ' +
        'divided by the number ' +
        'of vehicles, so that the total stays exact: it is a sum of whole units of 0.0001, up to 1e15 of them',
    ),
    distances_km: Type.Optional(Matrix('`distances_km[i][j]`; without it `max_distance` does not apply')),
  },
  { $id: 'Network', additionalProperties: false, description: 'Replaces great-circle costs.' },
);
export type NetworkInput = Static<typeof NetworkInput>;

export const DEMAND_AGGREGATIONS = ['peak', 'mean', 'first', 'sum', 'system_peak'] as const;
export type DemandAggregation = (typeof DEMAND_AGGREGATIONS)[number] | `quantile:${number}`;
/** One of `DEMAND_AGGREGATIONS`, or a quantile: a decimal number from 0 to 1. */
export const DEMAND_AGGREGATION = `^(${DEMAND_AGGREGATIONS.join('|')}|quantile:(0(\\.[0-9]{1,15})?|1(\\.0{1,15})?))$`;

const rate = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: MAX_MOVE_RATE, description }));

/** The cost of moving a vehicle. */
export const MoveCost = Type.Object(
  {
    per_km: rate('default: the setting `OPTIMIZATION_COST_PER_KM`'),
    per_minute: rate('default 0; needs the minutes of `travel` `stored`'),
    per_move: rate('default 0; the same for every move, however short'),
  },
  {
    $id: 'MoveCost',
    additionalProperties: false,
    description:
      'a move costs `per_move` + `per_km` × km + `per_minute` × minutes, with a `network` `per_move` + what `costs` ' +
      'say; staying costs nothing',
  },
);

const StoredTravel = Type.Object(
  { source: Type.Literal('stored'), fallback: Type.Literal('great_circle') },
  { additionalProperties: false },
);
/** The source of kilometres and minutes. */
export const Travel = Type.Union([Type.Enum(['great_circle', 'stored']), StoredTravel], {
  default: 'great_circle',
  description:
    'kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table ' +
    '(`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with ' +
    '`{"source": "stored", "fallback": "great_circle"}`',
});

/** The source of trip ends in a plan that looks ahead. */
const TRIP_FLOWS = ['stored', 'none'] as const;

/** A plan that looks ahead. */
const Horizon = Type.Object(
  {
    step_hours: Type.Optional(
      Type.Enum([...STEP_HOURS], {
        description: 'hours of a time step of demand; default: `options.step_hours`, else 1',
      }),
    ),
    starts_at: Type.Optional(
      Type.String({
        format: 'date-time',
        maxLength: 100,
        description:
          'when the first step begins; vehicles with `available_at` need it, and so do trip flows by hour of the week',
      }),
    ),
    speed_kmh: Type.Optional(
      Type.Number({
        minimum: MIN_SPEED_KMH,
        maximum: MAX_SPEED_KMH,
        default: DEFAULT_SPEED_KMH,
        description: 'of moves whose minutes are not known; a move without known distance takes a step',
      }),
    ),
    trip_flows: Type.Optional(
      Type.Enum([...TRIP_FLOWS], {
        default: 'stored',
        description:
          'where trips end: `stored`, as in `PUT /api/v1/data/trip-flows`, if there are any; `none`: vehicles are ' +
          'free where they served. A `network` has none',
      }),
    ),
  },
  {
    $id: 'Horizon',
    additionalProperties: false,
    description:
      'a plan that looks ahead: `demand_forecast` has the demand of each step, the plan moves vehicles before the ' +
      'first step, and `data.outlook` says what all steps would bring. `min_service_level` is that of all steps ' +
      'together, and so are `priorities`. `unmet_demand_cost`, bounds on vehicles per location and pinned vehicles ' +
      'hold in each of them, `max_rebalancing_cost` for the moves of each, and `total_fleet_size` for the vehicles ' +
      'that serve in each, in full loads. `change_cost` and `refine` are about the first moves. Not supported: ' +
      '`explain`, `demand_aggregation`, and `total_fleet_size` below the fleet together with pinned vehicles',
  },
);

/** Largest number of vehicles that a pair of locations may be required to have. */
const MAX_VEHICLES_PER_MOVE = MAX_REQUEST_VEHICLES;

/** Rules about pairs of locations. */
const Refine = Type.Object(
  {
    min_vehicles_per_move: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_VEHICLES_PER_MOVE,
        description: 'fewest vehicles of a pair that is used',
      }),
    ),
    cost_per_pair: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_MOVE_RATE,
        description: 'of each pair that is used, beside `total_cost`; the plan minimizes the sum of both',
      }),
    ),
    max_pairs: Type.Optional({ ...Count, description: 'most pairs that are used' }),
    max_moves_from: Type.Optional({ ...Count, description: 'most pairs that are used from a location' }),
  },
  {
    $id: 'Refine',
    additionalProperties: false,
    description:
      'rules about pairs of locations. A pair is used if vehicles move from the one location to the other, however ' +
      'many and of whatever capacity. The stage `milp_refinement` turns the cheapest plan into one that keeps the ' +
      'rules',
  },
);

export const OptimizeOptions = Type.Object(
  {
    cost: Type.Optional(MoveCost),
    travel: Type.Optional(Travel),
    demand_aggregation: Type.Optional(
      Type.Unsafe<DemandAggregation>({
        type: 'string',
        pattern: DEMAND_AGGREGATION,
        default: 'peak',
        examples: [...DEMAND_AGGREGATIONS, 'quantile:0.9'],
        description:
          'planning demand of a location from its time steps: `peak` the largest, `mean`, `first`, `sum`, ' +
          '`system_peak` its demand in the step with the largest demand of all locations together, ' +
          '`quantile:0.9` (any number from 0 to 1) the quantile of its steps, interpolated linearly (type 7)',
      }),
    ),
    trips_per_vehicle_hour: Type.Optional(
      Type.Union(
        [
          Type.Number({ minimum: MIN_TRIPS_PER_VEHICLE_HOUR, maximum: MAX_TRIPS_PER_VEHICLE_HOUR }),
          Type.Null(),
        ],
        {
          description:
            'demand is trips: a vehicle serves `capacity` × `trips_per_vehicle_hour` × `step_hours` in a step; ' +
            'null: it serves `capacity` in a step',
        },
      ),
    ),
    step_hours: Type.Optional(
      Type.Enum([...STEP_HOURS], {
        description:
          'hours of a time step of demand, 1 by default; matters only with `trips_per_vehicle_hour`. ' +
          'A decision has its own `step_hours`',
      }),
    ),
    time_limit_seconds: Type.Optional(
      Type.Number({ minimum: MIN_TIME_LIMIT_SECONDS, description: "the solver's own limit" }),
    ),
    optimality_gap: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    refine: Type.Optional(Refine),
    horizon: Type.Optional(Horizon),
    explain: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'adds `data.insights`: marginal values per location, move and constraint, each with its error; ' +
          'without a plan, the search for the smallest sufficient changes uses the whole time limit ' +
          'instead of four seconds (ten with several capacities)',
      }),
    ),
    locations: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'false: the answer leaves out `data.locations`, which the stored plan keeps, and what `data.outlook` ' +
          'says of each location',
      }),
    ),
    previous_plan_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[!-~]+$',
        description:
          'a stored plan: `data.stability` says how many vehicles this plan sends elsewhere than that one. Vehicles ' +
          'are matched by id. A vehicle that is not in that plan, or that it sends to a location that this request ' +
          'does not have, is free',
      }),
    ),
    change_cost: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_COST,
        default: 0,
        description:
          'what a vehicle costs in addition that goes elsewhere than in `previous_plan_id`, stayed there but moves ' +
          'now, or stays now: such a change must pay for itself. 0: changes are only counted',
      }),
    ),
    priority: Type.Optional(
      Type.Enum([...JOB_PRIORITIES], {
        default: 'normal',
        description: 'order among the waiting jobs; does not change the plan',
      }),
    ),
  },
  { $id: 'OptimizeOptions', additionalProperties: false },
);
export type OptimizeOptions = Static<typeof OptimizeOptions>;

/** The vehicles of a request. */
export const FleetState = Type.Object(
  { vehicles: Type.Array(VehicleInput, { maxItems: MAX_REQUEST_VEHICLES }) },
  { additionalProperties: false },
);

export const OptimizeRequest = Type.Object(
  {
    demand_forecast: DemandForecast,
    fleet_state: FleetState,
    constraints: Type.Optional(Constraints),
    network: Type.Optional(NetworkInput),
    options: Type.Optional(OptimizeOptions),
  },
  { $id: 'OptimizationRequest', additionalProperties: false },
);
export type OptimizeRequest = Static<typeof OptimizeRequest>;

const ASSIGNMENTS = ['rebalance', 'stay'] as const;

export const AllocationPlanItem = Type.Object(
  {
    vehicle_id: Type.String(),
    source_location: Type.Integer(),
    target_location: Type.Integer(),
    cost: Type.Number({ description: 'in the unit of `total_cost`; 0 if the vehicle stays' }),
    assignment: Type.Enum([...ASSIGNMENTS]),
  },
  { $id: 'AllocationPlanItem' },
);
export type AllocationPlanItem = Static<typeof AllocationPlanItem>;

export const Kpis = Type.Object(
  {
    demand_coverage: Type.Number({ description: 'share of planning demand served; target above 0.95' }),
    utilization: Type.Number({
      description: 'demand served / demand that the operational vehicles can serve; target 0.70 to 0.85',
    }),
    rebalanced_count: Type.Integer({ description: 'vehicles moved' }),
    total_cost: Type.Number({
      description: 'of all moves, in the unit of `options.cost`, by default km, or of the `network`',
    }),
    total_distance_km: Type.Union([Type.Number(), Type.Null()], {
      description: 'of all moves, each vehicle counted; null if `network` gives no distances',
    }),
    total_minutes: Type.Optional(
      Type.Number({
        description: 'only with stored travel that has all moves: their minutes, each vehicle counted',
      }),
    ),
    unmet_demand: Type.Number({ description: 'planning demand that is not served, in its own unit' }),
    unmet_demand_cost: Type.Optional(
      Type.Number({
        description:
          'only with `constraints.unmet_demand_cost`: what the demand costs that is not served, rounded up to ' +
          '0.0001. The plan is the one with the least sum of `total_cost` and this',
      }),
    ),
  },
  { $id: 'Kpis' },
);
export type Kpis = Static<typeof Kpis>;

export const PlanLocation = Type.Object(
  {
    location_id: Type.Integer(),
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'as stored when the request was accepted; null with a `network`, or if unknown',
    }),
    demand: Type.Number({ description: 'planning demand, in the unit of the demand of the request' }),
    vehicles_before: Type.Integer({ description: 'operational vehicles here before the moves' }),
    vehicles_after: Type.Integer({ description: 'operational vehicles here after the moves' }),
    capacity_after: Type.Number({ description: 'what these vehicles can serve, in units of demand' }),
    served: Type.Number({
      description: 'demand that these vehicles serve: the smaller of demand and capacity',
    }),
    unmet: Type.Number({ description: 'demand - served' }),
    priority: Type.Optional({
      ...PriorityLevel,
      description: 'priority level of the demand; only if the demand of some location has one above 0',
    }),
  },
  { $id: 'PlanLocation' },
);
export type PlanLocation = Static<typeof PlanLocation>;

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

const ErrorAtMost = Type.Union([Type.Number(), Type.Null()], {
  description:
    'in units of cost: each figure here differs at most this much from the true one, which is the ' +
    'difference between the cheapest plans ' +
    'with and without the change, and every figure here is larger than this error. 0: exact. null: no ' +
    'figure is known that well',
});

/** Figures of a location; each may be missing. */
export const LOCATION_FIGURES = ['one_more_saves', 'one_fewer_costs', 'more_demand_costs'] as const;

export const LocationInsight = Type.Object(
  {
    location_id: Type.Integer(),
    one_more_saves: Type.Union([Type.Number(), Type.Null()], {
      description:
        'cost saved with one more vehicle here, of the most common capacity (negative if it would have ' +
        'to be moved away); ' +
        'null if there is then no plan, or if unknown',
    }),
    one_fewer_costs: Type.Union([Type.Number(), Type.Null()], {
      description:
        'cost added with one vehicle fewer here; null if there is none, if there is then no plan, or if unknown',
    }),
    more_demand_costs: Type.Union([Type.Number(), Type.Null()], {
      description:
        'cost added with `demand_step` more demand here (the service level counts it too), negative if ' +
        'that saves cost; ' +
        'null if there is then no plan, or if unknown',
    }),
    error_at_most: ErrorAtMost,
    not_known: Type.Array(Type.Enum([...LOCATION_FIGURES]), {
      description:
        'figures that are null because they are unknown: no time was left for them, or their error would not be ' +
        'smaller than themselves',
    }),
  },
  { $id: 'LocationInsight' },
);
export type LocationInsight = Static<typeof LocationInsight>;

export const BINDING_CONSTRAINTS = [
  'min_service_level',
  'max_distance',
  'min_vehicles_per_location',
  'max_vehicles_per_location',
  'total_fleet_size',
  'min_vehicles_per_move',
  'max_pairs',
  'max_moves_from',
] as const;

export const BindingConstraint = Type.Object(
  {
    constraint: Type.Enum([...BINDING_CONSTRAINTS]),
    value: Type.Number({
      description:
        'as requested; if a bound of vehicles per location differs by location, the largest minimum or the ' +
        'smallest maximum',
    }),
    relaxed_value: Type.Number({
      description:
        'one unit looser: `min_service_level` 0.01 lower, `max_distance` 1 km longer, `total_fleet_size` ' +
        'one vehicle more, ' +
        'a bound of vehicles per location one vehicle looser at every location (if it differs by location, ' +
        'wherever it is tighter than that)',
    }),
    saves: NumberOrNull,
    error_at_most: ErrorAtMost,
  },
  {
    $id: 'BindingConstraint',
    description:
      'A constraint without which a cheaper plan is known, with its shadow value. `saves`: cost saved ' +
      'with `relaxed_value`, all else unchanged; ' +
      '0 if one unit is too little to save anything; null if unknown.',
  },
);
export type BindingConstraint = Static<typeof BindingConstraint>;

export const MoveInsight = Type.Object(
  {
    source_location: Type.Integer(),
    target_location: Type.Integer(),
    vehicles: Type.Integer({ description: 'number of vehicles that the plan moves this way' }),
    cost: Type.Number({ description: 'cost of all of them' }),
    forbidding_costs: Type.Union([Type.Number(), Type.Null()], {
      description:
        'cost added if no vehicle may go this way; null if there is then no plan (`error_at_most` 0) or ' +
        'if unknown (`error_at_most` null)',
    }),
    next_best_location: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'where most of these vehicles go instead (the source itself: they stay); null if `forbidding_costs` is null',
    }),
    error_at_most: ErrorAtMost,
  },
  { $id: 'MoveInsight' },
);
export type MoveInsight = Static<typeof MoveInsight>;

export const Insights = Type.Object(
  {
    bound: Type.Number({ description: 'proved lower bound of the total cost' }),
    exact: Type.Boolean({
      description:
        'true: every figure is exact. false: some are not; `error_at_most` bounds the error of each. ' +
        'Figures are exact ' +
        'with one capacity and demand of whole vehicles, and whenever time sufficed to solve every ' +
        'changed problem to optimality',
    }),
    demand_step: Type.Number({
      description:
        'demand that one vehicle of the most common capacity serves; the step of `more_demand_costs`',
    }),
    binding_constraints: Type.Array(BindingConstraint),
    locations: Type.Array(LocationInsight),
    moves: Type.Array(MoveInsight, { description: 'moves of the plan, by source and target' }),
    complete: Type.Boolean({
      description:
        'false if figures are unknown, because time ran out or because their error would not be smaller ' +
        'than themselves. Insights end as soon as all figures are exact, and at ' +
        'the latest at `options.time_limit_seconds`, counted from the start of the request; if figures ' +
        'are not exact at once (several ' +
        'capacities, or demand that is not whole vehicles) after 5 to 10 s, by the number of locations, ' +
        'or 20 s with several capacities, or half of the time left if that is less',
    }),
  },
  { $id: 'Insights' },
);
export type Insights = Static<typeof Insights>;

export const Shortfall = Type.Object(
  {
    requested: { ...Share, description: 'service level of the request' },
    reached: { ...Share, description: 'service level of this plan: the highest that was found' },
    reached_at_most: {
      ...Share,
      description:
        'proved: no plan reaches more, or with priorities no plan that serves them as well. With `solver_status` ' +
        '`optimal` it exceeds `reached` by at most a tenth of `optimality_gap`, relative, or by 0.000001',
    },
    unserved: Type.Number({ description: 'planning demand that this plan does not serve' }),
    missing_vehicles: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'the fewest further vehicles of the most common capacity with which the requested level is reached, to ' +
        '`optimality_gap`; null if they do not help, or if the fewest were not found in time: the relaxation of ' +
        '`supply` then has a number that is sufficient, if one is known',
    }),
    relaxations: Type.Array(SufficientChange, {
      description: 'what would make the requested level possible: the same as the errors of a 422 answer',
    }),
  },
  {
    $id: 'Shortfall',
    description: 'only with `shortage` `serve_most`, and only if `min_service_level` is not reached',
  },
);
export type Shortfall = Static<typeof Shortfall>;

export const Stability = Type.Object(
  {
    changed_vehicles: Type.Integer({
      description: 'vehicles that this plan sends elsewhere than `previous_plan_id` does, by id',
    }),
    compared_vehicles: Type.Integer({
      description:
        'vehicles that have a target in that plan which is a location of this one; the others are new, or their ' +
        'target is no longer planned, and they never count as changed',
    }),
    unreachable_vehicles: Type.Integer({
      description:
        'of the changed vehicles, those that cannot go to their previous target: it is beyond `max_distance` or ' +
        'forbidden from where they are now, or they are pinned elsewhere',
    }),
    change_cost: Type.Number({
      description: '`options.change_cost`, rounded up to 0.0001, for each of them; not part of `total_cost`',
    }),
    cost_without: Type.Union([Type.Number(), Type.Null()], {
      description:
        '`total_cost` of the cheapest plan without `change_cost`, so stability costs `total_cost` - `cost_without` ' +
        'of moving (with `unmet_demand_cost` or `refine.cost_per_pair` moving may even cost less); ' +
        'null if time was up before that plan was proved within `optimality_gap`, and in a plan that looks ahead',
    }),
  },
  { $id: 'Stability', description: 'only with `options.previous_plan_id`' },
);
export type Stability = Static<typeof Stability>;
export const Refinement = Type.Object(
  {
    pairs: Type.Integer({ description: 'pairs of locations that vehicles move between' }),
    cost_per_pair: Type.Number({ description: 'as requested, rounded up to 0.0001; 0 if it was not' }),
    pair_cost: Type.Number({
      description: 'pairs × cost_per_pair: part of what the plan minimizes, not of `total_cost`',
    }),
    pairs_without: Type.Union([Type.Integer(), Type.Null()], {
      description: 'pairs of the plan that `cost_without` belongs to',
    }),
    cost_without: Type.Union([Type.Number(), Type.Null()], {
      description:
        '`total_cost` of the cheapest plan without the rules, to the requested gap: the plan that this one started ' +
        'from, in a plan that looks ahead the cheapest of all steps in whole first moves. null: there was no time ' +
        'for it',
    }),
  },
  { $id: 'Refinement', description: 'only with rules in `options.refine`' },
);
export type Refinement = Static<typeof Refinement>;
export const PriorityServed = Type.Object(
  {
    level: { ...PriorityLevel, description: 'priority level, above 0' },
    demand: Type.Number({ description: 'planning demand of this level' }),
    served: Type.Number({
      description: 'demand of this level that the plan serves, with at most `total_fleet_size` vehicles',
    }),
    served_at_most: Type.Number({
      description:
        'proved: no plan that keeps all constraints and serves as much of the higher levels serves more of this one. ' +
        'With `solver_status` `optimal` it exceeds `served` by at most a tenth of `optimality_gap`, relative, or by ' +
        '0.000001 of all planning demand',
    }),
  },
  { $id: 'PriorityServed' },
);
export type PriorityServed = Static<typeof PriorityServed>;

const OutlookStep = Type.Object(
  {
    starts_at: Type.Union([Timestamp, Type.Null()], {
      description: 'null if the request does not say when the first step begins',
    }),
    demand: Type.Number(),
    served: Type.Number(),
    unmet: Type.Number({ description: 'demand that is not served' }),
    vehicles: Type.Number({
      description: 'vehicles that are free when the step begins, before any of them leaves',
    }),
    on_the_way: Type.Number({ description: 'all other operational vehicles' }),
    moves: Type.Array(
      Type.Object({
        source_location: Type.Integer(),
        target_location: Type.Integer(),
        vehicles: Type.Number(),
      }),
      {
        description:
          'vehicles that leave when the step begins, and serve nobody until they have arrived; those that the plan ' +
          'itself moves have left before the first step',
      },
    ),
    demand_by_location: Type.Optional(
      Type.Array(Type.Number(), {
        description:
          'as `demand`, for each location by ascending id, in the order of `locations`; absent with ' +
          '`options.locations: false`, as are the two below',
      }),
    ),
    unmet_by_location: Type.Optional(
      Type.Array(Type.Number(), { description: 'as `unmet`, for each location' }),
    ),
    vehicles_by_location: Type.Optional(
      Type.Array(Type.Number(), { description: 'as `vehicles`, for each location' }),
    ),
  },
  {
    $id: 'OutlookStep',
    description: 'a step of a plan that looks ahead. With trip flows a forecast, in parts of vehicles',
  },
);

/** The figures of all steps of a plan that looks ahead. */
const LOOKING_AHEAD = {
  outlook: Type.Optional(
    Type.Array(OutlookStep, { description: 'only of a plan that looks ahead: every step' }),
  ),
  horizon_cost: Type.Optional(
    Type.Number({ description: 'with `outlook`: what all steps cost, moves and unmet demand' }),
  ),
  horizon_bound: Type.Optional(
    Type.Number({ description: 'with `outlook`: proved, no plan of all steps costs less' }),
  ),
  rounding_cost: Type.Optional(
    Type.Number({
      description:
        "with `outlook`: the part of `horizon_cost` that whole vehicles in the plan's moves, and the rules of " +
        '`options.refine`, cost; 0 if all steps are planned in whole vehicles',
    }),
  ),
};

export const SOLVER_STATUSES = ['optimal', 'feasible', 'infeasible', 'error'] as const;
export type SolverStatus = (typeof SOLVER_STATUSES)[number];

export const OptimizationResult = Type.Object(
  {
    allocation_plan: Type.Array(AllocationPlanItem, {
      description: "one item per operational vehicle, in the request's order",
    }),
    total_cost: Type.Number({ description: 'cost of moving' }),
    kpis: Kpis,
    solver_status: Type.Enum(['optimal', 'feasible']),
    gap: Type.Optional({
      ...NumberOrNull,
      description: 'with `feasible`: maximum relative distance from the best plan',
    }),
    locations: Type.Optional(
      Type.Array(PlanLocation, {
        description: 'every location of the problem, by ascending id; absent with `options.locations: false`',
      }),
    ),
    insights: Type.Optional(Insights),
    shortfall: Type.Optional(Shortfall),
    stability: Type.Optional(Stability),
    stages: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'stages of the optimization that ran, in their order (see `/api/v1/config`); absent if only those did ' +
          'that run for every request',
      }),
    ),
    refinement: Type.Optional(Refinement),
    priorities: Type.Optional(
      Type.Array(PriorityServed, {
        description: 'priority levels above 0 that have demand, the highest first; absent if there are none',
      }),
    ),
    ...LOOKING_AHEAD,
  },
  { $id: 'OptimizationResult' },
);
export type OptimizationResult = Static<typeof OptimizationResult>;

export const OptimizeMetadata = Type.Interface(
  [Metadata],
  { solve_time_ms: Type.Number(), job_id: Type.String(), plan_id: Type.String() },
  { $id: 'OptimizeMetadata' },
);

export const OptimizeResponse = Type.Object(
  {
    status: Type.Literal('success'),
    data: OptimizationResult,
    metadata: OptimizeMetadata,
  },
  { $id: 'OptimizationResponse' },
);
export type OptimizeResponse = Static<typeof OptimizeResponse>;
