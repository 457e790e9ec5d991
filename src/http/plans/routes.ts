import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { metadata, success } from '../../answers/envelope.ts';
import { Envelope } from '../../contracts/envelope.ts';
import { JobReference } from '../../contracts/jobs.ts';
import { LocationId } from '../../contracts/optimize.ts';
import {
  PLAN_CSV_COLUMNS,
  Plan,
  PlanComparison,
  type PlanCsvPart,
  PlanSummary,
} from '../../contracts/plans.ts';
import {
  readLevelDifferences,
  readLocationDifferences,
  readPlanLocations,
} from '../../db/plans/plan-locations.ts';
import {
  readPlanComparison,
  readPlanItems,
  readPlanPage,
  type StoredPlan,
  type StoredPlanSummary,
} from '../../db/plans/plans.ts';
import { onlyOwner } from '../auth/identity.ts';
import { acceptedType } from '../bodies/accepted-type.ts';
import { CSV_QUERY } from '../bodies/csv-answer.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import { CSV_TYPE, JSON_TYPE } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor } from '../lists/cursor.ts';
import {
  CREATED_QUERY,
  checkPeriod,
  cutPage,
  DEFAULT_LIMIT,
  isNewestFirstKey,
  NextCursor,
  PAGE_QUERY,
} from '../lists/paging.ts';
import { answers, errors, HEADERS } from '../responses.ts';
import { kpiDifferences, kpis, stagesAndShortfalls } from './plan-comparison.ts';
import { planCsv } from './plan-csv.ts';
import { findStoredPlan, movePages, planNotFound } from './plan-pages.ts';

const header = (part: PlanCsvPart) => PLAN_CSV_COLUMNS[part].join(',');
const PLAN_CSV_EXAMPLE = `${header('vehicles')}\r\nV1,48,161,1.1258,rebalance\r\nV2,48,48,0,stay\r\n`;
const PlanCsv = Type.String({
  description:
    `\`part=vehicles\`: one line per vehicle: \`${header('vehicles')}\`. \`part=moves\`: one line per pair of ` +
    `locations, the longest move of a source first: \`${header('moves')}\`; \`distance_km\` and ` +
    '`duration_minutes` are those of one vehicle, `cost` that of all vehicles, `vehicle_ids` are separated by `;`. ' +
    '`part=locations`: one line per ' +
    `location: \`${header('locations')}\`. Unknown values are empty.`,
});
const Params = Type.Object({ plan_id: JobReference });
/** A thousand vehicles each. */
const PARTS_PER_PAGE = 5;
const LOCATIONS_PER_PAGE = 5000;

const PlanListQuery = Type.Object(
  {
    ...PAGE_QUERY,
    ...CREATED_QUERY,
    min_coverage: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'least `demand_coverage`' }),
    ),
    max_cost: Type.Optional(Type.Number({ minimum: 0, description: 'largest `total_cost`' })),
    location_id: Type.Optional(LocationId),
    schedule_id: Type.Optional({ ...JobReference, description: 'only plans that this schedule made' }),
  },
  { additionalProperties: false },
);
const PlanQuery = Type.Object(
  {
    part: Type.Optional(
      Type.Enum(Object.keys(PLAN_CSV_COLUMNS) as PlanCsvPart[], {
        default: 'vehicles',
        description:
          'with `Accept: text/csv`: `vehicles`; `moves`, a work list: the moves by pair of locations; or `locations`',
      }),
    ),
    ...CSV_QUERY,
  },
  { additionalProperties: false },
);
const CompareParams = Type.Object({ plan_id: JobReference, other_id: JobReference });
const CompareQuery = Type.Object(PAGE_QUERY, { additionalProperties: false });
const isVehicleId = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const PlanList = Type.Object(
  { plans: Type.Array(PlanSummary), next_cursor: NextCursor },
  { $id: 'PlanList' },
);

/** `/api/v1/plans`: search them, and read one as a stream of JSON or CSV. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes with their schemas
export function planRoutes({ database: { db } }: Deps): FastifyPluginAsyncTypebox {
  // If retention deletes the plan meanwhile, an answer breaks off before its end.

  /** Items in the order of the request. */
  async function* pages({ planId, vehicleCount }: StoredPlan) {
    let read = 0;
    while (read < vehicleCount) {
      const items = await readPlanItems(db, planId, read, PARTS_PER_PAGE);
      if (items.length === 0) throw planNotFound(planId);
      read += items.length;
      yield items;
    }
  }

  async function* locationPages({ planId }: StoredPlan) {
    for (let after: number | null = null; ; ) {
      const rows = await readPlanLocations(db, planId, after, LOCATIONS_PER_PAGE);
      if (after === null && rows.length === 0) throw planNotFound(planId);
      yield rows;
      if (rows.length < LOCATIONS_PER_PAGE) break;
      after = rows[rows.length - 1].location_id;
    }
  }

  const PAGES = {
    vehicles: pages,
    moves: (plan: StoredPlan) => movePages(db, plan),
    locations: locationPages,
  };

  async function* json(plan: StoredPlan, requestId: string) {
    const { certificate, findings, insights } = plan;
    yield `{"status":"success","data":${JSON.stringify(summary(plan)).slice(0, -1)},"certificate":${certificate}`;
    if (findings !== null) yield `,${findings.slice(1, -1)}`;
    if (insights !== null) yield `,"insights":${insights}`;
    let separator = '';
    yield ',"locations":[';
    for await (const locations of locationPages(plan)) {
      yield separator + JSON.stringify(locations).slice(1, -1);
      separator = ',';
    }
    separator = '';
    yield '],"allocation_plan":[';
    for await (const items of pages(plan)) {
      yield separator + items.map(({ ordinal: _, ...item }) => JSON.stringify(item)).join(',');
      separator = ',';
    }
    yield `]},"metadata":${JSON.stringify(metadata(requestId))}}`;
  }

  return async (app) => {
    app.get(
      '/api/v1/plans',
      {
        schema: {
          operationId: 'list_plans',
          tags: ['plans'],
          summary: 'The plans, newest first, without their items',
          description: 'Pagination is stable while new plans arrive. Times are ISO 8601.',
          querystring: PlanListQuery,
          response: { 200: answers('a page of plans', PlanList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const { limit = DEFAULT_LIMIT, cursor, ...query } = request.query;
        checkPeriod(request.query, 'created_after', 'created_before');
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const rows = await readPlanPage(db, before, limit + 1, {
          owner: onlyOwner(request.identity),
          createdAfter: query.created_after,
          createdBefore: query.created_before,
          minCoverage: query.min_coverage,
          maxCost: query.max_cost,
          locationId: query.location_id,
          scheduleId: query.schedule_id,
        });
        const { items, next_cursor } = cutPage(rows, limit, (plan) => [plan.createdAt, plan.planId]);
        return success(request.id, { plans: items.map(summary), next_cursor });
      },
    );

    app.get(
      '/api/v1/plans/:plan_id',
      {
        schema: {
          operationId: 'get_plan',
          tags: ['plans'],
          summary: 'A stored plan as JSON or CSV',
          description:
            '`Accept: text/csv` gives one line per vehicle, or, by `part`, per pair of locations between which ' +
            'vehicles move, or per location.',
          params: Params,
          querystring: PlanQuery,
          response: {
            200: {
              description: 'the plan',
              headers: { 'Content-Disposition': HEADERS['Content-Disposition'] },
              content: {
                [JSON_TYPE]: { schema: Envelope(Plan) },
                [CSV_TYPE]: { schema: PlanCsv, example: PLAN_CSV_EXAMPLE },
              },
            },
            ...errors(400, 404, 503),
          },
        },
      },
      async (request, reply) => {
        const { plan_id } = request.params;
        const plan = await findStoredPlan(db, plan_id, request);
        if (acceptedType(request) !== CSV_TYPE) {
          return sendJsonText(reply, Readable.from(json(plan, request.id), { highWaterMark: 1 }));
        }
        const { part = 'vehicles', spreadsheet = false } = request.query;
        const name = part === 'vehicles' ? plan_id : `${plan_id}-${part}`;
        const csv = planCsv(part, PAGES[part](plan), spreadsheet);
        return (reply as FastifyReply)
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${name}.csv"`)
          .send(Readable.from(csv, { highWaterMark: 1 }));
      },
    );

    app.get(
      '/api/v1/plans/:plan_id/compare/:other_id',
      {
        schema: {
          operationId: 'compare_plans',
          tags: ['plans'],
          summary: 'Differences between this plan and another',
          description:
            'Differences of the KPIs (the other plan minus this one), the shortfall and stages of both, what changes ' +
            'per priority level and per location, and a page of the vehicles that move differently.',
          params: CompareParams,
          querystring: CompareQuery,
          response: { 200: answers('the comparison', PlanComparison), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { limit = DEFAULT_LIMIT, cursor } = request.query;
        const after = cursor === undefined ? null : decodeCursor(cursor, isVehicleId);
        const { plan_id, other_id } = request.params;
        const { differences, ...counts } = await readPlanComparison(db, plan_id, other_id, after, limit + 1);
        const isFirst = after === null;
        const locations = isFirst ? await readLocationDifferences(db, plan_id, other_id) : undefined;
        const priorities = isFirst ? await readLevelDifferences(db, plan_id, other_id) : [];
        // Read them afterwards: plans that still exist had all their vehicles during the comparison.
        const plan = await findStoredPlan(db, plan_id, request);
        const other = await findStoredPlan(db, other_id, request, 'other_id');
        const { items, next_cursor } = cutPage(differences, limit, (row) => row.vehicle_id);
        return success(request.id, {
          plan_id,
          other_plan_id: other_id,
          kpi_differences: kpiDifferences(kpis(plan), kpis(other)),
          vehicles: { same: plan.vehicleCount - counts.different - counts.only_in_plan, ...counts },
          ...stagesAndShortfalls(plan, other),
          ...(priorities.length > 0 && { priorities }),
          ...(locations !== undefined && { locations }),
          differences: items,
          next_cursor,
        });
      },
    );
  };
}

function summary(plan: StoredPlanSummary): PlanSummary {
  return {
    plan_id: plan.planId,
    job_id: plan.jobId,
    created_at: plan.createdAt.toISOString(),
    solver_status: plan.solverStatus,
    gap: plan.gap,
    total_cost: plan.totalCost,
    kpis: kpis(plan),
    vehicle_count: plan.vehicleCount,
    solve_time_ms: plan.solveTimeMs,
  };
}
