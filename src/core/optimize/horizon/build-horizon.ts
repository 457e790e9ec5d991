/** From the problem of a plan for one step to the problem of many steps, or the reason why there is none. */
import { flowCosts, forEachMove } from '../flow/flow-costs.ts';
import { UNITS_PER_COST } from '../problem/costs.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem, RequestFault } from '../problem/model.ts';
import { openDemand } from '../problem/pinned.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import type { Stopping } from '../run/stopping.ts';
import { expectedDemand, withoutServed } from './demand-parts.ts';
import type { DemandParts, HorizonProblem, TravelPairs, TripFlows } from './types.ts';

/** What many steps add to a problem, whose locations, vehicles, costs and constraints hold for all of them. */
export type HorizonInput = {
  /** Hours. */
  stepHours: number;
  /** T × n: planning demand of each step, with what pinned vehicles serve. */
  demand: Float64Array;
  /** What of this demand comes with which chance (`demand` is what they expect); absent: all of it is certain. */
  parts?: DemandParts | undefined;
  /** T × n: vehicles on the way by the step from which they are free; absent: none. */
  onTheWay?: Int32Array;
  /** Minutes of a move; null: not known, and `speedKmh` counts. */
  minutesOf?: (from: number, to: number) => number | null;
  /** Speed of moves whose minutes are not known, on their distance. */
  speedKmh: number;
  /**
   * Whether the moves of the plan begin a step before the first demand, as those of a plan for one step do. Moves of
   * up to a step then serve the first demand; otherwise vehicles miss the step in which they move.
   */
  isAhead: boolean;
  flows?: readonly TripFlows[];
  /** Whether vehicles of all steps have different capacities: they are part of rules, not of this problem. */
  isMixed?: boolean;
};

/** The longest that a move may take. */
const MAX_DELAY = 255;
/** Nodes of the time-expanded network. */
const MAX_NODES = 500_000;

/** @throws OutOfTime */
export function buildHorizon(
  problem: Problem,
  input: HorizonInput,
  control?: Stopping,
): HorizonProblem | RequestFault {
  const n = problem.locationIds.length;
  const steps = input.demand.length / n + (input.isAhead ? 1 : 0);
  if (n * steps > MAX_NODES) {
    const message = `${steps} steps of ${n} locations are more than ${MAX_NODES}; use fewer or longer steps`;
    return { field: 'options.horizon', message, detail: null };
  }
  const lead = input.isAhead ? n : 0;
  const capacity = problem.capacities[0] ?? problem.capacityPerVehicle;
  const supply = new Int32Array(steps * n);
  if (!input.isMixed) supply.set(problem.supply.subarray(0, n));
  for (let u = 0; u < (input.onTheWay?.length ?? 0); u++) supply[lead + u] += input.onTheWay![u];
  const demand = new Float64Array(steps * n);
  const { pinned } = problem;
  const open = input.parts && pinned ? withoutServed(input.parts, pinned.capacity) : input.parts;
  const expected = open && expectedDemand(open);
  let total = 0;
  let byPinned = 0;
  for (let u = 0; u < input.demand.length; u++) {
    const planned = input.demand[u];
    const left = pinned
      ? openDemand(planned, pinned.capacity[u % n], input.isMixed ? null : capacity)
      : planned;
    demand[lead + u] = expected ? expected[u] : left;
    total += planned;
    byPinned += planned - demand[lead + u];
  }
  const price = problem.unmetCost;
  const bounded = hasLocationBounds(problem);
  const rows = (valueAt: (j: number) => number, free: number) =>
    Array.from({ length: steps * n }, (_, u) => (u < lead ? free : valueAt(u % n)));
  return {
    n,
    steps,
    supply,
    demand,
    parts: open && { chances: open.chances, sizes: withLead(open.sizes, steps * n, lead) },
    capacity,
    pairs: readPairs(problem, input, control),
    unmetUnits: price && Float64Array.from(rows((j) => price[j] * UNITS_PER_COST, 0)),
    required: Math.max(0, problem.limits.minServiceLevel * total - byPinned),
    ...(bounded && {
      least: Int32Array.from(rows((j) => Math.max(0, Math.ceil(leastAt(problem, j))), 0)),
      most: Float64Array.from(rows((j) => Math.floor(mostAt(problem, j)), Number.POSITIVE_INFINITY)),
    }),
    flows: input.flows && (input.isAhead ? [input.flows[0], ...input.flows] : input.flows),
  };
}

/** Rows of parts, each with `lead` nodes of no demand before it. */
function withLead(sizes: Float64Array, nodes: number, lead: number): Float64Array {
  const own = nodes - lead;
  const led = new Float64Array((sizes.length / own) * nodes);
  for (let p = 0; p * own < sizes.length; p++)
    led.set(sizes.subarray(p * own, (p + 1) * own), p * nodes + lead);
  return led;
}

/** The allowed moves with their costs and the steps that they take. O(n²) */
function readPairs(
  problem: Problem,
  { stepHours, speedKmh, minutesOf }: HorizonInput,
  control?: Stopping,
): TravelPairs {
  const n = problem.locationIds.length;
  const costs = flowCosts(problem, control);
  const { greatCircle, network } = problem;
  const kmOf = (from: number, to: number) =>
    greatCircle ? greatCircle.kmOf(from, to) : (network.distanceKm?.[from * n + to] ?? 0);
  const minutes = (from: number, to: number) =>
    minutesOf?.(from, to) ?? problem.minutesOf?.(from, to) ?? (60 * kmOf(from, to)) / speedKmh;
  const starts = new Int32Array(n + 1);
  const targets: number[] = [];
  const units: number[] = [];
  const delay: number[] = [];
  for (let i = 0; i < n; i++) {
    forEachMove(costs, i, n, (j, cost) => {
      targets.push(j);
      units.push(cost);
      const taken = Math.ceil(minutes(i, j) / (60 * stepHours));
      delay.push(Math.min(MAX_DELAY, Math.max(1, taken)));
    });
    starts[i + 1] = targets.length;
  }
  return {
    starts,
    targets: Int32Array.from(targets),
    units: Float64Array.from(units),
    delay: Uint8Array.from(delay),
  };
}
