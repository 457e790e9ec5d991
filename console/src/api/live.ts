import { signal } from '@preact/signals';
import { hasEnded } from 'fleet-client';
import { SERVICE } from '../service.ts';
import { type Envelope, FleetConnectionError, FleetError, fleet } from './client.ts';
import { key } from './key.ts';

/** The progress of a running job. Costs are in the unit of the plan. */
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
/** A proxy that lets no WebSocket through may hold it without an answer, or open it and pass nothing on. */
const MAX_OPENING_MS = 5000;
/** Jobs that are read at the same time: each read counts as a call of the reader. */
const MAX_POLLED = 2;

/**
 * How the page hears of its jobs: `live` over the WebSocket; `polling` where that is cut, or refused, so that the jobs
 * are read again and again; `idle` while nobody needs it.
 */
export const connection = signal<'idle' | 'connecting' | 'live' | 'polling'>('idle');

const listeners = new Map<string, Set<Listener>>();
/** Functions that stop the polling of each job. */
const polls = new Map<string, AbortController>();
let socket: WebSocket | undefined;
/** Whether the last WebSocket was cut or refused. */
let isCut = false;
let retryMs = FIRST_RETRY_MS;

/**
 * Follows a job over the one WebSocket of the page. If it is cut, it is opened again and every job subscribed anew:
 * the service then sends the latest state, or the end. Until then, the job is read again and again. @returns ends it
 */
export function follow(jobId: string, listener: Listener): () => void {
  const known = listeners.get(jobId);
  if (known) known.add(listener);
  else {
    listeners.set(jobId, new Set([listener]));
    tell('subscribe', jobId);
  }
  if (!socket) open();
  pollNext();
  return () => {
    const left = listeners.get(jobId);
    if (!left?.delete(listener) || left.size > 0) return;
    listeners.delete(jobId);
    stopPolling(jobId);
    pollNext();
    tell('unsubscribe', jobId);
  };
}

function tell(type: 'subscribe' | 'unsubscribe', jobId: string): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, job_id: jobId }));
}

function open(): void {
  if (connection.value === 'idle') connection.value = isCut ? 'polling' : 'connecting';
  const url = `${SERVICE.replace(/^http/, 'ws')}/ws/optimization`;
  // A browser's WebSocket has no headers: the key is a subprotocol.
  const current = new WebSocket(url, key ? ['fleet.v1', `fleet.auth.${key}`] : []);
  socket = current;
  const opening = setTimeout(() => current.close(), MAX_OPENING_MS);
  current.addEventListener('open', () => {
    // Each subscription is answered at once.
    if (listeners.size === 0) clearTimeout(opening);
    isCut = false;
    connection.value = 'live';
    for (const jobId of polls.keys()) stopPolling(jobId);
    for (const jobId of listeners.keys()) tell('subscribe', jobId);
  });
  current.addEventListener('message', ({ data }) => {
    clearTimeout(opening);
    receive(JSON.parse(data as string) as Message);
  });
  current.addEventListener('close', () => {
    clearTimeout(opening);
    socket = undefined;
    isCut = true;
    connection.value = listeners.size === 0 ? 'idle' : 'polling';
    if (listeners.size === 0) return;
    pollNext();
    setTimeout(openAgain, retryMs);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  });
}

function openAgain(): void {
  if (socket) return;
  if (listeners.size > 0) open();
  else connection.value = 'idle';
}

function receive(message: Message): void {
  if (message.job_id === null) return;
  // The job goes on although the service cannot read it now: the socket is opened again, as if it had been cut.
  if (message.type === 'error' && message.code === 'SERVICE_UNAVAILABLE') {
    socket?.close();
    return;
  }
  retryMs = FIRST_RETRY_MS;
  if (message.type === 'progress') report(message);
  else if (message.type === 'complete') end(message.job_id, ({ onEnd }) => onEnd?.(message.result));
  else end(message.job_id, ({ onFault }) => onFault?.(message.message));
}

function report(progress: Progress): void {
  for (const { onProgress } of [...(listeners.get(progress.job_id) ?? [])]) onProgress?.(progress);
}

/** Tells all who follow a job, for the last time. */
function end(jobId: string, hear: (listener: Listener) => void): void {
  const followers = [...(listeners.get(jobId) ?? [])];
  listeners.delete(jobId);
  for (const listener of followers) hear(listener);
}

/** Reads the jobs that are followed, the oldest first, as many as may be read at the same time. */
function pollNext(): void {
  if (connection.value !== 'polling') return;
  for (const jobId of listeners.keys()) {
    if (polls.size >= MAX_POLLED) return;
    poll(jobId);
  }
}

/** Reads a job again and again until it ends, or the WebSocket is open. */
async function poll(jobId: string): Promise<void> {
  if (polls.has(jobId)) return;
  const control = new AbortController();
  polls.set(jobId, control);
  try {
    for await (const job of fleet.watch(jobId, { signal: control.signal })) {
      if (hasEnded(job)) end(jobId, ({ onEnd }) => onEnd?.(job.result as Envelope<unknown>));
      else report(job);
    }
  } catch (error) {
    const isAnswer = error instanceof FleetError || error instanceof FleetConnectionError;
    if (!isAnswer && !control.signal.aborted) throw error;
    const status = error instanceof FleetError ? (error.status ?? 500) : 500;
    // While the service is away, the job is read again once the next WebSocket fails.
    const isRefused = status < 500 && status !== 429;
    if (isRefused) end(jobId, ({ onFault }) => onFault?.((error as FleetError).message));
  } finally {
    if (polls.get(jobId) === control) polls.delete(jobId);
    if (!listeners.has(jobId)) pollNext();
  }
}

function stopPolling(jobId: string): void {
  polls.get(jobId)?.abort();
  polls.delete(jobId);
}
