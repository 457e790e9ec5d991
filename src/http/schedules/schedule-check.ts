import { AppError, type Fault } from '../../answers/errors.ts';
import { MAX_SCHEDULED_BYTES } from '../../contracts/bounds.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { LAST_PLAN } from '../../contracts/schedules.ts';
import type { ScheduledJob } from '../../db/schedules/schedules.ts';
import { readCron } from '../../occurrences.ts';
import type { ReceivedBody } from '../bodies/intake.ts';
import { checkDecision } from '../decisions/decision-check.ts';
import type { Deps } from '../deps.ts';

type ScheduleBody = ReceivedBody<'schedule'> | ReceivedBody<'schedule_patch'>;

/**
 * Checks the body of a schedule: its cron expression, and its decision as `POST /api/v1/decisions` checks it.
 * @param owner as in `checkDecision`
 * @returns what is stored of the decision; undefined if the body has none
 * @throws AppError; the fields of the decision begin with `decision.`
 */
export async function checkSchedule(
  deps: Pick<Deps, 'config' | 'database'>,
  body: ScheduleBody,
  owner: string | undefined,
): Promise<ScheduledJob | undefined> {
  const { schedule, decision } = body.facts;
  const faults = findCronFaults(schedule.cron);
  if (!decision) {
    if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
    return undefined;
  }
  const { input, inputHash, priority, facts } = decision;
  faults.push(...findSizeFaults(input.length));
  const checked = { ...decision, facts: withoutLastPlan(facts) };
  const size = await checkDecision(deps, checked, (known) => body.findFaults(known), owner).catch((error) => {
    if (!(error instanceof AppError)) throw error;
    const found = error.faults.map((fault) => ({ ...fault, field: under(fault.field) }));
    if (faults.length === 0) throw new AppError(error.code, found, error.retryAfterSeconds);
    if (error.code === 'VALIDATION_ERROR') faults.push(...found);
    return undefined;
  });
  if (faults.length > 0 || !size)
    throw new AppError('VALIDATION_ERROR', faults.slice(0, MAX_REPORTED_ERRORS));
  return { input, inputHash, priority, facts, ...size };
}

const under = (field: string | null | undefined) => (field ? `decision.${field}` : 'decision');

/** There may be no plan of the schedule yet: an occurrence finds its newest one. */
function withoutLastPlan(facts: ScheduledJob['facts']): ScheduledJob['facts'] {
  if (!('previousPlanId' in facts) || facts.previousPlanId !== LAST_PLAN) return facts;
  const { previousPlanId: _, ...others } = facts;
  return others;
}

function findSizeFaults(bytes: number): Fault[] {
  if (bytes <= MAX_SCHEDULED_BYTES) return [];
  const message =
    `the decision has ${bytes} bytes, more than ${MAX_SCHEDULED_BYTES}, which each occurrence would store again; store ` +
    'fleet and travel (PUT /api/v1/data/fleet, /api/v1/data/travel), and leave fleet_state and network out';
  return [{ field: 'decision', message }];
}

function findCronFaults(cron: string | undefined): Fault[] {
  const fields = cron === undefined ? undefined : readCron(cron);
  return typeof fields === 'string' ? [{ field: 'cron', message: `"${cron}" ${fields}` }] : [];
}
