/**
 * The policies of a replay. They know what is known when an hour begins: where vehicles are and will arrive, and the
 * demand ahead as their source has it.
 */

import type { HorizonInput } from '../optimize/horizon/build-horizon.ts';
import type { TripFlows } from '../optimize/horizon/types.ts';
import { NO_MOVES } from '../optimize/problem/moves.ts';
import type { DemandAhead } from './forecasts.ts';
import { type EndOfPlan, type Planner, planAhead, planStep } from './planner.ts';
import type { Dispatch, PairTravel, ReplayView } from './types.ts';

/** Nobody moves. */
export const nobodyMoves: Dispatch = () => Promise.resolve(NO_MOVES);

export type StepPolicy = {
  planner: Planner;
  demand: DemandAhead;
  /** Where trips end, as planned with. */
  ends: (hour: number) => TripFlows;
  tripsPerHour: number;
  /** Whether a plan is made when this hour begins. */
  isPlanned: (hour: number) => boolean;
  /** Hours that the plan is for, after the one in which vehicles move: for the busiest of them. */
  hours: number;
};

/**
 * A plan for one step, made when an hour begins. Vehicles that serve in this hour, by the demand expected, do not move;
 * what they and those on the way will serve where they are free next is no task of the others.
 */
export function stepPolicy(policy: StepPolicy): Dispatch {
  const { planner, demand, ends, tripsPerHour, isPlanned, hours } = policy;
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
    const planned = busiestHour(ahead.subarray(n), n);
    return await planStep(
      planner,
      view.vehicles.map((vehicles, j) => vehicles - serving[j]),
      planned.map((trips, j) => Math.max(0, trips - tripsPerHour * there[j])),
    );
  };
}

/** The row with the largest total, as `demand_aggregation` `system_peak` plans. @param demand rows of n */
function busiestHour(demand: Float64Array, n: number): Float64Array {
  const rows = Array.from({ length: demand.length / n }, (_, t) => demand.subarray(t * n, (t + 1) * n));
  const totals = rows.map((row) => row.reduce((sum, trips) => sum + trips, 0));
  return rows[totals.indexOf(Math.max(...totals))];
}

export type HorizonPolicy = {
  planner: Planner;
  demand: DemandAhead;
  ends: (hour: number) => TripFlows;
  travel: PairTravel;
  /** Hours of a plan, with the one in which it is made. */
  hours: number;
  /** Hours from one plan to the next. */
  everyHours: number;
  /** After the last hour of a plan: see `EndOfPlan`. */
  end: 'nothing' | 'wrap' | 'salvage';
  /** Money per vehicle, of an end that wraps. */
  wrapWorth: number;
};

/** The longer plan that values vehicles at the end of a plan, and the hours of its steps. */
const LONGER = { hours: 24, stepHours: 2 };

/** A plan for several hours at once, of which the first one is carried out. */
export function horizonPolicy(policy: HorizonPolicy): Dispatch {
  const { planner, demand, ends, travel, hours, everyHours, end, wrapWorth } = policy;
  let known: Parameters<typeof planAhead>[3] = [];
  const inputOf = (view: ReplayView, ahead: Float64Array): HorizonInput => {
    const n = view.vehicles.length;
    const steps = ahead.length / n;
    return {
      stepHours: 1,
      demand: ahead,
      onTheWay: arrivalsOf(view, steps, n),
      minutesOf: (from, to) => travel.minutes[from * n + to],
      speedKmh: 1,
      isAhead: false,
      flows: Array.from({ length: steps }, (_, t) => ends(view.hour + t)),
    };
  };
  const endOf = (view: ReplayView): EndOfPlan | undefined => {
    if (end === 'nothing') return undefined;
    if (end === 'wrap') return { kind: 'wrap', worth: wrapWorth };
    const longer = inputOf(view, demand(view.hour, LONGER.hours));
    return { kind: 'salvage', longer, factor: LONGER.stepHours };
  };
  return async (view) => {
    if (view.hour % everyHours !== 0) return NO_MOVES;
    const input = inputOf(view, demand(view.hour, hours));
    const planned = await planAhead(planner, view.vehicles, input, known, endOf(view));
    known = planned.known;
    return planned.moves;
  };
}

function arrivalsOf(view: ReplayView, steps: number, n: number): Int32Array {
  return Int32Array.from({ length: steps * n }, (_, u) => {
    const ahead = Math.floor(u / n);
    return ahead === 0 ? 0 : view.arriving(ahead, u % n);
  });
}
