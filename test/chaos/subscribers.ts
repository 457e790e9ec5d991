import { setTimeout as delay } from 'node:timers/promises';
import { openSocket } from '../helpers/socket.ts';
import type { LedgerCaller } from './caller.ts';
import type { PosedProblem } from './problems.ts';

const RETRY_MS = 200;

/** Subscribes to a job, on another API if a socket is lost, until a subscription has received the result. */
export async function followBySocket(
  caller: LedgerCaller,
  jobId: string,
  problem: PosedProblem,
): Promise<void> {
  while (!(await subscribeOnce(caller, jobId, problem))) {
    await delay(RETRY_MS, undefined, { signal: caller.signal });
  }
}

/** One subscription on a socket of its own. @returns whether it received the result */
async function subscribeOnce(caller: LedgerCaller, jobId: string, problem: PosedProblem): Promise<boolean> {
  const { ledger } = caller;
  const api = await caller.pickApi();
  const { life } = api;
  const socket = await openSocket(api.url).catch(() => undefined);
  if (!socket) return false;
  const giveUp = () => socket.socket.terminate();
  caller.signal.addEventListener('abort', giveUp, { once: true });
  const subscription = ledger.subscribed(jobId, problem, `${api.name}#${life}`);
  api.waiting++;
  try {
    socket.send({ type: 'subscribe', job_id: jobId });
    const told = await Promise.race([
      socket.waitFor((m) => m.job_id === jobId && (m.type === 'complete' || m.type === 'error')),
      socket.closed,
    ]);
    if (told.type === 'complete') {
      // The answer to a later question arrives after everything else that was on its way.
      await Promise.race([socket.roundTrip(`no-such-job-${jobId.slice(4)}`), socket.closed]);
      ledger.answered(jobId, problem, told.result, `subscriber on ${subscription.socket}`);
    } else if (told.type === 'error') {
      if (told.code !== 'SERVICE_UNAVAILABLE')
        ledger.fault(`subscriber was told ${told.code}: ${told.message}`, jobId);
    } else {
      ledger.counts.lostSockets++;
      if (api.life === life && !caller.signal.aborted) {
        ledger.fault(
          `${api.name} closed a socket (${told.code} ${told.reason}) although it was not killed`,
          jobId,
        );
      }
    }
    const progress = socket.messages.filter((m) => m.type === 'progress').map((m) => m.progress);
    if (progress.some((value, i) => i > 0 && value < progress[i - 1])) ledger.fault('progress fell', jobId);
    return told.type === 'complete';
  } finally {
    subscription.completes = socket.messages.filter(
      (m) => m.type === 'complete' && m.job_id === jobId,
    ).length;
    api.waiting--;
    caller.signal.removeEventListener('abort', giveUp);
    socket.close();
  }
}
