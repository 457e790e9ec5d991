/** Requests with a constraint changed or removed. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { ConstraintName } from '../../../src/core/optimize/problem/constraints.ts';
import type { Conflict } from '../../../src/core/optimize/problem/model.ts';
import { boundAt, loosened } from './bounds-by-location.ts';

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

/** The request after a reader has applied a relaxation that is not about supply. */
export function relaxed(
  request: OptimizeRequest,
  { constraint, relaxation, changes }: Pick<Conflict, 'constraint' | 'relaxation' | 'changes'>,
): OptimizeRequest {
  if (!changes) return changed(request, constraint, relaxation);
  return withValues(
    request,
    constraint as BoundName,
    new Map(changes.map(({ location_id, to }) => [location_id, to])),
  );
}

type BoundName = 'min_vehicles_per_location' | 'max_vehicles_per_location';

function withValues(request: OptimizeRequest, name: BoundName, values: Map<number, number>): OptimizeRequest {
  const stated = request.constraints![name] as Record<string, number>;
  const bound = { ...stated, ...Object.fromEntries(values) };
  return { ...request, constraints: { ...request.constraints, [name]: bound } };
}

/** All requests whose bounds by location differ by so much in total, one vehicle at a time. */
export function withTotalChange(
  request: OptimizeRequest,
  name: BoundName,
  ids: readonly number[],
  total: number,
): OptimizeRequest[] {
  const bounded = ids.filter((id) => boundAt(request.constraints![name], id) !== undefined);
  const by = name === 'min_vehicles_per_location' ? -1 : 1;
  const requests: OptimizeRequest[] = [];
  const spread = (at: number, left: number, values: Map<number, number>): void => {
    if (at === bounded.length) {
      if (left === 0) requests.push(withValues(request, name, values));
      return;
    }
    const stated = boundAt(request.constraints![name], bounded[at])!;
    for (let count = 0; count <= left && stated + by * count >= 0; count++)
      spread(at + 1, left - count, new Map([...values, [bounded[at], stated + by * count]]));
  };
  spread(0, total, new Map());
  return requests;
}

/** Allows the moves that the network forbids, at no cost: their true cost cannot be lower. */
export function withoutForbiddenMoves(request: OptimizeRequest): OptimizeRequest {
  if (!request.network) return request;
  const costs = request.network.costs.map((row) => row.map((cost) => cost ?? 0));
  return { ...request, network: { ...request.network, costs } };
}
