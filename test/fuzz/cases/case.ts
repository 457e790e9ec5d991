import { strict as assert } from 'node:assert';
import type { Random } from '../../core/optimize/instances.ts';
import type { Document } from '../operations.ts';
import type { Probe } from '../probe.ts';
import type { Sender, WireAnswer } from '../send.ts';

/** A hard case that the service once handled wrongly, or that its documentation promises to handle. */
export type Case = {
  /** what the case shows, as a sentence */
  name: string;
  /** maximum duration in seconds; the short form skips cases above one second, and cases that measure time */
  seconds?: number;
  /**
   * @returns the observation, for the table
   * @throws AssertionError if the case fails; SkippedError if this service or machine cannot show it
   */
  run(context: CaseContext): Promise<string | undefined>;
};

export class SkippedError extends Error {}

export type Reply = Omit<WireAnswer, 'bytes'> & { body: Document };

type SendOptions = { body?: unknown; headers?: Record<string, string>; from?: Sender };

export type CaseContext = {
  baseUrl: string;
  /** the ids of stored locations that have demand */
  locationIds: number[];
  /** worker processes of the service; 0 if unknown */
  workerCount: number;
  probe: Probe;
  /** Sends a request. A body of text or bytes is sent unchanged, others as JSON. */
  call(method: string, path: string, options?: SendOptions): Promise<Reply>;
  /** A client with another address of the loopback interface. */
  another(): Sender;
};

/** Creates the `call` of a context. */
export function createCall(sender: Sender): CaseContext['call'] {
  return async (method, path, { body, headers = {}, from = sender } = {}) => {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const bytes =
      body === undefined ? undefined : Buffer.from(isRaw ? (body as string) : JSON.stringify(body));
    const { bytes: _, ...answer } = await from.send({
      method,
      path,
      headers: { ...(bytes && { 'content-type': 'application/json' }), ...headers },
      body: bytes,
    });
    const isJson = answer.headers['content-type']?.includes('json') && !answer.headers['content-encoding'];
    return { ...answer, body: isJson && answer.text !== '' ? JSON.parse(answer.text) : undefined };
  };
}

/** Asserts that a request was refused, and that one of the errors names a field. */
export function assertRefused(reply: Reply, status: number, field?: string | RegExp): void {
  const shown = `${reply.status} ${reply.text.slice(0, 300)}`;
  assert.equal(reply.status, status, shown);
  assert.equal(reply.body?.status, 'error', shown);
  if (field === undefined) return;
  const fields: (string | null)[] = reply.body.errors.map((error: Document) => error.field);
  const names = (found: string | null) =>
    typeof field === 'string' ? found === field : field.test(found ?? '');
  assert.ok(fields.some(names), `no error names ${field}: ${shown}`);
}

/** A small problem over stored locations, as `POST /api/v1/optimize` takes it. */
export function smallProblem({ locationIds: [a, b] }: CaseContext, options: object = {}) {
  return {
    demand_forecast: { [a]: [0], [b]: [2] },
    fleet_state: { vehicles: ['A', 'B', 'C'].map((id) => ({ id, location: a, capacity: 1 })) },
    constraints: { max_distance: 20_000, max_rebalancing_cost: null },
    options,
  };
}

/** A problem that cannot be solved to a gap of 0 in ten minutes: many capacities, fractional demand. */
export function endlessProblem({ locationIds }: CaseContext, random: Random) {
  const vehicles = Array.from({ length: 900 }, (_, i) => ({
    id: `E${i}`,
    location: locationIds[Math.floor(random.next() * random.next() * locationIds.length)],
    capacity: random.pick([1, 1.7, 2.9, 4.3, 6.1]),
  }));
  const demand = locationIds.map((id) => [String(id), [Math.round(random.next() * 5000) / 100]]);
  return {
    demand_forecast: Object.fromEntries(demand),
    fleet_state: { vehicles },
    constraints: { max_distance: 20_000, max_rebalancing_cost: null, min_service_level: 0.9 },
    options: { time_limit_seconds: 600, optimality_gap: 0 },
  };
}

/** Waits until a job has ended. */
export async function endOf({ call }: CaseContext, jobId: string): Promise<Document> {
  for (;;) {
    const { body } = await call('GET', `/api/v1/jobs/${jobId}`);
    if (['completed', 'failed', 'cancelled'].includes(body.data.status)) return body.data;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
