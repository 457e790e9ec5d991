/** Requests with a constraint changed or removed. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { ConstraintName } from '../../../src/core/optimize/problem/constraints.ts';
import { loosened } from './bounds-by-location.ts';

/** The value that removes a constraint. */
export const NO_CONSTRAINT: Partial<Record<ConstraintName, number | null>> = {
  min_service_level: 0,
  max_distance: 1e6,
  max_rebalancing_cost: null,
  min_vehicles_per_location: 0,
  max_vehicles_per_location: 1e6,
  total_fleet_size: 1e6,
};

/** The request with one constraint set to another value; bounds by location are loosened to it. */
export function changed(
  request: OptimizeRequest,
  name: ConstraintName,
  value: number | null,
): OptimizeRequest {
  const { constraints = {} } = request;
  const set =
    name === 'min_vehicles_per_location' || name === 'max_vehicles_per_location'
      ? loosened(constraints[name], name, value!)
      : value;
  return { ...request, constraints: { ...constraints, [name]: set } };
}

/** Allows the moves that the network forbids, at no cost: their true cost cannot be lower. */
export function withoutForbiddenMoves(request: OptimizeRequest): OptimizeRequest {
  if (!request.network) return request;
  const costs = request.network.costs.map((row) => row.map((cost) => cost ?? 0));
  return { ...request, network: { ...request.network, costs } };
}
