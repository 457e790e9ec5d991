import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, send } from '../helpers/send.ts';
import type { Fleet, FleetMember } from './fleet.ts';
import type { Ledger } from './ledger.ts';
import type { PosedProblem } from './problems.ts';

const RETRY_MS = 200;

/** How clients reach the service: any running API, as behind a load balancer. */
export type LedgerCaller = {
  readonly ledger: Ledger;
  /** A running API process. @throws if the run is aborted */
  pickApi(): Promise<FleetMember>;
  /**
   * One request. A 503, or a connection that broke because the API was killed, gives undefined: try again. Any other
   * unexpected answer is a fault.
   */
  call(path: string, options: CallOptions): Promise<(Answer & { requestId: string }) | undefined>;
  /** Asks until the job has ended, and hands what it was told to the ledger. @returns the envelope */
  // biome-ignore lint/suspicious/noExplicitAny: an envelope of whatever kind
  follow(jobId: string, problem: PosedProblem): Promise<any>;
  /** Aborts when the run is aborted. */
  readonly signal: AbortSignal;
};

type CallOptions = {
  expected: readonly number[];
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** the caller hangs up */
  signal?: AbortSignal;
};

export function createCaller(fleet: Fleet, ledger: Ledger, signal: AbortSignal): LedgerCaller {
  const apis = fleet.members.filter((member) => member.kind === 'api');
  let turn = 0;
  const caller: LedgerCaller = {
    ledger,
    signal,
    async pickApi() {
      for (;;) {
        signal.throwIfAborted();
        const up = apis.filter((api) => api.pid !== undefined);
        if (up.length > 0) return up[turn++ % up.length];
        await delay(RETRY_MS);
      }
    },
    async call(path, { expected, signal: hangUp, headers, ...options }) {
      const api = await caller.pickApi();
      const { life } = api;
      const requestId = `chaos-${++ledger.counts.requests}`;
      const what = `${options.method ?? (options.body ? 'POST' : 'GET')} ${path} (${requestId}, ${api.name})`;
      api.waiting++;
      try {
        const answer = await send(`${api.url}${path}`, {
          ...options,
          headers: { 'x-request-id': requestId, ...headers },
          signal: AbortSignal.any([signal, ...(hangUp ? [hangUp] : [])]),
        });
        if (answer.status === 503) {
          ledger.counts.refused++;
          ledger.refusedRequests.add(requestId);
          if (!Number(answer.headers.get('retry-after'))) ledger.fault(`${what}: 503 without Retry-After`);
          return undefined;
        }
        if (!expected.includes(answer.status)) ledger.fault(`${what}: ${answer.status} ${answer.text}`);
        return { ...answer, requestId };
      } catch (error) {
        if (hangUp?.aborted) return undefined;
        signal.throwIfAborted();
        ledger.counts.brokenConnections++;
        if (api.life === life) {
          const reason = (error as Error).cause ?? error;
          ledger.fault(`${what}: the connection broke, but the process was not killed: ${reason}`);
        }
        return undefined;
      } finally {
        api.waiting--;
      }
    },
    async follow(jobId, problem) {
      for (;;) {
        const answer = await caller.call(`/api/v1/jobs/${jobId}`, { expected: [200] });
        if (answer?.status === 404) {
          ledger.fault(`GET says that there is no such job`, jobId);
          return undefined;
        }
        const result = answer?.body.data?.result;
        if (result) {
          ledger.answered(jobId, problem, result, 'GET job');
          return result;
        }
        await delay(RETRY_MS, undefined, { signal });
      }
    },
  };
  return caller;
}
