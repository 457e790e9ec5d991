import { beforeAll, describe, expect, test } from 'vitest';
import { FLEET, storeDemand } from '../helpers/decisions.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

describe('the job of a decision', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const long = longRequest(4);
  /** The stored fleet and demand of 120 places, and costs that keep the solver busy. */
  const { constraints, network, options } = long;
  const busy = { horizon_hours: 1, step_hours: 1, constraints, network, options };

  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: { SWEEP_INTERVAL_SECONDS: 0.3, JOB_RETRY_DELAY_SECONDS: 0.1 },
    });
    const { pool } = service;
    await pool.query(`insert into locations select i, 'L' || i, 40, -74 from generate_series(100, 219) i`);
    for (const [id, [demand]] of Object.entries(long.demand_forecast)) {
      await storeDemand(pool, Number(id), String(demand));
    }
    const fleet = long.fleet_state.vehicles.map(({ id, location, capacity }) => ({
      vehicle_id: id,
      location_id: location,
      capacity,
    }));
    const stored = await send(`${service.url}/api/v1/data/fleet`, { method: 'PUT', body: { fleet } });
    expect(stored.status).toBe(201);
    for (const id of [1, 2]) await storeDemand(pool, id, '1');
  });

  const get = async (path: string) => (await send(`${service.url}/api/v1/${path}`)).body.data;
  /** Posts a decision and follows its job. */
  async function follow(body: unknown) {
    const headers = { prefer: 'respond-async' };
    const accepted = await send(`${service.url}/api/v1/decisions`, { body, headers });
    expect(accepted.status).toBe(202);
    const jobId: string = accepted.body.data.job_id;
    expect(accepted.headers.get('location')).toBe(`/api/v1/jobs/${jobId}`);
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    await socket.roundTrip('subscribed');
    return { jobId, socket };
  }

  test('reports its stages in order, and its phases are kept', async () => {
    const { jobId, socket } = await follow({
      location_ids: [1, 2],
      step_hours: 1,
      fleet_state: { vehicles: FLEET },
      options: { explain: true },
    });
    expect((await get(`decisions/${jobId}`)).inputs).toBeNull();
    const worker = await service.startWorker();
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    expect(result.data.decision_id).toBe(jobId);
    expect(result.data.plan.insights).toBeDefined();
    const told = socket.messages.filter((m) => m.type === 'progress' && m.stage !== null);
    const stages = ['risk', 'forecast', 'build', 'solve', 'verify', 'explain'];
    expect([...new Set(told.map((m) => m.stage))]).toEqual(stages);
    const progress = told.map((m) => m.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const { phases } = await get(`jobs/${jobId}`);
    expect(phases.map(({ phase }: { phase: string }) => phase)).toEqual([
      'queued',
      'started',
      ...stages,
      'store',
      'finished',
    ]);
    socket.close();
    await service.close(worker);
  });

  test('is cancelled in the middle of its solve, and keeps its inputs', async () => {
    const worker = await service.startWorker();
    const { jobId, socket } = await follow({ ...busy, options: { ...options, time_limit_seconds: 60 } });
    await socket.waitFor((m) => m.type === 'progress' && m.stage === 'solve');
    const cancelled = await send(`${service.url}/api/v1/jobs/${jobId}`, { method: 'DELETE' });
    expect(cancelled.body.data.status).toBe('cancelled');
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    expect(result.errors[0].code).toBe('JOB_CANCELLED');
    const decision = await get(`decisions/${jobId}`);
    expect(decision).toMatchObject({ status: 'cancelled', plan_id: null });
    expect(decision.inputs.fleet).toHaveLength(1300);
    socket.close();
    await service.close(worker);
  });

  test('is done once, from the inputs of its first attempt, when its worker is killed and everything has changed since', async () => {
    const victim = await spawnWorkerProcess(service.config);
    const { jobId, socket } = await follow(busy);
    await socket.waitFor((m) => m.type === 'progress' && m.stage === 'solve');
    const before = await get(`decisions/${jobId}`);
    await killWorker(victim);
    await passAnHourSince(victim, service.pool);
    await service.pool.query('delete from vehicles; update demand_observations set demand = demand * 3');
    const worker = await service.startWorker();
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    expect(result.status).toBe('success');
    expect(result.data.plan.allocation_plan).toHaveLength(1300);
    expect(await get(`jobs/${jobId}`)).toMatchObject({
      status: 'completed',
      attempts: 2,
      attempt_history: [{ outcome: 'crashed' }, { outcome: 'completed' }],
    });
    const after = await get(`decisions/${jobId}`);
    expect(after.inputs).toEqual(before.inputs);
    expect(after.result).toEqual(result);
    const { rows } = await service.pool.query(
      `select (select count(*)::int from plans where job_id = $1) as plans,
        (select count(*)::int from decisions where decision_id = $1) as decisions`,
      [jobId],
    );
    expect(rows).toEqual([{ plans: 1, decisions: 1 }]);
    socket.close();
    await service.close(worker);
  });

  test('whose data were deleted before it ran fails with the reason', async () => {
    const { jobId, socket } = await follow({
      location_ids: [1],
      fleet_state: { vehicles: FLEET },
      on_missing_history: 'fail',
    });
    await service.pool.query('delete from demand_observations where location_id = 1');
    const worker = await service.startWorker();
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    expect(result.errors).toMatchObject([
      { code: 'MODEL_NOT_LOADED', message: expect.stringMatching(/^location 1 has no demand observations/) },
    ]);
    expect(await get(`jobs/${jobId}`)).toMatchObject({ status: 'failed', attempts: 1 });
    socket.close();
    await service.close(worker);
  });
});
