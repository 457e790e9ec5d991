import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * One caller with many WebSockets, in a thread of its own, which sends the same messages again and again as fast as the
 * service takes them, and reads what comes back. The number of messages that were taken is posted every second.
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
let taken = 0;

for (let i = 0; i < sockets; i++) {
  const socket = await open();
  socket.resume();
  socket.on('error', () => {});
  const flood = () => {
    let isTaken = !socket.destroyed;
    while (isTaken) {
      isTaken = socket.write(frames);
      taken += messages.length;
    }
  };
  socket.on('drain', flood);
  flood();
}
parentPort!.postMessage(0);
setInterval(() => parentPort!.postMessage(taken), 1000);

/** A WebSocket after its handshake. It waits for its turn while sockets of an earlier flood are still being closed. */
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
    ]);
    if (socket) return socket;
    await delay(RETRY_MS);
  }
}

/** A text of less than 126 bytes as a frame of a client. With a mask of zeros its bytes stay as they are. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
