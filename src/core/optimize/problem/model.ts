/**
 * Plain data of the optimizer. Notation as in the README: locations i, j (0 … n−1), capacity classes k
 * (0 … K−1). Money is kept in whole cost units of 1e-4, so that sums are exact; quantities of demand and capacity
 * are decimals.
 */
import type { ErrorItem } from '../../../contracts/envelope.ts';
import type { OptimizationResult, OptimizeRequest } from '../../../contracts/optimize.ts';
import type { Certificate, MoveDistances, SOLVE_METHODS } from '../../../contracts/plans.ts';
import type { Coordinates } from '../../geo.ts';
import type { Cache } from '../run/cache.ts';
import type { SolverFault } from '../run/solver-fault.ts';
import type { ConstraintName, Limits } from './constraints.ts';
import type { SparseCosts } from './distances/move-costs.ts';

/** The service's defaults for omitted fields of a request, and the operator's cap on the time limit. */
export type OptimizeSettings = {
  maxDistanceKm: number;
  minServiceLevel: number;
  /** null: no ceiling. */
  maxRebalancingCost: number | null;
  capacityPerVehicle: number;
  /** null: demand is not in trips, and a vehicle serves its capacity in a step. */
  tripsPerVehicleHour: number | null;
  timeLimitSeconds: number;
  maxTimeLimitSeconds: number;
  optimalityGap: number;
  costPerKm: number;
};

/** A fault of a request; `field` is a path in it. */
export type RequestFault = { field: string; message: string; detail: string | null };

/** A stored location; coordinates in degrees. The answer shows the name. A priority level above 0 is served first. */
export type LocationPoint = {
  id: number;
  name?: string;
  latitude: number;
  longitude: number;
  /** Level of its demand; absent: 0. */
  priority?: number;
};

/** Travel that begins at one location, in parallel arrays by ascending target. */
type TravelRow = { to: Int32Array; km: Float64Array; minutes: Float64Array };
/** Travel between pairs of locations, by the location where it begins. */
export type TravelTable = ReadonlyMap<number, TravelRow>;

export { ALL_HOURS } from '../../../contracts/bounds.ts';

/**
 * Counted trips, in parallel arrays: ids of the locations where they began and ended, and the hour of the week in which
 * they began (0: Monday from 0:00); `ALL_HOURS`: all hours for which the first location has no counts.
 */
export type TripCounts = { from: Int32Array; to: Int32Array; hour: Int16Array; trips: Float64Array };

/** Vehicle id → id of the location to which a plan sends it; where it stays, its own. */
export type PreviousPlan = ReadonlyMap<string, number>;

export type OptimizeInput = {
  request: OptimizeRequest;
  /** The stored locations that the request names; ignored if the request has a `network`. */
  locations: readonly LocationPoint[];
  settings: OptimizeSettings;
  /** Travel between these locations, if the request plans with stored travel; other pairs are ignored. */
  travel?: TravelTable | null;
  /** Vehicle id → location to which the request's previous plan sends it. */
  previous?: PreviousPlan | null;
  /** The ends of trips between these locations, for a plan that looks ahead; absent: not known. */
  tripCounts?: TripCounts | null;
  /**
   * Demand of a plan that looks ahead, if it is not certain: equally likely outcomes, each as `demand_forecast`, which
   * is their mean. They ascend for every location and step. Absent: the demand of the request is certain.
   */
  outcomes?: readonly OptimizeRequest['demand_forecast'][] | null;
};

/**
 * Costs and distances between all locations, n × n, row-major. Reading them throws `TooManyLocationsError` if they do
 * not fit in memory.
 */
export type Network = {
  /** Cost units per vehicle; Infinity if the network forbids the move; 0 on the diagonal. */
  costUnits: Float64Array;
  /** km; null if the request's network gives no distances, and then no distance limit applies. */
  distanceKm: Float64Array | null;
};

/** Great-circle figures for single pairs, equal to those of the matrices, without building the matrices. */
export type GreatCircle = {
  points: readonly Coordinates[];
  costPerKm: number;
  /** Cost units per vehicle. */
  costOf(from: number, to: number): number;
  kmOf(from: number, to: number): number;
  /**
   * Builds a matrix of the network ahead of its first read, which takes up to half a second.
   * @throws what `check` throws, and TooManyLocationsError
   */
  buildCosts(check: () => void): void;
  buildDistances(check: () => void): void;
  /**
   * The moves within a limit, by source; null if they are so many that the matrices are faster.
   * @throws what `check` throws
   */
  near(limitKm: number, check?: () => void): SparseCosts | null;
};

/** The operational vehicles in the request's order, as three parallel arrays. */
export type FleetIndex = {
  /** Position in `fleet_state.vehicles`. */
  request: Int32Array;
  location: Int32Array;
  /** −1: pinned. */
  capacityClass: Int32Array;
};

/**
 * n each: operational vehicles that stay where they are, what they can serve, and planning demand with their share.
 * `byCapacity`: how many of them there are, by what each serves; absent: they are not those of a request.
 */
export type Pinned = {
  vehicles: Int32Array;
  capacity: Float64Array;
  demand: Float64Array;
  byCapacity?: ReadonlyMap<number, number> | undefined;
};
/** Places `first` … `first + home.length − 1` hold the vehicles that are pinned to the locations `home`. */
export type PinnedPlaces = { first: number; home: Int32Array };
/** The least demand to serve at all locations of a priority level or a higher one. */
export type Floor = { level: number; served: number };

export type Problem = {
  /** n location ids, ascending; a place for pinned vehicles has the id of their location. */
  locationIds: Int32Array;
  /** K capacities, ascending: demand that a vehicle serves. */
  capacities: Float64Array;
  /** K × n: operational vehicles of class k at location i that may move. */
  supply: Int32Array;
  /** n: planning demand that pinned vehicles leave open. */
  demand: Float64Array;
  /** Great-circle matrices are built on first read. */
  network: Network;
  /** null unless all costs are great-circle costs. */
  greatCircle: GreatCircle | null;
  /** Minutes between locations of the request, null if unknown. Absent without stored travel. */
  minutesOf?: (from: number, to: number) => number | null;
  limits: Limits;
  /**
   * n each: bounds on vehicles per location, if the request states them by location (no maximum: Infinity). The limits
   * loosen them; see `location-bounds.ts`. Absent: the limits hold at every location. `isMap`: which of them the
   * request states by location; absent: neither.
   */
  bounds?: { least: Float64Array; most: Float64Array; isMap?: { least: boolean; most: boolean } };
  /** n: what a unit of demand costs that is not served, in money; absent if that costs nothing. See `unmet-cost.ts`. */
  unmetCost?: Float64Array;
  /**
   * n × n, in units, 0 on the diagonal: the part of `network.costUnits` that counts for the ceiling; absent: all
   * of it.
   */
  movingUnits?: Float64Array;
  /**
   * Where a previous plan sends the vehicles of `fleet`: the position of the location, −1 without one; and the cost
   * units of sending such a vehicle elsewhere. Of the engines, only `stability/` and `refine/` know it.
   */
  previous?: { target: Int32Array; changeUnits: number };
  /** The fixed cost of each pair of locations that vehicles move between, in cost units. Absent: none. */
  pairCostUnits?: number;
  /** Vehicles that stay where they are; see `pinned.ts`. Absent: none, or they have places. */
  pinned?: Pinned;
  /** Places beside the locations of the request, for pinned vehicles; see `pinned-places.ts`. Absent: none. */
  pinnedPlaces?: PinnedPlaces;
  /** n: priority levels of the demand, 0 to 9; absent if no demand has one above 0. */
  priorities?: Uint8Array;
  /** Floors of critical demand, once they are known, the highest level first (`floors.ts`). */
  floors?: readonly Floor[];
  /** The request's vehicles, for the plan. Changed problems differ from it in `supply` alone. */
  fleet: FleetIndex;
  /** Demand served by a vehicle to be added where none may move: by most pinned ones, or without a stated capacity. */
  capacityPerVehicle: number;
  /**
   * Demand that a unit of stated capacity serves (`request/capacity.ts`). `capacities` and `capacityPerVehicle` include
   * this factor; messages name stated capacities, without it.
   */
  servedPerUnit: number;
  /**
   * `thread`: kept by the thread across requests. `problem`: findings about this problem, shared with all problems
   * changed from it.
   */
  caches: { thread: Cache; problem: Cache };
  /** The last location is not part of the request: additional vehicles start there, and no vehicle may move to it. */
  hasPlaceOutside?: true;
};

/** Vehicles that move, in parallel arrays: `count` of class `capacityClass` from `source` to `target` (≠ source). */
export type Moves = {
  capacityClass: Int32Array;
  source: Int32Array;
  target: Int32Array;
  count: Int32Array;
};

/**
 * How a bound was proved. `reduced costs`: together with the plan, as in `flow/certify.ts`. `prices`: any prices
 * prove a bound.
 */
export type BoundProof =
  | 'reduced costs of all moves'
  | 'bound from prices of all moves'
  | 'bound of branch and cut';

/** How a solution was found and what was proved about it. */
export type SolveFigures = {
  /**
   * `network_simplex`: pure flow, or flow at the best Lagrangian multiplier; `linear`: integral linear programme;
   * `mixed_integer`: branch and cut; `rounding`, `greedy`: heuristics.
   */
  method: (typeof SOLVE_METHODS)[number];
  columns: number;
  rows: number;
  iterations: number;
  nodes: number;
  /**
   * Iterations in which HiGHS confirmed the network simplex's tree as an optimal basis; absent if HiGHS was not
   * asked.
   */
  confirmedWithin?: number;
  /** Every proof that raised the bound; absent if the bound is 0, which holds for every plan. */
  boundBy?: BoundProof[];
};

export type Solution = {
  moves: Moves;
  /** The cost of moving. */
  costUnits: number;
  /** The objective of the plan: the cost of moving and all that rules of the request add to it. */
  objectiveUnits: number;
  /** Proved lower bound on the objective of every plan. */
  boundUnits: number;
  /** (objective − bound) / objective; 0 if the objective is 0. */
  gap: number;
  /** Whether the gap is within the requested one. */
  proved: boolean;
  /** Demand served, as the constraints count it. */
  served: number;
  figures: SolveFigures;
  /** If the plan keeps rules about pairs: the plan of the stage before them, the cheapest without these rules. */
  before?: { costUnits: number; pairs: number };
};

export type SolveOutcome =
  | { kind: 'solved'; solution: Solution }
  /** Proved. */
  | { kind: 'infeasible' }
  | { kind: 'cancelled' }
  /** The time limit was reached before a plan or a proof was found. */
  | { kind: 'timeout' }
  /** Beyond the optimizer's memory. */
  | { kind: 'refused'; fault: RequestFault }
  | SolverFault;

/** Another value for the bound of a location, in vehicles. */
export type LocationChange = { location_id: number; from: number; to: number };

/** One constraint of an irreducible conflict. */
export type Conflict = {
  constraint: ConstraintName;
  /** As requested; for `supply` the number of operational vehicles. */
  value: number | null;
  /**
   * The value nearest to the requested one at which a plan exists, if only this constraint changes; null if no such
   * value exists or none was found in time.
   */
  relaxation: number | null;
  /** The value nearest to `relaxation` that is proved insufficient; null if that is only the requested one. */
  insufficient: number | null;
  /**
   * Whether `relaxation` is proved to be the nearest value (if null: that relaxing this constraint alone does not
   * help).
   */
  proved: boolean;
  /** For `supply`: where additional vehicles are needed to reach the relaxation, and of which capacity. */
  additions?: { location_id: number; vehicles: number; capacity: number }[];
  /**
   * For bounds by location: the values that suffice there. `relaxation` then is the loosest of them, and `proved` says
   * that no smaller change in total suffices.
   */
  changes?: LocationChange[];
  /** With `changes`: proved to be the least sufficient change in total. */
  leastChange?: number;
  /** For distances and forbidden moves: locations that no operational vehicle may reach. */
  unreachable?: number[];
};

/** One of several changes that together are sufficient. Each assumes those before it. */
export type JointChange = {
  constraint: ConstraintName;
  /** As requested; for `supply` the number of operational vehicles. */
  value: number;
  relaxation: number;
  /**
   * Whether it is proved to be the nearest value, given the changes before it and with the constraints after it
   * dropped.
   */
  proved: boolean;
  additions?: NonNullable<Conflict['additions']>;
  changes?: LocationChange[];
};

export type OptimizeOutcome =
  | {
      status: 'optimal' | 'feasible';
      /** Always with `locations`: the stored plan keeps them even if the answer leaves them out. */
      result: OptimizationResult;
      certificate: Certificate;
      /** null if the request's network gives no distances */
      moveDistances: MoveDistances | null;
    }
  | {
      status: 'infeasible';
      errors: ErrorItem[];
      conflicts: Conflict[];
      /**
       * Sets of constraints that cannot hold together; `irreducible`: proved that they can without any one of them.
       */
      sets: { names: ConstraintName[]; irreducible: boolean }[];
      /**
       * Changes that together are sufficient, if some constraint in conflict is not sufficient alone; null if not
       * searched or not found.
       */
      together: JointChange[] | null;
    }
  | { status: 'cancelled' }
  /** Only the search can detect that the problem is beyond the optimizer; see `refusals.ts`. */
  | { status: 'refused'; faults: RequestFault[] }
  /** `stack`: of the fault, for the log. */
  | { status: 'error'; message: string; stack?: string };
