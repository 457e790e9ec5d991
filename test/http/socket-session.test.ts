import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { openSocketSession } from '../../src/http/socket-session.ts';
import { atEnd } from '../helpers/at-end.ts';
import { testConfig } from '../helpers/services.ts';

test('who sends faster than its messages are handled is read no further until they are, and loses none', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  atEnd(async () => void server.close());
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  atEnd(async () => client.terminate());
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  // PostgreSQL takes its time to say whether the caller may follow a job.
  const answer = Promise.withResolvers<boolean>();
  openSocketSession(socket, {
    config: testConfig({ DATABASE_URL: '' }),
    onError: () => {},
    caller: { isValid: async () => true, mayFollow: () => answer.promise, follow: () => () => {} },
  } as never);
  if (client.readyState !== client.OPEN) await once(client, 'open');
  const answered: string[] = [];
  client.on('message', (data) => answered.push(JSON.parse(String(data)).job_id));
  const sent = Array.from({ length: 5000 }, (_, i) => `opt_${i}`);
  for (const job_id of sent) client.send(JSON.stringify({ type: 'subscribe', job_id }));
  await expect.poll(() => socket.isPaused, { timeout: 10_000 }).toBe(true);
  expect(answered).toEqual([]);
  answer.resolve(false);
  await expect.poll(() => answered.length, { timeout: 40_000 }).toBe(sent.length);
  expect(answered).toEqual(sent);
  expect(socket.isPaused).toBe(false);
});
