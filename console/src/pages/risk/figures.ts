import type { FleetVehicle, RiskVehicle, VehicleRisk } from '../../api/types.ts';

const DAY_MS = 86_400_000;
/** Width of a bar of the distribution. */
export const BIN = 0.05;

/** A vehicle in the form that is scored on a day (`YYYY-MM-DD`); undefined if a figure is unknown. */
export function riskVehicleOf(vehicle: FleetVehicle, day: string): RiskVehicle | undefined {
  const { vehicle_id: id, acquired_on, last_maintenance_on, utilization_rate } = vehicle;
  if (acquired_on === undefined || last_maintenance_on === undefined || utilization_rate === undefined)
    return;
  // A date after the day counts as the day itself, as in decisions.
  const daysSince = (date: string) => Math.max(0, (Date.parse(day) - Date.parse(date)) / DAY_MS);
  return {
    id,
    age_days: daysSince(acquired_on),
    utilization_rate,
    days_since_maintenance: daysSince(last_maintenance_on),
  };
}

/** The number of scores in each bin of 0 … 1; a score of 1 is in the last one. */
export function binsOf(scores: readonly VehicleRisk[]): number[] {
  const bins = Array.from({ length: Math.round(1 / BIN) }, () => 0);
  for (const { risk_score: score } of scores) {
    // Scores have six decimals; a bound belongs to the bin above it.
    bins[Math.min(bins.length - 1, Math.floor(score / BIN + 1e-9))]++;
  }
  return bins;
}
