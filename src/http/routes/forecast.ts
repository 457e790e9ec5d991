import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ForecastData, ForecastRequest } from '../../contracts/forecast.ts';
import { forecastData } from '../../core/forecast/forecast-data.ts';
import { success } from '../../envelope.ts';
import { checkForecastLocations, forecastHistory, noObservations } from '../../forecasting.ts';
import type { Deps } from '../app.ts';
import { forecastExample } from '../examples.ts';
import { answers, errors } from '../responses.ts';

/** `POST /api/v1/forecast`. */
export function forecastRoutes({ config, database: { db }, forecaster }: Deps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/v1/forecast',
      {
        schema: {
          tags: ['forecast'],
          summary: 'Demand forecast per location',
          description:
            'One value per step of `step_hours` (default 24): 168 hours give 7 values, each the expected demand of its ' +
            'step. Only observations before `start_date` are used, so a past date is a backtest.',
          body: { ...ForecastRequest, examples: [forecastExample] },
          response: { 200: answers('the forecasts', ForecastData), ...errors(400, 404, 413, 415, 503) },
        },
      },
      async (request) => {
        const {
          location_ids: ids,
          horizon_hours: horizonHours = config.FORECASTING_HORIZON_DAYS * 24,
          features = {},
        } = request.body;
        const { start_date, include_intervals = false, confidence_level = 0.95 } = features;
        const stepHours = features.step_hours ?? 24;
        await checkForecastLocations(db, ids);
        const { startDate, ...hours } = await forecastHistory(
          db,
          config,
          ids,
          start_date,
          'features.start_date',
        );
        const set = await forecaster.forecast({
          locationIds: ids,
          ...hours,
          options: {
            startDate,
            horizonHours,
            stepHours,
            confidenceLevel: include_intervals ? confidence_level : null,
          },
        });
        const silent = set.results.filter(({ status }) => status === 'no_observations');
        if (silent.length > 0) {
          const silentIds = silent.map(({ locationId }) => locationId);
          throw await noObservations(db, config, silentIds, startDate);
        }
        return success(request.id, forecastData(set, { horizonHours, stepHours }, new Date().toISOString()));
      },
    );
  };
}
