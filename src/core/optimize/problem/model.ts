/**
 * Plain data of the optimizer. Notation as in the README: locations i, j (0 … n−1), capacity classes k (0 … K−1).
 * Money is kept in whole cost units of 1e-4, so that sums are exact; quantities of demand and capacity are decimals.
 */
import type { ErrorItem } from '../../../contracts/envelope.ts';
import type { OptimizationResult, OptimizeRequest } from '../../../contracts/optimize.ts';
import type { Certificate, SOLVE_METHODS } from '../../../contracts/plans.ts';
import type { Coordinates } from '../../geo.ts';
import type { Cache } from '../run/cache.ts';
import type { ConstraintName, Limits } from './constraints.ts';
import type { SparseCosts } from './distances/move-costs.ts';

/** The service's defaults for what a request leaves out, and the operator's cap of the time limit. */
export type OptimizeSettings = {
  maxDistanceKm: number;
  minServiceLevel: number;
  /** null: no ceiling. */
  maxRebalancingCost: number | null;
  capacityPerVehicle: number;
  timeLimitSeconds: number;
  maxTimeLimitSeconds: number;
  optimalityGap: number;
  costPerKm: number;
};

/** What is wrong with a request; `field` is a path in it. */
export type RequestFault = { field: string; message: string; detail: string | null };

/** A stored location; coordinates in degrees. */
export type LocationPoint = { id: number; latitude: number; longitude: number };

export type OptimizeInput = {
  request: OptimizeRequest;
  /** The stored locations that the request names; ignored where the request carries a `network`. */
  locations: readonly LocationPoint[];
  settings: OptimizeSettings;
};

/** Costs and distances between all locations, n × n, row-major. Reading them throws `TooManyLocationsError` where they do not fit. */
export type Network = {
  /** Cost units per vehicle; Infinity where the network forbids the move; 0 on the diagonal. */
  costUnits: Float64Array;
  /** km; null where the request's network gives no distances, then no distance limit applies. */
  distanceKm: Float64Array | null;
};

/** Great-circle figures pair by pair, the same as the matrices', which need not be built for them. */
export type GreatCircle = {
  points: readonly Coordinates[];
  costPerKm: number;
  /** Cost units per vehicle. */
  costOf(from: number, to: number): number;
  kmOf(from: number, to: number): number;
  /** Builds a matrix of the network before it is first read, which takes up to half a second. @throws what `check` throws, and TooManyLocationsError */
  buildCosts(check: () => void): void;
  buildDistances(check: () => void): void;
  /** The moves within a limit, by source; null where they are so many that the matrices are the better way. @throws what `check` throws */
  near(limitKm: number, check?: () => void): SparseCosts | null;
};

/** The operational vehicles in the request's order, as three parallel arrays. */
export type FleetIndex = {
  /** Position in `fleet_state.vehicles`. */
  request: Int32Array;
  location: Int32Array;
  capacityClass: Int32Array;
};

export type Problem = {
  /** n location ids, ascending. */
  locationIds: Int32Array;
  /** K capacities, ascending. */
  capacities: Float64Array;
  /** K × n: operational vehicles of class k at location i. */
  supply: Int32Array;
  /** n: planning demand. */
  demand: Float64Array;
  /** Great-circle matrices are built when they are first read. */
  network: Network;
  /** null where the costs are not all great-circle ones. */
  greatCircle: GreatCircle | null;
  limits: Limits;
  /** The request's vehicles, for the plan; changed problems differ from it in `supply` alone. */
  fleet: FleetIndex;
  /** Capacity of a vehicle that states none; the size of the vehicle that insights add. */
  capacityPerVehicle: number;
  /** Kept from request to request by the thread, and found out about this problem and those changed from it. */
  caches: { thread: Cache; problem: Cache };
  /** Whether the last location is none of the request: vehicles that could be added start there, and none go there. */
  hasPlaceOutside?: true;
};

/** Vehicles that move, in parallel arrays: `count` of class `capacityClass` from `source` to `target` (≠ source). */
export type Moves = {
  capacityClass: Int32Array;
  source: Int32Array;
  target: Int32Array;
  count: Int32Array;
};

/** What a bound was proved by. `reduced costs`: with the plan itself, as in `flow/certify.ts`; `prices`: any of them prove one. */
export type BoundProof =
  | 'reduced costs of all moves'
  | 'bound from prices of all moves'
  | 'bound of branch and cut';

/** How a solution was found and what is proved of it. */
export type SolveFigures = {
  /** `network_simplex`: pure flow, or flow at the best Lagrangian multiplier; `linear`: integral linear programme; `mixed_integer`: branch and cut; `rounding`, `greedy`: heuristics. */
  method: (typeof SOLVE_METHODS)[number];
  columns: number;
  rows: number;
  iterations: number;
  nodes: number;
  /** Iterations HiGHS took to confirm the network simplex's tree as an optimal basis; absent where it was not asked. */
  confirmedWithin?: number;
  /** Each that raised the bound; absent where it is 0, below which no plan is. */
  boundBy?: BoundProof[];
};

export type Solution = {
  moves: Moves;
  costUnits: number;
  /** Proved lower bound of the cost of every plan. */
  boundUnits: number;
  /** (cost − bound) / cost; 0 where the cost is 0. */
  gap: number;
  /** Whether the gap is within the one asked for. */
  proved: boolean;
  /** Demand served, as the constraints count it. */
  served: number;
  figures: SolveFigures;
};

export type SolveOutcome =
  | { kind: 'solved'; solution: Solution }
  /** Proved. `boundUnits`: where only the cost ceiling is in the way, a proved lower bound of the cost. */
  | { kind: 'infeasible'; boundUnits: number | null }
  | { kind: 'cancelled' }
  /** The time limit came before a plan or a proof. */
  | { kind: 'timeout' }
  /** Beyond the optimizer's memory. */
  | { kind: 'refused'; fault: RequestFault }
  | { kind: 'error'; message: string };

/** One constraint of an irreducible conflict. */
export type Conflict = {
  constraint: ConstraintName;
  /** As requested; of `supply` the number of operational vehicles. */
  value: number | null;
  /** The value nearest to the requested one with which, alone changed, a plan exists; null where there is none or none was found in time. */
  relaxation: number | null;
  /** The nearest value to `relaxation` that was proved not to be enough; null where only the requested one was. */
  insufficient: number | null;
  /** Whether `relaxation` was proved to be the nearest (or, where null, that relaxing this alone does not help). */
  proved: boolean;
  /** Of `supply`: where vehicles, and of which capacity, can be added to make up the relaxation. */
  additions?: { location_id: number; vehicles: number; capacity: number }[];
  /** Of distances and forbidden moves: locations where no operational vehicle may come. */
  unreachable?: number[];
};

/** One of several changes that are enough together, each with those before it in force. */
export type JointChange = {
  constraint: ConstraintName;
  /** As requested; of `supply` the number of operational vehicles. */
  value: number;
  relaxation: number;
  /** Whether it was proved to be the nearest value with those before it in force and those after it as loose as can be. */
  proved: boolean;
  additions?: NonNullable<Conflict['additions']>;
};

export type OptimizeOutcome =
  | { status: 'optimal' | 'feasible'; result: OptimizationResult; certificate: Certificate }
  | {
      status: 'infeasible';
      errors: ErrorItem[];
      conflicts: Conflict[];
      /** Each a set of constraints that cannot hold together; `irreducible`: proved that without any one of them they can. */
      sets: { names: ConstraintName[]; irreducible: boolean }[];
      /** Changes that are enough together, where not every constraint in conflict is enough alone; null where that was not looked for or not found. */
      together: JointChange[] | null;
    }
  | { status: 'cancelled' }
  /** What only the search finds out to be beyond the optimizer; see `refusals.ts`. */
  | { status: 'refused'; faults: RequestFault[] }
  | { status: 'error'; message: string };
