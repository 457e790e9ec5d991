import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import {
  Decision,
  DecisionListItem,
  DecisionRequest,
  DecisionResponse,
  type DecisionSummary,
} from '../../contracts/decisions.ts';
import { isEnded, JobReference } from '../../contracts/jobs.ts';
import { type JobRecord, readAnswer, readJob } from '../../db/jobs/jobs.ts';
import { DECISION_PARTS, readDecisionPage, readDecisionPart, readTakenAt } from '../../db/plans/decisions.ts';
import { onlyOwner } from '../auth/identity.ts';
import { cutText, sendJsonText } from '../bodies/raw-json.ts';
import { bodyOf } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { decisionExample } from '../documents/examples.ts';
import { answerJobs, JOB_HEADERS, jobAnswers } from '../jobs/job-answer.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { streamData } from '../lists/list-stream.ts';
import { cutPage, DEFAULT_LIMIT, isNewestFirstKey, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';
import { checkDecision } from './decision-check.ts';

const Params = Type.Object({ decision_id: JobReference });
const Query = Type.Object(PAGE_QUERY, { additionalProperties: false });
const DecisionList = Type.Object(
  { decisions: Type.Array(DecisionListItem), next_cursor: NextCursor },
  { $id: 'DecisionList' },
);

/** `/api/v1/decisions`: make one, read one, list them. */
export function decisionRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const { db } = deps.database;
  const answer = answerJobs(deps);

  /** A decision as JSON. Parts that are stored as JSON are inserted unchanged, one after the other. */
  async function* decisionPieces(job: JobRecord, takenAt: Date | undefined) {
    yield `${JSON.stringify(summary(job)).slice(0, -1)},"inputs":`;
    if (takenAt) yield `{"taken_at":${JSON.stringify(takenAt)}`;
    for (const part of takenAt ? DECISION_PARTS : []) {
      yield `,"${part}":`;
      yield* cutText(await readDecisionPart(db, job.jobId, part));
    }
    yield takenAt ? '}' : 'null';
    const result = isEnded(job.status) ? await readAnswer(db, job.jobId) : undefined;
    if (result) {
      yield ',"result":';
      yield* typeof result.body === 'string' ? cutText(result.body) : result.body;
    }
    yield '}';
  }

  return async (app) => {
    app.post(
      '/api/v1/decisions',
      {
        config: { operation: 'decision' },
        schema: {
          operationId: 'make_decision',
          tags: ['decisions'],
          summary: 'From the fleet and the observed demand to a plan, in one job',
          description:
            'Takes the stored fleet (or the one given), scores risk, leaves out vehicles at or above a threshold, ' +
            'forecasts demand and optimizes. All inputs are stored with the decision. Waited for like an optimization.',
          headers: JOB_HEADERS,
          body: { ...DecisionRequest, examples: [decisionExample] },
          response: { ...jobAnswers('the decision with its plan', DecisionResponse), ...errors(404) },
        },
      },
      async (request, reply) => {
        const body = bodyOf(request, 'decision');
        const owner = onlyOwner(request.identity);
        const check = () => checkDecision(deps, body.facts, (known) => body.findFaults(known), owner);
        return answer(request, reply, 'decision', body, { locationIds: [], check });
      },
    );

    app.get(
      '/api/v1/decisions',
      {
        schema: {
          operationId: 'list_decisions',
          tags: ['decisions'],
          summary: 'Decisions, newest first, without their inputs and results',
          description: 'A decision is listed as soon as a worker has collected its inputs.',
          querystring: Query,
          response: { 200: answers('a page of decisions', DecisionList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const { limit = DEFAULT_LIMIT, cursor } = request.query;
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const rows = await readDecisionPage(db, before, limit + 1, onlyOwner(request.identity));
        const { items, next_cursor } = cutPage(rows, limit, (row) => [row.createdAt, row.decisionId]);
        const decisions = items.map((row) => ({
          ...summary({ ...row, jobId: row.decisionId }),
          mode: row.mode,
          start_date: row.startDate,
          start_hour: row.startHour,
          vehicles: row.vehicleCount,
          left_out: row.leftOutCount,
          total_cost: row.totalCost,
          demand_coverage: row.demandCoverage,
        }));
        return success(request.id, { decisions, next_cursor });
      },
    );

    app.get(
      '/api/v1/decisions/:decision_id',
      {
        schema: {
          operationId: 'get_decision',
          tags: ['decisions'],
          summary: 'A decision with its inputs, and its result once it has ended',
          params: Params,
          response: { 200: answers('the decision', Decision), ...errors(400, 404, 503) },
        },
      },
      async (request, reply) => {
        const { decision_id: id } = request.params;
        const job = await readJob(db, id, onlyOwner(request.identity));
        if (job?.kind !== 'decision') {
          const message = `decision "${id}" not found; GET /api/v1/decisions lists the stored decisions`;
          throw new AppError('RESOURCE_NOT_FOUND', [{ message, field: 'decision_id' }]);
        }
        const takenAt = await readTakenAt(db, id);
        return sendJsonText(reply, streamData(request.id, decisionPieces(job, takenAt)));
      },
    );
  };
}

function summary(
  job: Pick<JobRecord, 'jobId' | 'status' | 'solverStatus' | 'planId' | 'createdAt' | 'finishedAt'>,
): DecisionSummary {
  return {
    decision_id: job.jobId,
    status: job.status,
    solver_status: job.solverStatus,
    plan_id: job.planId,
    created_at: job.createdAt.toISOString(),
    finished_at: job.finishedAt?.toISOString() ?? null,
  };
}
