import { createFleetClient, type ErrorDetail, FleetError } from 'fleet-client';
import { SERVICE } from '../service.ts';
import { key } from './key.ts';

export { FleetConnectionError, FleetError } from 'fleet-client';

/** One fault of an answer. */
export type Fault = ErrorDetail;

export type Envelope<T> = {
  status: 'success' | 'error';
  data: T;
  errors?: Fault[];
  metadata: { job_id?: string; plan_id?: string; solve_time_ms?: number };
};

type Sent = { body?: unknown; signal?: AbortSignal | undefined; headers?: Record<string, string> };

/**
 * A page says soon that the service is away, and tries again by itself. The client opens no WebSocket: the page has one
 * for all its jobs, and watches a job by this client only where it gets none.
 */
export const fleet = createFleetClient({
  url: SERVICE,
  apiKey: key,
  retry: { attempts: 2 },
  WebSocket: null,
});

/**
 * Sends a request and reads its answer.
 * @throws FleetError if the service refuses, FleetConnectionError if it does not answer, the signal's reason
 */
export async function send<T>(method: string, path: string, sent: Sent = {}): Promise<Envelope<T>> {
  const { body, signal, headers } = sent;
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fleet.send(path, {
    method,
    headers: { accept: 'application/json', ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return (await response.json()) as Envelope<T>;
}

/** An answer in CSV. @throws as `send` does */
export async function getCsv(path: string): Promise<Blob> {
  return (await fleet.send(path, { headers: { accept: 'text/csv' } })).blob();
}

/** The envelope of a success. @throws FleetError */
export function accept<T>(envelope: Envelope<T>): Envelope<T> {
  if (envelope.status === 'error') throw new FleetError({ errors: envelope.errors ?? [] });
  return envelope;
}

/** The data of a GET. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send<T>('GET', path, { signal })).data;
}

/** The rows of a paged list page by page, with the cursor of the next one. @param name of the list in `data` */
export async function* pagesOf<T>(
  path: string,
  name: string,
  signal?: AbortSignal,
  from?: string,
): AsyncGenerator<{ rows: T[]; next: string | undefined }> {
  for (let next = from, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const cursor = next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`;
    const page: Record<string, unknown> = await get(
      `${path}${path.includes('?') ? '&' : '?'}limit=1000${cursor}`,
      signal,
    );
    next = (page.next_cursor as string | null) ?? undefined;
    yield { rows: page[name] as T[], next };
  }
}

/** All rows of a paged list, up to `most`. @param name of the list in `data` */
export async function getAll<T>(
  path: string,
  name: string,
  most: number,
  signal?: AbortSignal,
): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pagesOf<T>(path, name, signal)) {
    rows.push(...page.rows);
    if (rows.length >= most) break;
  }
  return rows;
}
