import { pause } from './pause.ts';
import type { components } from './schema.ts';

type Job = components['schemas']['Job'];
/** The figures of a `progress` message. */
export type HeardProgress = Pick<Job, 'progress' | 'stage' | 'incumbent' | 'bound' | 'gap' | 'iterations'>;

/** `closed`: the socket could not be opened, or was cut. `ended`: the job has its result. */
export type Heard = { progress: HeardProgress } | 'ended' | 'closed' | 'silent';

/** The used part of a WebSocket: the platform's own has it, and that of the package `ws`. */
export type SocketClass = new (
  url: string,
  protocols?: string[],
) => {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
};

/**
 * Subscribes to a job on a socket of its own.
 * @param url of the service, `http` or `https`
 * @param apiKey key or token, sent as a subprotocol: a browser's socket has no headers
 * @returns `next` gives the latest news, or waits for them at most `ms` milliseconds; progress that a slow reader has
 * not read is replaced by newer progress
 */
export function subscribe(Socket: SocketClass, url: string, jobId: string, apiKey?: string) {
  let news: Heard | undefined;
  let wake = () => {};
  const hear = (heard: Heard) => {
    // The news that ends the subscription stays the last.
    if (news === 'ended' || news === 'closed') return;
    news = heard;
    wake();
  };
  const socket = open(Socket, `${url.replace(/^http/, 'ws').replace(/\/$/, '')}/ws/optimization`, apiKey);
  if (!socket) hear('closed');
  socket?.addEventListener('open', () => socket.send(JSON.stringify({ type: 'subscribe', job_id: jobId })));
  socket?.addEventListener('message', ({ data }) => {
    const message = parse(data);
    if (message.type === 'complete') hear('ended');
    // The job cannot be read now: as good as no socket.
    else if (message.type === 'error') hear('closed');
    else if (message.type === 'progress') hear({ progress: pick(message) });
  });
  for (const type of ['close', 'error'] as const) socket?.addEventListener(type, () => hear('closed'));

  return {
    async next(ms: number, signal: AbortSignal | undefined): Promise<Heard> {
      signal?.throwIfAborted();
      if (news === undefined) {
        const slept = new AbortController();
        wake = () => slept.abort();
        signal?.addEventListener('abort', wake, { once: true });
        await pause(ms, slept.signal).catch(() => {});
        signal?.removeEventListener('abort', wake);
        signal?.throwIfAborted();
      }
      const heard = news ?? 'silent';
      if (typeof heard === 'object') news = undefined;
      return heard;
    },
    close: () => socket?.close(),
  };
}

/** A message that is not the service's counts as its error: a listener must not throw. */
function parse(data: unknown): { type: string } & HeardProgress {
  try {
    return JSON.parse(String(data));
  } catch {
    return { type: 'error' } as never;
  }
}

/** Undefined if the address cannot be one of a socket, or the key no subprotocol. */
function open(Socket: SocketClass, url: string, apiKey: string | undefined) {
  try {
    return apiKey ? new Socket(url, ['fleet.v1', `fleet.auth.${apiKey}`]) : new Socket(url);
  } catch {
    return undefined;
  }
}

function pick({ progress, stage, incumbent, bound, gap, iterations }: HeardProgress): HeardProgress {
  return { progress, stage, incumbent, bound, gap, iterations };
}
