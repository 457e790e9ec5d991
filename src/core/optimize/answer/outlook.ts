/** The figures of all steps of a plan that looks ahead. */
import type { OptimizationResult, PriorityServed } from '../../../contracts/optimize.ts';
import { HOUR_MS } from '../../../contracts/time.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Problem } from '../problem/model.ts';
import { countRequestLocations } from '../problem/pinned-places.ts';

/** The request step by step; arrays are T × n. */
export type AllSteps<Flows = unknown> = {
  demand: Float64Array;
  /** Vehicles on the way, by the step from which they are free. */
  onTheWay: Int32Array;
  /** K, ascending: capacities of all vehicles that may move; and K × T × n, those of them on the way. */
  classes: { capacities: Float64Array; onTheWay: Int32Array };
  /** n: priority levels; null if no demand of any step is critical. */
  levels: Uint8Array | null;
  /** Vehicles that are free only after the last step. */
  later: number;
  flows?: Flows;
};

type Planned = {
  /** The plan's own moves begin in a step before the first one, which has no demand. */
  outlook: {
    vehicles: Float64Array;
    demand: Float64Array;
    served: Float64Array;
    moves: { from: number; to: number; vehicles: number }[];
  }[];
  objectiveUnits: number;
  boundUnits: number;
  roundingUnits: number;
};

/** Parts of vehicles and of demand have so many decimals. */
const DECIMALS = 6;

/** @param isByLocation whether each step says what every location has. O(steps · n + moves) */
export function describeOutlook(
  problem: Problem,
  { outlook, objectiveUnits, boundUnits, roundingUnits }: Planned,
  { demand, onTheWay, later }: AllSteps,
  { stepHours, startMs }: { stepHours: number; startMs: number | null },
  isByLocation: boolean,
): Required<Pick<OptimizationResult, 'outlook' | 'horizon_cost' | 'horizon_bound' | 'rounding_cost'>> {
  const { locationIds, supply, pinned } = problem;
  const n = locationIds.length;
  const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);
  const staying = sum(pinned?.vehicles ?? []);
  const fleet = sum(supply) + staying + sum(onTheWay) + later;
  return {
    outlook: outlook.slice(1).map((step, t) => {
      const wanted = rounded(sum(demand.subarray(t * n, (t + 1) * n)));
      const unmet = rounded(Math.max(0, sum(step.demand) - sum(step.served)));
      const vehicles = rounded(sum(step.vehicles) + staying);
      return {
        starts_at: startMs === null ? null : new Date(startMs + t * stepHours * HOUR_MS).toISOString(),
        demand: wanted,
        served: rounded(wanted - unmet),
        unmet,
        vehicles,
        on_the_way: rounded(fleet - vehicles),
        moves: step.moves
          .map(({ from, to, vehicles: moved }) => ({
            source_location: locationIds[from],
            target_location: locationIds[to],
            vehicles: rounded(moved),
          }))
          .filter(({ vehicles: moved }) => moved > 0),
        ...(isByLocation && byLocation(problem, step, demand.subarray(t * n, (t + 1) * n))),
      };
    }),
    horizon_cost: fromUnits(objectiveUnits),
    horizon_bound: fromUnits(boundUnits),
    rounding_cost: fromUnits(roundingUnits),
  };
}

/** @param all demand of the step, also that which pinned vehicles serve */
function byLocation(
  problem: Problem,
  { demand, served, vehicles }: Planned['outlook'][number],
  all: Float64Array,
) {
  const standing = problem.pinned?.vehicles;
  const values = (value: (j: number) => number) =>
    Array.from({ length: countRequestLocations(problem) }, (_, j) => rounded(value(j)));
  return {
    demand_by_location: values((j) => all[j]),
    unmet_by_location: values((j) => Math.max(0, demand[j] - served[j])),
    vehicles_by_location: values((j) => vehicles[j] + (standing?.[j] ?? 0)),
  };
}

/**
 * What the priority levels get over all steps, the highest first.
 * @param open T × n: demand beside pinned vehicles @param found without levels that these serve alone
 */
export function describeLevels(
  { demand, levels }: { demand: Float64Array; levels: Uint8Array },
  open: Float64Array,
  found: readonly { level: number; served: number; most: number }[],
): PriorityServed[] {
  const levelAt = (u: number) => levels[u % levels.length];
  const all = new Set(Array.from(demand, (value, u) => (value > 0 ? levelAt(u) : 0)));
  let higher = 0;
  return [...all]
    .filter((level) => level > 0)
    .sort((a, b) => b - a)
    .map((level) => {
      const { served, most } = found.find((one) => one.level === level) ?? { served: higher, most: higher };
      const sumOf = (values: Float64Array) =>
        values.reduce((sum, value, u) => sum + (levelAt(u) === level ? value : 0), 0);
      const wanted = sumOf(demand);
      const pinned = wanted - sumOf(open);
      const own = Math.min(wanted - pinned, Math.max(0, served - higher));
      const atMost = Math.min(wanted - pinned, Math.max(own, most - higher));
      higher = served;
      return {
        level,
        demand: rounded(wanted),
        served: rounded(own + pinned),
        served_at_most: rounded(atMost + pinned),
      };
    });
}

/** To the decimals of an outlook. */
export function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS)) + 0;
}
