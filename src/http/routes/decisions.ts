import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import {
  Decision,
  DecisionListItem,
  DecisionRequest,
  DecisionResponse,
  type DecisionSummary,
  MAX_DECISION_VALUES,
} from '../../contracts/decisions.ts';
import { isEnded, JobReference } from '../../contracts/jobs.ts';
import { checkRequest, namedLocationIds } from '../../core/optimize/check.ts';
import { readDecisionInputs, readDecisionPage } from '../../db/decisions.ts';
import { readFleetLocationIds, readFleetSummary } from '../../db/fleet.ts';
import { type JobRecord, readAnswer, readJob } from '../../db/jobs.ts';
import { findKnownLocationIds } from '../../db/locations.ts';
import { metadata, success } from '../../envelope.ts';
import { AppError, type Fault } from '../../errors.ts';
import {
  checkForecastLocations,
  findSilentLocations,
  forecastHistory,
  noObservations,
  requestedLocations,
} from '../../forecasting.ts';
import type { Deps } from '../app.ts';
import { decodeCursor } from '../cursor.ts';
import { decisionExample } from '../examples.ts';
import { answerJobs, JOB_HEADERS, jobAnswers } from '../job-answer.ts';
import { cutPage, DEFAULT_LIMIT, isNewestFirstKey, NextCursor, PAGE_QUERY } from '../paging.ts';
import { sendJsonText } from '../raw-json.ts';
import { answers, errors } from '../responses.ts';
import type { JobSize } from '../submit-job.ts';

const Params = Type.Object({ decision_id: JobReference });
const Query = Type.Object(PAGE_QUERY, { additionalProperties: false });
const DecisionList = Type.Object({ decisions: Type.Array(DecisionListItem), next_cursor: NextCursor });

/** `/api/v1/decisions`: make, look, list. */
export function decisionRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const { config, database } = deps;
  const { db } = database;
  const answer = answerJobs(deps);

  async function check(body: DecisionRequest): Promise<JobSize> {
    const faults = await findFaults(body);
    if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
    const ids = await requestedLocations(db, body);
    const field = body.location_ids || !body.network ? 'location_ids' : 'network.location_ids';
    await checkForecastLocations(db, ids, field);
    const { horizon_hours = config.FORECASTING_HORIZON_DAYS * 24, step_hours = 24 } = body;
    const values = ids.length * Math.ceil(horizon_hours / step_hours);
    if (values > MAX_DECISION_VALUES) {
      const message =
        `${horizon_hours} hours in steps of ${step_hours} are ${values} values for ${ids.length} locations, more than ` +
        `${MAX_DECISION_VALUES}; take a shorter horizon, longer steps or fewer locations`;
      throw new AppError('VALIDATION_ERROR', [{ field: 'horizon_hours', message }]);
    }
    const history = await forecastHistory(db, config, ids, body.start_date);
    const silent = await findSilentLocations(db, ids, history);
    if (silent.length > 0) throw await noObservations(db, config, silent, history.startDate);
    return {
      locationCount: ids.length,
      vehicleCount: body.fleet_state?.vehicles.length ?? (await readFleetSummary(db)).total_vehicles,
    };
  }

  /** What a schema cannot say of the parts that the optimizer gets, and of how they fit together. */
  async function findFaults(body: DecisionRequest): Promise<Fault[]> {
    const { fleet_state = { vehicles: [] }, network, location_ids = [], constraints } = body;
    const request = {
      demand_forecast: {},
      fleet_state,
      ...(network && { network }),
      ...(constraints && { constraints }),
    };
    const known = network ? new Set<number>() : await findKnownLocationIds(db, namedLocationIds(request));
    const faults: Fault[] = checkRequest(request, known);
    if (!network) return faults;
    const inNetwork = new Set(network.location_ids);
    for (const [i, id] of location_ids.entries()) {
      if (inNetwork.has(id)) continue;
      const message = `location ${id} is not in network.location_ids; add it there with its costs or leave it out`;
      faults.push({ field: `location_ids[${i}]`, message });
    }
    for (const id of body.fleet_state ? [] : await readFleetLocationIds(db)) {
      if (inNetwork.has(id)) continue;
      const message =
        `vehicles of the stored fleet stand at location ${id}, which is not among them; ` +
        'add it with its costs, or give the vehicles to plan with in fleet_state';
      faults.push({ field: 'network.location_ids', message });
    }
    return faults.slice(0, 100);
  }

  return async (app) => {
    app.post(
      '/api/v1/decisions',
      {
        schema: {
          tags: ['decisions'],
          summary: 'From the fleet and the observed demand to a plan, in one job',
          description:
            'Takes the stored fleet (or the one given), scores risk, leaves out vehicles at or above a threshold, ' +
            'forecasts demand and optimizes. All inputs are stored with the decision. Waited for as an optimization is.',
          headers: JOB_HEADERS,
          body: { ...DecisionRequest, examples: [decisionExample] },
          response: { ...jobAnswers('the decision with its plan', DecisionResponse), ...errors(404) },
        },
      },
      async (request, reply) =>
        answer(request, reply, 'decision', request.body, {
          locationIds: [],
          check: () => check(request.body),
        }),
    );

    app.get(
      '/api/v1/decisions',
      {
        schema: {
          tags: ['decisions'],
          summary: 'The decisions, newest first, without their inputs and results',
          description: 'From the moment on at which a worker has taken their inputs.',
          querystring: Query,
          response: { 200: answers('a page of decisions', DecisionList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const { limit = DEFAULT_LIMIT, cursor } = request.query;
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const rows = await readDecisionPage(db, before, limit + 1);
        const { items, next_cursor } = cutPage(rows, limit, (row) => [row.takenAt, row.decisionId]);
        const decisions = items.map((row) => ({
          ...summary({ ...row, jobId: row.decisionId }),
          start_date: row.startDate,
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
          tags: ['decisions'],
          summary: 'A decision with the inputs it was made from, and its result once it has ended',
          params: Params,
          response: { 200: answers('the decision', Decision), ...errors(400, 404, 503) },
        },
      },
      async (request, reply) => {
        const { decision_id: id } = request.params;
        const job = await readJob(db, id);
        if (job?.kind !== 'decision') {
          const message = `there is no decision "${id}"; POST /api/v1/decisions makes one`;
          throw new AppError('RESOURCE_NOT_FOUND', [{ message, field: 'decision_id' }]);
        }
        const [inputs, result] = await Promise.all([
          readDecisionInputs(db, id),
          isEnded(job.status) ? readAnswer(db, id) : undefined,
        ]);
        // What is stored as JSON is put in as it stands.
        const inputsText = inputs
          ? `{"taken_at":${JSON.stringify(inputs.takenAt)},"request":${inputs.request},"fleet":${inputs.fleet},` +
            `"risk":${inputs.risk},"forecast":${inputs.forecast},"locations":${inputs.locations}}`
          : 'null';
        const data =
          `${JSON.stringify(summary(job)).slice(0, -1)},"inputs":${inputsText}` +
          `${result ? `,"result":${result.body}` : ''}}`;
        const text = `{"status":"success","data":${data},"metadata":${JSON.stringify(metadata(request.id))}}`;
        return sendJsonText(reply, text);
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
