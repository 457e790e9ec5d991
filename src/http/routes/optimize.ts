import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { OptimizeRequest, OptimizeResponse } from '../../contracts/optimize.ts';
import { checkRequest, namedLocationIds } from '../../core/optimize/check.ts';
import { AppError } from '../../errors.ts';
import type { Deps } from '../app.ts';
import { optimizeExample } from '../examples.ts';
import { answerJobs, JOB_HEADERS, jobAnswers } from '../job-answer.ts';
import type { JobCheck } from '../submit-job.ts';

function optimizeChecks(body: OptimizeRequest): JobCheck {
  const ids = namedLocationIds(body);
  return {
    locationIds: body.network ? [] : ids,
    check(known) {
      const faults = checkRequest(body, known);
      if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
      return {
        locationCount: body.network?.location_ids.length ?? ids.length,
        vehicleCount: body.fleet_state.vehicles.length,
      };
    },
  };
}

/** `POST /api/v1/optimize`. */
export function optimizeRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const answer = answerJobs(deps);

  return async (app) => {
    app.post(
      '/api/v1/optimize',
      {
        schema: {
          tags: ['optimize'],
          summary: 'The cheapest plan that moves vehicles to where the demand is',
          description:
            'The request is validated, stored as a job, solved by a worker process and waited for. ' +
            '`Prefer: respond-async` answers 202 at once, `Prefer: wait=N` after N seconds at most.',
          headers: JOB_HEADERS,
          body: { ...OptimizeRequest, examples: [optimizeExample] },
          response: jobAnswers('the plan', OptimizeResponse),
        },
      },
      async (request, reply) =>
        answer(request, reply, 'optimize', request.body, optimizeChecks(request.body)),
    );
  };
}
