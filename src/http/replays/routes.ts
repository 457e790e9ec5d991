import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { Envelope } from '../../contracts/envelope.ts';
import { JobReference } from '../../contracts/jobs.ts';
import {
  REPLAY_CSV_COLUMNS,
  ReplayComparison,
  type ReplayCsvPart,
  ReplayData,
  ReplayRequest,
  ReplayResponse,
  ReplaySummary,
} from '../../contracts/replays.ts';
import { readReplay, readReplayPage } from '../../db/plans/replays.ts';
import { replayScope } from '../../inputs/replay-input.ts';
import { type Identity, onlyOwner } from '../auth/identity.ts';
import { acceptedType } from '../bodies/accepted-type.ts';
import { CSV_QUERY } from '../bodies/csv-answer.ts';
import { cutText, sendJsonText } from '../bodies/raw-json.ts';
import { bodyOf, CSV_TYPE, JSON_TYPE } from '../bodies/receive-body.ts';
import { checkTravel } from '../decisions/travel-check.ts';
import type { Deps } from '../deps.ts';
import { replayExample } from '../documents/examples.ts';
import { answerJobs, JOB_HEADERS, jobAnswers } from '../jobs/job-answer.ts';
import type { JobSize } from '../jobs/submit-job.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { streamData } from '../lists/list-stream.ts';
import { cutPage, DEFAULT_LIMIT, isNewestFirstKey, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answers, errors, HEADERS } from '../responses.ts';
import { compareReplays } from './replay-comparison.ts';
import { replayCsv } from './replay-csv.ts';

const Params = Type.Object({ replay_id: JobReference });
const CompareParams = Type.Object({ replay_id: JobReference, other_replay_id: JobReference });
const ListQuery = Type.Object(PAGE_QUERY, { additionalProperties: false });
const Query = Type.Object(
  {
    part: Type.Optional(
      Type.Enum(Object.keys(REPLAY_CSV_COLUMNS) as ReplayCsvPart[], {
        default: 'policies',
        description:
          'with `Accept: text/csv`: `policies`, the table; `hours`, `locations` and `locations_by_hour`, the series ' +
          'of each policy',
      }),
    ),
    ...CSV_QUERY,
  },
  { additionalProperties: false },
);
const ReplayList = Type.Object(
  { replays: Type.Array(ReplaySummary), next_cursor: NextCursor },
  { $id: 'ReplayList' },
);
const ReplayCsv = Type.Unsafe<string>({ type: 'string', $id: 'ReplayCsv' });
const CSV_EXAMPLE = `${REPLAY_CSV_COLUMNS.hours.join(',')}\r\nstatic,2017-04-27T04:00:00.000Z,3240,2958.4,512\r\n`;

/** `/api/v1/replays`: what plans would have brought. */
export function replayRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const { config, database } = deps;
  const { db } = database;
  const answer = answerJobs(deps);

  async function check(request: ReplayRequest, facts: Parameters<typeof checkTravel>[1]): Promise<JobSize> {
    const { locationIds, fleetSize } = await replayScope(db, config, request);
    await checkTravel(db, facts, locationIds, 'travel');
    return { locationCount: locationIds.length, vehicleCount: fleetSize };
  }

  async function find(by: Identity, replayId: string, field = 'replay_id'): Promise<string> {
    const data = await readReplay(db, replayId, onlyOwner(by));
    if (data !== undefined) return data;
    const message =
      `replay "${replayId}" not found: it never existed, has not ended (GET /api/v1/jobs/{job_id}), or was deleted ` +
      'after RETENTION_PLAN_DAYS; GET /api/v1/replays lists the stored replays';
    throw new AppError('RESOURCE_NOT_FOUND', [{ field, message }]);
  }

  return async (app) => {
    app.post(
      '/api/v1/replays',
      {
        config: { operation: 'replay' },
        schema: {
          operationId: 'create_replay',
          tags: ['replays'],
          summary: 'What plans would have brought on the stored demand',
          description:
            'Sends a fleet through past demand, hour by hour, once for each policy. Plans are made with what was ' +
            'known when their hour began. A job, waited for like an optimization.',
          headers: JOB_HEADERS,
          body: { ...ReplayRequest, examples: [replayExample] },
          response: { ...jobAnswers('the figures', ReplayResponse), ...errors(404) },
        },
      },
      async (request, reply) => {
        const body = bodyOf(request, 'replay');
        const { request: asked, facts } = body.facts;
        return answer(request, reply, 'replay', body, {
          locationIds: [],
          async check(known) {
            await body.check(known);
            return check(asked, facts);
          },
        });
      },
    );

    app.get(
      '/api/v1/replays',
      {
        schema: {
          operationId: 'list_replays',
          tags: ['replays'],
          summary: 'The replays that have ended, newest first, without their series',
          querystring: ListQuery,
          response: { 200: answers('a page of replays', ReplayList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const { limit = DEFAULT_LIMIT, cursor } = request.query;
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const rows = await readReplayPage(db, before, limit + 1, onlyOwner(request.identity));
        const { items, next_cursor } = cutPage(rows, limit, (row) => [row.createdAt, row.replayId]);
        const replays = items.map(({ createdAt, summary }): ReplaySummary => {
          const { replay_id, ...rest } = JSON.parse(summary);
          return { replay_id, created_at: createdAt, ...rest };
        });
        return success(request.id, { replays, next_cursor });
      },
    );

    app.get(
      '/api/v1/replays/:replay_id',
      {
        schema: {
          operationId: 'get_replay',
          tags: ['replays'],
          summary: 'A replay as JSON or CSV',
          params: Params,
          querystring: Query,
          response: {
            200: {
              description: 'the replay',
              headers: { 'Content-Disposition': HEADERS['Content-Disposition'] },
              content: {
                [JSON_TYPE]: { schema: Envelope(ReplayData) },
                [CSV_TYPE]: { schema: ReplayCsv, example: CSV_EXAMPLE },
              },
            },
            ...errors(400, 404, 503),
          },
        },
      },
      async (request, reply) => {
        const { replay_id } = request.params;
        const data = await find(request.identity, replay_id);
        if (acceptedType(request) !== CSV_TYPE)
          return sendJsonText(reply, streamData(request.id, cutText(data)));
        const { part = 'policies', spreadsheet = false } = request.query;
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${replay_id}-${part}.csv"`)
          .send(Readable.from(replayCsv(part, JSON.parse(data), spreadsheet), { highWaterMark: 1 }) as never);
      },
    );

    app.get(
      '/api/v1/replays/:replay_id/compare/:other_replay_id',
      {
        schema: {
          operationId: 'compare_replays',
          tags: ['replays'],
          summary: 'Differences between this replay and another, policy by policy',
          params: CompareParams,
          response: { 200: answers('the comparison', ReplayComparison), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { replay_id, other_replay_id } = request.params;
        // One after the other: where both are missing, the first is named each time.
        const own = await find(request.identity, replay_id);
        const other = await find(request.identity, other_replay_id, 'other_replay_id');
        return success(request.id, compareReplays(JSON.parse(own), JSON.parse(other)));
      },
    );
  };
}
