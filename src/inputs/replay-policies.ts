/** The constraints of the policies of a replay: what plans do not know of them, found before anything is planned. */
import { boundedLocationIds } from '../contracts/optimize.ts';
import type { ReplayRequest } from '../contracts/replays.ts';
import type { RequestFault } from '../core/optimize/problem/model.ts';
import { checkRequest } from '../core/optimize/request/check.ts';
import { createCache } from '../core/optimize/run/cache.ts';
import { unknownRule } from '../core/replay/plan-ahead.ts';
import { createPlanner } from '../core/replay/planner.ts';

type Policy = ReplayRequest['policies'][number];

/** Where policies plan. */
export type PolicyScope = {
  locationIds: readonly number[];
  fleetSize: number;
  /** Whether trips may end elsewhere than they began. */
  hasFlows: boolean;
};

/** The faults of the constraints of all policies, by their fields in the request. */
export function findPolicyFaults({ policies }: ReplayRequest, scope: PolicyScope): RequestFault[] {
  return policies.flatMap((policy, i) =>
    faultsOf(policy, scope).map((fault) => ({ ...fault, field: `policies[${i}].${fault.field}` })),
  );
}

function faultsOf({ mode, end = 'nothing', constraints }: Policy, scope: PolicyScope): RequestFault[] {
  if (!constraints) return [];
  const inReplay = new Set(scope.locationIds);
  const named = [...new Set(boundedLocationIds(constraints))].sort((a, b) => a - b);
  const missing = named.filter((id) => !inReplay.has(id));
  if (missing.length > 0) {
    const message = `location ${missing[0]} is not part of the replay; add it to location_ids, or leave it out`;
    return [{ field: 'constraints', message, detail: null }];
  }
  const plain = { demand_forecast: {}, fleet_state: { vehicles: [] }, constraints };
  const capacity = { capacityPerVehicle: 1, tripsPerVehicleHour: null };
  const faults = checkRequest(
    { ...plain, ...(mode === 'horizon' && { options: { horizon: {} } }) },
    inReplay,
    capacity,
  );
  if (faults.length > 0 || mode !== 'horizon') return faults;
  // Costs do not matter here, and the named locations are enough.
  const ids = named.length > 0 ? named : [scope.locationIds[0]];
  const pairs = () => new Float64Array(ids.length ** 2);
  const travel = { km: pairs(), minutes: pairs(), cost: pairs() };
  const planner = createPlanner(
    { locationIds: Int32Array.from(ids), travel, tripsPerHour: 1 },
    { constraints, timeLimitSeconds: 1, gap: 0 },
    createCache(),
  );
  const { fleetSize, hasFlows } = scope;
  const unknown = unknownRule(planner, { fleetSize, hasFlows, hasEnd: end !== 'nothing' });
  return unknown ? [unknown] : [];
}
