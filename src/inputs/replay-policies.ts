/** The constraints of the policies of a replay: their faults, found before anything is planned. */
import { boundedLocationIds } from '../contracts/optimize.ts';
import type { ReplayRequest } from '../contracts/replays.ts';
import type { RequestFault } from '../core/optimize/problem/model.ts';
import { checkRequest } from '../core/optimize/request/check.ts';

type Policy = ReplayRequest['policies'][number];

/**
 * The faults of the constraints of all policies, by their fields in the request.
 * @param locationIds those of the replay
 */
export function findPolicyFaults(
  { policies }: ReplayRequest,
  locationIds: readonly number[],
): RequestFault[] {
  const inReplay = new Set(locationIds);
  return policies.flatMap((policy, i) =>
    faultsOf(policy, inReplay).map((fault) => ({ ...fault, field: `policies[${i}].${fault.field}` })),
  );
}

function faultsOf({ mode, constraints }: Policy, inReplay: ReadonlySet<number>): RequestFault[] {
  if (!constraints) return [];
  const missing = boundedLocationIds(constraints).filter((id) => !inReplay.has(id));
  if (missing.length > 0) {
    const first = Math.min(...missing);
    const message = `location ${first} is not part of the replay; add it to location_ids, or leave it out`;
    return [{ field: 'constraints', message, detail: null }];
  }
  const plain = { demand_forecast: {}, fleet_state: { vehicles: [] }, constraints };
  return checkRequest({ ...plain, ...(mode === 'horizon' && { options: { horizon: {} } }) }, inReplay, {
    capacityPerVehicle: 1,
    tripsPerVehicleHour: null,
  });
}
