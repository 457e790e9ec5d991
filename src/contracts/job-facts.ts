import type { BacktestRequest } from './backtest.ts';
import type { DecisionRequest } from './decisions.ts';
import type { JobKind } from './jobs.ts';
import { boundedLocationIds, type OptimizeRequest } from './optimize.ts';

/**
 * What the event loop of a worker needs to know of a request. It is extracted when the request is checked, and stored
 * next to it: a request may have many megabytes, so only threads parse it.
 */
export type OptimizeFacts = {
  /** as requested, null if not given */
  timeLimitSeconds: number | null;
  /** it plans with the stored travel table */
  storedTravel?: true;
  /** the plan that vehicles should keep to */
  previousPlanId?: string;
  /** it looks ahead, and follows the stored trip flows */
  tripFlows?: true;
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

export type FactsOf = { optimize: OptimizeFacts; decision: DecisionFacts; backtest: BacktestRequest };
export type JobFacts = FactsOf[JobKind];

export type RequestOf = { optimize: OptimizeRequest; decision: DecisionRequest; backtest: BacktestRequest };

/** The facts of a valid request. */
export function jobFacts<K extends JobKind>(kind: K, request: RequestOf[K]): FactsOf[K];
export function jobFacts(kind: JobKind, request: RequestOf[JobKind]): JobFacts {
  if (kind === 'backtest') return request as BacktestRequest;
  const { options } = request as OptimizeRequest | DecisionRequest;
  const timeLimitSeconds = options?.time_limit_seconds ?? null;
  const previousPlanId = options?.previous_plan_id;
  const facts = {
    timeLimitSeconds,
    ...(usesStoredTravel(options) && { storedTravel: true as const }),
    ...(previousPlanId !== undefined && { previousPlanId }),
    ...(usesTripFlows(request as OptimizeRequest | DecisionRequest) && { tripFlows: true as const }),
  };
  if (kind === 'optimize') return facts;
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
export function usesStoredTravel(options: OptimizeRequest['options']): boolean {
  return options?.travel !== undefined && options.travel !== 'great_circle';
}

/** Whether a plan looks ahead and follows the stored trip flows. */
function usesTripFlows(request: OptimizeRequest | DecisionRequest): boolean {
  const { horizon } = request.options ?? {};
  const looksAhead = horizon !== undefined || ('mode' in request && request.mode === 'horizon');
  return looksAhead && horizon?.trip_flows !== 'none' && request.network === undefined;
}
