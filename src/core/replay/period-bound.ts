/**
 * The least that any policy could have spent on moves and unmet demand over the whole period, had it known all demand:
 * a proved bound of the linear programme of all hours.
 *
 * The programme is too large to be solved in seconds (a week of 73 locations has 12,000 rows and a million moves). Any
 * values of vehicles prove a bound, so it is solved in windows, from the last one back: each begins with the fleet as a
 * replay had it, and goes some hours into the window after it, whose values it replaces there. It takes only those at
 * its own end. Without these hours it would send more vehicles over the seam than can be of use there.
 *
 * The bound holds for every replay with expected trip ends. It is not proved for drawn ones: a vehicle with less than a
 * full load ends elsewhere as a whole, and draws may be lucky.
 */
import { buildHorizon, type HorizonInput } from '../optimize/horizon/build-horizon.ts';
import { planHorizon } from '../optimize/horizon/plan-horizon.ts';
import type { HorizonProblem } from '../optimize/horizon/types.ts';
import { boundFromValues } from '../optimize/horizon/value-bound.ts';
import { fromUnits } from '../optimize/problem/costs.ts';
import { nowMs } from '../optimize/run/clock.ts';
import type { Planner } from './planner.ts';
import { moveHours } from './simulate.ts';
import type { ReplayedPast, ReplayRecord } from './types.ts';

/** Hours of a window. It begins at the hour with the least demand within as many hours. */
const WINDOW_HOURS = 24;
/** Hours of the next window that a window is planned with. */
const OVERLAP_HOURS = 12;

/**
 * @param planner with a price of unmet demand, without a service level
 * @param record of a replay, best of one that knows the demand
 * @returns money, of moves and unmet demand over all hours; null if a window was not solved in time
 */
export async function boundOfPeriod(
  past: ReplayedPast,
  planner: Planner,
  fleet: Int32Array,
  record: ReplayRecord,
  stopFlag?: Int32Array,
): Promise<number | null> {
  const { hours } = past;
  const n = fleet.length;
  const values = new Float64Array((hours + 1) * n);
  const seams = quietHours(past);
  for (let w = seams.length - 2; w >= 0; w--) {
    const from = seams[w];
    const until = Math.min(hours, seams[w + 1] + OVERLAP_HOURS);
    const problem = {
      ...problemOf(past, planner, from, until, startOf(past, record, from, until)),
      ...(until < hours && { endUnits: values.slice(until * n, (until + 1) * n) }),
    };
    const deadlineMs = nowMs() + planner.options.timeLimitSeconds * 1000;
    const planned = await planHorizon(problem, 0, { deadlineMs, stopFlag }, planner.cache);
    if (planned.kind !== 'solved') return null;
    values.set(planned.solution.values.subarray(0, (until - from) * n), from * n);
  }
  const supply = new Int32Array(hours * n);
  supply.set(fleet);
  return fromUnits(boundFromValues(problemOf(past, planner, 0, hours, supply), values, 0));
}

/** The first hour, the quiet one of each window after it, and the end. */
function quietHours({ hours, demand, locationIds: { length: n } }: ReplayedPast): number[] {
  const total = (t: number) => demand.subarray(t * n, (t + 1) * n).reduce((sum, trips) => sum + trips, 0);
  const quiet: number[] = [];
  for (let from = WINDOW_HOURS; from < hours; from += WINDOW_HOURS) {
    const length = Math.min(WINDOW_HOURS, hours - from);
    const window = Array.from({ length }, (_, t) => from + t);
    quiet.push(window.reduce((least, t) => (total(t) < total(least) ? t : least)));
  }
  return [0, ...quiet, hours];
}

function problemOf(
  { demand, travel, ends }: ReplayedPast,
  { base }: Planner,
  from: number,
  until: number,
  supply: Int32Array,
): HorizonProblem {
  const n = base.locationIds.length;
  const input: HorizonInput = {
    stepHours: 1,
    demand: demand.subarray(from * n, until * n),
    onTheWay: supply.slice().fill(0, 0, n),
    minutesOf: (i, j) => travel.minutes[i * n + j],
    speedKmh: 1,
    isAhead: false,
    flows: Array.from({ length: until - from }, (_, t) => ends[Math.min(from + t, ends.length - 1)]),
  };
  const problem = buildHorizon({ ...base, supply: supply.slice(0, n) }, input);
  if ('field' in problem) throw new Error(problem.message);
  return problem;
}

/** Vehicles of a replay by the hour from which they are free, a row per hour from `from` on. */
function startOf(
  { travel }: ReplayedPast,
  { vehicles, moves }: ReplayRecord,
  from: number,
  until: number,
): Int32Array {
  const n = Math.round(Math.sqrt(travel.km.length));
  const supply = new Int32Array((until - from) * n);
  for (let j = 0; j < n; j++) supply[j] = Math.round(vehicles[from * n + j]);
  for (const { hour, from: source, to, vehicles: count } of moves) {
    const at = hour + moveHours(travel.minutes[source * n + to]);
    if (hour < from && at > from && at < until) supply[(at - from) * n + to] += count;
  }
  return supply;
}
