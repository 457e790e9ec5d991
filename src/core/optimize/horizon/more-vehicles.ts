/**
 * The fewest further vehicles with which a plan of all steps serves what is required.
 *
 * They wait at a location of their own, from which they go anywhere, at a cost of 1 each; all else costs nothing. So
 * the bound of the least cost is one of their number. Where they go says where whole vehicles are wanted before the
 * first step, and a plan with these shows whether they are sufficient.
 */
import { UNITS_PER_COST } from '../problem/costs.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { isOver } from '../run/stopping.ts';
import type { RuledHorizon } from './rules.ts';
import { solveNetwork } from './solve-network.ts';
import { solveWithRules } from './solve-with-rules.ts';
import type { HorizonProblem, StepMoves, TravelPairs, TripFlows } from './types.ts';

/** Vehicles below this are none. */
const VEHICLE_NOISE = 1e-4;
/** What a further vehicle costs where moves cost what they do, in dearest moves. */
const VEHICLE_COST = 100;
/** A gap that any plan is within: what it costs does not matter. */
const ANY_COST = 1e6;
/** Numbers that are tried where other rules want more than the bound. */
const MORE_TRIES = [1.25, 2];

/**
 * `least`: proved, fewer are not sufficient; 0 where fractional vehicles need none, and only whole ones do. `enough`
 * are, n: where they stand before the first step; null if not known.
 */
export type MoreVehicles = { least: number; enough: Int32Array | null };

/**
 * Critical demand may need vehicles before the level does, and a ceiling may keep them from where they are wanted:
 * both are lifted for the bound, and kept by the plan that shows what is sufficient.
 * @param problem whose first step has no demand
 * @param capacityClass of the further vehicles
 * @returns `none`: no number is enough; null if nothing was proved in time
 */
export async function fewestMore(
  problem: RuledHorizon,
  capacityClass: number,
  control: SolveControl,
  cache: Cache,
): Promise<MoreVehicles | 'none' | null> {
  if (isOver(control)) return null;
  const { base, capacities } = problem;
  const { n, demand, least: fewest } = base;
  const served = capacities[capacityClass];
  const most = new Float64Array(n);
  for (const [u, wanted] of allDemand(base).entries()) {
    const count = Math.max(Math.ceil(wanted / served), fewest?.[u] ?? 0);
    // Trips take vehicles away, perhaps for good: then every step wants others.
    most[u % n] = base.flows ? most[u % n] + count : Math.max(most[u % n], count);
  }
  const waiting = most.reduce((sum, count) => sum + count, 0);
  let least = 0;
  // If moves cost nothing, the cost is the number. If they cost what they do, and keep to their ceiling, vehicles stand
  // where that is cheapest.
  for (const isFree of [true, false]) {
    const found = await solveWithRules(withWaiting(problem, capacityClass, waiting, isFree), control, cache);
    if (found.kind === 'unserved' || (found.kind === 'infeasible' && found.isProved)) return 'none';
    if (found.kind !== 'solved') return isFree ? null : { least, enough: null };
    const { moves, boundUnits } = found.plan;
    if (isFree) least = Math.max(0, Math.ceil(boundUnits / UNITS_PER_COST - VEHICLE_NOISE));
    // The bound has no ceiling and no critical demand; with them fractional vehicles may not do as they are.
    if (isFree && least === 0 && (await isOutOfReach(problem, control, cache))) least = 1;
    const first = Math.max(1, least);
    const wanted = new Float64Array(n);
    for (let m = 0; m < moves.step.length; m++)
      if (moves.from[m] === n) wanted[moves.to[m]] += moves.vehicles[m];
    const all = wanted.reduce((sum, amount) => sum + Math.ceil(amount - VEHICLE_NOISE), 0);
    const more = !isFree ? MORE_TRIES.map((factor) => Math.ceil(factor * Math.max(first, all))) : [];
    for (const count of new Set([first, all, ...more])) {
      if (count < first) continue;
      if (isOver(control)) return { least, enough: null };
      const enough = placed(wanted, count);
      const supply = problem.supply.slice();
      for (let j = 0; j < n; j++) supply[capacityClass * demand.length + j] += enough[j];
      if (await reaches({ ...problem, supply }, control, cache)) return { least, enough };
    }
  }
  return { least, enough: null };
}

/** Whether it is proved that not even fractional vehicles keep the rules and serve what is required. */
async function isOutOfReach(problem: RuledHorizon, control: SolveControl, cache: Cache): Promise<boolean> {
  const found = await solveWithRules(problem, control, cache);
  return found.kind === 'unserved' || (found.kind === 'infeasible' && found.isProved);
}

/** T × n: demand if all parts come. */
function allDemand({ parts, demand }: HorizonProblem): Float64Array {
  if (!parts) return demand;
  const all = new Float64Array(demand.length);
  for (const [k, size] of parts.sizes.entries()) all[k % demand.length] += size;
  return all;
}

/** What the moves of the dearest step cost, in cost units. */
function dearestUnits({ steps, pairs }: HorizonProblem, { step, from, to, vehicles }: StepMoves): number {
  const spent = new Float64Array(steps);
  for (let m = 0; m < step.length; m++) {
    const arcs = pairs.targets.subarray(pairs.starts[from[m]], pairs.starts[from[m] + 1]);
    spent[step[m]] += vehicles[m] * pairs.units[pairs.starts[from[m]] + arcs.indexOf(to[m])];
  }
  return spent.reduce((most, units) => Math.max(most, units), 0);
}

/** So many whole vehicles, where most is wanted of the next one. */
function placed(wanted: Float64Array, count: number): Int32Array {
  const more = Int32Array.from(wanted, (amount) => Math.floor(amount + VEHICLE_NOISE));
  for (let left = count - more.reduce((sum, vehicles) => sum + vehicles, 0); left > 0; left--) {
    let best = 0;
    for (let j = 1; j < more.length; j++) if (wanted[j] - more[j] > wanted[best] - more[best]) best = j;
    more[best]++;
  }
  return more;
}

/**
 * Whether a plan with whole first moves, and whole later ones if all are, keeps the rules and serves what is required.
 */
export async function reaches(problem: RuledHorizon, control: SolveControl, cache: Cache): Promise<boolean> {
  // Even to set up the programme takes tenths of a second.
  if (isOver(control)) return false;
  const { base, capacities, supply, fleetSize, levels, firstPairs } = problem;
  const { ceilingUnits = Number.POSITIVE_INFINITY } = problem;
  const { required, demand } = base;
  const total = demand.reduce((sum, value) => sum + value, 0);
  const isEnough = (served: number) => served >= required - 2e-9 * total;
  const isTied = fleetSize !== undefined || levels || firstPairs;
  if (capacities.length === 1 && !base.flows && !isTied) {
    const solved = solveNetwork({ ...base, supply }, control);
    if (!('plan' in solved) || !solved.plan) return false;
    const { figures, moves } = solved.plan;
    if (!isEnough(figures.totalServed)) return false;
    if (dearestUnits(base, moves) <= ceilingUnits) return true;
  }
  const solved = await solveWithRules(problem, control, cache, [], { gap: ANY_COST });
  return 'plan' in solved && isEnough(solved.plan.figures.totalServed);
}

function withWaiting(problem: RuledHorizon, k: number, waiting: number, isFree: boolean): RuledHorizon {
  const { base, capacities, supply, fleetSize, ceilingUnits } = problem;
  const { n, steps, demand, parts, least, most, flows, required, capacity } = base;
  /** Rows of n as rows of n + 1. */
  const wider = <A extends Float64Array | Int32Array>(rows: A, last: number): A => {
    const all = new (rows.constructor as new (size: number) => A)((rows.length / n) * (n + 1)).fill(
      last,
    ) as A;
    for (let u = 0; u < rows.length; u++) all[u + Math.floor(u / n)] = rows[u];
    return all;
  };
  const all = wider(supply, 0);
  all[k * steps * (n + 1) + n] = waiting;
  const tables = new Map<TripFlows, TripFlows>();
  const longer = (table: TripFlows) => {
    const known = tables.get(table) ?? {
      ...table,
      starts: Int32Array.from([...table.starts, table.starts[n]]),
    };
    tables.set(table, known);
    return known;
  };
  const wide: HorizonProblem = {
    n: n + 1,
    steps,
    capacity,
    required,
    supply: new Int32Array(steps * (n + 1)),
    demand: wider(demand, 0),
    ...(parts && { parts: { ...parts, sizes: wider(parts.sizes, 0) } }),
    pairs: withWaitingPairs(base, isFree),
    ...(least && { least: wider(least, 0) }),
    ...(most && { most: wider(most, Number.POSITIVE_INFINITY) }),
    ...(flows && { flows: flows.map(longer) }),
  };
  const counted = { base: wide, capacities, supply: all, fleetSize };
  if (isFree) return counted;
  // Not a part of the moves' cost, which may have a ceiling.
  const changeUnits = VEHICLE_COST * dearestPair(base);
  const groups = [{ capacityClass: k, location: n, target: n, count: waiting }];
  return { ...counted, ceilingUnits, previous: { changeUnits, groups } };
}

/** What the dearest move costs, in cost units; 1 at least. */
function dearestPair({ pairs }: HorizonProblem): number {
  return pairs.units.reduce((most, units) => Math.max(most, units), 1);
}

/** With a new location, which leads to all others. If moves are free, each of those from there costs 1. */
function withWaitingPairs({ n, pairs }: HorizonProblem, isFree: boolean): TravelPairs {
  const { starts, targets, units, delay } = pairs;
  const known = targets.length;
  const wide: TravelPairs = {
    starts: Int32Array.from([...starts, known + n]),
    targets: new Int32Array(known + n),
    units: new Float64Array(known + n).fill(isFree ? UNITS_PER_COST : 0, known),
    delay: new Uint8Array(known + n).fill(1, known),
  };
  wide.targets.set(targets);
  if (!isFree) wide.units.set(units);
  wide.delay.set(delay);
  for (let j = 0; j < n; j++) wide.targets[known + j] = j;
  return wide;
}
