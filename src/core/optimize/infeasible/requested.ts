/** What a request asks for by each constraint that may be in conflict. */
import { fromUnits } from '../problem/costs.ts';
import type { ConstraintName, Problem } from '../problem/model.ts';
import { countVehicles } from '../problem/variants.ts';

/** As the request says it; of supply the number of operational vehicles; null of forbidden moves. */
export function requestedValue(problem: Problem, name: ConstraintName): number | null {
  const { limits } = problem;
  switch (name) {
    case 'min_service_level':
      return limits.minServiceLevel;
    case 'max_distance':
      return limits.maxDistanceKm;
    case 'max_rebalancing_cost':
      return fromUnits(limits.maxCostUnits);
    case 'min_vehicles_per_location':
      return limits.minVehiclesPerLocation;
    case 'max_vehicles_per_location':
      return limits.maxVehiclesPerLocation;
    case 'total_fleet_size':
      return limits.totalFleetSize;
    case 'supply':
      return countVehicles(problem);
    case 'network':
      return null;
  }
}
