import { createHash } from 'node:crypto';
import type { PosedProblem } from './problems.ts';

/** What clients have seen of one job. */
export type Seen = {
  jobId: string;
  problem: PosedProblem;
  /** in order: time (ms of the run), client, event */
  history: string[];
  /** fingerprint of the first answer received, and its recipient */
  answer: { hash: string; by: string } | undefined;
  /** a client sent a DELETE, answered or not */
  isCancelAsked: boolean;
  /** a DELETE was answered: the job has ended as cancelled, or will (202) */
  cancelPromise: string | undefined;
};

export type Subscription = { jobId: string; completes: number; socket: string };

/** All answers to clients, kept outside the service, to be compared at the end. */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger() {
  const startedAt = performance.now();
  const jobs = new Map<string, Seen>();
  const keys = new Map<string, Set<string>>();
  const subscriptions: Subscription[] = [];
  const faults: { message: string; jobId: string | undefined }[] = [];
  const refusedRequests = new Set<string>();
  const counts = {
    requests: 0,
    refused: 0,
    brokenConnections: 0,
    retries: 0,
    cancels: 0,
    cancels202: 0,
    lostSockets: 0,
  };

  const fault = (message: string, jobId?: string) => {
    const at = `${Math.round(performance.now() - startedAt)} ms`;
    faults.push({ message: `${at}: ${message}`, jobId });
  };
  const note = (jobId: string, problem: PosedProblem, what: string): Seen => {
    let seen = jobs.get(jobId);
    if (!seen) {
      seen = {
        jobId,
        problem,
        history: [],
        answer: undefined,
        isCancelAsked: false,
        cancelPromise: undefined,
      };
      jobs.set(jobId, seen);
    }
    seen.history.push(`${Math.round(performance.now() - startedAt)} ms ${what}`);
    return seen;
  };

  return {
    jobs,
    keys,
    subscriptions,
    faults,
    refusedRequests,
    counts,
    fault,
    /** A client learned of this job. */
    accepted(jobId: string, problem: PosedProblem, by: string, key?: string) {
      note(jobId, problem, `accepted: ${by}`);
      if (key === undefined) return;
      const ids = keys.get(key) ?? new Set();
      keys.set(key, ids.add(jobId));
      if (ids.size > 1) fault(`key ${key} made the jobs ${[...ids].join(' and ')}`, jobId);
    },
    /** A client received the answer: all clients must receive the same. */
    answered(jobId: string, problem: PosedProblem, envelope: unknown, by: string) {
      const hash = createHash('sha256').update(JSON.stringify(envelope)).digest('hex').slice(0, 16);
      const seen = note(jobId, problem, `answer ${hash}: ${by}`);
      seen.answer ??= { hash, by };
      if (seen.answer.hash !== hash) {
        fault(`${by} was told ${hash}, but ${seen.answer.by} was told ${seen.answer.hash}`, jobId);
      }
    },
    cancelAsked(jobId: string, problem: PosedProblem) {
      note(jobId, problem, 'DELETE sent').isCancelAsked = true;
    },
    /** A DELETE was answered: the answer about the cancellation must come true. */
    cancelAnswered(jobId: string, problem: PosedProblem, httpStatus: number, status: string) {
      counts.cancels++;
      if (httpStatus === 202) counts.cancels202++;
      const answer = `${httpStatus} ${status}`;
      const seen = note(jobId, problem, `DELETE answered ${answer}`);
      if (httpStatus === 202 || status === 'cancelled') seen.cancelPromise ??= answer;
      if (httpStatus === 202 && status !== 'running') fault(`DELETE was answered ${answer}`, jobId);
    },
    subscribed(jobId: string, problem: PosedProblem, socket: string): Subscription {
      note(jobId, problem, `subscribed on ${socket}`);
      const subscription = { jobId, completes: 0, socket };
      subscriptions.push(subscription);
      return subscription;
    },
  };
}
