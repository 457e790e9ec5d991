/**
 * Replays: what plans would have brought. Policies meet the same demand and the same draws; each plan is made from what
 * was known when its hour began, and carried out. Every replay is checked by code of its own (`check-record.ts`).
 */
import type { Constraints, OptimizeRequest } from '../../contracts/optimize.ts';
import { requireFinite } from '../finite.ts';
import type { TripFlows } from '../optimize/horizon/types.ts';
import { createCache } from '../optimize/run/cache.ts';
import { checkRecord } from './check-record.ts';
import { type ReplayFigures, replayFigures } from './figures.ts';
import { type DemandAhead, type DemandSource, knownDemand, type PastForecasts } from './forecasts.ts';
import { boundOfPeriod } from './period-bound.ts';
import { createPlanner, type Planner, type PlannerOptions } from './planner.ts';
import { type HorizonPolicy, horizonPolicy, nobodyMoves, stepPolicy } from './policies.ts';
import { simulate } from './simulate.ts';
import type { Dispatch, ReplayedPast, ReplayRecord, TripEnds } from './types.ts';

export type ReplayPolicy = {
  name: string;
  /** `nightly`: for the busiest hour of the day ahead, as decisions plan. `static`: for the hour after each plan. */
  mode: 'none' | 'nightly' | 'static' | 'horizon';
  /** `observed`: knows the demand. `spread` is for plans that look ahead; others plan for the mean. */
  demand: DemandSource;
  /** Confidence level of the interval whose upper end `upper` plans for. */
  confidenceLevel: number;
  /** Hours of a horizon plan, with the one in which it is made. */
  horizonHours: number;
  /** Hours of a step of it, of which `horizonHours` is a multiple. */
  stepHours: number;
  /** Hours from one plan of `static` and `horizon` to the next. */
  replanEveryHours: number;
  /** Beside the price of unmet demand of the replay, or instead of it. */
  constraints?: Constraints;
  /** n × n: what its plans take a move to cost, as in `PairTravel`; absent: what it costs. */
  moveCost?: Float64Array;
  /** Of its plans; `cost` is in `moveCost`. */
  options?: PolicyOptions;
};

/** `demand_aggregation` counts for nights, `refine` for plans of one step. */
type PolicyOptions = Pick<
  NonNullable<OptimizeRequest['options']>,
  'cost' | 'optimality_gap' | 'demand_aggregation' | 'refine'
>;

export type ReplayOptions = {
  policies: readonly ReplayPolicy[];
  /** The cost of a lost trip, in the money of moves: in all plans, and in the objective of all replays. */
  unmetDemandCost: number;
  /** A replay with drawn trip ends for each. */
  seeds: readonly number[];
  /** Whether an hour, counted from the first one, is the one of the night's plan. */
  isNight: (hour: number) => boolean;
  timeLimitSeconds: number;
  gap: number;
  withBound: boolean;
};

export type Replayed = {
  ends: TripEnds;
  figures: ReplayFigures;
  /** The cost of moving and of unmet demand. */
  objective: number;
  record: ReplayRecord;
};

export type ReplayReport = {
  /** In the order of the policies: with expected trip ends, then with those drawn, in the order of the seeds. */
  policies: { policy: ReplayPolicy; expected: Replayed; drawn: Replayed[] }[];
  /** A proved bound on the objective; null if not asked for, or not found in time. */
  bound: number | null;
};

export type ReplayControl = {
  stopFlag?: Int32Array | undefined;
  /** Called after each simulated hour. */
  onProgress?: (done: number, total: number) => void;
};

/** Hours that forecasts reach ahead, if no horizon needs more: the night's plan is for a day. */
export const DAY_AHEAD_HOURS = 24;

/** The levels of the intervals whose upper ends policies plan for, each once. */
export function upperLevels(policies: readonly ReplayPolicy[]): number[] {
  return [...new Set(policies.filter(({ demand }) => demand === 'upper').map((one) => one.confidenceLevel))];
}

/**
 * @param fleet n: vehicles by location when the first hour begins
 * @returns null if the stop flag was set before the end
 * @throws RefusedError for constraints that plans do not know; Error if a plan fails, or if a replay does not pass its
 * checks
 */
export async function replay(
  past: ReplayedPast,
  fleet: Int32Array,
  forecasts: PastForecasts,
  options: ReplayOptions,
  { stopFlag, onProgress }: ReplayControl = {},
): Promise<ReplayReport | null> {
  const n = fleet.length;
  const { policies, seeds, unmetDemandCost, timeLimitSeconds, gap } = options;
  const cache = createCache();
  const plannerOf = (policy: Pick<ReplayPolicy, 'constraints' | 'moveCost' | 'options'> = {}): Planner => {
    const { constraints, moveCost = past.travel.cost, options: own = {} } = policy;
    const ofPlans: PlannerOptions = {
      constraints: { unmet_demand_cost: unmetDemandCost, ...constraints },
      refine: own.refine,
      gap: own.optimality_gap ?? gap,
      timeLimitSeconds,
    };
    return createPlanner({ ...past, travel: { ...past.travel, cost: moveCost } }, ofPlans, cache);
  };
  const demandOf = ({ demand, confidenceLevel }: ReplayPolicy): DemandAhead => {
    if (demand === 'observed') return knownDemand(past.demand, n);
    return demand === 'upper' ? forecasts.upper(confidenceLevel) : forecasts.mean;
  };
  const size = fleet.reduce((sum, vehicles) => sum + vehicles, 0);
  const total = policies.length * (1 + seeds.length) * past.hours;
  let done = 0;
  const run = async (policy: ReplayPolicy, ends: TripEnds): Promise<Replayed | null> => {
    const planner = plannerOf(policy);
    const source = {
      demand: demandOf(policy),
      parts: policy.demand === 'spread' ? forecasts.parts : undefined,
    };
    const dispatch = dispatchOf(policy, past, planner, source, options);
    const onHour = () => onProgress?.(++done, total);
    const record = await simulate(past, fleet, dispatch, ends, { stopFlag, onHour });
    if (!record) return null;
    const wrong = checkRecord(past, fleet, record);
    if (wrong.length > 0) throw new Error(`the replay of ${policy.name} is not consistent: ${wrong[0]}`);
    const figures = replayFigures(past, size, record);
    return { ends, figures, objective: figures.cost + unmetDemandCost * figures.lost, record };
  };
  const reports: ReplayReport['policies'] = [];
  for (const policy of policies) {
    const expected = await run(policy, { kind: 'expected' });
    const drawn: Replayed[] = [];
    for (const seed of seeds) {
      const one = await run(policy, { kind: 'drawn', seed });
      if (one) drawn.push(one);
    }
    if (!expected || drawn.length < seeds.length) return null;
    reports.push({ policy, expected, drawn });
  }
  // Any record will do; the closer to the best one, the tighter the bound.
  const [best] = reports.map(({ expected }) => expected).sort((a, b) => a.objective - b.objective);
  const bound =
    options.withBound && best ? await boundOfPeriod(past, plannerOf(), fleet, best.record, stopFlag) : null;
  return requireFinite('replay', { policies: reports, bound });
}

/** Whether all trips end where they began: then vehicles are free where they served. */
function endsWhereItBegan({ starts, targets }: TripFlows): boolean {
  return targets.every((target, a) => starts[target] <= a && a < starts[target + 1]);
}

function dispatchOf(
  { mode, horizonHours, stepHours, replanEveryHours, options }: ReplayPolicy,
  { ends, tripsPerHour, travel }: ReplayedPast,
  planner: Planner,
  { demand, parts }: Pick<HorizonPolicy, 'demand' | 'parts'>,
  { isNight }: ReplayOptions,
): Dispatch {
  const endsOf = (hour: number) => ends[Math.min(hour, ends.length - 1)];
  const step = { planner, demand, ends: endsOf, tripsPerHour };
  const aheadEnds = ends.every(endsWhereItBegan) ? null : endsOf;
  switch (mode) {
    case 'none':
      return nobodyMoves;
    case 'nightly':
      return stepPolicy({
        ...{ ...step, isPlanned: isNight, hours: DAY_AHEAD_HOURS - 1 },
        aggregation: options?.demand_aggregation,
      });
    case 'static':
      return stepPolicy({ ...step, isPlanned: (hour) => hour % replanEveryHours === 0, hours: 1 });
    case 'horizon':
      return horizonPolicy({
        ...{ planner, demand, parts, ends: aheadEnds, travel },
        ...{ hours: horizonHours, stepHours, everyHours: replanEveryHours },
      });
  }
}
