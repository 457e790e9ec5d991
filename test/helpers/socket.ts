import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ClientOptions, WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Message = any;

/** A WebSocket client that keeps every message and lets a test wait for a certain one. */
export async function openSocket(baseUrl: string, options: ClientOptions = {}) {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws/optimization`, options);
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    for (const check of [...waiting]) check();
  });
  socket.on('error', () => {});
  await once(socket, 'open');

  /** Waits until a message matches, starting with the first one. */
  const waitFor = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve) => {
      const check = () => {
        const found = messages.find(fits);
        if (!found) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  return {
    socket,
    messages,
    closed,
    waitFor,
    send: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Resolves when everything sent before was handled: the answer about an unknown job comes after it. */
    async roundTrip(mark: string) {
      socket.send(JSON.stringify({ type: 'subscribe', job_id: mark }));
      await waitFor((m) => m.type === 'error' && m.job_id === mark);
    },
    close: () => socket.close(),
  };
}

/** A bare connection to a service. @param localAddress the caller's */
export async function connectTo(baseUrl: string, localAddress?: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** The answer to a handshake that is refused. */
export async function refusedHandshake(
  baseUrl: string,
  { protocols = [], headers = {} }: { protocols?: string[]; headers?: Record<string, string> },
) {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws/optimization`, protocols, { headers });
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const body: Message = JSON.parse(await text(response));
  return { status: response.statusCode, body };
}
