import { once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { applyRetention } from '../../workers/duties/retention.ts';
import { runSchedules } from '../../workers/duties/schedules.ts';
import { storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

const HOUR_MS = 3_600_000;

describe('a schedule', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let queue: Awaited<ReturnType<typeof openQueue>>;
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: {
        SWEEP_INTERVAL_SECONDS: 0.3,
        JOB_MAX_ATTEMPTS: 100,
        JOB_RETRY_DELAY_SECONDS: 0.1,
      },
    });
    for (const id of [1, 2, 3, 4]) await storeDemand(service.pool, id, '1');
    const fleet = [1, 2, 3].map((i) => ({
      vehicle_id: `V${i}`,
      location_id: 1,
      status: 'operational',
      capacity: 1,
    }));
    await send(`${service.url}/api/v1/data/fleet`, { method: 'PUT', body: { fleet } });
    queue = await openQueue(service.config, () => {});
    return () => queue.close();
  });
  beforeEach(async () => {
    await service.pool.query('truncate schedules, jobs, plans cascade');
  });

  let named = 0;
  const store = async (more: object = {}) => {
    const body = { name: `s${++named}`, cron: '0 * * * *', time_zone: 'UTC', decision: {}, ...more };
    const answer = await send(`${service.url}/api/v1/schedules`, {
      body,
      headers: { 'x-client-id': 'desk' },
    });
    expect(answer.status, answer.text).toBe(201);
    const { schedule_id, next_at } = answer.body.data;
    return { id: schedule_id as string, firstMs: Date.parse(next_at) };
  };
  const get = async (path: string) => (await send(`${service.url}/api/v1/${path}`)).body.data;
  const occurrences = async (id: string) => (await get(`schedules/${id}`)).occurrences;
  const outcomes = async (id: string) =>
    (await occurrences(id)).map((one: { due_at: string; outcome: string }) => [
      Date.parse(one.due_at),
      one.outcome,
    ]);
  const jobsOf = async (id: string) => (await get(`jobs?schedule_id=${id}`)).jobs;
  /** What a worker does at a time, with settings of its own. */
  const tick = async (ms: number, own: Partial<Config> = {}) => {
    const config = { ...service.config, ...own };
    await runSchedules(
      { config, db: service.db, queue, logger: createLogger('worker', config) },
      new Date(ms),
    );
  };
  const endJobs = () =>
    service.pool.query(
      `update jobs set status = 'completed', finished_at = now(), result = '{}', http_status = 200 where finished_at is null`,
    );
  const ended = async (jobId: string) => {
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    socket.close();
    return result;
  };

  test('makes a decision at its time, not before, as the caller who stored it, and a worker plans it', async () => {
    const { id, firstMs } = await store({ decision: { horizon_hours: 6, options: { priority: 'low' } } });
    await service.pool.query('update schedules set vehicle_count = 1');
    await tick(firstMs - 1);
    expect(await occurrences(id)).toEqual([]);
    await tick(firstMs);
    const [job] = await jobsOf(id);
    const due = new Date(firstMs).toISOString();
    expect(job).toMatchObject({
      kind: 'decision',
      schedule_id: id,
      priority: 'low',
      request_id: `${id}/${due}`,
    });
    const { rows } = await service.pool.query('select caller, client_id, input, vehicle_count from jobs');
    expect(rows).toEqual([
      {
        caller: '127.0.0.1',
        client_id: 'desk',
        input: { horizon_hours: 6, options: { priority: 'low' } },
        // As it is now, not as it was when the schedule was stored.
        vehicle_count: 3,
      },
    ]);
    const worker = await service.startWorker();
    expect(await ended(job.job_id)).toMatchObject({ status: 'success', data: { decision_id: job.job_id } });
    await service.close(worker);
    const [one] = await occurrences(id);
    expect(one).toMatchObject({ due_at: due, outcome: 'job', job_id: job.job_id, status: 'completed' });
    const { plans } = await get(`plans?schedule_id=${id}`);
    expect(plans.map((plan: { plan_id: string }) => plan.plan_id)).toEqual([one.plan_id]);
    expect((await get('plans?schedule_id=sch_other')).plans).toEqual([]);
    expect((await get(`schedules/${id}`)).next_at).toBe(new Date(firstMs + HOUR_MS).toISOString());
  });

  test('makes one job per occurrence, however many workers look at it at once and again', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => store()));
    const { firstMs } = all[0];
    for (let hour = 0; hour < 3; hour++) {
      const now = firstMs + hour * HOUR_MS;
      await Promise.all(Array.from({ length: 5 }, (_, i) => tick(now + i)));
      await tick(now + 10);
      await endJobs();
    }
    for (const { id } of all) {
      expect(await outcomes(id)).toEqual([2, 1, 0].map((hour) => [firstMs + hour * HOUR_MS, 'job']));
      expect(await jobsOf(id)).toHaveLength(3);
    }
  });

  test('passes an occurrence over while the job of the one before has not ended', async () => {
    const { id, firstMs } = await store();
    await tick(firstMs);
    await tick(firstMs + HOUR_MS);
    expect(await outcomes(id)).toEqual([
      [firstMs + HOUR_MS, 'overlapped'],
      [firstMs, 'job'],
    ]);
    await endJobs();
    await tick(firstMs + 2 * HOUR_MS);
    expect((await outcomes(id))[0]).toEqual([firstMs + 2 * HOUR_MS, 'job']);
    expect(await jobsOf(id)).toHaveLength(2);
  });

  test('makes up for the last occurrence of an outage, or for none, as asked; what is not late is not missed', async () => {
    const lastMs = (firstMs: number) => firstMs + 5 * HOUR_MS;
    const [made, skipped] = [await store({ missed: 'run_last' }), await store({ missed: 'skip' })];
    await tick(lastMs(made.firstMs) + 61_000);
    const hours = (firstMs: number) => [5, 4, 3, 2, 1, 0].map((hour) => firstMs + hour * HOUR_MS);
    const missed = hours(made.firstMs).map((ms) => [ms, 'missed']);
    expect(await outcomes(made.id)).toEqual([[lastMs(made.firstMs), 'job'], ...missed.slice(1)]);
    expect(await outcomes(skipped.id)).toEqual(missed);
    await endJobs();
    await tick(lastMs(made.firstMs) + HOUR_MS + 59_000);
    for (const { id } of [made, skipped])
      expect((await outcomes(id))[0]).toEqual([lastMs(made.firstMs) + HOUR_MS, 'job']);
  });

  test('keeps at most a hundred occurrences of an outage', async () => {
    const { id, firstMs } = await store({ missed: 'skip' });
    await tick(firstMs + 5000 * HOUR_MS + 120_000);
    const { rows } = await service.pool.query(
      'select count(*)::int as n, max(due_at) as last from schedule_occurrences',
    );
    expect(rows[0]).toEqual({ n: 101, last: new Date(firstMs + 5000 * HOUR_MS) });
    expect(await jobsOf(id)).toEqual([]);
  });

  test('waits while the queue is full, and is not lost', async () => {
    const [first, second] = [await store(), await store()];
    await tick(first.firstMs, { QUEUE_MAX_WAITING: 1 });
    await tick(first.firstMs + 1000, { QUEUE_MAX_WAITING: 1 });
    const counts = async () => [first, second].map(async ({ id }) => (await jobsOf(id)).length);
    expect((await Promise.all(await counts())).toSorted()).toEqual([0, 1]);
    await endJobs();
    await tick(first.firstMs + 2000, { QUEUE_MAX_WAITING: 1 });
    expect(await Promise.all(await counts())).toEqual([1, 1]);
  });

  test('that fails does not hold up the others', async () => {
    const [broken, sound] = [await store(), await store()];
    await service.pool.query(
      "update schedules set time_zone = 'Nowhere/Town', next_at = next_at - interval '1 hour' where schedule_id = $1",
      [broken.id],
    );
    await tick(sound.firstMs);
    expect(await outcomes(sound.id)).toEqual([[sound.firstMs, 'job']]);
  });

  test('that is paused, or whose time was changed, makes no job at the time before', async () => {
    const [paused, changed, deleted] = [await store(), await store(), await store()];
    const patch = (id: string, body: object) =>
      send(`${service.url}/api/v1/schedules/${id}`, { method: 'PATCH', body });
    expect((await patch(paused.id, { paused: true })).body.data).toMatchObject({
      paused: true,
      next_at: null,
    });
    await patch(changed.id, { cron: '30 12 1 1 *' });
    await send(`${service.url}/api/v1/schedules/${deleted.id}`, { method: 'DELETE' });
    await tick(paused.firstMs);
    expect((await get('jobs')).jobs).toEqual([]);
    const { next_at } = (await patch(paused.id, { paused: false })).body.data;
    expect(Date.parse(next_at)).toBeGreaterThan(Date.now());
    await tick(Date.parse(next_at));
    expect(await jobsOf(paused.id)).toHaveLength(1);
  });

  test.each([{}, { mode: 'horizon', horizon_hours: 3 }])(
    'with the last plan as previous plan keeps to the newest one of its own; the first has none (%j)',
    async (own) => {
      const decision = { ...own, options: { previous_plan_id: 'last', change_cost: 5 } };
      const { id, firstMs } = await store({ decision });
      expect((await get(`schedules/${id}`)).decision).toEqual(decision);
      const worker = await service.startWorker();
      const run = async (ms: number) => {
        await tick(ms);
        const [{ job_id }] = await jobsOf(id);
        return (await ended(job_id)).data.plan;
      };
      expect((await run(firstMs)).stability).toBeUndefined();
      const { rows } = await service.pool.query(
        "select input, facts ? 'previousPlanId' as previous from jobs",
      );
      expect(rows).toEqual([{ input: { ...own, options: {} }, previous: false }]);
      expect((await run(firstMs + HOUR_MS)).stability).toMatchObject({ changed_vehicles: 0 });
      const [{ plan_id }] = (await occurrences(id)).slice(1);
      const { input } = (await service.pool.query('select input from jobs order by created_at desc limit 1'))
        .rows[0];
      expect(input.options).toEqual({ previous_plan_id: plan_id, change_cost: 5 });
      await service.close(worker);
    },
  );

  test('knows its plans, the last one too, after the records of their jobs and occurrences are gone', async () => {
    const decision = { options: { previous_plan_id: 'last', change_cost: 5 } };
    const { id, firstMs } = await store({ decision });
    const worker = await service.startWorker();
    const run = async (ms: number) => {
      await tick(ms);
      const [{ job_id }] = await jobsOf(id);
      return (await ended(job_id)).metadata.plan_id as string;
    };
    const first = await run(firstMs);
    const old = "now() - interval '31 days'";
    await service.pool.query(`update schedule_occurrences set decided_at = ${old}`);
    await service.pool.query(`update jobs set finished_at = ${old}`);
    const { config, db } = service;
    const logger = createLogger('worker', config);
    // Another worker may be at it; then that one deletes.
    await expect
      .poll(async () => {
        await applyRetention({ config, db, logger }, new AbortController().signal);
        return [await jobsOf(id), await occurrences(id)];
      })
      .toEqual([[], []]);
    const second = await run(firstMs + HOUR_MS);
    const { rows } = await service.pool.query(
      "select input #>> '{options,previous_plan_id}' as last from jobs",
    );
    expect(rows).toEqual([{ last: first }]);
    const { plans } = await get(`plans?schedule_id=${id}`);
    expect(plans.map((plan: { plan_id: string }) => plan.plan_id)).toEqual([second, first]);
    await service.close(worker);
  });

  test('whose caller has stored as many bytes today as it may stays due until it may store more', async () => {
    const { id, firstMs } = await store();
    await service.pool.query('truncate caller_bytes');
    await tick(firstMs, { JOBS_BYTES_PER_CALLER: 1 });
    expect(await outcomes(id)).toEqual([]);
    // The body is {}.
    await tick(firstMs, { JOBS_BYTES_PER_CALLER: 2 });
    expect(await outcomes(id)).toEqual([[firstMs, 'job']]);
    const { rows } = await service.pool.query('select caller, bytes::int from caller_bytes');
    expect(rows).toEqual([{ caller: '127.0.0.1', bytes: 2 }]);
  });

  test('whose previous plan has been deleted makes no plan, and its occurrence says why', async () => {
    const decide = async () => (await send(`${service.url}/api/v1/decisions`, { body: {} })).body.metadata;
    const worker = await service.startWorker();
    const { plan_id } = await decide();
    const decision = { options: { previous_plan_id: plan_id, change_cost: 5 } };
    const { id, firstMs } = await store({ decision });
    const run = async (ms: number) => {
      await tick(ms);
      const [{ job_id }] = await jobsOf(id);
      await ended(job_id);
      return (await occurrences(id))[0];
    };
    expect(await run(firstMs)).toMatchObject({ status: 'completed', error: null });
    await service.pool.query('delete from plans where plan_id = $1', [plan_id]);
    expect(await run(firstMs + HOUR_MS)).toMatchObject({
      status: 'failed',
      plan_id: null,
      error: expect.stringMatching(/^plan "plan_.*" is no longer stored; .*"last"/),
    });
    await service.close(worker);
  });

  test('from now on, plans from the time of each occurrence, however late it is made, and sends vehicles out', async () => {
    // Up to now, so that there is no gap of years.
    await service.pool.query(`insert into demand_observations
      select 2, date_trunc('hour', now(), 'UTC') - h * interval '1 hour', 1 from generate_series(1, 5 * 168) h
      on conflict do nothing`);
    const decision = {
      ...{ start_at: 'now', location_ids: [2], horizon_hours: 3, carry_out: true },
      options: { previous_plan_id: 'last', change_cost: 5 },
    };
    const { id, firstMs } = await store({ cron: '50 * * * *', decision });
    const worker = await service.startWorker();
    for (const dueMs of [firstMs, firstMs + HOUR_MS]) {
      await tick(dueMs + 25 * 60_000);
      const [{ job_id }] = await jobsOf(id);
      const { starts_at } = (await ended(job_id)).data;
      // Ten minutes to the hour.
      expect(Date.parse(starts_at)).toBe(dueMs + 10 * 60_000);
      const { inputs } = await get(`decisions/${job_id}`);
      expect(inputs.request).toMatchObject({ start_at: new Date(dueMs).toISOString(), location_ids: [2] });
    }
    expect((await get(`schedules/${id}`)).decision).toEqual(decision);
    await service.close(worker);
    const { fleet } = await get('data/fleet');
    const sent = fleet.filter((one: { location_id: number }) => one.location_id === 2);
    expect(sent).toHaveLength(1);
  });

  test('has its occurrences deleted with their jobs, when these are no longer kept', async () => {
    const { id, firstMs } = await store();
    await tick(firstMs);
    await endJobs();
    await tick(firstMs + HOUR_MS);
    const old = "now() - interval '10 days'";
    await service.pool.query(`update schedule_occurrences set decided_at = ${old} where due_at < $1`, [
      new Date(firstMs + HOUR_MS),
    ]);
    const clean = async () => {
      const config = { ...service.config, RETENTION_JOB_DAYS: 5 };
      const logger = createLogger('worker', config);
      await applyRetention({ config, db: service.db, logger }, new AbortController().signal);
      return (await outcomes(id)).length;
    };
    expect(await clean()).toBe(2);
    await service.pool.query(`update jobs set finished_at = ${old} where finished_at is not null`);
    expect(await clean()).toBe(1);
  });

  /** Once a year, so that no occurrence comes while a test runs. */
  const YEARLY = { cron: '0 0 1 1 *' };
  /** The schedules' times as if they had been stored years ago: they are due. */
  const makeDue = () =>
    service.pool.query(
      "update schedules set next_at = date_trunc('year', now(), 'UTC') - interval '2 years'",
    );

  test('whose worker dies after the job is stored and before it is announced loses and doubles nothing', async () => {
    const { id } = await store(YEARLY);
    await makeDue();
    const dead = { ...queue, enqueue: () => Promise.reject(new Error('killed here')) };
    const { config, db } = service;
    await runSchedules({ config, db, queue: dead, logger: createLogger('worker', config) });
    const [job] = await jobsOf(id);
    expect(job.status).toBe('queued');
    const worker = await service.startWorker();
    expect((await ended(job.job_id)).status).toBe('success');
    await service.close(worker);
    expect(await jobsOf(id)).toHaveLength(1);
    expect((await outcomes(id)).map(([, outcome]: [number, string]) => outcome)).toEqual([
      'job',
      'missed',
      'missed',
    ]);
  });

  test('whose worker is killed in the middle of the transaction makes its job later, once', async () => {
    const { id } = await store(YEARLY);
    await makeDue();
    const holder = await service.pool.connect();
    await holder.query('select pg_advisory_lock(7)');
    await service.pool.query(`
      create function wait_here() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(7); return new; end $$;
      create trigger wait_here after insert on schedule_occurrences for each row execute function wait_here()`);
    const isWaiting = async () =>
      (
        await service.pool.query(
          "select from pg_locks where locktype = 'advisory' and objid = 7 and not granted",
        )
      ).rowCount;
    const victim = await spawnWorkerProcess(service.config);
    while (!(await isWaiting()));
    await killWorker(victim);
    await holder.query('select pg_advisory_unlock(7)');
    holder.release();
    await service.pool.query('drop function wait_here cascade');
    const stored = await onStoredJobs();
    const worker = await service.startWorker();
    const jobId = await stored.next();
    await stored.close();
    expect((await ended(jobId)).status).toBe('success');
    await service.close(worker);
    expect(await jobsOf(id)).toHaveLength(1);
  });

  test('makes exactly one job per occurrence while its workers are killed again and again', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => store(YEARLY)));
    const stored = await onStoredJobs();
    await makeDue();
    // Two at a time. One is killed at the moment when a job has been stored: before or after it was announced.
    const spawn = () => spawnWorkerProcess(service.config);
    let workers = await Promise.all([spawn(), spawn()]);
    const jobIds = new Set<string>();
    for (let round = 0; round < 2 && jobIds.size < all.length; round++) {
      for (let i = 0; i < 3 && jobIds.size < all.length; i++) jobIds.add(await stored.next());
      const [victim, other] = workers;
      await killWorker(victim);
      await passAnHourSince(victim, service.pool);
      workers = [other, await spawn()];
    }
    while (jobIds.size < all.length) jobIds.add(await stored.next());
    for (const jobId of jobIds) expect((await ended(jobId)).status).toBe('success');
    for (const worker of workers) {
      worker.kill('SIGTERM');
      await once(worker, 'exit');
    }
    await stored.close();
    const { rows } = await service.pool.query(`
      select outcome, count(*)::int as n, count(distinct schedule_id)::int as schedules from schedule_occurrences
      group by outcome order by outcome`);
    expect(rows).toEqual([
      { outcome: 'job', n: 10, schedules: 10 },
      { outcome: 'missed', n: 20, schedules: 10 },
    ]);
    const made = await service.pool.query('select job_id from jobs order by job_id');
    expect(made.rows.map((row) => row.job_id)).toEqual([...jobIds].toSorted());
  });

  /** The ids of jobs in the order in which they are stored, each known at the moment of its commit. */
  async function onStoredJobs() {
    const client = await service.pool.connect();
    const [known, waiting]: [string[], ((jobId: string) => void)[]] = [[], []];
    client.on('notification', ({ payload = '' }) => {
      const resolve = waiting.shift();
      if (resolve) resolve(payload);
      else known.push(payload);
    });
    await client.query('listen stored_job');
    await client.query(`
      create function tell_job() returns trigger language plpgsql as
        $$ begin perform pg_notify('stored_job', new.job_id); return new; end $$;
      create trigger tell_job after insert on jobs for each row execute function tell_job()`);
    return {
      next: () =>
        new Promise<string>((resolve) =>
          known.length > 0 ? resolve(known.shift()!) : waiting.push(resolve),
        ),
      async close() {
        await client.query('drop function tell_job cascade; unlisten stored_job');
        client.removeAllListeners('notification');
        client.release();
      },
    };
  }
});
