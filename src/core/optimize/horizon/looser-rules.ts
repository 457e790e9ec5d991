/**
 * How far one rule has to be loosened before a plan of all steps keeps the others and serves what is required: the
 * programme over fractional vehicles proves what is not enough (`leastLoosening`), and a plan with whole first moves
 * shows what is.
 */
import { UNITS_PER_COST } from '../problem/costs.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { isOver } from '../run/stopping.ts';
import { reaches } from './more-vehicles.ts';
import type { RuledHorizon } from './rules.ts';
import { leastLoosening } from './solve-with-rules.ts';

/** Vehicles below this are none. */
const VEHICLE_NOISE = 1e-4;
/** Plans that a bisection makes at most. */
const MAX_PLANS = 6;

/**
 * `least`: proved, a smaller change in total is not enough; 0 where fractional vehicles need none, and only whole ones
 * do. `by`: a change that is enough; null if none was found.
 */
export type Looser<By> = { least: number; by: By | null };

/**
 * @param limited the problem as the plan has to keep it; `problem` may lack a rule that is not in the way
 * @param byLocation whether the request bounds each location by itself
 * @returns `by` in vehicles: n, or one number for all locations; `none` if no amount is enough
 */
export async function looserBounds(
  problem: RuledHorizon,
  limited: RuledHorizon,
  { side, byLocation }: { side: 'least' | 'most'; byLocation: boolean },
  control: SolveControl,
  cache: Cache,
): Promise<Looser<Int32Array> | 'none' | null> {
  const found = await leastLoosening(problem, { rule: side, byLocation }, control, cache);
  if (!found || found === 'none') return found;
  const by = Int32Array.from(found.by, (amount) => Math.ceil(amount - VEHICLE_NOISE));
  const least = Math.max(0, Math.ceil(found.least - VEHICLE_NOISE));
  // Whole vehicles may need one more where fractional ones need some; no bound falls below 0.
  if (by.every((amount) => amount <= 0)) return { least, by: null };
  const all = side === 'least' ? largestLeast(problem, by.length) : null;
  for (const more of [0, 1]) {
    const changed = by.map((amount, at) => {
      return amount > 0 ? Math.min(amount + more, all?.[at] ?? amount + more) : 0;
    });
    if (await reaches(withLooserRule(limited, side, changed), control, cache)) return { least, by: changed };
    if (isOver(control)) break;
  }
  return { least, by: null };
}

/** What lifts the fewest vehicles: of each location, or one number for all of them. */
function largestLeast({ base: { least } }: RuledHorizon, count: number): Int32Array {
  const largest = new Int32Array(count);
  for (const [u, value] of least!.entries()) largest[u % count] = Math.max(largest[u % count], value);
  return largest;
}

/** The problem with other bounds in all steps but the first, which has none. @param by n, or one for all locations */
export function withLooserRule(problem: RuledHorizon, side: 'least' | 'most', by: Int32Array): RuledHorizon {
  const rows = problem.base[side]!.slice();
  const sign = side === 'least' ? -1 : 1;
  for (let u = problem.base.n; u < rows.length; u++) rows[u] += sign * by[u % by.length];
  return {
    ...problem,
    base: { ...problem.base, [side]: side === 'least' ? rows.map((v) => Math.max(0, v)) : rows },
  };
}

/**
 * @param problem with a ceiling
 * @param enoughUnits a ceiling that is known to be sufficient, in cost units; null if none is
 * @returns cost units: `by` is the ceiling itself, and less than `least` is proved insufficient
 */
export async function higherCeiling(
  problem: RuledHorizon,
  enoughUnits: number | null,
  control: SolveControl,
  cache: Cache,
): Promise<Looser<number> | 'none' | null> {
  const { ceilingUnits = 0 } = problem;
  const found = await leastLoosening(problem, { rule: 'ceiling', byLocation: false }, control, cache);
  if (!found || found === 'none') return found;
  const least = ceilingUnits + Math.max(0, Math.ceil(found.least * UNITS_PER_COST - 0.5));
  const from = Math.max(least, ceilingUnits + 1);
  const isEnough = (units: number) => reaches({ ...problem, ceilingUnits: units }, control, cache);
  return { least, by: await smallest(from, enoughUnits, control, isEnough) };
}

/**
 * @param problem with a fleet size
 * @param most vehicles that there are: more do not help
 * @returns `by` is the size itself
 */
export async function largerFleetSize(
  problem: RuledHorizon,
  most: number,
  control: SolveControl,
  cache: Cache,
): Promise<Looser<number> | 'none' | null> {
  const { fleetSize = 0, ...all } = problem;
  const found = await leastLoosening(problem, { rule: 'fleet', byLocation: false }, control, cache);
  if (!found || found === 'none') return found;
  const least = Math.min(most, fleetSize + Math.max(0, Math.ceil(found.least - VEHICLE_NOISE)));
  const from = Math.min(most, Math.max(least, fleetSize + 1));
  const isEnough = (size: number) => reaches({ ...all, fleetSize: size }, control, cache);
  const enough = (await isEnough(most)) ? most : null;
  return { least, by: await smallest(from, enough, control, isEnough) };
}

/**
 * The nearest sufficient value of one limit about the pairs of the first step's moves. That fewer or more is not
 * enough is proved by nothing but the next value: fractional vehicles know no pairs.
 * @returns `by` and `least` are values; null if none is sufficient, or none was found in time
 */
export async function looserPairs(
  problem: RuledHorizon,
  rule: 'minVehicles' | 'maxPairs' | 'maxFrom',
  control: SolveControl,
  cache: Cache,
): Promise<Looser<number> | null> {
  const { firstPairs, base } = problem;
  const { n, pairs } = base;
  const value = firstPairs![rule];
  const isEnough = (limit: number) =>
    reaches({ ...problem, firstPairs: { ...firstPairs!, [rule]: limit } }, control, cache);
  if (rule === 'minVehicles') {
    const enough = value > 1 && (await isEnough(1)) ? value - 1 : null;
    if (enough === null) return null;
    const by = await smallest(1, enough, control, (less) => isEnough(value - less));
    return { least: value - 1, by: by && value - by };
  }
  const all = rule === 'maxPairs' ? pairs.targets.length : n - 1;
  if (value >= all || !(await isEnough(all))) return null;
  return { least: value + 1, by: await smallest(value + 1, all, control, isEnough) };
}

/** The first value, if it is sufficient, or else the smallest sufficient one that bisection finds in a few plans. */
async function smallest(
  first: number,
  enough: number | null,
  control: SolveControl,
  isEnough: (value: number) => Promise<boolean>,
): Promise<number | null> {
  if (await isEnough(first)) return first;
  let [low, high] = [first, enough];
  for (let plan = 0; high !== null && high - low > 1 && plan < MAX_PLANS && !isOver(control); plan++) {
    const middle = Math.round((low + high) / 2);
    if (await isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
