import type pg from 'pg';

/** Monday. The history below ends five weeks later, so plans begin on 9 February 2026. */
const FIRST = '2026-01-05T00:00Z';
export const START_DATE = '2026-02-09';

/** Five weeks of hourly demand at a location, as an SQL expression of the hour `h`. */
export async function storeDemand(pool: pg.Pool, locationId: number, demand: string): Promise<void> {
  await pool.query(`insert into demand_observations
    select ${locationId}, timestamptz '${FIRST}' + h * interval '1 hour', ${demand} from generate_series(0, 5 * 168 - 1) h`);
}

/**
 * Six vehicles at location 1. Their scores on the day the plan begins: worn 1; edge 0.45 (the published example: a year
 * old, 75 % in use, 14 days since maintenance); fresh 0; two without figures, one of them under repair; late 0.15.
 */
export const FLEET = [
  {
    vehicle_id: 'edge',
    acquired_on: '2025-02-09',
    last_maintenance_on: '2026-01-26',
    utilization_rate: 0.75,
  },
  { vehicle_id: 'fresh', acquired_on: START_DATE, last_maintenance_on: START_DATE, utilization_rate: 0.2 },
  { vehicle_id: 'late', acquired_on: '2025-02-09', last_maintenance_on: START_DATE, utilization_rate: 0.1 },
  { vehicle_id: 'repair', status: 'maintenance' as const },
  { vehicle_id: 'unknown' },
  { vehicle_id: 'worn', acquired_on: '2020-01-01', last_maintenance_on: '2025-01-01', utilization_rate: 1 },
].map((vehicle) => ({ location_id: 1, status: 'operational' as const, capacity: 1, ...vehicle }));
