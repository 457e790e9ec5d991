import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { JobReference } from '../../contracts/jobs.ts';
import { MOVE_STATES, type MoveState, PlanMoves } from '../../contracts/plans.ts';
import { instantMs } from '../../contracts/time.ts';
import type { StoredPlan } from '../../db/plans/plans.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import type { Deps } from '../deps.ts';
import { streamData } from '../lists/list-stream.ts';
import { answers, errors } from '../responses.ts';
import { findStoredPlan, movePages } from './plan-pages.ts';
import { type MoveClock, noMoves, timedMove } from './timed-moves.ts';

const Params = Type.Object({ plan_id: JobReference });
const Query = Type.Object(
  {
    at: Type.Optional(
      Type.String({ format: 'date-time', description: 'the time to tell the states of; default: now' }),
    ),
    starts_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'when the vehicles leave; default: when the plan was stored',
      }),
    ),
    speed_kmh: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 1000,
        description:
          'for moves that stored travel has no minutes of; default: that of the plan, 20 unless it said otherwise',
      }),
    ),
    state: Type.Optional(Type.Enum([...MOVE_STATES], { description: 'only moves in this state' })),
  },
  { additionalProperties: false },
);

/** `/api/v1/plans/{plan_id}/moves`: a plan by the clock. */
export function planMoveRoutes({ database: { db } }: Pick<Deps, 'database'>): FastifyPluginAsyncTypebox {
  async function* pieces(plan: StoredPlan, clock: MoveClock, only: MoveState | undefined) {
    const times = {
      starts_at: clock.startsAt.toISOString(),
      at: clock.at.toISOString(),
      speed_kmh: clock.speedKmh,
    };
    yield `${JSON.stringify({ plan_id: plan.planId, ...times }).slice(0, -1)},"moves":[`;
    const counts = noMoves();
    let separator = '';
    for await (const moves of movePages(db, plan)) {
      for (const stored of moves) {
        const move = timedMove(stored, clock);
        counts[move.state].moves += 1;
        counts[move.state].vehicles += move.vehicles;
        if (only !== undefined && move.state !== only) continue;
        yield separator + JSON.stringify(move);
        separator = ',';
      }
    }
    yield `],"counts":${JSON.stringify(counts)}}`;
  }

  return async (app) => {
    app.get(
      '/api/v1/plans/:plan_id/moves',
      {
        schema: {
          operationId: 'list_plan_moves',
          tags: ['plans'],
          summary: 'Moves of a plan that are due, on the way or done at a time',
          description:
            'By the clock: all vehicles leave at `starts_at` and take the minutes of their move. The service does ' +
            'not follow vehicles.',
          params: Params,
          querystring: Query,
          response: { 200: answers('the moves', PlanMoves), ...errors(400, 404, 503) },
        },
      },
      async (request, reply) => {
        const { at, starts_at, speed_kmh, state } = request.query;
        const plan = await findStoredPlan(db, request.params.plan_id, request);
        const startsAt = starts_at === undefined ? plan.createdAt : new Date(instantMs(starts_at));
        const clock = {
          startsAt,
          at: at === undefined ? new Date() : new Date(instantMs(at)),
          speedKmh: speed_kmh ?? plan.speedKmh,
        };
        return sendJsonText(reply, streamData(request.id, pieces(plan, clock, state)));
      },
    );
  };
}
