import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createFleetClient } from '../../../clients/typescript/src/index.ts';
import { revokeApiKey } from '../../../src/db/service/api-keys.ts';
import { storeKey } from '../../helpers/keys.ts';
import { send, simpleRequest, startTestService } from '../../helpers/service.ts';
import { openSocket, refusedHandshake } from '../../helpers/socket.ts';

describe('with keys, two API processes and their WebSockets', () => {
  const start = startTestService({ apis: 2, overrides: { AUTH: 'keys' } });
  const asyncJob = async (url: string, headers: Record<string, string>) => {
    const answer = await send(`${url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { ...headers, prefer: 'respond-async' },
    });
    expect(answer.status).toBe(202);
    return answer.body.data.job_id as string;
  };
  /** The status with which a handshake is refused. */
  const refusal = async (...handshake: Parameters<typeof refusedHandshake>) =>
    (await refusedHandshake(...handshake)).status;

  test('a handshake without a key is refused with 401, that of a viewer with 403', async () => {
    const { url, db } = await start;
    const viewer = await storeKey(db, 'viewer');
    expect(await refusal(url, {})).toBe(401);
    expect(await refusal(url, { protocols: ['fleet.v1', 'fleet.auth.fds_wrong'] })).toBe(401);
    expect(await refusal(url, { headers: viewer.headers })).toBe(403);
  });

  test('a browser’s subprotocols let it in, and the answer does not repeat its key', async () => {
    const { url, db } = await start;
    const { key } = await storeKey(db, 'planner');
    for (const protocols of [
      ['fleet.v1', `fleet.auth.${key}`],
      [`fleet.auth.${key}`, 'fleet.v1'],
    ]) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/optimization`, protocols);
      await once(socket, 'open');
      expect(socket.protocol).toBe('fleet.v1');
      socket.close();
    }
  });

  test('a job is followed by its owner and by operators; for others it does not exist, before and after its end', async () => {
    const { urls, db } = await start;
    const owner = await storeKey(db, 'planner');
    const other = await storeKey(db, 'planner');
    const operator = await storeKey(db, 'operator');
    const foreign = await openSocket(urls[1], { headers: other.headers });
    const jobId = await asyncJob(urls[0], owner.headers);
    foreign.send({ type: 'subscribe', job_id: jobId });
    for (const { headers } of [owner, operator]) {
      const own = await openSocket(urls[1], { headers });
      own.send({ type: 'subscribe', job_id: jobId });
      const { result } = await own.waitFor((message) => message.type === 'complete');
      expect(result.status).toBe('success');
      own.close();
    }
    foreign.send({ type: 'subscribe', job_id: jobId });
    await foreign.roundTrip('the-end');
    expect(foreign.messages.slice(0, 2)).toEqual(
      [jobId, jobId].map((job_id) => ({
        type: 'error',
        job_id,
        code: 'RESOURCE_NOT_FOUND',
        message: `job "${job_id}" not found`,
      })),
    );
    foreign.close();
  });

  test('a revoked key ends within a second on every replica, and its WebSockets are closed', async () => {
    const { urls, db } = await start;
    const { id, headers } = await storeKey(db, 'planner');
    const sockets = await Promise.all(urls.map((url) => openSocket(url, { headers })));
    for (const url of urls) expect((await send(`${url}/api/v1/config`, { headers })).status).toBe(200);
    expect(await revokeApiKey(db, id)).toBe(true);
    const revokedAt = Date.now();
    const statuses = (at: number) =>
      Promise.all(urls.map(async (url) => (await send(`${url}/api/v1/config`, { headers })).status)).then(
        (all) => ({ at, all }),
      );
    const closed = Promise.all(sockets.map((socket) => socket.closed));
    let asked = await statuses(Date.now());
    // Asked without a pause: an answer that began a second after the revocation has to be 401.
    while (asked.at - revokedAt <= 1000) asked = await statuses(Date.now());
    expect(asked.all).toEqual([401, 401]);
    for (const { code } of await closed) expect(code).toBe(1008);
  });

  test('a subscription after the revocation closes the connection and tells nothing', async () => {
    const { url, db } = await start;
    const { id, headers } = await storeKey(db, 'planner');
    const jobId = await asyncJob(url, headers);
    const socket = await openSocket(url, { headers });
    await revokeApiKey(db, id);
    socket.send({ type: 'subscribe', job_id: jobId });
    expect((await socket.closed).code).toBe(1008);
    expect(socket.messages).toEqual([]);
  });
});

test('the TypeScript client opens its socket with the key', async () => {
  const { url, db } = await startTestService({ workers: 0, overrides: { AUTH: 'keys' } });
  const { key } = await storeKey(db, 'planner');
  const offered: unknown[] = [];
  let heard = 0;
  class Counted extends globalThis.WebSocket {
    constructor(address: string, protocols?: string[]) {
      super(address, protocols);
      offered.push(protocols);
      this.addEventListener('message', () => heard++);
    }
  }
  const fleet = createFleetClient({ url, apiKey: key, WebSocket: Counted });
  const states = fleet.watch(await fleet.submit('/api/v1/optimize', simpleRequest()));
  while (heard === 0) expect((await states.next()).value).toMatchObject({ status: 'queued' });
  await states.return();
  for (const protocols of offered) expect(protocols).toEqual(['fleet.v1', `fleet.auth.${key}`]);
});
