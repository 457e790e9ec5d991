/**
 * What a vehicle serves, in units of demand. The rest of the optimizer calls this its capacity.
 *
 * Without `trips_per_vehicle_hour` it is the stated capacity, however long a step is. With `trips_per_vehicle_hour`,
 * demand is trips, and a vehicle serves capacity × trips per hour × hours of a step. The planning demand of `sum`
 * covers all steps, so the hours are then those of all steps.
 */
import type { OptimizeRequest, VehicleInput } from '../../../contracts/optimize.ts';
import type { OptimizeSettings } from '../problem/model.ts';
import { longestSeries } from './demand.ts';

/** Settings that say what a vehicle serves. */
export type CapacitySettings = Pick<OptimizeSettings, 'capacityPerVehicle' | 'tripsPerVehicleHour'>;

type Capacity = {
  /** Demand that a unit of stated capacity serves; 1 if demand is not counted in trips. */
  servedPerUnit: number;
  /** Demand that a vehicle serves. */
  of(vehicle: Pick<VehicleInput, 'capacity'>): number;
};

/** Whether a vehicle of a request takes part in the plan. */
export function isOperational({ status = 'operational' }: VehicleInput): boolean {
  return status === 'operational';
}

/** Reads what vehicles serve from a request, with the settings as defaults. O(locations) */
export function readCapacity(
  { demand_forecast, constraints, options = {} }: OptimizeRequest,
  settings: CapacitySettings,
): Capacity {
  const usual = constraints?.capacity_per_vehicle ?? settings.capacityPerVehicle;
  const { trips_per_vehicle_hour: trips = settings.tripsPerVehicleHour, step_hours: hours = 1 } = options;
  const steps = options.demand_aggregation === 'sum' ? Math.max(1, longestSeries(demand_forecast)) : 1;
  const servedPerUnit = trips === null ? 1 : trips * hours * steps;
  return { servedPerUnit, of: ({ capacity = usual }) => capacity * servedPerUnit };
}
