import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 50;

/** A TCP proxy in front of one server: a wire that can be cut, and one on which nothing moves for a while. */
export type Wire = {
  /** where the service connects to; stays the same when the server behind it moves */
  readonly port: number;
  /** where the server behind it listens */
  target: number;
  /** Resets every live connection. @returns how many */
  cut(): number;
  /** Nothing moves any more, on old and new connections; both ends believe that the connection stands. */
  hang(): void;
  resume(): void;
  /** Refuses new connections, as a machine does whose server is gone, and takes them again. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
};

export async function openProxy(target: number): Promise<Wire> {
  const pairs = new Set<[Socket, Socket]>();
  let hangs = false;
  const still = (pair: [Socket, Socket]) => {
    for (const socket of pair) socket.unpipe();
  };
  const flow = ([a, b]: [Socket, Socket]) => {
    a.pipe(b);
    b.pipe(a);
  };
  const server = createServer((client) => {
    const pair: [Socket, Socket] = [client, connect(proxy.target, '127.0.0.1')];
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => {
        pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    if (!hangs) flow(pair);
  });
  await listen(server, 0);
  const proxy: Wire = {
    port: (server.address() as AddressInfo).port,
    target,
    cut() {
      const { size } = pairs;
      for (const [client, upstream] of pairs) {
        client.resetAndDestroy();
        upstream.resetAndDestroy();
      }
      return size;
    },
    hang() {
      hangs = true;
      pairs.forEach(still);
    },
    resume() {
      hangs = false;
      pairs.forEach(flow);
    },
    async refuse() {
      proxy.cut();
      server.close();
      await once(server, 'close');
    },
    accept: () => listen(server, proxy.port),
    close: () => proxy.refuse(),
  };
  return proxy;
}

/** Listens as soon as it can: another process may have borrowed the port meanwhile. */
async function listen(server: Server, port: number): Promise<void> {
  for (;;) {
    const isListening = once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.listen(port, '127.0.0.1');
    if (await isListening) return;
    await delay(RETRY_MS);
  }
}
