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
