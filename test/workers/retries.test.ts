import { expect, test } from 'vitest';
import { createLogger } from '../../src/process/logger.ts';
import { runJob } from '../../workers/run/run-job.ts';
import { createRunningJobs } from '../../workers/run/running-jobs.ts';
import type { Threads } from '../../workers/run/threads.ts';
import { createTravelCache } from '../../workers/run/travel-cache.ts';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';
import { openWorkerParts } from '../helpers/worker-parts.ts';

const service = await startTestService({
  workers: 0,
  overrides: { JOB_RETRY_DELAY_SECONDS: 0, FORECASTING_TIME_ZONE: 'America/New_York' },
});
const { pool, db, config } = service;
const { bus, queue, threads } = await openWorkerParts(config);
/** Runs the next job, once. @param beforePlan called when its inputs are complete; if it throws, the thread dies */
const work = (beforePlan: () => Promise<void> = async () => {}) => {
  const start: Threads['start'] = (name, ...rest) => {
    const run = name === 'inputs' ? null : beforePlan();
    if (!run) return threads.start(name, ...rest);
    const started = run.then(() => threads.start(name, ...rest));
    return { outcome: started.then(({ outcome }) => outcome), readPausedMs: () => 0, stop() {} };
  };
  return runJob({
    ...{ config, db, bus, queue, workerId: 'w', running: createRunningJobs(), levelOrder: () => null },
    ...{ logger: createLogger('worker', config), calendar: null, travel: createTravelCache() },
    threads: { ...threads, start },
  });
};

const vehicles = [1, 1, 1, 2].map((location, i) => ({ id: `v${i}`, location }));
const BODIES = {
  decisions: {
    ...{ mode: 'horizon', location_ids: [1, 2], start_date: START_DATE, horizon_hours: 3 },
    fleet_state: { vehicles },
  },
  optimize: {
    demand_forecast: { 1: [0, 0, 3], 2: [4, 4, 1] },
    fleet_state: { vehicles },
    constraints: { min_service_level: 0, unmet_demand_cost: 100 },
    options: { horizon: { starts_at: '2026-02-09T08:00-05:00' } },
  },
};

/** Stores demand and trips: those of the plan's Monday end at the first location, others where they start. */
async function storeTrips() {
  await pool.query('truncate trip_flows, demand_observations; update locations set time_zone = null');
  for (const id of [1, 2]) await storeDemand(pool, id, `(${id} * 2)`);
  await pool.query(`insert into trip_flows
    select 2, case when h between 0 and 23 then 1 else 2 end, h, 5 from generate_series(0, 167) h`);
}

async function post(path: keyof typeof BODIES): Promise<string> {
  const request = { body: BODIES[path], headers: { prefer: 'respond-async' } };
  return (await send(`${service.url}/api/v1/${path}`, request)).body.data.job_id;
}

async function outlookOf(jobId: string) {
  const { rows } = await pool.query(
    `select findings -> 'outlook' as outlook, attempts from jobs left join plans using (job_id)
    where job_id = $1`,
    [jobId],
  );
  return rows[0];
}

test.each(['decisions', 'optimize'] as const)(
  'a job of POST /%s whose thread dies plans from the trips and the clock that it found at first',
  async (path) => {
    await storeTrips();
    const usual = await post(path);
    await work();
    const { outlook } = await outlookOf(usual);
    expect(outlook).toHaveLength(3);

    const retried = await post(path);
    await work(async () => {
      await pool.query(`truncate trip_flows; update locations set time_zone = 'Asia/Tokyo'`);
      throw new Error('out of memory');
    });
    await work();
    expect(await outlookOf(retried)).toEqual({ outlook, attempts: 2 });
    // A job that begins now finds the new ones.
    const later = await post(path);
    await work();
    expect((await outlookOf(later)).outlook).not.toEqual(outlook);
  },
);
