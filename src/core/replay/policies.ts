/**
 * The policies of a replay. They know what is known when an hour begins: where vehicles are and will arrive, and the
 * demand ahead as their source has it.
 */

import type { DemandAggregation } from '../../contracts/optimize.ts';
import type { HorizonInput } from '../optimize/horizon/build-horizon.ts';
import type { DemandParts, TripFlows } from '../optimize/horizon/types.ts';
import { NO_MOVES } from '../optimize/problem/moves.ts';
import { planningDemand } from '../optimize/request/demand.ts';
import type { DemandAhead } from './forecasts.ts';
import { planAhead } from './plan-ahead.ts';
import { type Planner, planStep } from './planner.ts';
import type { Dispatch, PairTravel, ReplayView } from './types.ts';

/** No vehicle moves. */
export const nobodyMoves: Dispatch = () => Promise.resolve(NO_MOVES);

export type StepPolicy = {
  planner: Planner;
  demand: DemandAhead;
  /** The ends of trips, as planned with. */
  ends: (hour: number) => TripFlows;
  tripsPerHour: number;
  /** Whether a plan is made when this hour begins. */
  isPlanned: (hour: number) => boolean;
  /** Hours that the plan is for, after the one in which vehicles move. */
  hours: number;
  /** The aggregation of these hours, by default the busiest one. Not the sum: a vehicle serves for an hour. */
  aggregation?: DemandAggregation | undefined;
};

/**
 * A plan for one step, made when an hour begins. Vehicles that serve in this hour, by the demand expected, do not move;
 * what they and those on the way will serve where they are free next is no task of the others.
 */
export function stepPolicy(policy: StepPolicy): Dispatch {
  const { planner, demand, ends, tripsPerHour, isPlanned, hours, aggregation = 'system_peak' } = policy;
  return async (view) => {
    if (!isPlanned(view.hour)) return NO_MOVES;
    const n = view.vehicles.length;
    const ahead = demand(view.hour, 1 + hours);
    if (ahead.length <= n) return NO_MOVES;
    const serving = view.vehicles.map((vehicles, j) =>
      Math.min(vehicles, Math.ceil(ahead[j] / tripsPerHour)),
    );
    const there = Float64Array.from(view.vehicles, (_, j) => view.arriving(1, j));
    const { starts, targets, shares } = ends(view.hour);
    for (let i = 0; i < n; i++)
      for (let a = starts[i]; a < starts[i + 1]; a++) there[targets[a]] += shares[a] * serving[i];
    const planned = aggregated(ahead.subarray(n), n, aggregation);
    return await planStep(
      planner,
      view.vehicles.map((vehicles, j) => vehicles - serving[j]),
      planned,
      there,
    );
  };
}

/** The planning demand of each location, as options of a decision aggregate it. @param demand rows of n */
function aggregated(demand: Float64Array, n: number, aggregation: DemandAggregation): Float64Array {
  const hours = Array.from({ length: demand.length / n }, (_, t) => t);
  const series = Object.fromEntries(
    Array.from({ length: n }, (_, j) => [j, hours.map((t) => demand[t * n + j])]),
  );
  return Float64Array.from(planningDemand(series, aggregation), ([, planned]) => planned);
}

export type HorizonPolicy = {
  planner: Planner;
  demand: DemandAhead;
  /** The chances of parts of this demand, for as many hours; absent: all of it is certain. */
  parts?: ((hour: number, count: number) => DemandParts) | undefined;
  /** null: everywhere where they began. */
  ends: ((hour: number) => TripFlows) | null;
  travel: PairTravel;
  /** Hours of a plan, with the one in which it is made; whole steps. */
  hours: number;
  /** Hours of a step. */
  stepHours: number;
  /** Hours from one plan to the next. */
  everyHours: number;
};

/** A plan for several hours at once, of which the first one is carried out. */
export function horizonPolicy(policy: HorizonPolicy): Dispatch {
  const { planner, demand, parts, ends, travel, hours, stepHours, everyHours } = policy;
  let known: Parameters<typeof planAhead>[3] = [];
  const inputOf = (view: ReplayView, ahead: Float64Array): HorizonInput => {
    const n = view.vehicles.length;
    const hours = ahead.length / n;
    const steps = Math.ceil(hours / stepHours);
    return {
      stepHours,
      demand: sumsOfSteps(ahead, n, stepHours),
      parts: parts && partsOfSteps(parts(view.hour, hours), n, stepHours),
      onTheWay: arrivalsOf(view, steps, n, stepHours),
      minutesOf: (from, to) => travel.minutes[from * n + to],
      speedKmh: 1,
      isAhead: false,
      ...(ends && {
        flows: Array.from({ length: steps }, (_, t) =>
          ends(view.hour + Math.min(hours, (t + 1) * stepHours) - 1),
        ),
      }),
    };
  };
  return async (view) => {
    if (view.hour % everyHours !== 0) return NO_MOVES;
    const input = inputOf(view, demand(view.hour, hours));
    const planned = await planAhead(planner, view.vehicles, input, known);
    known = planned.known;
    return planned.moves;
  };
}

/** Rows of hours as rows of steps, the last of which may lack some hours. */
function sumsOfSteps(hourly: Float64Array, n: number, stepHours: number): Float64Array {
  if (stepHours === 1) return hourly;
  const sums = new Float64Array(Math.ceil(hourly.length / n / stepHours) * n);
  for (const [u, value] of hourly.entries()) sums[Math.floor(u / n / stepHours) * n + (u % n)] += value;
  return sums;
}

/** The hours of a step are taken to be busy together. */
function partsOfSteps({ chances, sizes }: DemandParts, n: number, stepHours: number): DemandParts {
  const size = sizes.length / chances.length;
  const rows = Array.from(chances, (_, p) =>
    sumsOfSteps(sizes.subarray(p * size, (p + 1) * size), n, stepHours),
  );
  return { chances, sizes: Float64Array.from(rows.flatMap((row) => [...row])) };
}

/** Vehicles on the way by the step that begins when they have arrived. */
function arrivalsOf(view: ReplayView, steps: number, n: number, stepHours: number): Int32Array {
  const arrivals = new Int32Array(steps * n);
  for (let ahead = 1; ahead <= (steps - 1) * stepHours; ahead++) {
    const row = Math.ceil(ahead / stepHours) * n;
    for (let j = 0; j < n; j++) arrivals[row + j] += view.arriving(ahead, j);
  }
  return arrivals;
}
