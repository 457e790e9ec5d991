import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 50;

/** A TCP proxy in front of one server: a connection that can be cut, or made to hang. */
export type Wire = {
  /** the port that the service connects to; stays the same when the server behind it moves */
  readonly port: number;
  /** the port of the server behind it */
  target: number;
  /** Resets every live connection. @returns how many */
  cut(): number;
  /** Stops all data on old and new connections; both ends believe that the connection is alive. */
  hang(): void;
  /** From when a text is sent to the server, what the server sends does not arrive; what is sent to it does. */
  muteAfter(text: string): void;
  resume(): void;
  /** Refuses new connections, like a machine without its server, and accepts them again. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
};

export async function openProxy(target: number): Promise<Wire> {
  const pairs = new Set<[Socket, Socket]>();
  let flows: 'both' | 'requests' | 'nothing' = 'both';
  let watch: ((bytes: Buffer) => void) | undefined;
  const flow = ([client, upstream]: [Socket, Socket]) => {
    for (const socket of [client, upstream]) socket.unpipe();
    if (flows !== 'nothing') client.pipe(upstream);
    if (flows === 'both') upstream.pipe(client);
  };
  const set = (now: typeof flows) => {
    flows = now;
    pairs.forEach(flow);
  };
  const unwatch = () => {
    for (const [client] of pairs) if (watch) client.off('data', watch);
    watch = undefined;
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
    flow(pair);
    if (watch) client.on('data', watch);
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
    hang: () => set('nothing'),
    muteAfter(text) {
      watch = (bytes) => {
        if (!bytes.includes(text)) return;
        unwatch();
        set('requests');
      };
      for (const [client] of pairs) client.on('data', watch);
    },
    resume: () => set('both'),
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

/** Listens as soon as possible: another process may have taken the port in the meantime. */
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
