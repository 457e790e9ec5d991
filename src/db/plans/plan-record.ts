/**
 * A plan in the form that the database stores: figures, and the vehicles packed into arrays, a thousand to a row.
 * Arrays take less time than a row per vehicle, and a tenth of the space. Pure, and without the database: large plans
 * are packed in the thread that made them.
 */
import type { OptimizationResult, PlanLocation } from '../../contracts/optimize.ts';
import type { MoveDistances } from '../../contracts/plans.ts';
import { floatArrayBytes, intArrayBytes, textArrayBytes } from '../array-bytes.ts';
import { arrayText } from '../array-text.ts';

/** Vehicles per row. The `first_ordinal` of the rows of a plan are 1, 1 + this, 1 + 2 · this, … */
export const PART_SIZE = 1000;

export type PlanRecord = {
  figures: Pick<OptimizationResult, 'solver_status' | 'gap' | 'total_cost' | 'kpis'>;
  vehicleCount: number;
  /** locations that vehicles leave or enter, ascending */
  movedLocations: number[];
  /** the proof of the plan: objective, bound, gap, method, sizes, checks; JSON text */
  certificate: string;
  /** all other fields of the result but `insights`, so that none can be forgotten; JSON text, null if there are none */
  findings: string | null;
  /** JSON text */
  insights: string | null;
  /**
   * Columns of the vehicles, in PostgreSQL's binary form (`array-bytes.ts`). The ids are an array of the parts, each an
   * array in text form: a slice of an array of texts is found by walking to it, one of numbers by its place.
   */
  parts: Record<'vehicleIds' | 'sourceLocations' | 'targetLocations' | 'costs', Uint8Array>;
  /** The figures of all locations, an array per figure. */
  locations: { [F in Exclude<keyof PlanLocation, 'unmet' | 'priority'>]: string } & { priority?: string };
  /** Whether its locations are stored ones. Those of a request's network are not, and have no names. */
  hasStoredLocations: boolean;
  /** An array each; null if unknown. */
  moveDistances: (Record<'sources' | 'targets' | 'km', string> & { minutes: string | null }) | null;
};

/** @param distances of the moves; null if unknown */
export function planRecord(
  result: OptimizationResult,
  certificate: unknown,
  distances: MoveDistances | null = null,
): PlanRecord {
  const {
    allocation_plan: items,
    solver_status,
    gap,
    total_cost,
    kpis,
    locations = [],
    insights,
    ...findings
  } = result;
  const ids: string[] = [];
  for (let first = 0; first < items.length; first += PART_SIZE)
    ids.push(arrayText(items.slice(first, first + PART_SIZE).map((item) => item.vehicle_id)));
  const moved = new Set<number>();
  for (const { source_location, target_location } of items) {
    if (source_location !== target_location) moved.add(source_location).add(target_location);
  }
  return {
    figures: { solver_status, gap, total_cost, kpis },
    vehicleCount: items.length,
    movedLocations: [...moved].sort((a, b) => a - b),
    certificate: JSON.stringify(certificate),
    findings: Object.keys(findings).length > 0 ? JSON.stringify(findings) : null,
    insights: insights ? JSON.stringify(insights) : null,
    parts: {
      vehicleIds: textArrayBytes(ids),
      sourceLocations: intArrayBytes(items.length, (i) => items[i].source_location),
      targetLocations: intArrayBytes(items.length, (i) => items[i].target_location),
      costs: floatArrayBytes(items.length, (i) => items[i].cost),
    },
    locations: packLocations(locations),
    hasStoredLocations: locations.some(({ name }) => name !== null),
    moveDistances: distances && {
      sources: arrayText(distances.sources),
      targets: arrayText(distances.targets),
      km: arrayText(distances.km),
      minutes: distances.minutes && arrayText(distances.minutes),
    },
  };
}

/** Unmet demand is not stored: it is the difference of two stored figures. */
function packLocations(locations: readonly PlanLocation[]): PlanRecord['locations'] {
  const column = (figure: keyof PlanLocation) =>
    arrayText(locations.map((location) => location[figure] ?? null));
  return {
    location_id: column('location_id'),
    name: column('name'),
    demand: column('demand'),
    vehicles_before: column('vehicles_before'),
    vehicles_after: column('vehicles_after'),
    capacity_after: column('capacity_after'),
    served: column('served'),
    ...(locations[0]?.priority !== undefined && { priority: column('priority') }),
  };
}
