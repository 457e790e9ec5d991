import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../core/optimize/instances.ts';
import type { Answer } from '../helpers/send.ts';
import type { LedgerCaller } from './caller.ts';
import type { PosedProblem } from './problems.ts';
import { followBySocket } from './subscribers.ts';

/** One way in which clients use the service. Resolves when the client has seen the end of its job, or gave up. */
export type Behaviour = (caller: LedgerCaller, problem: PosedProblem, random: Random) => Promise<void>;

const RETRY_MS = 200;

/** POSTs and waits for the plan. If its connection breaks, this client never learns of its job. */
const waits: Behaviour = async (caller, problem) => {
  const answer = await post(caller, problem, {});
  if (answer) await settle(caller, problem, answer);
};

/** Waits for at most a second. */
const waitsASecond: Behaviour = async (caller, problem) => {
  const answer = await post(caller, problem, { prefer: 'wait=1' });
  if (answer) await settle(caller, problem, answer);
};

/** POSTs with `respond-async` and polls the job. */
const asksLater: Behaviour = async (caller, problem) => {
  const jobId = await submit(caller, problem);
  if (jobId) await caller.follow(jobId, problem);
};

/** Two subscribers on random APIs follow the job. Each subscribes again if its socket is lost. */
const subscribes: Behaviour = async (caller, problem, random) => {
  const jobId = await submit(caller, problem);
  if (!jobId) return;
  await Promise.all([
    followBySocket(caller, jobId, problem),
    delay(random.next() * 1500).then(() => followBySocket(caller, jobId, problem)),
  ]);
};

/** Hangs up in the middle. The job is accepted work, but this client never asks for it. */
const hangsUp: Behaviour = async (caller, problem, random) => {
  const answer = await post(caller, problem, {}, AbortSignal.timeout(random.integer(1, 600)));
  if (answer) await settle(caller, problem, answer);
};

/** Hangs up, or loses its connection, and repeats the request with its key until it gets the answer. */
const retriesWithKey: Behaviour = async (caller, problem, random) => {
  const key = `key-${randomUUID()}`;
  const once = async (signal?: AbortSignal) => {
    const answer = await post(caller, problem, { 'idempotency-key': key }, signal);
    if (answer) await settle(caller, problem, answer, key);
    return answer !== undefined;
  };
  for (let tries = random.integer(1, 3); tries > 0; tries--) {
    if (await once(AbortSignal.timeout(random.integer(1, 500)))) break;
    caller.ledger.counts.retries++;
  }
  // Finally twice at the same moment.
  const insist = async () => {
    while (!(await once())) {
      caller.ledger.counts.retries++;
      await delay(RETRY_MS, undefined, { signal: caller.signal });
    }
  };
  await Promise.all([insist(), insist()]);
};

/** Cancels after a while. */
const cancels: Behaviour = async (caller, problem, random) => {
  const jobId = await submit(caller, problem);
  if (!jobId) return;
  await delay(random.integer(0, 800));
  await cancel(caller, jobId, problem);
  await caller.follow(jobId, problem);
};

/** One DELETE. */
export async function cancel(caller: LedgerCaller, jobId: string, problem: PosedProblem): Promise<void> {
  caller.ledger.cancelAsked(jobId, problem);
  const answer = await caller.call(`/api/v1/jobs/${jobId}`, { method: 'DELETE', expected: [200, 202] });
  if (answer) caller.ledger.cancelAnswered(jobId, problem, answer.status, answer.body.data?.status);
}

export const BEHAVIOURS: readonly Behaviour[] = [
  waits,
  waits,
  waitsASecond,
  asksLater,
  subscribes,
  subscribes,
  hangsUp,
  retriesWithKey,
  retriesWithKey,
  cancels,
];

function post(
  caller: LedgerCaller,
  problem: PosedProblem,
  headers: Record<string, string>,
  signal?: AbortSignal,
) {
  return caller.call(problem.path, {
    body: problem.request,
    headers: { ...headers, 'x-client-id': clientOf(problem) },
    // 500: the job has lost its worker too often. The end of the run checks whether that is true.
    expected: [problem.httpStatus, 202, 500],
    ...(signal && { signal }),
  });
}

/** The id of a new job, or undefined if the service refused it or the connection broke. */
export async function submit(caller: LedgerCaller, problem: PosedProblem): Promise<string | undefined> {
  const answer = await caller.call(problem.path, {
    body: problem.request,
    headers: { prefer: 'respond-async', 'x-client-id': clientOf(problem) },
    expected: [202],
  });
  const jobId = answer?.body.data?.job_id;
  if (jobId) caller.ledger.accepted(jobId, problem, `202 (${answer.requestId})`);
  return jobId;
}

/** Clients of one kind share their turns. */
function clientOf({ name }: PosedProblem): string {
  return name.split('-')[0];
}

/** Records the answer to a POST: the result itself, or a job to ask for. */
async function settle(
  caller: LedgerCaller,
  problem: PosedProblem,
  answer: Answer & { requestId: string },
  key?: string,
): Promise<void> {
  const { status, body, requestId } = answer;
  const jobId = status === 202 ? body.data.job_id : body?.metadata?.job_id;
  if (!jobId) return; // already recorded as a fault
  caller.ledger.accepted(jobId, problem, `${status} (${requestId})`, key);
  if (status === 202) await caller.follow(jobId, problem);
  else caller.ledger.answered(jobId, problem, body, `POST ${requestId}`);
}
