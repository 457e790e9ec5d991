import type { BacktestRequest } from './backtest.ts';
import type { DecisionRequest } from './decisions.ts';
import type { JobKind } from './jobs.ts';
import { boundedLocationIds, type OptimizeRequest } from './optimize.ts';
import { type ReplayRequest, replayWork } from './replays.ts';
import { hourOfWeek } from './time.ts';

/**
 * Facts that the event loop of a worker needs of a request. They are extracted when the request is checked, and stored
 * next to it: a request may have many megabytes, so only threads parse it.
 */
export type OptimizeFacts = {
  /** as requested, null if not given */
  timeLimitSeconds: number | null;
  /** it plans with the stored travel table */
  storedTravel?: true;
  /** the plan that vehicles should keep to */
  previousPlanId?: string;
  /** that plan was no longer stored when a schedule made the job */
  isPreviousPlanGone?: true;
  /** it looks ahead, and follows the stored trip flows */
  tripFlows?: true;
  /** the hours that it looks ahead to; absent: not known before the inputs of a decision, or not at all */
  tripHours?: TripHours;
  /** of moves whose minutes are not known, if the plan looks ahead and says so */
  speedKmh?: number;
};

/** Hours of the week in a row. */
export type TripHours = {
  /** 0 to 167, as `hour_of_week` */
  first: number;
  count: number;
};

/** The whole request except the parts that may be large: vehicles, costs, limits by location. */
export type DecisionFacts = OptimizeFacts &
  Omit<DecisionRequest, 'fleet_state' | 'network' | 'constraints' | 'options'> & {
    network?: { location_ids: number[] };
    /** locations that the constraints name; absent: none */
    boundedLocationIds?: number[];
    /** the request has vehicles of its own */
    hasFleet: boolean;
  };

/** The whole request; `work`: what its time is in proportion to, beside its locations (`replayWork`). */
type ReplayFacts = ReplayRequest & Pick<OptimizeFacts, 'storedTravel'> & { work: number };

export type FactsOf = {
  optimize: OptimizeFacts;
  decision: DecisionFacts;
  backtest: BacktestRequest;
  replay: ReplayFacts;
};
export type JobFacts = FactsOf[JobKind];

export type RequestOf = {
  optimize: OptimizeRequest;
  decision: DecisionRequest;
  backtest: BacktestRequest;
  replay: ReplayRequest;
};

/** The facts of a valid request. */
export function jobFacts<K extends JobKind>(kind: K, request: RequestOf[K]): FactsOf[K];
export function jobFacts(kind: JobKind, request: RequestOf[JobKind]): JobFacts {
  if (kind === 'backtest') return request as BacktestRequest;
  if (kind === 'replay') {
    const replay = request as ReplayRequest;
    const stored = usesStoredTravel(replay) && { storedTravel: true as const };
    return { ...replay, ...stored, work: replayWork(replay) };
  }
  const { options } = request as OptimizeRequest | DecisionRequest;
  const timeLimitSeconds = options?.time_limit_seconds ?? null;
  const previousPlanId = options?.previous_plan_id;
  const speedKmh = options?.horizon?.speed_kmh;
  const facts = {
    timeLimitSeconds,
    ...(usesStoredTravel(options) && { storedTravel: true as const }),
    ...(previousPlanId !== undefined && { previousPlanId }),
    ...(usesTripFlows(request as OptimizeRequest | DecisionRequest) && { tripFlows: true as const }),
    ...(speedKmh !== undefined && { speedKmh }),
  };
  if (kind === 'optimize') return { ...facts, ...(facts.tripFlows && hoursOf(request as OptimizeRequest)) };
  const { fleet_state, network, constraints, options: _options, ...rest } = request as DecisionRequest;
  const bounded = boundedLocationIds(constraints);
  return {
    ...rest,
    ...facts,
    hasFleet: fleet_state !== undefined,
    ...(network && { network: { location_ids: network.location_ids } }),
    ...(bounded.length > 0 && { boundedLocationIds: bounded }),
  };
}

/** Whether kilometres and minutes come from the stored travel table. */
export function usesStoredTravel(
  options: Pick<NonNullable<OptimizeRequest['options']>, 'travel'> | undefined,
): boolean {
  return options?.travel !== undefined && options.travel !== 'great_circle';
}

function hoursOf({ options, demand_forecast: demand }: OptimizeRequest): { tripHours?: TripHours } {
  const { starts_at: startsAt, step_hours: stepHours = options?.step_hours ?? 1 } = options?.horizon ?? {};
  if (startsAt === undefined) return {};
  const steps = Object.values(demand).reduce((most, values) => Math.max(most, values.length), 0);
  return { tripHours: { first: hourOfWeek(startsAt), count: steps * stepHours } };
}

/** Whether a plan looks ahead and follows the stored trip flows. */
function usesTripFlows(request: OptimizeRequest | DecisionRequest): boolean {
  const { horizon } = request.options ?? {};
  const looksAhead = horizon !== undefined || ('mode' in request && request.mode === 'horizon');
  return looksAhead && horizon?.trip_flows !== 'none' && request.network === undefined;
}
