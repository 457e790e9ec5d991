import { type Static, Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { JobId, PlanId } from './jobs.ts';
import { nullable } from './nullable.ts';
import {
  AllocationPlanItem,
  Kpis,
  OptimizationResult,
  PlanLocation,
  PriorityLevel,
  Shortfall,
} from './optimize.ts';

export const PlanSummary = Type.Object(
  {
    plan_id: PlanId,
    job_id: JobId,
    created_at: Timestamp,
    solver_status: Type.Enum(['optimal', 'feasible']),
    gap: Type.Union([Type.Number(), Type.Null()]),
    total_cost: Type.Number(),
    kpis: Kpis,
    vehicle_count: Type.Integer(),
    solve_time_ms: Type.Number(),
  },
  { $id: 'PlanSummary' },
);
export type PlanSummary = Static<typeof PlanSummary>;

export const SOLVE_METHODS = [
  'none',
  'network_simplex',
  'linear',
  'mixed_integer',
  'rounding',
  'greedy',
] as const;

const Count = Type.Integer({ minimum: 0 });

export const Certificate = Type.Object(
  {
    objective: Type.Number({
      description:
        'cost of the plan, as in `total_cost`; with `unmet_demand_cost`, the cost of unmet demand included',
    }),
    bound: Type.Number({ description: 'proved: no plan has a smaller objective' }),
    gap: Type.Number({ description: '(objective - bound) / objective; 0 if the objective is 0' }),
    method: Type.Enum([...SOLVE_METHODS], {
      description:
        'method that found the plan. none: there are no vehicles; linear: a linear programme with an ' +
        'integral solution; mixed_integer: branch and cut; rounding, greedy: heuristics',
    }),
    columns: {
      ...Count,
      description: 'columns of the largest model, or moves that the network simplex priced',
    },
    rows: Count,
    iterations: { ...Count, description: 'of the simplex method, or pivots of the network simplex' },
    nodes: { ...Count, description: 'of the search trees' },
    confirmed_within: Type.Optional({
      ...Count,
      description:
        "iterations in which HiGHS confirmed the network simplex's tree as optimal; absent if it was not asked",
    }),
    checks: Type.Array(Type.String(), {
      description: 'what proved the bound, then the checks of the plan; all passed',
    }),
  },
  { $id: 'Certificate', description: 'proof of the plan' },
);
export type Certificate = Static<typeof Certificate>;

/** The fields of an answer that a stored plan has as they are: all but its figures, its locations and its vehicles. */
const {
  allocation_plan: _items,
  total_cost: _cost,
  kpis: _kpis,
  solver_status: _status,
  gap: _gap,
  locations: _locations,
  ...Findings
} = OptimizationResult.properties;

export const Plan = Type.Object(
  {
    ...PlanSummary.properties,
    certificate: Certificate,
    ...Findings,
    locations: Type.Array(PlanLocation, { description: 'every location of the problem, by ascending id' }),
    allocation_plan: Type.Array(AllocationPlanItem),
  },
  {
    $id: 'Plan',
    description: 'a stored plan, with everything that its answer says',
  },
);

const Place = Type.Union([Type.Integer(), Type.Null()], {
  description: 'null if the plan has no such vehicle',
});
const Money = Type.Union([Type.Number(), Type.Null()]);

export const PlanDifference = Type.Object(
  {
    vehicle_id: Type.String(),
    source_location: Place,
    target_location: Place,
    cost: Money,
    other_source_location: Place,
    other_target_location: Place,
    other_cost: Money,
  },
  { $id: 'PlanDifference' },
);
export type PlanDifference = Static<typeof PlanDifference>;

const { location_id, name, ...LocationFigures } = PlanLocation.properties;
const Figures = Type.Union([Type.Object(LocationFigures, { $id: 'PlanLocationFigures' }), Type.Null()], {
  description: 'null if the plan has no such location',
});

export const PlanLocationDifference = Type.Object(
  { location_id, name, figures: Figures, other_figures: Figures },
  { $id: 'PlanLocationDifference' },
);
export type PlanLocationDifference = Static<typeof PlanLocationDifference>;

const { demand, served, unmet } = PlanLocation.properties;
const LevelFigures = Type.Union(
  [
    Type.Object({ demand, served, unmet }, { $id: 'PlanLevelFigures', description: 'sums of the locations' }),
    Type.Null(),
  ],
  { description: 'null if the plan has no location of this level' },
);

export const PlanLevelDifference = Type.Object(
  {
    level: { ...PriorityLevel, description: 'priority level; 0 is ordinary demand' },
    figures: LevelFigures,
    other_figures: LevelFigures,
  },
  { $id: 'PlanLevelDifference' },
);
export type PlanLevelDifference = Static<typeof PlanLevelDifference>;

const { relaxations: _relaxations, ...Missed } = Shortfall.properties;
const ShortfallFigures = Type.Union([Type.Object(Missed, { $id: 'ShortfallFigures' }), Type.Null()], {
  description: "the plan's `shortfall` without its relaxations; null if it has none",
});
const Stages = Type.Array(Type.String(), { description: 'stages of the optimization that made the plan' });

export const PlanComparison = Type.Object(
  {
    plan_id: PlanId,
    other_plan_id: PlanId,
    kpi_differences: { ...Kpis, $id: 'KpiDifferences', description: 'the other plan minus this one' },
    vehicles: Type.Object({
      same: Type.Integer({ description: 'same source and target in both plans' }),
      different: Type.Integer(),
      only_in_plan: Type.Integer(),
      only_in_other: Type.Integer(),
    }),
    stages: Stages,
    other_stages: Stages,
    shortfall: ShortfallFigures,
    other_shortfall: ShortfallFigures,
    priorities: Type.Optional(
      Type.Array(PlanLevelDifference, {
        description:
          'demand by priority level, the highest first, if either plan has a level above 0; only in the answer ' +
          'without `cursor`. A location has the higher of its levels in the two plans, so both are asked about the ' +
          'same locations. All vehicles count, as in `locations`',
      }),
    ),
    locations: Type.Optional(
      Type.Array(PlanLocationDifference, {
        description: 'locations whose figures differ, by ascending id; only in the answer without `cursor`',
      }),
    ),
    differences: Type.Array(PlanDifference, { description: 'a page of the differences, by vehicle id' }),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'PlanComparison' },
);
export type PlanComparison = Static<typeof PlanComparison>;

/** Columns of a plan as CSV, by part. */
export const PLAN_CSV_COLUMNS = {
  /** A line per operational vehicle. */
  vehicles: ['vehicle_id', 'source_location', 'target_location', 'cost', 'assignment'],
  /** A line per pair of locations between which vehicles move: a work list. */
  moves: [
    'source_location',
    'source_name',
    'target_location',
    'target_name',
    'vehicles',
    'distance_km',
    'duration_minutes',
    'cost',
    'vehicle_ids',
  ],
  /** A line per location. */
  locations: Object.keys(PlanLocation.properties),
};
export type PlanCsvPart = keyof typeof PLAN_CSV_COLUMNS;

/** Distances of the moves of a plan, as parallel arrays with one entry per pair of locations. */
export type MoveDistances = {
  sources: number[];
  targets: number[];
  km: number[];
  /** null if the plan was not made with stored travel, which is then asked when the plan is stored; for a pair: if
   * its minutes are unknown */
  minutes: (number | null)[] | null;
};

/** A line of the work list. */
export type PlanMove = {
  source_location: number;
  source_name: string | null;
  target_location: number;
  target_name: string | null;
  vehicles: number;
  /** Distance between the two locations; null if unknown. */
  distance_km: number | null;
  /** Minutes from one to the other by stored travel, as it was when the plan was made; null if that had none. */
  duration_minutes: number | null;
  /** Cost of all these vehicles. */
  cost: number;
  /** In the order of the plan. */
  vehicle_ids: string[];
};

/**
 * Places of the vehicles of a move at a time: not yet gone (`due`), `on_the_way`, or arrived (`done`); `unknown` once
 * they have gone, if the minutes of the move are unknown.
 */
export const MOVE_STATES = ['due', 'on_the_way', 'done', 'unknown'] as const;
export type MoveState = (typeof MOVE_STATES)[number];

const TimedMove = Type.Object(
  {
    source_location: Type.Integer(),
    source_name: nullable(Type.String(), 'null if the request had a network'),
    target_location: Type.Integer(),
    target_name: nullable(Type.String(), 'null if the request had a network'),
    vehicles: Type.Integer({ minimum: 1 }),
    distance_km: nullable(Type.Number(), 'distance between the two locations; null if unknown'),
    duration_minutes: nullable(
      Type.Number(),
      'those of stored travel, else by `speed_kmh`; null if the distance is unknown, too',
    ),
    cost: Type.Number({ description: 'cost of all these vehicles' }),
    vehicle_ids: Type.Array(Type.String()),
    arrives_at: nullable(Timestamp, 'null if the minutes are unknown'),
    state: Type.Enum([...MOVE_STATES], {
      description:
        '`due`: not yet gone; `on_the_way`; `done`: arrived; `unknown`: gone, and the minutes of the move are unknown',
    }),
  },
  { $id: 'TimedMove' },
);
export type TimedMove = Static<typeof TimedMove>;

const StateCount = Type.Object({ moves: Count, vehicles: Count }, { $id: 'StateCount' });

export const PlanMoves = Type.Object(
  {
    plan_id: PlanId,
    starts_at: { ...Timestamp, description: 'when the vehicles leave' },
    at: { ...Timestamp, description: 'the time of `state`' },
    speed_kmh: Type.Number({ description: 'of moves that stored travel has no minutes of' }),
    moves: Type.Array(TimedMove, {
      description:
        'by pair of locations, ordered by source, the longest move first; vehicles that stay have none',
    }),
    counts: Type.Object(
      { due: StateCount, on_the_way: StateCount, done: StateCount, unknown: StateCount },
      { description: 'of all moves of the plan, whatever `state` the request asks for' },
    ),
  },
  { $id: 'PlanMoves' },
);
