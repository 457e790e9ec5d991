/**
 * The simulator: a fleet meets the demand of the past, hour by hour, and a policy moves it.
 *
 * As an hour begins, vehicles whose trips or moves ended are free. The policy moves some of them; they are out of
 * service until they arrive, at least to the end of the hour. The others serve, at their location, up to `tripsPerHour`
 * trips each. A vehicle that serves is free again when the next hour begins, where its last trip ends.
 * Complexity O(T (n² + vehicles)).
 */
import { HOUR_MS } from '../../contracts/time.ts';
import type { TripFlows } from '../optimize/horizon/types.ts';
import type { Moves } from '../optimize/problem/model.ts';
import { NO_MOVES } from '../optimize/problem/moves.ts';
import { drawsOf } from './random.ts';
import type { Dispatch, MoveRecord, ReplayedPast, ReplayRecord, ReplayView, TripEnds } from './types.ts';

/** Sums of shares may lack this much of a whole vehicle. */
const VEHICLE_NOISE = 1e-6;

/** Hours that a move of these minutes takes: at least one. */
export function moveHours(minutes: number): number {
  return Math.max(1, Math.ceil(minutes / 60));
}

export type SimulationControl = {
  /** Any value but 0 in the first element ends the simulation before the next hour. */
  stopFlag?: Int32Array | undefined;
  /** Called after each hour with the number of hours that are done. */
  onHour?: (done: number) => void;
};

/**
 * @param fleet n: vehicles by location when the first hour begins
 * @returns null if the stop flag was set before the end
 * @throws Error if the policy moves vehicles that are not there
 */
export async function simulate(
  past: ReplayedPast,
  fleet: Int32Array,
  dispatch: Dispatch,
  tripEnds: TripEnds,
  { stopFlag, onHour }: SimulationControl = {},
): Promise<ReplayRecord | null> {
  const { hours, tripsPerHour, demand, ends } = past;
  const n = fleet.length;
  const endsOf = (hour: number) => ends[Math.min(hour, ends.length - 1)];
  const record: ReplayRecord = {
    vehicles: new Float64Array(hours * n),
    serving: new Float64Array(hours * n),
    served: new Float64Array(hours * n),
    ended: new Float64Array((hours + 1) * n),
    moves: [],
    hoursWithoutPlan: 0,
  };
  /** Vehicles on the way, by the hour in which they arrive. */
  const arrivals = new Map<number, Float64Array>();
  const free = Float64Array.from(fleet);
  for (let t = 0; t < hours; t++) {
    if (stopFlag !== undefined && Atomics.load(stopFlag, 0) !== 0) return null;
    const arrived = arrivals.get(t);
    for (let j = 0; j < n; j++) free[j] += record.ended[t * n + j] + (arrived?.[j] ?? 0);
    arrivals.delete(t);
    record.vehicles.set(free, t * n);
    const planned = await dispatch(viewOf(t, free, arrivals));
    if (!planned) record.hoursWithoutPlan++;
    for (const move of listMoves(planned ?? NO_MOVES, t)) {
      leave(past, free, arrivals, move);
      record.moves.push(move);
    }
    for (let j = 0; j < n; j++) {
      const u = t * n + j;
      const served = Math.min(demand[u], tripsPerHour * free[j]);
      const loads = served / tripsPerHour;
      const serving =
        tripEnds.kind === 'expected' ? loads : Math.min(free[j], Math.ceil(loads - VEHICLE_NOISE));
      record.served[u] = served;
      record.serving[u] = serving;
      free[j] -= serving;
      const ended = record.ended.subarray((t + 1) * n, (t + 2) * n);
      if (tripEnds.kind === 'expected') endAsExpected(endsOf(t), j, serving, ended);
      else endAsDrawn(endsOf(t), j, serving, ended, drawsOf(tripEnds.seed, t, j));
    }
    onHour?.(t + 1);
  }
  return record;
}

function viewOf(hour: number, free: Float64Array, arrivals: ReadonlyMap<number, Float64Array>): ReplayView {
  return {
    hour,
    vehicles: Int32Array.from(free, (vehicles) => Math.floor(vehicles + VEHICLE_NOISE)),
    arriving: (ahead, location) => arrivals.get(hour + ahead)?.[location] ?? 0,
  };
}

function listMoves({ source, target, count }: Moves, hour: number): MoveRecord[] {
  return Array.from(source, (from, m) => ({ hour, from, to: target[m], vehicles: count[m] }));
}

function leave(
  { travel, firstHour }: ReplayedPast,
  free: Float64Array,
  arrivals: Map<number, Float64Array>,
  { hour, from, to, vehicles }: MoveRecord,
): void {
  const n = free.length;
  if (
    !(Number.isInteger(vehicles) && vehicles > 0 && from !== to && vehicles <= free[from] + VEHICLE_NOISE)
  ) {
    const when = new Date((firstHour + hour) * HOUR_MS).toISOString();
    throw new Error(
      `${when}: ${vehicles} vehicles cannot move from ${from} to ${to}; ${free[from]} are there`,
    );
  }
  free[from] = Math.max(0, free[from] - vehicles);
  const at = hour + moveHours(travel.minutes[from * n + to]);
  const arriving = arrivals.get(at) ?? new Float64Array(n);
  arriving[to] += vehicles;
  arrivals.set(at, arriving);
}

function endAsExpected(
  { starts, targets, shares }: TripFlows,
  from: number,
  vehicles: number,
  ended: Float64Array,
): void {
  for (let a = starts[from]; a < starts[from + 1]; a++) ended[targets[a]] += shares[a] * vehicles;
}

function endAsDrawn(
  { starts, targets, shares }: TripFlows,
  from: number,
  vehicles: number,
  ended: Float64Array,
  draw: () => number,
): void {
  for (let v = 0; v < vehicles; v++) {
    let rest = draw();
    let a = starts[from];
    // The last share takes what rounding leaves.
    while (a < starts[from + 1] - 1 && rest >= shares[a]) rest -= shares[a++];
    ended[targets[a]]++;
  }
}
