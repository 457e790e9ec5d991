import { serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

describe('a replay whose worker is killed in the middle', () => {
  test('is done by another worker, with one result and the figures of one that nobody disturbed', async () => {
    const service = await startTestService({
      workers: 0,
      overrides: { SWEEP_INTERVAL_SECONDS: 0.3, JOB_RETRY_DELAY_SECONDS: 0.1 },
    });
    for (const id of [1, 2, 3, 4])
      await storeDemand(service.pool, id, `(h / 6 % 4 = ${id - 1})::int * 9 + 1`);
    const body = {
      ...{
        from: '2026-02-04',
        to: '2026-02-08',
        trips_per_vehicle_hour: 2,
        unmet_demand_cost: 40,
      },
      policies: [{ mode: 'none' }, { mode: 'static' }, { mode: 'horizon', horizon_hours: 6 }],
      seeds: [1, 2],
    };
    const url = `${service.url}/api/v1`;
    const put = (path: string, data: object) => send(`${url}/data/${path}`, { method: 'PUT', body: data });
    const tripsTo = (step: number) =>
      put('trip-flows', {
        trip_flows: [1, 2, 3, 4].map((id) => {
          return { from_location_id: id, to_location_id: 1 + ((id + step) % 4), trips: 5 };
        }),
      });
    const fleetAt = (...places: number[]) => {
      const fleet = places.map((location_id, i) => ({ vehicle_id: `v${i}`, location_id }));
      return put('fleet?replace=true', { fleet });
    };
    await tripsTo(0);
    await fleetAt(1, 1, 1, 2, 2, 3, 3, 4, 4);
    const post = (prefer: string) => send(`${url}/replays`, { body, headers: { prefer } });
    const victim = await spawnWorkerProcess(service.config);
    const undisturbed = (await post('wait=60')).body.data;
    const jobId = (await post('respond-async')).body.data.job_id;
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    await socket.waitFor((m) => m.type === 'progress' && m.stage === 'replay');
    await killWorker(victim);
    await passAnHourSince(victim, service.pool);
    // The stored data are others by now.
    await tripsTo(1);
    await fleetAt(4);
    await service.pool.query('update demand_observations set demand = 2 * demand + 1');
    await service.startWorker();
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    socket.close();
    const job = (await send(`${service.url}/api/v1/jobs/${jobId}`)).body.data;
    expect(job.attempt_history).toMatchObject([{ outcome: 'crashed' }, { outcome: 'completed' }]);
    const { rows } = await service.pool.query('select count(*)::int from replays where replay_id = $1', [
      jobId,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
    expect(result.data).toEqual({ ...undisturbed, replay_id: jobId });
    expect(undisturbed).toMatchObject({ trip_flows: 'stored', fleet_size: 9 });
  });
});

test('what a worker of a later version read for a replay is read anew, and the replay is as if it had kept nothing', async () => {
  const service = await startTestService({ workers: 0 });
  for (const id of [1, 2]) await storeDemand(service.pool, id, `(h / 6 % 4 = ${id - 1})::int * 9 + 1`);
  const flow = { from_location_id: 1, to_location_id: 2, trips: 5 };
  const put = { method: 'PUT', body: { trip_flows: [flow, { ...flow, to_location_id: 1 }] } };
  await send(`${service.url}/api/v1/data/trip-flows`, put);
  const body = {
    ...{ from: '2026-02-07', to: '2026-02-08', fleet: { size: 6 }, location_ids: [1, 2] },
    ...{
      trips_per_vehicle_hour: 2,
      unmet_demand_cost: 40,
      policies: [{ mode: 'none' }, { mode: 'static' }],
    },
  };
  const post = (prefer: string) => send(`${service.url}/api/v1/replays`, { body, headers: { prefer } });
  const jobId = (await post('respond-async')).body.data.job_id;
  const kept = { version: 99, inputs: gzipSync(serialize({ series: [], points: [] })) };
  const store = 'insert into job_replays (job_id, version, inputs) values ($1, $2, $3)';
  await service.pool.query(store, [jobId, kept.version, kept.inputs]);
  await service.pool.query("insert into job_trips (job_id, piece, counts) values ($1, 7, 'not counts')", [
    jobId,
  ]);
  await service.startWorker();
  const undisturbed = (await post('wait=60')).body.data;
  const { result, attempt_history: attempts } = (await send(`${service.url}/api/v1/jobs/${jobId}`)).body.data;
  expect(attempts).toMatchObject([{ outcome: 'completed' }]);
  expect(result.data).toEqual({ ...undisturbed, replay_id: jobId });
  expect(undisturbed).toMatchObject({ trip_flows: 'stored', fleet_size: 6 });
});
