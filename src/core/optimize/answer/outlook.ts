/** What a plan that looks ahead says of all steps. */
import type { OptimizationResult } from '../../../contracts/optimize.ts';
import { HOUR_MS } from '../../../contracts/time.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Problem } from '../problem/model.ts';

/** What the request has for each step; arrays are T × n. */
export type AllSteps<Flows = unknown> = {
  demand: Float64Array;
  /** Vehicles on the way, by the step from which they are free. */
  onTheWay: Int32Array;
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

/** O(steps · n + moves) */
export function describeOutlook(
  problem: Problem,
  { outlook, objectiveUnits, boundUnits, roundingUnits }: Planned,
  { demand, onTheWay, later }: AllSteps,
  { stepHours, startMs }: { stepHours: number; startMs: number | null },
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
      };
    }),
    horizon_cost: fromUnits(objectiveUnits),
    horizon_bound: fromUnits(boundUnits),
    rounding_cost: fromUnits(roundingUnits),
  };
}

/** To the decimals of an outlook. */
export function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS)) + 0;
}
