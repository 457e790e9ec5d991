import { type Static, Type } from 'typebox';
import { MAX_DEMAND_SCALE, MIN_DEMAND_SCALE } from './bounds.ts';
import { FleetVehicle, Location } from './data.ts';
import { Timestamp } from './envelope.ts';
import {
  ConfidenceLevel,
  ForecastData,
  HorizonHours,
  MAX_FORECAST_LOCATIONS,
  StartAt,
  StartDate,
  StartsAt,
  StepHours,
} from './forecast.ts';
import { DecisionId, JOB_STATUSES, PlanId } from './jobs.ts';
import { nullable } from './nullable.ts';
import {
  Constraints,
  FleetState,
  LocationId,
  NetworkInput,
  OptimizationResult,
  OptimizeMetadata,
  OptimizeOptions,
  SOLVER_STATUSES,
  VehicleInput,
} from './optimize.ts';
import { RiskScore } from './risk.ts';

const PLANNED_DEMANDS = ['mean', 'upper', 'spread'] as const;

const ON_MISSING_HISTORY = ['expected', 'fail'] as const;
export type OnMissingHistory = (typeof ON_MISSING_HISTORY)[number];

const DECISION_MODES = ['static', 'horizon'] as const;

/** A decision is about tomorrow, by the hour, if its request does not say otherwise. */
export const DECISION_HORIZON_HOURS = 24;
export const DECISION_STEP_HOURS = 1;
/** Confidence level of the intervals of its forecast. */
export const DECISION_CONFIDENCE_LEVEL = 0.95;

export const DecisionRequest = Type.Object(
  {
    fleet_state: Type.Optional({ ...FleetState, description: 'default: the stored fleet' }),
    risk: Type.Optional(
      Type.Object(
        {
          threshold: Type.Optional(
            nullable(
              Type.Number({ minimum: 0, maximum: 1 }),
              'vehicles with a risk score at or above it are left out; null or absent: none',
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    location_ids: Type.Optional(
      Type.Array(LocationId, {
        minItems: 1,
        maxItems: MAX_FORECAST_LOCATIONS,
        description: 'locations to forecast; default: those of `network`, else all active locations',
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...DECISION_MODES], {
        default: 'static',
        description:
          '`static`: one plan for the demand of all steps, by `options.demand_aggregation`; `horizon`: a plan that ' +
          'looks ahead, with the demand of each step, and `data.outlook`. See `options.horizon`',
      }),
    ),
    horizon_hours: Type.Optional({ ...HorizonHours, default: DECISION_HORIZON_HOURS }),
    step_hours: Type.Optional({ ...StepHours, default: DECISION_STEP_HOURS }),
    start_date: Type.Optional(StartDate),
    start_at: Type.Optional(StartAt),
    confidence_level: Type.Optional(ConfidenceLevel),
    demand: Type.Optional(
      Type.Enum([...PLANNED_DEMANDS], {
        default: 'mean',
        description:
          '`upper` plans against the upper end of the interval of `confidence_level`; `spread`, with `mode` ' +
          '`horizon`, for three equally likely outcomes by that interval, whose mean is the forecast',
      }),
    ),
    on_missing_history: Type.Optional(
      Type.Enum([...ON_MISSING_HISTORY], {
        description:
          'a location without observations is planned with its `expected_daily_demand`, else 0 ' +
          '(`expected`, the default), ' +
          'or answered with 503 (`fail`)',
      }),
    ),
    demand_scale: Type.Optional(
      Type.Number({
        minimum: MIN_DEMAND_SCALE,
        maximum: MAX_DEMAND_SCALE,
        default: 1,
        description: 'factor on the forecast: the share of demand that this fleet serves',
      }),
    ),
    constraints: Type.Optional(Constraints),
    network: Type.Optional(NetworkInput),
    options: Type.Optional(OptimizeOptions),
    carry_out: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'the vehicles that the plan moves leave when it is stored: in the stored fleet `location_id` becomes the ' +
          'target, and `available_at` the arrival',
      }),
    ),
  },
  { $id: 'DecisionRequest', additionalProperties: false },
);
export type DecisionRequest = Static<typeof DecisionRequest>;

export const DecisionVehicle = Type.Object(
  {
    ...FleetVehicle.properties,
    capacity: Type.Optional(FleetVehicle.properties.capacity),
    available_at: VehicleInput.properties.available_at,
  },
  { $id: 'DecisionVehicle' },
);
export type DecisionVehicle = Static<typeof DecisionVehicle>;

export const DecisionRisk = Type.Object(
  {
    day: Type.String({
      format: 'date',
      description: 'day at which ages are computed: the first planned day',
    }),
    threshold: nullable(Type.Number(), 'null: no vehicles are left out'),
    scores: Type.Array(RiskScore, { description: 'scores of the vehicles whose data are known' }),
    left_out: Type.Array(Type.String(), { description: 'ids of the vehicles that the plan may not use' }),
    unscored: Type.Integer({
      description: 'vehicles without a score, because data are missing; they are not left out',
    }),
  },
  { $id: 'DecisionRisk' },
);
export type DecisionRisk = Static<typeof DecisionRisk>;

const DecisionInputs = Type.Object(
  {
    taken_at: Timestamp,
    request: Type.Unknown({ description: 'the body of the request, without `fleet_state`' }),
    fleet: Type.Array(DecisionVehicle),
    risk: DecisionRisk,
    forecast: ForecastData,
    locations: nullable(
      Type.Array(Location),
      'locations with vehicles or demand, or that constraints name; null if `network` gives the costs',
    ),
  },
  { $id: 'DecisionInputs' },
);

export const DecisionSummary = Type.Object(
  {
    decision_id: DecisionId,
    status: Type.Enum(JOB_STATUSES),
    solver_status: nullable(Type.Enum([...SOLVER_STATUSES]), 'null until it has ended'),
    plan_id: nullable(PlanId, 'null if there is no plan'),
    created_at: Timestamp,
    finished_at: nullable(Timestamp, 'null until it has ended'),
  },
  { $id: 'DecisionSummary' },
);
export type DecisionSummary = Static<typeof DecisionSummary>;

export const Decision = Type.Object(
  {
    ...DecisionSummary.properties,
    inputs: nullable(DecisionInputs, 'inputs of the decision; null until a worker has collected them'),
    result: Type.Optional(Type.Ref('DecisionAnswer')),
  },
  { $id: 'Decision' },
);

export const DecisionListItem = Type.Object(
  {
    ...DecisionSummary.properties,
    mode: Type.Enum([...DECISION_MODES]),
    start_date: Type.String({ format: 'date' }),
    start_hour: Type.Integer({
      description: 'local hour of that day at which the first step begins, 0 to 23; 0 without `start_at`',
    }),
    vehicles: Type.Integer(),
    left_out: Type.Integer(),
    total_cost: nullable(Type.Number(), 'null if there is no plan'),
    demand_coverage: nullable(Type.Number(), 'null if there is no plan'),
  },
  { $id: 'DecisionListItem' },
);
export type DecisionListItem = Static<typeof DecisionListItem>;

/** The figures of all steps of a plan that looks ahead stand beside the plan. */
const { outlook, horizon_cost, horizon_bound, rounding_cost, ...PlanFields } = OptimizationResult.properties;
const LOOKING_AHEAD = { outlook, horizon_cost, horizon_bound, rounding_cost };
const DecisionPlan = Type.Object(PlanFields, { $id: 'DecisionPlan' });

export const DecisionResult = Type.Object(
  {
    decision_id: DecisionId,
    start_date: Type.String({ format: 'date', description: 'first planned local day' }),
    starts_at: Type.Optional(StartsAt),
    demand: Type.Enum([...PLANNED_DEMANDS]),
    left_out: DecisionRisk.properties.left_out,
    unscored: DecisionRisk.properties.unscored,
    without_history: Type.Array(Type.Integer(), {
      description:
        'locations without observations, which are planned with their `expected_daily_demand`, else 0',
    }),
    plan: DecisionPlan,
    ...LOOKING_AHEAD,
  },
  { $id: 'DecisionResult' },
);
export type DecisionResult = Static<typeof DecisionResult>;

export const DecisionResponse = Type.Object(
  {
    status: Type.Literal('success'),
    data: DecisionResult,
    metadata: OptimizeMetadata,
  },
  { $id: 'DecisionResponse' },
);
export type DecisionResponse = Static<typeof DecisionResponse>;
