/**
 * The constraints of a request in one table: where the value is, which value allows everything, which way looser is, and how
 * a message speaks of it. Conflicts, relaxations, insights and messages read it; none of them lists the constraints again.
 */
import { fromUnits, toUnitsDown } from './costs.ts';

/** Constraints after aliases and defaults; a limit that does not apply is infinite (or 0 for a minimum). */
export type Limits = {
  maxDistanceKm: number;
  minServiceLevel: number;
  maxCostUnits: number;
  minVehiclesPerLocation: number;
  maxVehiclesPerLocation: number;
  totalFleetSize: number;
};

type LimitConstraint = {
  limit: keyof Limits;
  /** The value that allows everything: no constraint at all. */
  off: number;
  /** What insights change it by to show what one unit less of it is worth; null where that says nothing. */
  insightStep: number | null;
  /** Which way it gets looser. */
  looser: 'lower' | 'higher';
  /** Behind a value in a message. */
  unit?: ' km';
  /** What is wrong with a value that allows no plan, behind "total_fleet_size 3". */
  fact: string;
  /** From the problem's value to the request's, and back; the same where absent. */
  asRequested?: (value: number) => number;
  fromRequested?: (value: number) => number;
};

export const LIMIT_CONSTRAINTS = {
  min_service_level: {
    limit: 'minServiceLevel',
    off: 0,
    insightStep: -0.01,
    looser: 'lower',
    fact: 'cannot be reached',
  },
  max_distance: {
    limit: 'maxDistanceKm',
    off: Number.POSITIVE_INFINITY,
    insightStep: 1,
    looser: 'higher',
    unit: ' km',
    fact: 'km is too short',
  },
  max_rebalancing_cost: {
    limit: 'maxCostUnits',
    off: Number.POSITIVE_INFINITY,
    // The ceiling does not change which plan is cheapest.
    insightStep: null,
    looser: 'higher',
    fact: 'is less than the cheapest plan costs',
    asRequested: fromUnits,
    fromRequested: toUnitsDown,
  },
  min_vehicles_per_location: {
    limit: 'minVehiclesPerLocation',
    off: 0,
    insightStep: -1,
    looser: 'lower',
    fact: 'cannot be kept everywhere',
  },
  max_vehicles_per_location: {
    limit: 'maxVehiclesPerLocation',
    off: Number.POSITIVE_INFINITY,
    insightStep: 1,
    looser: 'higher',
    fact: 'cannot be kept everywhere',
  },
  total_fleet_size: {
    limit: 'totalFleetSize',
    off: Number.POSITIVE_INFINITY,
    insightStep: 1,
    looser: 'higher',
    fact: 'serves too little',
  },
} as const satisfies Record<string, LimitConstraint>;

/** Constraints that are a number of the request. */
export type LimitName = keyof typeof LIMIT_CONSTRAINTS;

/** And those that are not: moves that the network forbids, and the vehicles that there are. */
export type ConstraintName = LimitName | 'network' | 'supply';

/**
 * The order in which a conflict is looked for: what is tried late is more likely to be named, and says most to a reader. The
 * ceiling comes first: without it, questions are asked at any cost, which is far quicker.
 */
export const CONFLICT_ORDER: readonly ConstraintName[] = [
  'max_rebalancing_cost',
  'network',
  'total_fleet_size',
  'max_vehicles_per_location',
  'min_vehicles_per_location',
  'max_distance',
  'supply',
  'min_service_level',
];

/** Of changes that are only enough together: the order in which constraints are dropped until there is a plan. */
export const DROP_ORDER: readonly Exclude<ConstraintName, 'network'>[] = [
  'max_distance',
  'max_rebalancing_cost',
  'total_fleet_size',
  'supply',
  'max_vehicles_per_location',
  'min_vehicles_per_location',
  'min_service_level',
];

/** And the order in which those that were dropped get their values. */
export const VALUE_ORDER: typeof DROP_ORDER = [
  'supply',
  'max_distance',
  'total_fleet_size',
  'max_vehicles_per_location',
  'min_vehicles_per_location',
  'min_service_level',
  'max_rebalancing_cost',
];

/** The value as the request states it; null of constraints that are no number of it. */
export function requestedValue(limits: Limits, name: ConstraintName): number | null {
  const row = limitConstraint(name);
  if (!row) return null;
  const value = limits[row.limit];
  return row.asRequested ? row.asRequested(value) : value;
}

/** Limits with a constraint at a value as the request states it. */
export function withRequestedValue(limits: Limits, name: LimitName, value: number): Limits {
  const { limit, fromRequested }: LimitConstraint = LIMIT_CONSTRAINTS[name];
  return { ...limits, [limit]: fromRequested ? fromRequested(value) : value };
}

/** @returns the row of a constraint that is a number of the request; undefined of the others */
export function limitConstraint(name: ConstraintName): LimitConstraint | undefined {
  return name === 'network' || name === 'supply' ? undefined : LIMIT_CONSTRAINTS[name];
}
