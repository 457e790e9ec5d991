/**
 * Why no plan of all steps keeps a request, and what would make one: the constraints, fields and words of plans for
 * one step (`infeasible/`), about all steps.
 */
import type { OptimizeRequest, Shortfall } from '../../contracts/optimize.ts';
import type { StepsAhead } from './all-steps.ts';
import { withRules } from './horizon/build-rules.ts';
import {
  higherCeiling,
  type Looser,
  largerFleetSize,
  looserBounds,
  looserPairs,
  withLooserRule,
} from './horizon/looser-rules.ts';
import { fewestMore, type MoreVehicles } from './horizon/more-vehicles.ts';
import type { HorizonSolution } from './horizon/outcome.ts';
import type { RuledHorizon } from './horizon/rules.ts';
import { solveWithRules } from './horizon/solve-with-rules.ts';
import type { HorizonProblem } from './horizon/types.ts';
import type { ConflictSet } from './infeasible/conflict.ts';
import { type Explained, isNearEnough, type KnownLevel } from './infeasible/infeasible.ts';
import { totalChange } from './infeasible/looser-bounds.ts';
import {
  describeConflict,
  describeJoint,
  describeRequired,
  type LocationNames,
} from './infeasible/messages.ts';
import { statedValue } from './infeasible/stated-value.ts';
import { fromUnits } from './problem/costs.ts';
import { asFigure } from './problem/figure.ts';
import type { Conflict, JointChange, Problem } from './problem/model.ts';
import { countOperational } from './problem/pinned.ts';
import { statedCapacity } from './problem/stated-capacity.ts';
import { isOperational } from './request/capacity.ts';
import { evenPartOf } from './run/budget.ts';
import type { Cache } from './run/cache.ts';
import type { SolveControl } from './run/control.ts';

export type AheadQuestion = {
  request: OptimizeRequest;
  /** The problem of the first step, with the service level and the ceiling of the request. */
  problem: Problem;
  ahead: HorizonProblem;
  all: StepsAhead;
  /** The level that a plan reaches; null if no plan keeps the bounds per location. */
  level: KnownLevel | null;
  /** As of an outcome: only if the ceiling is in the way. */
  withoutCeiling: HorizonSolution['withoutCeiling'];
  names: LocationNames;
};

/** Relative, of total demand (`horizon/solve-with-rules.ts`). */
const SERVED_NOISE = 1e-9;

type Side = 'least' | 'most';
const PAIR_NAMES = {
  maxPairs: 'max_pairs',
  maxFrom: 'max_moves_from',
  minVehicles: 'min_vehicles_per_move',
} as const;
const NAMES = { least: 'min_vehicles_per_location', most: 'max_vehicles_per_location' } as const;

/** Each change is one that alone is sufficient, if one was found before the deadline. */
export async function explainAhead(
  question: AheadQuestion,
  control: SolveControl,
  cache: Cache,
): Promise<Explained> {
  const { level, problem, ahead } = question;
  const found = await findConflicts(question, control, cache);
  const conflicts = found.map(({ conflict }) => conflict);
  if (level)
    conflicts.unshift({ constraint: 'min_service_level', value: problem.limits.minServiceLevel, ...level });
  const sets: ConflictSet[] = [{ names: conflicts.map(({ constraint }) => constraint), irreducible: false }];
  const errors = describe(question, conflicts, sets);
  if (
    ahead.required === 0 ||
    conflicts.some((one) => isHelpful(one) && one.constraint !== 'min_service_level')
  )
    return { conflicts, sets, together: null, errors };
  const find = level ? findWithSize : findTogether;
  const together = await find(question, control, cache).catch(() => null);
  if (together)
    errors.push(describeJoint(question.request, shown(question), conflicts, together, question.names));
  return { conflicts, sets, together, errors };
}

function isHelpful({ relaxation }: Conflict): boolean {
  return relaxation !== null;
}

/**
 * Further vehicles with a `total_fleet_size` that lets them serve: it may be the size of the fleet, and then neither
 * alone is of any help. Null without such a size, or if no number of vehicles was found.
 */
async function findWithSize(
  { request, problem, ahead, all }: AheadQuestion,
  control: SolveControl,
  cache: Cache,
): Promise<JointChange[] | null> {
  const size = request.constraints?.total_fleet_size;
  if (size === undefined || size === null) return null;
  const { maxCostUnits } = problem.limits;
  const { fleetSize: _, ...rules } = withRules(problem, ahead, { ...all.classes, levels: all.levels });
  const isLimited = maxCostUnits !== Number.POSITIVE_INFINITY;
  const limited = { ...rules, ...(isLimited && { ceilingUnits: maxCostUnits }) };
  const usual = commonClass(rules, problem);
  const found = await fewestMore(limited, usual, control, cache);
  const fleet = operationalOf(request);
  const capacity = statedCapacity(rules.capacities[usual], problem.servedPerUnit);
  const { constraint, value, relaxation, proved, additions } = supplyConflict(
    problem,
    fleet,
    capacity,
    found,
  );
  if (relaxation === null) return null;
  const supply = { constraint, value: value!, relaxation, proved, ...(additions && { additions }) };
  return [supply, { constraint: 'total_fleet_size', value: size, relaxation, proved: false }];
}

/** A change that lets plans keep the bounds, and then the level that one of them reaches; null if none was found. */
async function findTogether(
  question: AheadQuestion,
  control: SolveControl,
  cache: Cache,
): Promise<JointChange[] | null> {
  const { ahead, all, problem } = question;
  const asked = { ...question, ahead: { ...ahead, required: 0 } };
  for (const { conflict, changed } of await findConflicts(asked, control, cache)) {
    const { constraint, value, relaxation, proved, additions, changes } = conflict;
    if (relaxation === null || !changed) continue;
    const found = await solveWithRules(changed, control, cache);
    if (!('plan' in found)) continue;
    const level = levelInMessage(levelOf(ahead, all, found.plan.figures.totalServed));
    const first = { constraint, value: value!, relaxation, proved };
    return [
      { ...first, ...(additions && { additions }), ...(changes && { changes }) },
      {
        constraint: 'min_service_level',
        value: problem.limits.minServiceLevel,
        relaxation: level,
        proved: false,
      },
    ];
  }
  return null;
}

/** Six decimals, as in other messages; a plan may miss the level by a billionth of demand. */
function levelInMessage(reached: number): number {
  return Math.floor((reached + 1e-9) * 1e6) / 1e6;
}

/** The share of all demand, 0 to 1, if pinned vehicles serve theirs, and the others so much. */
function levelOf(
  { demand: open }: HorizonProblem,
  { demand }: Pick<StepsAhead, 'demand'>,
  served: number,
): number {
  const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0);
  const total = sum(demand);
  return Math.max(0, Math.min(1, (total - sum(open) + served) / total));
}

/** `changed`: the problem with the change that suffices, if one was found. */
type Found = { conflict: Conflict; changed?: RuledHorizon };

async function findConflicts(
  { request, problem, ahead, all, level, withoutCeiling }: AheadQuestion,
  control: SolveControl,
  cache: Cache,
): Promise<Found[]> {
  const { maxCostUnits } = problem.limits;
  const rules = withRules(problem, ahead, { ...all.classes, levels: all.levels });
  const isLimited = maxCostUnits !== Number.POSITIVE_INFINITY;
  const limited: RuledHorizon = isLimited ? { ...rules, ceilingUnits: maxCostUnits } : rules;
  const inTheWay = withoutCeiling ? limited : rules;
  const fleet = operationalOf(request);
  type Search = (control: SolveControl) => Promise<Found>;
  const searches: Search[] = [];
  for (const rule of ['maxPairs', 'maxFrom', 'minVehicles'] as const) {
    const value = rules.firstPairs?.[rule];
    if (value === undefined || value === (rule === 'minVehicles' ? 1 : Number.POSITIVE_INFINITY)) continue;
    searches.push(async (part) => {
      const by = await looserPairs(limited, rule, part, cache);
      const changed = by?.by && { ...limited, firstPairs: { ...limited.firstPairs!, [rule]: by.by } };
      return { conflict: pairConflict(PAIR_NAMES[rule], value, by), ...(changed && { changed }) };
    });
  }
  for (const side of ['least', 'most'] as const) {
    const stated = request.constraints?.[NAMES[side]];
    if (stated === undefined) continue;
    const asked = { side, byLocation: typeof stated === 'object' };
    searches.push(async (part) => {
      const found = await looserBounds(inTheWay, limited, asked, part, cache);
      const conflict = boundsConflict(problem, ahead, asked, found);
      const isFound = found && found !== 'none' && found.by;
      return { conflict, ...(isFound && { changed: withLooserRule(limited, side, isFound) }) };
    });
  }
  if (withoutCeiling)
    searches.push(async (part) => {
      const found = await higherCeiling(limited, withoutCeiling.dearestUnits, part, cache);
      const conflict = limitConflict('max_rebalancing_cost', maxCostUnits, found, fromUnits);
      const units = found && found !== 'none' ? found.by : null;
      return { conflict, ...(units !== null && { changed: { ...limited, ceilingUnits: units } }) };
    });
  const { fleetSize } = rules;
  if (fleetSize !== undefined)
    searches.push(async (part) => {
      const found = await largerFleetSize(limited, fleet, part, cache);
      return { conflict: limitConflict('total_fleet_size', fleetSize, found) };
    });
  const usual = commonClass(rules, problem);
  searches.push(async (part) => {
    const found = await moreWithinSize(request, limited, usual, part, cache);
    const capacity = statedCapacity(rules.capacities[usual], problem.servedPerUnit);
    return { conflict: supplyConflict(problem, fleet, capacity, found) };
  });
  const found: Found[] = [];
  for (const [at, search] of searches.entries()) {
    const part = { ...control, ...evenPartOf(control, searches.length - at) };
    const one = await search(part).catch(() => null);
    if (one) found.push(one);
  }
  // A constraint that does not help is no reason for the level; bounds that no plan keeps are, whatever helps.
  return level
    ? found.filter(({ conflict }) => isHelpful(conflict) || conflict.constraint === 'supply')
    : found;
}

function operationalOf({ fleet_state }: OptimizeRequest): number {
  return fleet_state.vehicles.filter(isOperational).length;
}

/** The class of most vehicles, on the way, pinned, or free to move. */
function commonClass({ base, capacities, supply }: RuledHorizon, { pinned }: Problem): number {
  const size = base.n * base.steps;
  const counts = Array.from(capacities, (capacity, k) =>
    supply
      .subarray(k * size, (k + 1) * size)
      .reduce((sum, count) => sum + count, pinned?.byCapacity?.get(capacity) ?? 0),
  );
  return counts.indexOf(Math.max(...counts));
}

/**
 * The fewest further vehicles, for which `total_fleet_size` is a limit even if all vehicles are within it now. With
 * pinned ones, requests of more vehicles than that are refused (`request/horizon.ts`).
 */
async function moreWithinSize(
  request: OptimizeRequest,
  limited: RuledHorizon,
  capacityClass: number,
  control: SolveControl,
  cache: Cache,
): Promise<MoreVehicles | 'none' | null> {
  const size = request.constraints?.total_fleet_size ?? Number.POSITIVE_INFINITY;
  if (size === Number.POSITIVE_INFINITY) return await fewestMore(limited, capacityClass, control, cache);
  if (!request.fleet_state.vehicles.some((one) => one.pinned && isOperational(one)))
    return await fewestMore({ ...limited, fleetSize: size }, capacityClass, control, cache);
  const room = size - operationalOf(request);
  const found = await fewestMore(limited, capacityClass, control, cache);
  if (!found || found === 'none') return found;
  const { least, enough } = found;
  if (least > room) return 'none';
  return enough && totalOf(enough) > room ? { least, enough: null } : found;
}

function totalOf(vehicles: Int32Array): number {
  return vehicles.reduce((sum, count) => sum + count, 0);
}

const UNKNOWN = { relaxation: null, insufficient: null, proved: false };
const NO_HELP = { relaxation: null, insufficient: null, proved: true };

function limitConflict(
  constraint: 'max_rebalancing_cost' | 'total_fleet_size',
  limit: number,
  found: Looser<number> | 'none' | null,
  asRequested: (value: number) => number = (value) => value,
): Conflict {
  const value = asRequested(limit);
  if (found === 'none') return { constraint, value, ...NO_HELP };
  if (!found || found.by === null) return { constraint, value, ...UNKNOWN };
  const { least, by } = found;
  const insufficient = by > least && least - 1 > limit ? asRequested(least - 1) : null;
  return { constraint, value, relaxation: asRequested(by), insufficient, proved: by <= least };
}

/** Whether an even closer value is sufficient is not known, unless there is none. */
function pairConflict(
  constraint: (typeof PAIR_NAMES)[keyof typeof PAIR_NAMES],
  value: number,
  found: Looser<number> | null,
): Conflict {
  if (!found || found.by === null) return { constraint, value, ...UNKNOWN };
  return { constraint, value, relaxation: found.by, insufficient: null, proved: found.by === found.least };
}

function supplyConflict(
  { locationIds }: Problem,
  value: number,
  capacity: number,
  found: MoreVehicles | 'none' | null,
): Conflict {
  const constraint = 'supply';
  if (found === 'none') return { constraint, value, ...NO_HELP };
  if (!found?.enough) return { constraint, value, ...UNKNOWN };
  const { least, enough } = found;
  const more = totalOf(enough);
  return {
    constraint,
    value,
    relaxation: value + more,
    insufficient: more > least && least > 1 ? value + least - 1 : null,
    proved: more <= least,
    additions: [...enough.entries()].flatMap(([j, vehicles]) =>
      vehicles > 0 ? [{ location_id: locationIds[j], vehicles, capacity }] : [],
    ),
  };
}

function boundsConflict(
  problem: Problem,
  { n, ...ahead }: HorizonProblem,
  { side, byLocation }: { side: Side; byLocation: boolean },
  found: Looser<Int32Array> | 'none' | null,
): Conflict {
  const constraint = NAMES[side];
  const value = statedValue(problem, constraint);
  if (found === 'none') return { constraint, value, ...NO_HELP };
  if (!found?.by) return { constraint, value, ...UNKNOWN };
  const { least, by } = found;
  const sign = side === 'least' ? -1 : 1;
  if (!byLocation) {
    const insufficient = by[0] > least && least > 1 ? value! + sign * (least - 1) : null;
    return { constraint, value, relaxation: value! + sign * by[0], insufficient, proved: by[0] === least };
  }
  const changes = [...by.entries()].flatMap(([j, amount]) => {
    const from = problem.bounds![side][j];
    const to = ahead[side]![n + j] + sign * amount + (problem.pinned?.vehicles[j] ?? 0);
    return amount > 0 ? [{ location_id: problem.locationIds[j], from, to }] : [];
  });
  const values = changes.map(({ to }) => to);
  return {
    constraint,
    value,
    relaxation: side === 'least' ? Math.min(...values) : Math.max(...values),
    insufficient: null,
    proved: totalChange(changes) === least,
    changes,
    leastChange: least,
  };
}

/** The problem as messages count its vehicles: those on the way as well, wherever they are going. */
function shown({ request, problem }: AheadQuestion): Problem {
  const onTheWay = operationalOf(request) - countOperational(problem);
  return { ...problem, supply: Int32Array.from([...problem.supply, onTheWay]) };
}

function describe(
  question: AheadQuestion,
  conflicts: readonly Conflict[],
  sets: readonly ConflictSet[],
): Explained['errors'] {
  const { request, problem, ahead, all, level, names } = question;
  const fleet = operationalOf(request);
  const vehicles = `${fleet} operational ${fleet === 1 ? 'vehicle' : 'vehicles'}`;
  const demand = all.demand.reduce((sum, value) => sum + value, 0);
  const supply = level
    ? `${vehicles} cannot serve ${describeRequired(problem.limits, demand)} in ${ahead.steps - 1} steps`
    : `${vehicles} cannot satisfy the other constraints in every step`;
  const words = { supply, unknown: 'no sufficient value was found in time' };
  return conflicts.map((conflict) =>
    describeConflict(request, shown(question), conflict, sets, names, words),
  );
}

/** The bounds of the level that is out of reach. */
export type Short = Pick<Shortfall, 'requested' | 'reached' | 'reached_at_most' | 'unserved'>;

export function shortOf(
  problem: Problem,
  ahead: HorizonProblem,
  all: StepsAhead,
  { figures, mostServed }: HorizonSolution,
): Short {
  const open = ahead.demand.reduce((sum, value) => sum + value, 0);
  const served = withoutNoise(figures.totalServed, open);
  const reached = levelOf(ahead, all, served);
  return {
    requested: problem.limits.minServiceLevel,
    reached,
    reached_at_most: Math.max(reached, levelOf(ahead, all, withoutNoise(mostServed, open))),
    unserved: asFigure(Math.max(0, open - served)),
  };
}

/** Six decimals, as an outlook states them, if demand is that but for what a plan may lack (`SERVED_NOISE`). */
function withoutNoise(served: number, total: number): number {
  const stated = Number(served.toFixed(6));
  return Math.abs(stated - served) <= 3 * SERVED_NOISE * total ? stated : served;
}

export function knownLevel({ reached, reached_at_most }: Short): KnownLevel {
  const relaxation = levelInMessage(reached);
  return { relaxation, insufficient: null, proved: reached_at_most < relaxation + 1e-6 };
}

/** In the shape of a plan for one step. @param gap relative, at which a number of vehicles counts as the fewest */
export function describeShortfall(short: Short, { conflicts, errors }: Explained, gap: number): Shortfall {
  const supply = conflicts.find(({ constraint }) => constraint === 'supply');
  const isFewest = supply?.relaxation != null && (supply.proved || isNearEnough(supply, gap));
  return {
    ...short,
    missing_vehicles: isFewest ? supply.relaxation! - supply.value! : null,
    relaxations: errors.flatMap(({ message, relaxation }) =>
      relaxation ? [{ ...relaxation, message }] : [],
    ),
  };
}
