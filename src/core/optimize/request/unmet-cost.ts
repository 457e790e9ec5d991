/** The cost of a unit of unmet demand: one number for all locations, or a map by location id. */
import { MAX_COST } from '../../../contracts/bounds.ts';
import type { Constraints, OptimizeRequest } from '../../../contracts/optimize.ts';
import { roundedUpText } from '../../../contracts/rounded-text.ts';
import type { Problem } from '../problem/model.ts';
import { planningDemand } from './demand.ts';
import type { FaultList } from './fault-list.ts';
import { numberAt } from './location-bounds.ts';

const FIELD = 'constraints.unmet_demand_cost';

/** @param locationIds of the problem */
export function readUnmetCost(
  { constraints }: OptimizeRequest,
  locationIds: ArrayLike<number>,
): Pick<Problem, 'unmetCost'> {
  const stated = constraints?.unmet_demand_cost ?? undefined;
  if (stated === undefined) return {};
  return { unmetCost: Float64Array.from(locationIds, (id) => numberAt(stated, id) ?? 0) };
}

/**
 * Reports locations that a map names and that do not exist, and costs whose sum over all demand is too large to be
 * exact.
 * @param unknown follows the number of a location that does not exist
 */
export function checkUnmetCost(
  request: OptimizeRequest,
  known: ReadonlySet<number>,
  unknown: string,
  list: FaultList,
): void {
  const stated: Constraints['unmet_demand_cost'] = request.constraints?.unmet_demand_cost;
  if (stated === undefined || stated === null) return;
  for (const key of typeof stated === 'object' ? Object.keys(stated) : []) {
    if (key !== 'default' && !known.has(Number(key)))
      list.add(`${FIELD}.${key}`, `location ${key} ${unknown}`);
  }
  let total = 0;
  for (const [id, demand] of planningDemand(request.demand_forecast, request.options?.demand_aggregation)) {
    total += demand * (numberAt(stated, id) ?? 0);
  }
  if (total > MAX_COST) {
    list.add(
      FIELD,
      `if no demand were served, that would cost ${roundedUpText(total)}, above the maximum ${MAX_COST} that keeps ` +
        'the total exact; use a larger unit of money',
    );
  }
}
