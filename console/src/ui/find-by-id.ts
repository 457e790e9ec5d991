import { FleetError, get } from '../api/client.ts';
import { readPlan } from '../api/plans.ts';
import type { Job, Schedule } from '../api/types.ts';
import { addressOf } from '../router.ts';
import { texts } from '../texts.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ID = new RegExp(`^(?:opt|dec|bt|rpl|plan|sch)_${UUID}$`);

/** A result of a search. */
export type Hit = { label: string; kind: string; address: string };

/** The id of a job, plan or schedule that a text is, if it is a whole one. */
export function idIn(text: string): string | undefined {
  const id = text.trim().toLowerCase();
  return ID.test(id) ? id : undefined;
}

/**
 * The job, plan or schedule with an id, and the page that shows it; undefined if the service has none.
 * @throws FleetError for other refusals, FleetConnectionError, the signal's reason
 */
export async function findById(id: string, signal: AbortSignal): Promise<Hit | undefined> {
  try {
    if (id.startsWith('plan_')) {
      await readPlan(id, signal);
      return { label: id, kind: texts.search.planKind, address: addressOf('map', { plan: id }) };
    }
    if (id.startsWith('sch_')) {
      const { name } = await get<Schedule>(`/api/v1/schedules/${id}`, signal);
      const kind = `${texts.search.scheduleKind}${name ? `, ${name}` : ''}`;
      return { label: id, kind, address: addressOf('jobs', { schedule: id }) };
    }
    const job = await get<Job>(`/api/v1/jobs/${id}`, signal);
    const { kinds, statuses } = texts.jobs;
    const kind = `${kinds[job.kind] ?? texts.search.jobKind}, ${statuses[job.status]}`;
    return { label: id, kind, address: addressOfJob(job) };
  } catch (error) {
    if (error instanceof FleetError && error.status === 404) return undefined;
    throw error;
  }
}

/** The page that shows what became of a job: its own where it has one, else the jobs. */
function addressOfJob({ job_id: id, kind, status }: Job): string {
  if (kind === 'replay') return addressOf('replay', { replay: id });
  if (kind === 'decision' && status === 'completed') return addressOf('', { decision: id });
  return addressOf('jobs', { job: id });
}
