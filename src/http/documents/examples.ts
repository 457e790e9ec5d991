import type { OptimizeRequest } from '../../contracts/optimize.ts';
import type { ReplayRequest } from '../../contracts/replays.ts';

/** Requests that work on the sample data; shown in /docs, run by the tests. */
export const optimizeExample: OptimizeRequest = {
  demand_forecast: { '161': [3, 2], '236': [1, 2], '48': [0, 1] },
  fleet_state: {
    vehicles: [
      { id: 'V1', location: 48, capacity: 1, status: 'operational' },
      { id: 'V2', location: 48, capacity: 1 },
      { id: 'V3', location: 236, capacity: 1 },
      { id: 'V4', location: 236, capacity: 1 },
      { id: 'V5', location: 236, capacity: 1 },
      { id: 'V6', location: 236, capacity: 1 },
      { id: 'V7', location: 161, capacity: 1, status: 'maintenance' },
    ],
  },
  constraints: { max_distance: 100, min_service_level: 0.95 },
};

export const forecastExample = {
  location_ids: [161, 236],
  horizon_hours: 168,
  features: { start_date: '2017-04-24', include_intervals: true },
};

export const riskExample = {
  vehicles: [{ id: 'V1', age_days: 365, utilization_rate: 0.75, days_since_maintenance: 14 }],
};

export const decisionExample = { risk: { threshold: 0.7 } };

export const backtestExample = { location_ids: [161, 236], horizon_hours: 48, step_hours: 24, origins: 4 };

export const replayExample: ReplayRequest = {
  from: '2017-04-27',
  to: '2017-04-28',
  location_ids: [48, 161, 230, 236],
  fleet: { size: 800 },
  trips_per_vehicle_hour: 2,
  unmet_demand_cost: 6,
  policies: [{ mode: 'none' }, { mode: 'static' }, { mode: 'horizon', horizon_hours: 4 }],
};

export const webhookExample = {
  url: 'https://receiver.example/fleet-events',
  events: ['job.completed' as const, 'job.failed' as const],
  description: 'the desk',
};

export const scheduleExample = {
  name: 'tomorrow, each evening',
  cron: '0 20 * * *',
  time_zone: 'America/New_York',
  decision: { risk: { threshold: 0.7 } },
};
