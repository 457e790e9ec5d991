import { openSocket } from '../helpers/socket.ts';
import type { LedgerCaller } from './caller.ts';
import type { Finding } from './check.ts';
import type { Fleet } from './fleet.ts';
import type { PosedProblem } from './problems.ts';
import type { PostgresServer } from './servers.ts';

/** Busy workers leave work to others, so a few rounds reach all of them. */
const MAX_ROUNDS = 8;

/**
 * Nothing hangs after the storm: every worker takes a job, and every API receives the progress that every worker
 * reports. Progress travels only over the event bus; the end of a job could also be found in PostgreSQL.
 */
export async function checkLife(
  caller: LedgerCaller,
  fleet: Fleet,
  postgres: PostgresServer,
  problems: readonly PosedProblem[],
  findings: Finding[],
): Promise<void> {
  const apis = fleet.members.filter(({ kind }) => kind === 'api');
  const workers = fleet.members.filter(({ kind }) => kind === 'worker');
  const missing = new Set(
    workers.flatMap((worker) => apis.map((api) => `${api.name} hears of ${worker.name}`)),
  );
  const middle = problems.filter(({ name }) => name.startsWith('middle'));
  const sockets = await Promise.all(apis.map((api) => openSocket(api.url)));

  /** Follows one job on every API, and removes the processes that took part from the open list. */
  const tryOne = async (problem: PosedProblem) => {
    const accepted = await caller.call('/api/v1/optimize', {
      body: problem.request,
      headers: { prefer: 'respond-async' },
      expected: [202],
    });
    const jobId: string | undefined = accepted?.body.data?.job_id;
    if (jobId === undefined) return findings.push({ message: 'a job was refused after the storm', jobId });
    const isOurs = (m: { job_id: string; type: string }, type: string) =>
      m.job_id === jobId && m.type === type;
    for (const socket of sockets) socket.send({ type: 'subscribe', job_id: jobId });
    await Promise.all(sockets.map((socket) => socket.waitFor((m) => isOurs(m, 'complete'))));
    const [row] = await postgres.query<{ worker_id: string }>(
      'select worker_id from jobs where job_id = $1',
      [jobId],
    );
    const worker = workers.find(({ pid }) => pid === Number(row.worker_id.split(':')[0]));
    for (const [i, socket] of sockets.entries()) {
      // The first message is the state at the time of subscribing, the others are the worker's reports.
      const told = socket.messages.filter((m) => isOurs(m, 'progress')).length > 1;
      if (worker && told) missing.delete(`${apis[i].name} hears of ${worker.name}`);
    }
  };
  const rounds = async () => {
    for (let round = 0; round < MAX_ROUNDS && missing.size > 0; round++)
      await Promise.all(middle.map(tryOne));
  };
  await Promise.race([rounds(), aborted(caller.signal)]);
  for (const socket of sockets) socket.socket.terminate();
  for (const what of missing)
    findings.push({ message: `after the storm not seen: ${what}`, jobId: undefined });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
