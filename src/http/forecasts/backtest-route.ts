import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { AppError } from '../../answers/errors.ts';
import { BacktestRequest, BacktestResponse, MAX_BACKTEST_FITS } from '../../contracts/backtest.ts';
import { backtestLocations, checkForecastLocations } from '../../inputs/forecast-input.ts';
import { bodyOf } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { backtestExample } from '../documents/examples.ts';
import { answerJobs, JOB_HEADERS, jobAnswers } from '../jobs/job-answer.ts';
import type { JobSize } from '../jobs/submit-job.ts';
import { errors } from '../responses.ts';

/** `POST /api/v1/forecast/backtest`. */
export function backtestRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const { config, database } = deps;
  const { db } = database;
  const answer = answerJobs(deps);

  async function check(body: BacktestRequest): Promise<JobSize> {
    const { origins = 8 } = body;
    if (body.location_ids) await checkForecastLocations(db, body.location_ids);
    const { locationIds: ids } = await backtestLocations(db, config, body);
    if (ids.length * origins > MAX_BACKTEST_FITS) {
      const field = body.origins === undefined ? (body.location_ids ? 'location_ids' : null) : 'origins';
      const message =
        `${origins} origins of ${ids.length} locations need more than ${MAX_BACKTEST_FITS} forecasts; ` +
        `request at most ${Math.floor(MAX_BACKTEST_FITS / ids.length)} origins, or fewer locations`;
      throw new AppError('VALIDATION_ERROR', [{ field, message }]);
    }
    return { locationCount: ids.length, vehicleCount: 0 };
  }

  return async (app) => {
    app.post(
      '/api/v1/forecast/backtest',
      {
        config: { operation: 'backtest' },
        schema: {
          operationId: 'backtest_forecast',
          tags: ['forecast'],
          summary: 'Accuracy of forecasts on the stored history',
          description:
            'Forecasts from several past dates, each with the data known then, are compared with the ' +
            'actual demand: WAPE, MASE, ' +
            'bias and coverage of the intervals, per location and overall, next to two simple methods. A ' +
            'job, waited for ' +
            'like an optimization.',
          headers: JOB_HEADERS,
          body: { ...BacktestRequest, examples: [backtestExample] },
          response: { ...jobAnswers('the figures', BacktestResponse), ...errors(404) },
        },
      },
      async (request, reply) => {
        const body = bodyOf(request, 'backtest');
        return answer(request, reply, 'backtest', body, {
          locationIds: [],
          check: () => check(body.facts.request),
        });
      },
    );
  };
}
