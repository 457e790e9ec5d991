/** An infeasible problem in sentences: the value, the limit, what to do. */

import type { ErrorItem } from '../../../contracts/envelope.ts';
import type { Constraints, OptimizeRequest } from '../../../contracts/optimize.ts';
import { roundedDownText, roundedText, roundedUpText } from '../../../contracts/rounded-text.ts';
import type { SufficientChange } from '../../../contracts/sufficient-change.ts';
import type { ConstraintName, Limits } from '../problem/constraints.ts';
import { LIMIT_CONSTRAINTS, limitConstraint } from '../problem/constraints.ts';
import type { Conflict, JointChange, LocationChange, Problem } from '../problem/model.ts';
import { isPairLimit } from '../problem/pairs.ts';
import { countOperational, operationalCapacity } from '../problem/pinned.ts';
import { allDemand } from '../problem/service-level.ts';
import type { ConflictSet } from './conflict.ts';
import { totalChange } from './looser-bounds.ts';

/** Items of a list that a message names before "and 7 more". */
const MAX_NAMED = 10;

const UNKNOWN = 'no sufficient value was found in time; options.explain searches until the time limit';

/** Names of locations by id; those without one are named by id alone. */
export type LocationNames = ReadonlyMap<number, string>;

const ALIASES: Partial<Record<ConstraintName, 'min_demand_coverage' | 'max_rebalancing_distance_km'>> = {
  min_service_level: 'min_demand_coverage',
  max_distance: 'max_rebalancing_distance_km',
};

/**
 * @param sets all conflicts; the constraint is in at least one of them
 * @param words instead of those about the problem of one step
 */
export function describeConflict(
  request: OptimizeRequest,
  problem: Problem,
  conflict: Conflict,
  sets: readonly ConflictSet[],
  names: LocationNames,
  { supply, unknown = UNKNOWN }: { supply?: string; unknown?: string } = {},
): ErrorItem {
  const name = nameOf(request, conflict.constraint);
  const isIn = ({ names }: ConflictSet) => names.includes(conflict.constraint);
  const others = sets
    .filter((set) => set.names.length > 1 && isIn(set))
    .map(({ names }) => names.filter((other) => other !== conflict.constraint).join(', '));
  // Out of time, the search keeps constraints that it did not examine.
  const isOpen = conflict.relaxation === null && !sets.some((set) => set.irreducible && isIn(set));
  const fact =
    isOpen && conflict.constraint === 'max_rebalancing_cost'
      ? `${name} ${conflict.value} may be in conflict`
      : ((conflict.constraint === 'supply' ? supply : undefined) ??
        describeFact(request, problem, conflict, name, names));
  const { constraint, value, relaxation, proved, changes } = conflict;
  return {
    code: 'INFEASIBLE_PROBLEM',
    message: `${fact}; ${describeAdvice(problem, conflict, names, unknown)}`,
    field: fieldOf(request, constraint, name),
    detail: others.length > 0 ? `in conflict with ${others.join('; and with ')}` : null,
    relaxation: { constraint, value, relaxation, proved, ...byLocation(changes) },
  };
}

/** Changes that are sufficient together, if there is more than one conflict. */
export function describeJoint(
  request: OptimizeRequest,
  problem: Problem,
  conflicts: readonly Conflict[],
  together: readonly JointChange[],
  names: LocationNames,
): ErrorItem {
  const alone = conflicts.filter(({ relaxation }) => relaxation !== null);
  const isProved = conflicts.every(({ relaxation, proved }) => relaxation !== null || proved);
  const reason =
    alone.length > 0
      ? `as an alternative to changing ${alone.map(({ constraint }) => nameOf(request, constraint)).join(' or ')} alone`
      : isProved
        ? 'no change of one constraint alone is sufficient'
        : 'no change of one constraint alone was found to be sufficient';
  const changes = together.map((change, at) => {
    const advice =
      change.constraint === 'supply'
        ? describeAdditions(problem, { ...change, insufficient: null }, names)
        : `${nameOf(request, change.constraint)}: ${describeValue(change, names)}` +
          (change.proved ? '' : ' (sufficient; a smaller change may be, too)');
    return at === 0 ? advice : `then ${advice}`;
  });
  return {
    code: 'INFEASIBLE_PROBLEM',
    message: `${reason}; these changes are sufficient together: ${changes.join(', ')}`,
    field: 'constraints',
    detail: null,
    relaxation: {
      constraint: null,
      value: null,
      relaxation: null,
      proved: false,
      together: together.map(({ constraint, relaxation, changes }) => ({
        constraint,
        relaxation,
        ...byLocation(changes),
      })),
    },
  };
}

/** The values that suffice, by location. */
function byLocation(changes: readonly LocationChange[] | undefined): Pick<SufficientChange, 'by_location'> {
  if (!changes) return {};
  return { by_location: Object.fromEntries(changes.map(({ location_id, to }) => [location_id, to])) };
}

function nameOf(request: OptimizeRequest, constraint: ConstraintName): string {
  const alias = ALIASES[constraint];
  return alias && request.constraints?.[alias] !== undefined ? alias : constraint;
}

function describeValue(
  { constraint, relaxation, changes }: Pick<Conflict, 'constraint' | 'relaxation' | 'changes'>,
  names: LocationNames,
): string {
  const row = limitConstraint(constraint);
  const verb = row?.looser === 'lower' ? 'lower' : 'raise';
  if (changes) return describeChanges(verb, changes, names);
  const looser = verb === 'lower' ? roundedDownText(relaxation!) : roundedUpText(relaxation!);
  return `${verb} it to at ${verb === 'lower' ? 'most' : 'least'} ${looser}${row?.unit ?? ''}`;
}

/** The largest changes first. */
function describeChanges(
  verb: 'lower' | 'raise',
  changes: readonly LocationChange[],
  names: LocationNames,
): string {
  const sizeOf = ({ from, to }: LocationChange) => Math.abs(to - from);
  const items = changes
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .map(({ location_id, from, to }) => `from ${from} to ${to} at ${namedLocations([location_id], names)}`);
  return `${verb} it by ${totalChange(changes)} in total, for example ${listed(items)}`;
}

/** Whether the request states it by location, not as a number for all. */
function isByLocation(request: OptimizeRequest, constraint: ConstraintName): boolean {
  const stated = request.constraints?.[constraint as keyof Constraints];
  return typeof stated === 'object' && stated !== null;
}

/** "location 3 (Harbour)"; "locations 3 (Harbour) and 5". */
function namedLocations(ids: readonly number[], names: LocationNames): string {
  const items = ids.map((id) => (names.has(id) ? `${id} (${names.get(id)})` : id));
  return `${ids.length === 1 ? 'location' : 'locations'} ${listed(items)}`;
}

function fieldOf(request: OptimizeRequest, constraint: ConstraintName, name: string): string {
  if (constraint === 'supply') return 'fleet_state.vehicles';
  if (isPairLimit(constraint)) return `options.refine.${name}`;
  if (constraint !== 'network') return `constraints.${name}`;
  return request.network ? 'network.costs' : 'options.travel';
}

function describeFact(
  request: OptimizeRequest,
  problem: Problem,
  { constraint, value, unreachable = [] }: Conflict,
  name: string,
  names: LocationNames,
): string {
  const locations = namedLocations(unreachable, names);
  switch (constraint) {
    case 'supply':
      return describeSupply(problem);
    case 'network': {
      const forbidden = request.network
        ? 'with the moves that network.costs forbids (null)'
        : 'without the moves that the travel table lacks';
      return unreachable.length > 0
        ? `${forbidden}, no operational vehicle can reach ${locations}`
        : `${forbidden}, there is no plan`;
    }
    case 'max_distance':
      return unreachable.length > 0
        ? `${name} ${value} ${LIMIT_CONSTRAINTS.max_distance.fact}: ` +
            `no operational vehicle is within reach of ${locations}`
        : `${name} ${value} ${LIMIT_CONSTRAINTS.max_distance.fact}`;
    default: {
      const { fact, looser } = LIMIT_CONSTRAINTS[constraint];
      if (!isByLocation(request, constraint)) return `${name} ${value} ${fact}`;
      return `${name} (by location, ${looser === 'lower' ? 'up to' : 'from'} ${value}) ${fact}`;
    }
  }
}

function describeAdvice(problem: Problem, conflict: Conflict, names: LocationNames, unknown: string): string {
  const { constraint, relaxation, insufficient, proved, leastChange } = conflict;
  if (relaxation === null) {
    if (proved)
      return constraint === 'supply'
        ? 'adding vehicles of the most common capacity alone does not help'
        : 'changing it alone does not help';
    if (constraint === 'network') return 'allow more moves';
    if (constraint === 'supply') return 'add vehicles or place them elsewhere';
    return unknown;
  }
  if (constraint === 'supply') return describeAdditions(problem, conflict, names);
  const advice = describeValue(conflict, names);
  if (proved) return advice;
  if (leastChange !== undefined && leastChange > 1) {
    return `${advice} (sufficient; less than ${leastChange} in total is proved insufficient)`;
  }
  if (insufficient === null) return `${advice} (sufficient; smaller changes were not checked)`;
  const row = limitConstraint(constraint);
  const tighter = row?.looser === 'lower' ? roundedUpText(insufficient) : roundedDownText(insufficient);
  return `${advice} (sufficient; ${tighter}${row?.unit ?? ''} is proved insufficient; values between were not checked)`;
}

function describeAdditions(
  problem: Problem,
  {
    relaxation,
    insufficient,
    proved,
    additions = [],
  }: Pick<Conflict, 'relaxation' | 'insufficient' | 'proved' | 'additions'>,
  names: LocationNames,
): string {
  const has = countOperational(problem);
  const count = relaxation! - has;
  const capacity = additions.length > 0 ? ` of capacity ${additions[0].capacity}` : '';
  const places = listed(
    additions.map(({ location_id, vehicles }) => `${vehicles} at ${namedLocations([location_id], names)}`),
  );
  const advice = `add ${counted(count, 'vehicle')}${capacity}${places ? ` (for example ${places})` : ''}`;
  if (proved) return advice;
  return insufficient === null
    ? `${advice} (sufficient; fewer were not checked)`
    : `${advice} (sufficient; ${insufficient - has} are proved insufficient; numbers between were not checked)`;
}

function describeSupply(problem: Problem): string {
  const vehicles = countOperational(problem);
  const capacity = operationalCapacity(problem);
  const required = problem.limits.minServiceLevel * allDemand(problem);
  const demand = describeRequired(problem.limits, allDemand(problem));
  if (vehicles === 0) {
    return required > 0
      ? `there is no operational vehicle to serve ${demand}`
      : 'there is no operational vehicle';
  }
  const stated = roundedDownText(withoutNoise(capacity / problem.servedPerUnit));
  const served =
    problem.servedPerUnit === 1 ? '' : `, which serves ${roundedDownText(withoutNoise(capacity))},`;
  const fleet = `${counted(vehicles, 'operational vehicle')} with a total capacity of ${stated}${served}`;
  return capacity < required
    ? `${fleet} cannot serve ${demand}`
    : `${fleet} cannot satisfy the other constraints ` +
        (vehicles === 1 ? 'from its current location' : 'from their current locations');
}

/** "the required 9.5 (95 % of the demand 10)". */
export function describeRequired({ minServiceLevel }: Limits, demand: number): string {
  const required = roundedUpText(withoutNoise(minServiceLevel * demand));
  const share = Number((100 * minServiceLevel).toPrecision(12));
  return `the required ${required} (${share} % of the demand ${roundedText(demand)})`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** "3, 5 and 8"; "1, 2, … and 7 more". */
function listed(items: readonly (string | number)[]): string {
  if (items.length <= 1) return items.join('');
  const named = items.slice(0, items.length > MAX_NAMED ? MAX_NAMED : items.length - 1).join(', ');
  const rest = items.length - MAX_NAMED;
  return `${named} and ${rest > 0 ? `${rest} more` : items.at(-1)}`;
}

/** Six decimals: rounded up, the error of a sum would be one of its own. */
function withoutNoise(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
