import { signal } from '@preact/signals';
import type { Envelope } from './client.ts';
import { key } from './key.ts';

/** What a running job reports. Costs are in the unit of the plan. */
export type Progress = {
  job_id: string;
  progress: number;
  stage: string | null;
  incumbent: number | null;
  bound: number | null;
  gap: number | null;
};

export type Listener = {
  onProgress?: (progress: Progress) => void;
  onEnd?: (result: Envelope<unknown>) => void;
  /** The service does not know the job. */
  onFault?: (message: string) => void;
};

type Message =
  | ({ type: 'progress' } & Progress)
  | { type: 'complete'; job_id: string; result: Envelope<unknown> }
  | { type: 'error'; job_id: string | null; code: string; message: string };

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 8000;

/** Whether the WebSocket is open; `idle` while nobody needs it. */
export const connection = signal<'idle' | 'connecting' | 'live' | 'away'>('idle');

const listeners = new Map<string, Set<Listener>>();
let socket: WebSocket | undefined;
let retryMs = FIRST_RETRY_MS;

/**
 * Follows a job over the one WebSocket of the page. If it is cut, it is opened again and every job subscribed anew:
 * the service then sends the latest state, or the end. @returns ends it
 */
export function follow(jobId: string, listener: Listener): () => void {
  const known = listeners.get(jobId);
  if (known) known.add(listener);
  else {
    listeners.set(jobId, new Set([listener]));
    tell('subscribe', jobId);
  }
  if (!socket) open();
  return () => {
    const left = listeners.get(jobId);
    if (!left?.delete(listener) || left.size > 0) return;
    listeners.delete(jobId);
    tell('unsubscribe', jobId);
  };
}

function tell(type: 'subscribe' | 'unsubscribe', jobId: string): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, job_id: jobId }));
}

function open(): void {
  connection.value = connection.value === 'away' ? 'away' : 'connecting';
  const url = `${window.location.origin.replace(/^http/, 'ws')}/ws/optimization`;
  // A browser's WebSocket has no headers: the key is a subprotocol.
  const current = new WebSocket(url, key ? ['fleet.v1', `fleet.auth.${key}`] : []);
  socket = current;
  current.addEventListener('open', () => {
    connection.value = 'live';
    for (const jobId of listeners.keys()) tell('subscribe', jobId);
  });
  current.addEventListener('message', ({ data }) => receive(JSON.parse(data as string) as Message));
  current.addEventListener('close', () => {
    socket = undefined;
    if (listeners.size === 0) {
      connection.value = 'idle';
      return;
    }
    connection.value = 'away';
    setTimeout(() => socket ?? open(), retryMs);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  });
}

function receive(message: Message): void {
  if (message.job_id === null) return;
  // The job goes on although the service cannot read it now: the socket is opened again, as if it had been cut.
  if (message.type === 'error' && message.code === 'SERVICE_UNAVAILABLE') {
    socket?.close();
    return;
  }
  retryMs = FIRST_RETRY_MS;
  const followers = [...(listeners.get(message.job_id) ?? [])];
  if (message.type === 'progress') for (const { onProgress } of followers) onProgress?.(message);
  else {
    listeners.delete(message.job_id);
    for (const { onEnd, onFault } of followers) {
      if (message.type === 'complete') onEnd?.(message.result);
      else onFault?.(message.message);
    }
  }
}
