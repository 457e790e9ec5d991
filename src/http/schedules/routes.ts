import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { JobReference, SCHEDULE_PREFIX } from '../../contracts/jobs.ts';
import {
  RemovedSchedule,
  Schedule,
  SchedulePatch,
  ScheduleRequest,
  ScheduleSummary,
} from '../../contracts/schedules.ts';
import {
  changeSchedule,
  deleteSchedule,
  insertSchedule,
  readNow,
  readOccurrences,
  readSchedule,
  readScheduleInput,
  readSchedulePage,
  type ScheduleRecord,
} from '../../db/schedules/schedules.ts';
import { nextOccurrence, recurrenceOf } from '../../occurrences.ts';
import { openPriorityCheck, readCaller } from '../auth/caller.ts';
import { hasRole, onlyOwner } from '../auth/identity.ts';
import { checkCarryOut } from '../auth/protect.ts';
import { cutText, sendJsonText } from '../bodies/raw-json.ts';
import { bodyOf } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { scheduleExample } from '../documents/examples.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { streamData } from '../lists/list-stream.ts';
import { cutPage, DEFAULT_LIMIT, isNewestFirstKey, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';
import { noteMade } from '../service/audit.ts';
import { checkSchedule } from './schedule-check.ts';
import { scheduleOnWire, scheduleSummaryOnWire } from './schedule-view.ts';

const Params = Type.Object({ schedule_id: JobReference });
const Query = Type.Object(PAGE_QUERY, { additionalProperties: false });
const ScheduleList = Type.Object(
  { schedules: Type.Array(ScheduleSummary), next_cursor: NextCursor },
  { $id: 'ScheduleList' },
);
const LAST_OCCURRENCES = 20;

/** `/api/v1/schedules`: decisions at certain times. Workers make them (`workers/duties/schedules.ts`). */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes with their schemas
export function scheduleRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const { config, database } = deps;
  const { db } = database;
  const checkPriority = openPriorityCheck(config);

  /** A schedule as JSON; the stored body is inserted unchanged. */
  async function pieces(scheduleId: string, owner: string | undefined): Promise<Iterable<string>> {
    const [schedule, occurrences, input] = await Promise.all([
      readSchedule(db, scheduleId, owner),
      readOccurrences(db, scheduleId, LAST_OCCURRENCES),
      readScheduleInput(db, scheduleId),
    ]);
    if (!schedule || input === undefined) throw unknownSchedule(scheduleId);
    const view = JSON.stringify(scheduleOnWire(schedule, occurrences));
    return [`${view.slice(0, -1)},"decision":`, ...cutText(input), '}'];
  }

  /** Stores the schedule of a request. @returns its id */
  async function create(request: FastifyRequest): Promise<string> {
    const body = bodyOf(request, 'schedule');
    const { name, cron, time_zone: timeZone, missed = 'run_last', paused = false } = body.facts.schedule;
    const job = await checkSchedule(deps, body, onlyOwner(request.identity));
    if (!job) throw new Error('a schedule has a decision');
    checkPriority(request, job.priority);
    checkCarryOut(request, job.facts, 'decision.carry_out');
    const scheduleId = `${SCHEDULE_PREFIX}_${uuidv7()}`;
    const nextAt = paused ? null : nextOccurrence(recurrenceOf(cron, timeZone), await readNow(db));
    const times = { name, cron, timeZone, missed, nextAt, pausedBecause: null };
    const stored = await insertSchedule(
      db,
      { scheduleId, ...times, ...job, ...readCaller(request), owner: request.identity.owner },
      config.SCHEDULES_MAX,
    );
    if (stored === 'named') throw nameInUse(name);
    if (stored === 'full') throw tooMany(config.SCHEDULES_MAX);
    noteMade(request, { resourceId: scheduleId });
    request.log.info({ schedule_id: scheduleId, next_at: nextAt }, 'schedule stored');
    return scheduleId;
  }

  /** Changes the schedule of a request. */
  async function change(
    request: FastifyRequest,
    scheduleId: string,
    owner: string | undefined,
  ): Promise<void> {
    const body = bodyOf(request, 'schedule_patch');
    const { name, missed, ...patch } = body.facts.schedule;
    const job = await checkSchedule(deps, body, owner);
    if (job) {
      checkPriority(request, job.priority);
      checkCarryOut(request, job.facts, 'decision.carry_out');
    }
    const now = await readNow(db);
    const changed = await changeSchedule(
      db,
      scheduleId,
      (present) => {
        const isStopped =
          Object.keys(body.facts.schedule).every((field) => field === 'paused') && patch.paused;
        if (!job && !isStopped) checkCarriesOut(request, present);
        return {
          job,
          times: {
            ...(name !== undefined && { name }),
            ...(missed !== undefined && { missed }),
            ...changedTimes(present, patch, now),
            ...(patch.paused !== undefined && { pausedBecause: null }),
          },
        };
      },
      owner,
    );
    if (!changed) throw unknownSchedule(scheduleId);
    if (changed === 'named') throw nameInUse(name ?? '');
  }

  return async (app) => {
    app.post(
      '/api/v1/schedules',
      {
        config: { operation: 'schedule' },
        schema: {
          operationId: 'create_schedule',
          tags: ['schedules'],
          summary: 'Make decisions at certain times',
          description:
            'Each occurrence makes exactly one job, a decision, as its caller would by `POST /api/v1/decisions`. It ' +
            'makes none if the job of the occurrence before has not ended, or if no worker was running in time and ' +
            '`missed` says so.',
          body: { ...ScheduleRequest, examples: [scheduleExample] },
          response: { 201: answers('the schedule', Schedule), ...errors(400, 404, 409, 413, 415, 503) },
        },
      },
      async (request, reply) => {
        const scheduleId = await create(request);
        return sendJsonText(
          reply.code(201),
          streamData(request.id, await pieces(scheduleId, onlyOwner(request.identity))),
        );
      },
    );

    app.get(
      '/api/v1/schedules',
      {
        schema: {
          operationId: 'list_schedules',
          tags: ['schedules'],
          summary: 'Schedules, newest first, without their decisions',
          querystring: Query,
          response: { 200: answers('a page of schedules', ScheduleList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const { limit = DEFAULT_LIMIT, cursor } = request.query;
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const rows = await readSchedulePage(db, before, limit + 1, onlyOwner(request.identity));
        const { items, next_cursor } = cutPage(rows, limit, (row) => [row.createdAt, row.scheduleId]);
        return success(request.id, { schedules: items.map(scheduleSummaryOnWire), next_cursor });
      },
    );

    app.get(
      '/api/v1/schedules/:schedule_id',
      {
        schema: {
          operationId: 'get_schedule',
          tags: ['schedules'],
          summary: 'A schedule, its next occurrences and the jobs of its last ones',
          description:
            '`GET /api/v1/jobs` and `/api/v1/plans` list all of its jobs and plans by `schedule_id`.',
          params: Params,
          response: { 200: answers('the schedule', Schedule), ...errors(400, 404, 503) },
        },
      },
      async (request, reply) =>
        sendJsonText(
          reply,
          streamData(request.id, await pieces(request.params.schedule_id, onlyOwner(request.identity))),
        ),
    );

    app.patch(
      '/api/v1/schedules/:schedule_id',
      {
        config: { operation: 'schedule_patch' },
        schema: {
          operationId: 'change_schedule',
          tags: ['schedules'],
          summary: 'Change, pause or resume a schedule',
          description:
            'The fields in the body are changed, the rest stay; `decision` is replaced as a whole. Jobs that exist ' +
            'stay as they are. Occurrences of the time while it was paused are not made up for.',
          params: Params,
          body: { ...SchedulePatch, examples: [{ paused: true }] },
          response: { 200: answers('the schedule', Schedule), ...errors(400, 404, 409, 413, 415, 503) },
        },
      },
      async (request, reply) => {
        const { schedule_id: scheduleId } = request.params;
        const owner = onlyOwner(request.identity);
        await change(request, scheduleId, owner);
        return sendJsonText(reply, streamData(request.id, await pieces(scheduleId, owner)));
      },
    );

    app.delete(
      '/api/v1/schedules/:schedule_id',
      {
        schema: {
          operationId: 'delete_schedule',
          tags: ['schedules'],
          summary: 'Delete a schedule',
          description: 'Its jobs stay, also one that is running; `DELETE /api/v1/jobs/{job_id}` cancels it.',
          params: Params,
          response: { 200: answers('the deleted schedule', RemovedSchedule), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { schedule_id: scheduleId } = request.params;
        if (await deleteSchedule(db, scheduleId, onlyOwner(request.identity)))
          return success(request.id, { schedule_id: scheduleId });
        throw unknownSchedule(scheduleId);
      },
    );
  };
}

/**
 * A schedule that carries out changes the stored fleet: a caller who was an operator when it was made may only stop it.
 * @throws AppError FORBIDDEN
 */
function checkCarriesOut({ identity }: FastifyRequest, { carriesOut }: ScheduleRecord): void {
  if (!carriesOut || hasRole(identity, 'operator')) return;
  const message =
    'the schedule carries out its plans, which needs the role "operator"; pause it, or send a decision without carry_out';
  throw new AppError('FORBIDDEN', message);
}

/** The times of a schedule after a change: its next occurrence is looked for only if that depends on the change. */
function changedTimes(
  present: ScheduleRecord,
  { cron, time_zone, paused }: { cron?: string; time_zone?: string; paused?: boolean },
  now: Date,
) {
  const times = { cron: cron ?? present.cron, timeZone: time_zone ?? present.timeZone };
  if (paused ?? present.nextAt === null) return { ...times, nextAt: null };
  const isSame = times.cron === present.cron && times.timeZone === present.timeZone;
  if (isSame && present.nextAt) return {};
  return { ...times, nextAt: nextOccurrence(recurrenceOf(times.cron, times.timeZone), now) };
}

function unknownSchedule(id: string): AppError {
  const message = `schedule "${id}" not found; GET /api/v1/schedules lists the stored schedules`;
  return new AppError('RESOURCE_NOT_FOUND', [{ field: 'schedule_id', message }]);
}

function nameInUse(name: string): AppError {
  const message = `another schedule is named ${JSON.stringify(name)}; choose another name, or change that schedule`;
  return new AppError('CONFLICT', [{ field: 'name', message }]);
}

function tooMany(most: number): AppError {
  const message = `${most} schedules are stored, which is the limit; delete one first`;
  return new AppError('CONFLICT', message);
}
