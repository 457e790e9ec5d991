import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Measurements from outside since the last look. */
export type Window = {
  /** milliseconds of `GET /`, which needs only the event loop of the API */
  loop: { count: number; median: number; p99: number; longest: number };
  /** milliseconds of `GET /health` */
  health: { count: number; median: number; p99: number; longest: number };
};

/** Resident memory of a process of the service, MiB. */
export type Memory = { pid: number; name: string; rest: number; peak: number; now: number };

export type Probe = {
  /** The times since the last call. */
  look(): Promise<Window>;
  /** Memory since the start; empty if the processes of the service are unknown. */
  memory(): Promise<Memory[]>;
  close(): Promise<void>;
};

/**
 * Watches a service from a separate thread, so the work of the run delays no measurement. Answers of `GET /` wait for
 * the event loop of the API, so the slowest takes at least as long as its longest turn.
 * @param pids processes whose memory is watched (Linux)
 */
export async function openProbe(baseUrl: string, pids: readonly number[]): Promise<Probe> {
  const thread = new Worker(new URL('./probe-thread.ts', import.meta.url), { workerData: { baseUrl, pids } });
  await once(thread, 'message');
  const ask = async <T>(question: 'look' | 'memory'): Promise<T> => {
    thread.postMessage(question);
    const [answer] = await once(thread, 'message');
    return answer;
  };
  return {
    look: () => ask<Window>('look'),
    memory: () => ask<Memory[]>('memory'),
    close: async () => void (await thread.terminate()),
  };
}
