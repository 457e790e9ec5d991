import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * One caller with many WebSockets, in a thread of its own, which sends the same messages again and again as fast as the
 * service takes them, and reads what comes back. A WebSocket that the service ends is opened again. What was sent and
 * came back is posted every second.
 */
const { api, sockets, caller, messages } = workerData as {
  api: string;
  sockets: number;
  /** address that it comes from, for a service that trusts this machine as a proxy */
  caller: string;
  messages: string[];
};
// Of this thread: it measures no time, and must take none from the service.
setPriority(0, 10);
const frames = Buffer.concat(messages.map(frameOf));
const RETRY_MS = 200;
/** A WebSocket on which nothing moves for so long was closed by the service, which waits for this side to end it. */
const MAX_SILENCE_MS = 2000;

/** @property messages that were sent: some megabytes of them may still be on their way */
export type Flood = { messages: number; answerBytes: number };
const flooded: Flood = { messages: 0, answerBytes: 0 };

await Promise.all(Array.from({ length: sockets }, attack));
parentPort!.postMessage(flooded);
setInterval(() => parentPort!.postMessage(flooded), 1000);

/** @returns once its WebSocket is open for the first time */
async function attack(): Promise<void> {
  const socket = await open();
  socket.on('data', (answers) => {
    flooded.answerBytes += answers.length;
  });
  socket.on('error', () => {});
  socket.setTimeout(MAX_SILENCE_MS, () => socket.destroy());
  socket.on('close', attack);
  const flood = () => {
    let isTaken = !socket.destroyed;
    while (isTaken) {
      isTaken = socket.write(frames);
      flooded.messages += messages.length;
    }
  };
  socket.on('drain', flood);
  flood();
}

/**
 * A WebSocket after its handshake. It waits for its turn while sockets of an earlier flood are still being closed:
 * the service answers 429, or ends the connection.
 */
async function open(): Promise<Socket> {
  for (;;) {
    const sent = request(`${api}/ws/optimization`, {
      headers: {
        ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
        ...{ 'sec-websocket-key': randomBytes(16).toString('base64'), 'x-forwarded-for': caller },
      },
    });
    sent.end();
    const socket = await Promise.race([
      once(sent, 'upgrade').then(([, socket]) => socket as Socket),
      once(sent, 'response').then(([response]) => void (response as IncomingMessage).resume()),
    ]).catch(() => {});
    if (socket) return socket;
    await delay(RETRY_MS);
  }
}

/** A text of less than 126 bytes as a frame of a client. With a mask of zeros its bytes stay as they are. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
