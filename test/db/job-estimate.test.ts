import { beforeEach, describe, expect, test } from 'vitest';
import { jobFacts } from '../../src/contracts/job-facts.ts';
import { claimJob } from '../../src/db/jobs/job-claims.ts';
import { estimateJob } from '../../src/db/jobs/job-estimate.ts';
import { insertJob, type NewJob } from '../../src/db/jobs/job-intake.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const { db, pool } = openTestDatabase(await createTestDatabase());

describe('the estimate of the rest of a job', () => {
  beforeEach(async () => {
    await pool.query('delete from jobs');
  });
  const store = async (own: Partial<NewJob> = {}) => (await insertJob(db, newJob(own))).jobId;
  /** Past jobs that took 1, 2, … n seconds each. */
  const past = (n: number, locations = 20, vehicles = 200) =>
    pool.query(
      `insert into jobs (job_id, status, request_id, input_hash, http_status, result, attempts, location_count,
         vehicle_count, started_at, finished_at)
       select 'opt_past_' || $2::int || '_' || i, 'completed', 'r', '', 200, '{}', 1, $2::int, $3::int, now() - i * interval '1 second', now()
       from generate_series(1, $1::int) i`,
      [n, locations, vehicles],
    );
  const startSecondsAgo = async (seconds: number) => {
    const job = await claimJob(db, 'w');
    await pool.query(
      'update job_attempts set started_at = now() - make_interval(secs => $2) where job_id = $1',
      [job?.jobId, seconds],
    );
    return job?.jobId ?? '';
  };

  test('is the median and the spread of past jobs of similar size', async () => {
    await past(99);
    await past(50, 2000, 20_000);
    await store({ locationCount: 18, vehicleCount: 190 });
    expect(await estimateJob(db, await startSecondsAgo(0), 0)).toEqual({
      median: expect.closeTo(50, 0),
      p10: expect.closeTo(10.8, 0),
      p90: expect.closeTo(89.2, 0),
      basedOn: 99,
    });
  });

  test('of a job that has run for a while comes from the jobs that took longer', async () => {
    await past(99);
    await store();
    const estimate = await estimateJob(db, await startSecondsAgo(59.5), 0);
    expect(estimate).toMatchObject({ median: expect.closeTo(20, 0), basedOn: 40 });
  });

  test('of a replay is in proportion to the steps of its plans, of which past replays had others', async () => {
    await past(99);
    await pool.query(`update jobs set kind = 'replay', facts = '{"work": 20}'`);
    const replay = {
      ...{ from: '2026-02-02', to: '2026-02-09', trips_per_vehicle_hour: 2, unmet_demand_cost: 6 },
      policies: [{ mode: 'none' as const }, { mode: 'horizon' as const, horizon_hours: 4 }],
      seeds: [1],
    };
    const facts = jobFacts('replay', replay);
    // Seven days of five steps, twice.
    expect(facts.work).toBe(70);
    await store({ kind: 'replay', facts, locationCount: 18, vehicleCount: 190 });
    const estimate = await estimateJob(db, await startSecondsAgo(7), 0);
    expect(estimate).toMatchObject({ median: expect.closeTo(3.5 * 51 - 7, 0), basedOn: 97 });
  });

  test('is not made from fewer than five jobs', async () => {
    await past(4);
    await past(99, 2000, 20_000);
    await store();
    expect(await estimateJob(db, await startSecondsAgo(0), 0)).toBeNull();
  });

  test('of a waiting job counts the jobs before it and the jobs that run now', async () => {
    await past(99);
    const first = await store();
    expect(await estimateJob(db, first, 1)).toBeNull(); // nobody is at work
    await startSecondsAgo(0);
    const next = await store();
    const alone = await estimateJob(db, next, 10);
    expect(alone).toMatchObject({ median: expect.closeTo(10 * 50 + 50, 0), basedOn: 99 });
    await startSecondsAgo(0);
    const last = await store();
    const two = await estimateJob(db, last, 10);
    expect(two?.median).toBeCloseTo(5 * 50 + 50, 0);
    for (const estimate of [alone, two]) {
      expect(estimate?.p10).toBeLessThan(estimate?.median ?? 0);
      expect(estimate?.p90).toBeGreaterThan(estimate?.median ?? 0);
    }
  });

  test('reads no more than the newest jobs of its class, however many there are', async () => {
    await past(5000);
    await pool.query('analyze jobs');
    await store();
    const jobId = await startSecondsAgo(0);
    const estimate = await estimateJob(db, jobId, 0);
    expect(estimate?.basedOn).toBe(200);
    const { rows } = await pool.query(
      `explain select finished_at - started_at from jobs where status = 'completed' and kind = 'optimize'
       and size_class = (select size_class from jobs where job_id = $1) and attempts = 1 order by finished_at desc limit 200`,
      [jobId],
    );
    expect(JSON.stringify(rows)).toMatch(/Index Scan Backward using jobs_like_size/);
  });
});
