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

/** POSTs and waits for the plan. A client whose connection breaks here never learns of its job. */
const waits: Behaviour = async (caller, problem) => {
  const answer = await post(caller, problem, {});
  if (answer) await settle(caller, problem, answer);
};

/** Waits for a second at most. */
const waitsASecond: Behaviour = async (caller, problem) => {
  const answer = await post(caller, problem, { prefer: 'wait=1' });
  if (answer) await settle(caller, problem, answer);
};

/** POSTs with `respond-async` and asks for the job now and then. */
const asksLater: Behaviour = async (caller, problem) => {
  const jobId = await submit(caller, problem);
  if (jobId) await caller.follow(jobId, problem);
};

/** Two subscribers, on whichever APIs, follow the job; each subscribes again where its socket is lost. */
const subscribes: Behaviour = async (caller, problem, random) => {
  const jobId = await submit(caller, problem);
  if (!jobId) return;
  await Promise.all([
    followBySocket(caller, jobId, problem),
    delay(random.next() * 1500).then(() => followBySocket(caller, jobId, problem)),
  ]);
};

/** Hangs up in the middle; the job is accepted work, but this client will never ask for it. */
const hangsUp: Behaviour = async (caller, problem, random) => {
  const answer = await post(caller, problem, {}, AbortSignal.timeout(random.integer(1, 600)));
  if (answer) await settle(caller, problem, answer);
};

/** Hangs up, or loses its connection, and sends the same again under its key until it is told the answer. */
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
  // At last twice at the same moment.
  const insist = async () => {
    while (!(await once())) {
      caller.ledger.counts.retries++;
      await delay(RETRY_MS, undefined, { signal: caller.signal });
    }
  };
  await Promise.all([insist(), insist()]);
};

/** Changes its mind after a while. */
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
    // 500: the job has lost its worker too often. Whether that is true is compared at the end.
    expected: [problem.httpStatus, 202, 500],
    ...(signal && { signal }),
  });
}

/** The id of a new job, or undefined where the service refused it or the connection broke. */
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

/** Clients of a kind share their turns. */
function clientOf({ name }: PosedProblem): string {
  return name.split('-')[0];
}

/** Books what a POST was told: the answer itself, or a job to ask for. */
async function settle(
  caller: LedgerCaller,
  problem: PosedProblem,
  answer: Answer & { requestId: string },
  key?: string,
): Promise<void> {
  const { status, body, requestId } = answer;
  const jobId = status === 202 ? body.data.job_id : body?.metadata?.job_id;
  if (!jobId) return; // booked as a fault already
  caller.ledger.accepted(jobId, problem, `${status} (${requestId})`, key);
  if (status === 202) await caller.follow(jobId, problem);
  else caller.ledger.answered(jobId, problem, body, `POST ${requestId}`);
}
