/**
 * The constraints of a request in one table: where the value is stored, which value switches the constraint off,
 * which direction is looser, and how messages name it. Conflicts, relaxations, insights and messages read this table;
 * none of them lists the constraints again.
 */
import { fromUnits, toUnitsDown } from './costs.ts';

/** Bounds on the number of vehicles per location: the tightest ones, if they differ by location. */
export type LocationBounds = Pick<Limits, 'minVehiclesPerLocation' | 'maxVehiclesPerLocation'>;

/** Limits after aliases and defaults. A limit that does not apply is infinite (a minimum: 0). */
export type Limits = {
  maxDistanceKm: number;
  minServiceLevel: number;
  maxCostUnits: number;
  minVehiclesPerLocation: number;
  maxVehiclesPerLocation: number;
  totalFleetSize: number;
  minVehiclesPerMove: number;
  maxPairs: number;
  maxMovesFrom: number;
};

type LimitConstraint = {
  limit: keyof Limits;
  /** The value that switches the constraint off. */
  off: number;
  /** How far insights move the value to show the worth of one unit of it; null if that says nothing. */
  insightStep: number | null;
  /** The direction in which the constraint becomes looser. */
  looser: 'lower' | 'higher';
  /** Follows the value in a message. */
  unit?: ' km';
  /** Why the value allows no plan; follows, for example, "total_fleet_size 3" in a message. */
  fact: string;
  /** Conversions between the problem's value and the request's; absent if the two are the same. */
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
    fact: 'cannot be satisfied at every location',
  },
  max_vehicles_per_location: {
    limit: 'maxVehiclesPerLocation',
    off: Number.POSITIVE_INFINITY,
    insightStep: 1,
    looser: 'higher',
    fact: 'cannot be satisfied at every location',
  },
  total_fleet_size: {
    limit: 'totalFleetSize',
    off: Number.POSITIVE_INFINITY,
    insightStep: 1,
    looser: 'higher',
    fact: 'serves too little demand',
  },
  min_vehicles_per_move: {
    limit: 'minVehiclesPerMove',
    // A pair that is used has a vehicle.
    off: 1,
    insightStep: -1,
    looser: 'lower',
    fact: 'is more than vehicles can move together',
  },
  max_pairs: {
    limit: 'maxPairs',
    off: Number.POSITIVE_INFINITY,
    insightStep: 1,
    looser: 'higher',
    fact: 'is fewer than a plan needs',
  },
  max_moves_from: {
    limit: 'maxMovesFrom',
    off: Number.POSITIVE_INFINITY,
    insightStep: 1,
    looser: 'higher',
    fact: 'is fewer than a plan needs from some location',
  },
} as const satisfies Record<string, LimitConstraint>;

/** Constraints that the request states as a number. */
export type LimitName = keyof typeof LIMIT_CONSTRAINTS;

/** All constraints. The two others are the moves that the network forbids and the vehicles of the fleet. */
export type ConstraintName = LimitName | 'network' | 'supply';

/** Names in the order of their keys; without one of them the types do not match. */
function inOrder<Name extends string>(names: Record<Name, true>): readonly Name[] {
  return Object.keys(names) as Name[];
}

/**
 * The order in which the conflict search drops constraints. A constraint tried late is more likely to end up in the
 * conflict, so those that tell a reader most come last. The ceiling comes first: without it the remaining questions
 * concern plans of any cost, which are far quicker to answer. Rules about pairs come before it, for the same reason.
 */
export const CONFLICT_ORDER = inOrder<ConstraintName>({
  max_pairs: true,
  max_moves_from: true,
  min_vehicles_per_move: true,
  max_rebalancing_cost: true,
  network: true,
  total_fleet_size: true,
  max_vehicles_per_location: true,
  min_vehicles_per_location: true,
  max_distance: true,
  supply: true,
  min_service_level: true,
});

type RelaxableName = Exclude<ConstraintName, 'network'>;

/** For joint relaxations: the order in which constraints are dropped until a plan exists. */
export const DROP_ORDER = inOrder<RelaxableName>({
  max_pairs: true,
  max_moves_from: true,
  min_vehicles_per_move: true,
  max_distance: true,
  max_rebalancing_cost: true,
  total_fleet_size: true,
  supply: true,
  max_vehicles_per_location: true,
  min_vehicles_per_location: true,
  min_service_level: true,
});

/** For joint relaxations: the order in which the dropped constraints get their values. */
export const VALUE_ORDER = inOrder<RelaxableName>({
  supply: true,
  max_distance: true,
  total_fleet_size: true,
  max_vehicles_per_location: true,
  min_vehicles_per_location: true,
  min_service_level: true,
  min_vehicles_per_move: true,
  max_moves_from: true,
  max_pairs: true,
  max_rebalancing_cost: true,
});

/** The value as the request states it; null for constraints that are not a number of the request. */
export function requestedValue(limits: Limits, name: ConstraintName): number | null {
  const row = limitConstraint(name);
  if (!row) return null;
  const value = limits[row.limit];
  return row.asRequested ? row.asRequested(value) : value;
}

/** Limits with one constraint set to a value as the request states it. */
export function withRequestedValue(limits: Limits, name: LimitName, value: number): Limits {
  const { limit, fromRequested }: LimitConstraint = LIMIT_CONSTRAINTS[name];
  return { ...limits, [limit]: fromRequested ? fromRequested(value) : value };
}

/** @returns the constraint's row; undefined for constraints that are not a number of the request */
export function limitConstraint(name: ConstraintName): LimitConstraint | undefined {
  return name === 'network' || name === 'supply' ? undefined : LIMIT_CONSTRAINTS[name];
}
