import { type Metadata, SERVICE_VERSION } from '../contracts/envelope.ts';
import type { Job } from '../contracts/jobs.ts';
import type { OptimizeRequest } from '../contracts/optimize.ts';

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

/** A job that runs for the second time, as GET /api/v1/jobs/{job_id} shows it. */
export const jobExample: { status: 'success'; data: Job; metadata: Metadata } = {
  status: 'success',
  data: {
    job_id: 'opt_01a1ff31-a641-7280-b760-87762dc26827',
    kind: 'optimize',
    status: 'running',
    priority: 'normal',
    progress: 0.31,
    stage: 'solve',
    incumbent: 567.22,
    bound: 560.6939,
    gap: 0.0115,
    iterations: 4127,
    solver_status: null,
    attempts: 2,
    retry_at: null,
    created_at: '2026-11-21T17:40:06.338Z',
    started_at: '2026-11-21T17:40:06.477Z',
    finished_at: null,
    plan_id: null,
    request_id: '01a1ff31-a632-7046-b142-e64af4f4f7ed',
    estimate: { median_seconds: 1.9, p10_seconds: 0.8, p90_seconds: 4.2, based_on: 117 },
    phases: [
      { phase: 'queued', at: '2026-11-21T17:40:06.338Z', ms: 1366 },
      { phase: 'started', at: '2026-11-21T17:40:07.704Z', ms: null },
    ],
    attempt_history: [
      {
        attempt: 1,
        worker_id: 'host-a:19140:6123bffb7da4',
        started_at: '2026-11-21T17:40:06.477Z',
        ended_at: '2026-11-21T17:40:07.333Z',
        outcome: 'released',
        reason: 'worker host-a:19140:6123bffb7da4 was stopped',
      },
      {
        attempt: 2,
        worker_id: 'host-b:811:0c5b7a9e41d3',
        started_at: '2026-11-21T17:40:07.704Z',
        ended_at: null,
        outcome: null,
        reason: null,
      },
    ],
  },
  metadata: {
    timestamp: '2026-11-21T17:40:08.512Z',
    version: SERVICE_VERSION,
    request_id: '01a1ff31-a6b0-7d0e-8a55-52b8b3a5c2f1',
  },
};

export const forecastExample = {
  location_ids: [161, 236],
  horizon_hours: 168,
  features: { start_date: '2017-04-24', include_intervals: true },
};

export const riskExample = {
  vehicles: [{ id: 'V1', age_days: 365, utilization_rate: 0.75, days_since_maintenance: 14 }],
};

/** The sample fleet serves about 1.8 % of the city's taxi demand. */
export const decisionExample = {
  horizon_hours: 24,
  step_hours: 1,
  demand_scale: 0.018,
  risk: { threshold: 0.7 },
};

export const backtestExample = { location_ids: [161, 236], horizon_hours: 48, step_hours: 24, origins: 4 };
