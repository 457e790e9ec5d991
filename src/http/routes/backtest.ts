import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { BacktestRequest, BacktestResponse, MAX_BACKTEST_FITS } from '../../contracts/backtest.ts';
import { LAST_HOUR } from '../../db/demand.ts';
import { AppError } from '../../errors.ts';
import {
  checkForecastLocations,
  findSilentLocations,
  noObservations,
  requestedLocations,
} from '../../forecasting.ts';
import type { Deps } from '../app.ts';
import { backtestExample } from '../examples.ts';
import { answerJobs, JOB_HEADERS, jobAnswers } from '../job-answer.ts';
import { errors } from '../responses.ts';
import type { JobSize } from '../submit-job.ts';

/** `POST /api/v1/forecast/backtest`. */
export function backtestRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const { config, database } = deps;
  const { db } = database;
  const answer = answerJobs(deps);

  async function check(body: BacktestRequest): Promise<JobSize> {
    const { origins = 8 } = body;
    const ids = await requestedLocations(db, body);
    await checkForecastLocations(db, ids);
    if (ids.length * origins > MAX_BACKTEST_FITS) {
      const message =
        `${origins} origins of ${ids.length} locations are more than ${MAX_BACKTEST_FITS} forecasts; ` +
        `take at most ${Math.floor(MAX_BACKTEST_FITS / ids.length)} origins, or fewer locations`;
      throw new AppError('VALIDATION_ERROR', [{ field: 'origins', message }]);
    }
    const silent = await findSilentLocations(db, ids, { fromHour: -LAST_HOUR, beforeHour: LAST_HOUR });
    if (silent.length > 0) throw await noObservations(db, config, silent, undefined);
    return { locationCount: ids.length, vehicleCount: 0 };
  }

  return async (app) => {
    app.post(
      '/api/v1/forecast/backtest',
      {
        schema: {
          tags: ['forecast'],
          summary: 'How well forecasts would have been on the stored history',
          description:
            'Forecasts from several earlier dates, each with what was known then, compared with what came: WAPE, MASE, ' +
            'bias and coverage of the intervals, per location and overall, beside two simple methods. A job, waited for ' +
            'as an optimization is.',
          headers: JOB_HEADERS,
          body: { ...BacktestRequest, examples: [backtestExample] },
          response: { ...jobAnswers('the figures', BacktestResponse), ...errors(404) },
        },
      },
      async (request, reply) =>
        answer(request, reply, 'backtest', request.body, {
          locationIds: [],
          check: () => check(request.body),
        }),
    );
  };
}
