import { expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

/** Request and answer have more than 64 KiB. */
const VEHICLES = 5000;

const service = await startTestService({ workers: 0 });
const api = (path: string) => `${service.url}/api/v1/${path}`;
const storedOf = async (jobId: string) =>
  (
    await service.pool.query(
      `select packed_input is not null as input, packed_result is not null as result, result -> 'data' as data
       from jobs where job_id = $1`,
      [jobId],
    )
  ).rows[0];

test('a large job is packed in PostgreSQL, and each way to read it has all of it', async () => {
  const worker = await service.startWorker();
  const request = simpleRequest(VEHICLES, 100);
  const { status, body } = await send(api('optimize'), { body: request });
  expect(status).toBe(200);
  expect(body.data.allocation_plan).toHaveLength(VEHICLES);
  const { job_id: jobId } = body.metadata;
  expect(await storedOf(jobId)).toEqual({ input: true, result: true, data: null });
  expect((await send(api(`jobs/${jobId}`))).body.data.result).toEqual(body);
  expect((await send(api(`jobs/${jobId}/request`))).body.data.request).toEqual(request);
  const socket = await openSocket(service.url);
  socket.send({ type: 'subscribe', job_id: jobId });
  expect((await socket.waitFor((message) => message.type === 'complete')).result).toEqual(body);
  socket.close();
  await service.close(worker);
});

test('the large answer of a job that an API of an earlier version stored is JSON, which that version reads', async () => {
  const jobId = 'opt_00000000-0000-7000-8000-000000000001';
  await service.pool.query(
    `insert into jobs (job_id, status, request_id, input, locations, input_hash)
     select $1, 'queued', 'r', $2, json_agg(locations), '' from locations`,
    [jobId, JSON.stringify(simpleRequest(VEHICLES, 100))],
  );
  const socket = await openSocket(service.url);
  socket.send({ type: 'subscribe', job_id: jobId });
  const worker = await service.startWorker();
  const { result } = await socket.waitFor((message) => message.type === 'complete');
  socket.close();
  const stored = await storedOf(jobId);
  expect(stored).toMatchObject({ input: false, result: false });
  expect(stored.data).toEqual((result as { data: unknown }).data);
  expect(stored.data.allocation_plan).toHaveLength(VEHICLES);
  await service.close(worker);
});
