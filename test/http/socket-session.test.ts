import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Config } from '../../src/config.ts';
import { openSocketSession } from '../../src/http/socket/socket-session.ts';
import { openUnread } from '../../src/http/socket/unread.ts';
import { atEnd } from '../helpers/at-end.ts';
import { testConfig } from '../helpers/services.ts';

/** A session whose PostgreSQL takes its time to say whether the caller may follow a job, until `answer` says no. */
async function openHangingSession(overrides: Partial<Config> = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  atEnd(async () => void server.close());
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  atEnd(async () => client.terminate());
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  const permission = Promise.withResolvers<boolean>();
  openSocketSession(socket, {
    config: testConfig({ DATABASE_URL: '' }, { WEBSOCKET_HEARTBEAT_SECONDS: 1, ...overrides }),
    onError: () => {},
    unread: openUnread(1e9),
    caller: { isValid: async () => true, mayFollow: () => permission.promise, follow: () => () => {} },
  } as never);
  if (client.readyState !== client.OPEN) await once(client, 'open');
  const answered: string[] = [];
  client.on('message', (data) => answered.push(JSON.parse(String(data)).job_id));
  return {
    ...{ client, socket, answered },
    answer: () => permission.resolve(false),
    subscribe(count: number): string[] {
      const sent = Array.from({ length: count }, (_, i) => `opt_${i}`);
      for (const job_id of sent) client.send(JSON.stringify({ type: 'subscribe', job_id }));
      return sent;
    },
    /** Waits for so many heartbeats of the service, and fails if the socket is closed instead. */
    async heartbeats(count: number): Promise<void> {
      for (let i = 0; i < count; i++) {
        const closed = once(client, 'close').then(([code]) => Promise.reject(new Error(`closed: ${code}`)));
        await Promise.race([once(client, 'ping'), closed]);
      }
    },
  };
}

test.each([1000, 5000])(
  'heartbeats are answered on both sides while the messages of a socket wait, as many as it may subscribe to: %i',
  async (limit) => {
    const { client, socket, answered, answer, subscribe, heartbeats } = await openHangingSession({
      WEBSOCKET_MAX_SUBSCRIPTIONS: limit,
    });
    const sent = subscribe(limit);
    client.ping('are you there?');
    expect(String((await once(client, 'pong'))[0])).toBe('are you there?');
    await heartbeats(2);
    expect([answered, socket.isPaused]).toEqual([[], false]);
    answer();
    await expect.poll(() => answered.length).toBe(sent.length);
  },
);

test('a client that answers no heartbeat is closed, also while its messages wait', async () => {
  const { client, socket, subscribe } = await openHangingSession();
  subscribe(10);
  client.pause();
  await once(socket, 'close');
});

test('who sends faster than its messages are handled is read no further until they are, loses none, and stays open', async () => {
  const { socket, answered, answer, subscribe, heartbeats } = await openHangingSession();
  const sent = subscribe(5000);
  await expect.poll(() => socket.isPaused).toBe(true);
  await heartbeats(2);
  expect(answered).toEqual([]);
  answer();
  await expect.poll(() => answered.length).toBe(sent.length);
  expect(answered).toEqual(sent);
  expect(socket.isPaused).toBe(false);
});
