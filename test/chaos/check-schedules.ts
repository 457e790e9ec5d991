import type { OccurrenceOutcome } from '../../src/contracts/schedules.ts';
import type { Finding } from './check.ts';
import type { Schedules } from './schedules.ts';

const MINUTE_MS = 60_000;
/** Between the moment that the end of a job is said to have, and that at which everybody sees it. */
const COMMIT_MS = 10_000;

/** A decided occurrence of a schedule of every minute, with its job. */
export type DecidedOccurrence = {
  schedule_id: string;
  /** ms since the epoch */
  due: number;
  outcome: OccurrenceOutcome;
  decided: number;
  job_id: string | null;
  /** null without a job */
  request_id: string | null;
  finished: number | null;
};

export type ScheduleTotals = {
  occurrences: number;
  outcomes: Record<string, number>;
  /** schedules that a client was told of by their name */
  named: number;
};

/** Compares what PostgreSQL holds of the schedules with what their times and clients say. */
export async function checkSchedules(
  query: <R extends Record<string, unknown>>(text: string) => Promise<R[]>,
  { problems, named }: Pick<Schedules, 'problems' | 'named'>,
  findings: Finding[],
): Promise<ScheduleTotals> {
  const find = (message: string, jobId?: string) => findings.push({ message, jobId });
  const rows = await query<DecidedOccurrence>(
    `select o.schedule_id, o.outcome, o.job_id, j.request_id, extract(epoch from o.due_at)::float8 * 1000 as due,
       extract(epoch from o.decided_at)::float8 * 1000 as decided, extract(epoch from j.finished_at)::float8 * 1000 as finished
     from schedule_occurrences o left join jobs j on j.job_id = o.job_id order by o.schedule_id, o.due_at`,
  );
  for (const id of problems.keys()) {
    const own = rows.filter((row) => row.schedule_id === id);
    for (const fault of occurrenceFaults(own)) find(`schedule ${id}: ${fault}`);
  }
  const strays = await query<{ job_id: string }>(
    `select job_id from jobs where schedule_id is not null
       and not exists (select from schedule_occurrences o where o.job_id = jobs.job_id)`,
  );
  for (const { job_id } of strays) find('a job of a schedule belongs to no occurrence', job_id);
  const stored = (
    await query<{ name: string }>("select name from schedules where name like 'each year %'")
  ).map(({ name }) => name);
  for (const name of named) {
    const count = stored.filter((one) => one === name).length;
    if (count !== 1) find(`${count} schedules are named "${name}"`);
  }
  const outcomes: Record<string, number> = {};
  for (const { outcome } of rows) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return { occurrences: rows.length, outcomes, named: named.size };
}

/** Faults in the occurrences of a schedule of every minute, in order of their times. */
export function occurrenceFaults(occurrences: readonly DecidedOccurrence[]): string[] {
  if (occurrences.length === 0) return ['it has no occurrence'];
  const faults: string[] = [];
  let job: DecidedOccurrence | undefined;
  for (const [i, one] of occurrences.entries()) {
    const at = new Date(one.due).toISOString();
    if (i > 0 && one.due - occurrences[i - 1].due !== MINUTE_MS)
      faults.push(`a minute before ${at} is missing`);
    if ((one.outcome === 'job') !== (one.request_id !== null))
      faults.push(`${at} is ${one.outcome}: ${one.job_id}`);
    if (one.request_id !== null && one.request_id !== `${one.schedule_id}/${at}`) {
      faults.push(`the job of ${at} says that it is of ${one.request_id}`);
    }
    if (one.outcome === 'overlapped') {
      const isBusy = job && (job.finished === null || job.finished > one.decided - COMMIT_MS);
      if (!isBusy) faults.push(`${at} is overlapped, but the job before had ended`);
    }
    if (one.outcome === 'job') job = one;
  }
  return faults;
}
