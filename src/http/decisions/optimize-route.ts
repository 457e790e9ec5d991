import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { OptimizeRequest, OptimizeResponse } from '../../contracts/optimize.ts';
import { onlyOwner } from '../auth/identity.ts';
import { bodyOf } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { optimizeExample } from '../documents/examples.ts';
import { answerJobs, JOB_HEADERS, jobAnswers } from '../jobs/job-answer.ts';
import { checkPreviousPlan } from './previous-plan-check.ts';
import { checkTravel } from './travel-check.ts';

/** `POST /api/v1/optimize`. */
export function optimizeRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const answer = answerJobs(deps);

  return async (app) => {
    app.post(
      '/api/v1/optimize',
      {
        config: { operation: 'optimize' },
        schema: {
          operationId: 'optimize',
          tags: ['optimize'],
          summary: 'The cheapest plan that moves vehicles to where the demand is',
          description:
            'The request is validated, stored as a job and solved by a worker process; the call waits ' +
            'for the answer. ' +
            '`Prefer: respond-async` answers 202 at once, `Prefer: wait=N` after N seconds at most.',
          headers: JOB_HEADERS,
          body: { ...OptimizeRequest, examples: [optimizeExample] },
          response: jobAnswers('the plan', OptimizeResponse),
        },
      },
      async (request, reply) => {
        const body = bodyOf(request, 'optimize');
        const { facts, locationIds, locationCount, vehicleCount } = body.facts;
        return answer(request, reply, 'optimize', body, {
          locationIds,
          async check(known) {
            await body.check(known);
            await checkTravel(deps.database.db, facts, locationIds);
            await checkPreviousPlan(deps.database.db, facts, onlyOwner(request.identity));
            return { locationCount, vehicleCount };
          },
        });
      },
    );
  };
}
