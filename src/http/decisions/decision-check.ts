import { AppError, type Fault } from '../../answers/errors.ts';
import { DECISION_HORIZON_HOURS, DECISION_STEP_HOURS } from '../../contracts/decisions.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import type { Queryable } from '../../db/client.ts';
import { readFleetLocationIds, readFleetSummary } from '../../db/data/fleet.ts';
import { findKnownLocationIds } from '../../db/data/locations.ts';
import {
  checkForecastLocations,
  checkForecastSize,
  decisionHistory,
  requestedLocations,
  sizeField,
} from '../../inputs/forecast-input.ts';
import type { OperationFacts } from '../bodies/operations.ts';
import type { Deps } from '../deps.ts';
import type { JobSize } from '../jobs/submit-job.ts';
import { checkPreviousPlan } from './previous-plan-check.ts';
import { checkTravel } from './travel-check.ts';

/** The body of a decision, as far as its checks need it. */
export type DecisionIntake = OperationFacts<'decision'>;

type FindFaults = (known: ReadonlySet<number>) => Promise<Fault[]>;

/**
 * Checks a decision against the stored data.
 * @param findFaults the faults that a schema cannot express, given which of the locations are stored
 * @param owner whom its previous plan must belong to; undefined: anybody
 * @returns its size
 * @throws AppError VALIDATION_ERROR, RESOURCE_NOT_FOUND, MODEL_NOT_LOADED
 */
export async function checkDecision(
  { config, database: { db } }: Pick<Deps, 'config' | 'database'>,
  intake: DecisionIntake,
  findFaults: FindFaults,
  owner: string | undefined,
): Promise<JobSize> {
  const { forecast, networkIds, vehicleCount, facts } = intake;
  const faults = await findAllFaults(db, intake, findFaults);
  if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
  const { location_ids } = forecast;
  const network = networkIds ? { network: { location_ids: networkIds } } : {};
  const ids = await requestedLocations(db, { ...(location_ids && { location_ids }), ...network });
  await checkForecastLocations(
    db,
    ids,
    location_ids || !networkIds ? 'location_ids' : 'network.location_ids',
  );
  const { horizon_hours = DECISION_HORIZON_HOURS, step_hours = DECISION_STEP_HOURS } = forecast;
  checkForecastSize(ids.length, horizon_hours, step_hours, sizeField(forecast));
  await decisionHistory(db, config, ids, forecast);
  await checkTravel(db, facts, ids);
  await checkPreviousPlan(db, facts, owner);
  return {
    locationCount: ids.length,
    vehicleCount: vehicleCount ?? (await readFleetSummary(db)).total_vehicles,
  };
}

/** Faults that a schema cannot express, and stored vehicles that do not fit the network of the request. */
async function findAllFaults(
  db: Queryable,
  { locationIds, networkIds, vehicleCount }: DecisionIntake,
  findFaults: FindFaults,
): Promise<Fault[]> {
  const faults = await findFaults(await findKnownLocationIds(db, locationIds));
  if (!networkIds || vehicleCount !== null) return faults;
  const inNetwork = new Set(networkIds);
  for (const id of await readFleetLocationIds(db)) {
    if (inNetwork.has(id)) continue;
    const message =
      `location ${id} has vehicles of the stored fleet but is not in network.location_ids; ` +
      'add it with its costs, or send the vehicles to plan in fleet_state';
    faults.push({ field: 'network.location_ids', message });
  }
  return faults.slice(0, MAX_REPORTED_ERRORS);
}
