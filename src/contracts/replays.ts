import { type Static, Type } from 'typebox';
import {
  DEFAULT_SPEED_KMH,
  MAX_SPEED_KMH,
  MAX_TRIPS_PER_VEHICLE_HOUR,
  MAX_UNMET_DEMAND_COST,
  MIN_SPEED_KMH,
  MIN_TRIPS_PER_VEHICLE_HOUR,
  STEP_HOURS,
} from './bounds.ts';
import { Metadata, Timestamp } from './envelope.ts';
import { ConfidenceLevel, StartDate } from './forecast.ts';
import { ReplayId } from './jobs.ts';
import { nullable } from './nullable.ts';
import { Constraints, LocationId, MoveCost, OptimizeOptions, Travel } from './optimize.ts';
import { JOB_PRIORITIES } from './priorities.ts';
import { HOUR_MS } from './time.ts';

/** Locations of a replay: every plan looks at all pairs of them. */
export const MAX_REPLAY_LOCATIONS = 300;
/**
 * Locations planned for in one replay, over all hours, steps of plans, policies and seeds. The sample's week with five
 * policies and ten seeds has 2 million and takes 150 s of a thread, 40 s of them for forecasts.
 */
export const MAX_REPLAY_STEPS = 5_000_000;
const DAY_MS = 24 * HOUR_MS;
/** Local days of a period. */
export const MAX_REPLAY_DAYS = 31;
/** Hours × locations × (1 + policies) up to which an answer says what was lost in each of them: about a megabyte. */
export const MAX_REPLAY_CELLS = 200_000;
const MAX_REPLAY_SECONDS = 3600;
const MAX_POLICIES = 12;
const MAX_SEEDS = 20;
const MAX_FLEET = 100_000;

export const DEFAULT_NIGHT_HOUR = 4;
export const DEFAULT_REPLAY_SECONDS = 900;
export const DEFAULT_HORIZON_HOURS = 6;
/** Relative, that proves a plan. */
export const REPLAY_GAP = 0.001;
/** Confidence level of the interval whose upper end plans take. */
export const DEFAULT_CONFIDENCE_LEVEL = 0.95;

const REPLAY_MODES = ['none', 'nightly', 'static', 'horizon'] as const;
const REPLAY_DEMANDS = ['mean', 'upper', 'spread', 'observed'] as const;

const Price = Type.Number({ minimum: 0, maximum: MAX_UNMET_DEMAND_COST });

/** Those of plans, but for what all vehicles of a replay have alike. */
const PolicyConstraints = Type.Object(
  {
    max_distance: Constraints.properties.max_distance,
    min_service_level: Constraints.properties.min_service_level,
    max_rebalancing_cost: Constraints.properties.max_rebalancing_cost,
    min_vehicles_per_location: Constraints.properties.min_vehicles_per_location,
    max_vehicles_per_location: Constraints.properties.max_vehicles_per_location,
    priorities: Constraints.properties.priorities,
    total_fleet_size: Constraints.properties.total_fleet_size,
    unmet_demand_cost: Constraints.properties.unmet_demand_cost,
    shortage: Constraints.properties.shortage,
  },
  {
    $id: 'ReplayConstraints',
    additionalProperties: false,
    description:
      'of each plan, as in an optimization, with `shortage` `serve_most` by default. `unmet_demand_cost` is what its ' +
      'plans take for the price of a lost trip, instead of that of the replay. In an hour in which no plan keeps ' +
      'them, nobody moves (`hours_without_plan`)',
  },
);

/** Those of plans that make sense where all vehicles are alike and plans are carried out at once. */
const PolicyOptions = Type.Object(
  {
    cost: Type.Optional({
      ...MoveCost,
      description:
        'what its plans take a move to cost, instead of `cost` of the replay, which stays the default of each rate ' +
        'and what `cost` and `objective` count',
    }),
    optimality_gap: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, default: REPLAY_GAP, description: 'of each plan' }),
    ),
    demand_aggregation: Type.Optional({
      ...OptimizeOptions.properties.demand_aggregation,
      default: 'system_peak',
      description:
        'of `nightly`: what a plan takes of the hours of the day ahead, as in a decision; not `sum`',
    }),
    refine: Type.Optional({
      ...OptimizeOptions.properties.refine,
      description: 'of `nightly` and `static`: rules about pairs of locations, as in an optimization',
    }),
  },
  { $id: 'ReplayOptions', additionalProperties: false, description: 'of each plan, as in an optimization' },
);

const PolicyInput = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
        description:
          'letters, digits, `.`, `_` and `-`; default: mode, hours and demand, as in `horizon-6-upper`. No two ' +
          'policies have the same',
      }),
    ),
    mode: Type.Enum([...REPLAY_MODES], {
      description:
        '`none`: nobody moves; `nightly`: a plan in the `night_hour` for the busiest hour of the day ahead; ' +
        '`static`: plans for the hour that follows; `horizon`: plans that look `horizon_hours` ahead',
    }),
    demand: Type.Optional(
      Type.Enum([...REPLAY_DEMANDS], {
        default: 'mean',
        description:
          'what plans take for the demand ahead: the forecast made as of their hour; the upper end of its interval; ' +
          '`spread`, of `horizon`: the forecast, with the chances that its interval gives to more and to less; or ' +
          '`observed`: what came to pass, which nobody knows in time',
      }),
    ),
    confidence_level: Type.Optional({
      ...ConfidenceLevel,
      description: 'of the interval whose upper end `upper` plans for',
    }),
    horizon_hours: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 24,
        default: DEFAULT_HORIZON_HOURS,
        description: 'of `horizon`: hours of a plan, with the one in which it is made',
      }),
    ),
    step_hours: Type.Optional(
      Type.Enum([...STEP_HOURS], {
        default: 1,
        description: 'of `horizon`: hours of a step, of which `horizon_hours` has at least two',
      }),
    ),
    replan_every_hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 24, default: 1, description: 'of `static` and `horizon`' }),
    ),
    constraints: Type.Optional(PolicyConstraints),
    options: Type.Optional(PolicyOptions),
  },
  { $id: 'ReplayPolicyInput', additionalProperties: false },
);
type ReplayPolicyInput = Static<typeof PolicyInput>;

/** The name of a policy, its own or the default. */
export function policyName(policy: ReplayPolicyInput): string {
  const {
    name,
    mode,
    demand = 'mean',
    horizon_hours = DEFAULT_HORIZON_HOURS,
    step_hours = 1,
    confidence_level = DEFAULT_CONFIDENCE_LEVEL,
    replan_every_hours = 1,
  } = policy;
  return (
    name ??
    [
      mode,
      ...(mode === 'horizon' ? [horizon_hours] : []),
      ...(step_hours === 1 ? [] : [`by-${step_hours}`]),
      ...(demand === 'mean' ? [] : [demand]),
      ...(confidence_level === DEFAULT_CONFIDENCE_LEVEL ? [] : [confidence_level]),
      ...(replan_every_hours === 1 ? [] : [`every-${replan_every_hours}`]),
    ].join('-')
  );
}

const FleetOfSize = Type.Object(
  { size: Type.Integer({ minimum: 1, maximum: MAX_FLEET }) },
  { additionalProperties: false },
);

export const ReplayRequest = Type.Object(
  {
    from: { ...StartDate, description: 'first local day of the period' },
    to: {
      ...StartDate,
      description: `first local day after the period, at most ${MAX_REPLAY_DAYS} days after \`from\``,
    },
    location_ids: Type.Optional(
      Type.Array(LocationId, {
        minItems: 1,
        maxItems: MAX_REPLAY_LOCATIONS,
        description: `default: all active locations; at most ${MAX_REPLAY_LOCATIONS}`,
      }),
    ),
    fleet: Type.Optional(
      Type.Union([Type.Literal('stored'), FleetOfSize], {
        default: 'stored',
        description:
          '`stored`: the operational vehicles at these locations, where they are; or `{"size": 800}`: so many, ' +
          'placed in proportion to the mean demand before the period',
      }),
    ),
    trips_per_vehicle_hour: Type.Number({
      minimum: MIN_TRIPS_PER_VEHICLE_HOUR,
      maximum: MAX_TRIPS_PER_VEHICLE_HOUR,
      description: 'trips that a vehicle serves in an hour; all vehicles are alike',
    }),
    unmet_demand_cost: { ...Price, description: 'what a lost trip costs, in the money of moves' },
    cost: Type.Optional(MoveCost),
    travel: Type.Optional(Travel),
    speed_kmh: Type.Optional(
      Type.Number({
        minimum: MIN_SPEED_KMH,
        maximum: MAX_SPEED_KMH,
        default: DEFAULT_SPEED_KMH,
        description: 'of moves whose minutes are not known',
      }),
    ),
    trip_flows: Type.Optional(
      Type.Enum(['stored', 'none'], {
        default: 'stored',
        description:
          'where trips end: as in `PUT /api/v1/data/trip-flows`, if there are any; `none`: vehicles are free where ' +
          'they served',
      }),
    ),
    night_hour: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 23,
        default: DEFAULT_NIGHT_HOUR,
        description: 'local hour in which `nightly` plans',
      }),
    ),
    policies: Type.Array(PolicyInput, { minItems: 1, maxItems: MAX_POLICIES }),
    seeds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }), {
        maxItems: MAX_SEEDS,
        default: [],
        description:
          'for each of them a replay of every policy with whole vehicles and drawn trip ends, beside the one with ' +
          'expected ends',
      }),
    ),
    bound: Type.Optional(
      Type.Boolean({ default: true, description: 'whether to prove what no policy can do better than' }),
    ),
    options: Type.Optional(
      Type.Object(
        {
          priority: Type.Optional(Type.Enum([...JOB_PRIORITIES], { default: 'normal' })),
          time_limit_seconds: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: MAX_REPLAY_SECONDS,
              default: DEFAULT_REPLAY_SECONDS,
              description: 'a replay that takes longer fails',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'ReplayRequest', additionalProperties: false },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

/** Steps of all plans of an hour, over policies and seeds: the time of a replay grows with them. */
export function hourlySteps({ policies, seeds = [] }: Pick<ReplayRequest, 'policies' | 'seeds'>): number {
  const stepsOf = ({ mode, horizon_hours = DEFAULT_HORIZON_HOURS }: ReplayPolicyInput) =>
    mode === 'horizon' ? horizon_hours : 1;
  return policies.reduce((sum, policy) => sum + stepsOf(policy), 0) * (1 + seeds.length);
}

/** The same over all days of the period; at least 1, also where `to` is no later day than `from`. */
export function replayWork({ from, to, ...plans }: ReplayRequest): number {
  return Math.max(1, ((Date.parse(to) - Date.parse(from)) / DAY_MS) * hourlySteps(plans));
}

/** The results of a policy; the figures of the table. */
const FIGURES = {
  served: Type.Number({ description: 'trips' }),
  lost: Type.Number({ description: 'trips' }),
  served_share: Type.Number({ description: 'served of all trips; 1 without any' }),
  moves: Type.Integer({ description: 'vehicles that moved, each time counted' }),
  km: Type.Number(),
  minutes: Type.Number({ description: 'of moving' }),
  cost: Type.Number({ description: 'of moving' }),
  utilization: Type.Number({ description: 'trips served, of those that all vehicles could serve' }),
  objective: Type.Number({ description: '`cost` and the price of lost trips' }),
  hours_without_plan: Type.Integer({
    description: 'in which a plan was due and no plan kept the constraints, so that nobody moved',
  }),
};

const DrawnReplay = Type.Object({ seed: Type.Integer(), ...FIGURES }, { $id: 'DrawnReplay' });

const POLICY = {
  name: Type.String(),
  mode: Type.Enum([...REPLAY_MODES]),
  demand: Type.Enum([...REPLAY_DEMANDS]),
  confidence_level: nullable(Type.Number(), 'of `upper`, else null'),
  horizon_hours: nullable(Type.Integer(), 'of `horizon`, else null'),
  step_hours: nullable(Type.Integer(), 'of `horizon`, else null'),
  replan_every_hours: Type.Integer(),
  constraints: PolicyInput.properties.constraints,
  options: PolicyInput.properties.options,
};

export const ReplayedPolicy = Type.Object(
  {
    ...POLICY,
    ...FIGURES,
    extra_trips_per_km: nullable(
      Type.Number(),
      'trips beyond those of the first policy in which nobody moves, by km; null without such a policy or without km',
    ),
    drawn: Type.Array(DrawnReplay, { description: 'in the order of `seeds`' }),
    served_by_hour: Type.Array(Type.Number(), {
      description: 'expected trip ends, as all figures but `drawn`',
    }),
    moves_by_hour: Type.Array(Type.Integer(), { description: 'vehicles that leave' }),
    served_by_location: Type.Array(Type.Number()),
    lost_by_hour_and_location: nullable(
      Type.Array(Type.Array(Type.Number())),
      'trips, for each hour those of all locations; null as `demand_by_hour_and_location` is',
    ),
  },
  { $id: 'ReplayedPolicy' },
);
export type ReplayedPolicy = Static<typeof ReplayedPolicy>;

/** The replayed locations and days. */
const PERIOD = {
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date', description: 'the local day after the last' }),
  starts_at: { ...Timestamp, description: 'first hour' },
  ends_at: { ...Timestamp, description: 'end of the last hour' },
  time_zone: Type.String({ description: 'of the local days' }),
  locations: Type.Integer(),
  fleet_size: Type.Integer(),
  trips_per_vehicle_hour: Type.Number(),
  unmet_demand_cost: Type.Number(),
  trip_flows: Type.Enum(['stored', 'none'], { description: '`none` also where none are stored' }),
  demand: Type.Number({ description: 'observed trips' }),
  hours_not_observed: Type.Integer({
    description: 'of a location, each counted; a replay has no trips there in that hour',
  }),
  bound: nullable(
    Type.Number(),
    'no policy has a smaller `objective` with expected trip ends: proved; null if not asked for, or not found in time',
  ),
};

export const ReplayData = Type.Object(
  {
    replay_id: ReplayId,
    ...PERIOD,
    location_ids: Type.Array(LocationId),
    demand_by_hour: Type.Array(Type.Number(), { description: 'trips of each hour from `starts_at` on' }),
    demand_by_location: Type.Array(Type.Number(), { description: 'in the order of `location_ids`' }),
    demand_by_hour_and_location: nullable(
      Type.Array(Type.Array(Type.Number())),
      'trips, for each hour those of all locations, to a thousandth; null if hours × locations × (1 + policies) ' +
        `exceed ${MAX_REPLAY_CELLS}`,
    ),
    policies: Type.Array(ReplayedPolicy),
  },
  { $id: 'Replay' },
);
export type ReplayData = Static<typeof ReplayData>;

export const ReplayResponse = Type.Object(
  {
    status: Type.Literal('success'),
    data: ReplayData,
    metadata: Type.Interface([Metadata], { job_id: Type.String() }, { $id: 'ReplayMetadata' }),
  },
  { $id: 'ReplayResponse' },
);
export type ReplayResponse = Static<typeof ReplayResponse>;

export const ReplaySummary = Type.Object(
  {
    replay_id: ReplayId,
    created_at: Timestamp,
    ...PERIOD,
    policies: Type.Array(Type.Object({ ...POLICY, ...FIGURES }), { description: 'expected trip ends' }),
  },
  { $id: 'ReplaySummary' },
);
export type ReplaySummary = Static<typeof ReplaySummary>;

/** The columns of each part as CSV. */
export const REPLAY_CSV_COLUMNS = {
  policies: [
    ...[
      'policy',
      'mode',
      'demand',
      'seed',
      'served',
      'lost',
      'served_share',
      'moves',
      'km',
      'minutes',
      'cost',
    ],
    ...['utilization', 'objective', 'hours_without_plan'],
  ],
  hours: ['policy', 'starts_at', 'demand', 'served', 'moves'],
  locations: ['policy', 'location_id', 'demand', 'served'],
  locations_by_hour: ['policy', 'starts_at', 'location_id', 'demand', 'lost'],
} as const;
export type ReplayCsvPart = keyof typeof REPLAY_CSV_COLUMNS;

export const ReplayComparison = Type.Object(
  {
    replay_id: ReplayId,
    other_replay_id: ReplayId,
    differs_in: Type.Array(Type.String(), {
      description:
        'what was replayed differently; figures of different periods, fleets or prices say little together',
    }),
    policies: Type.Array(
      Type.Object({
        name: Type.String(),
        other_minus_this: nullable(Type.Object(FIGURES), 'null if only one of them has the policy'),
      }),
      { description: 'by name, those of this replay first; expected trip ends' },
    ),
  },
  { $id: 'ReplayComparison' },
);
export type ReplayComparison = Static<typeof ReplayComparison>;
