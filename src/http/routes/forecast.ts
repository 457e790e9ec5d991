import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ForecastData, ForecastRequest } from '../../contracts/forecast.ts';
import { forecastPieces, type LocationText } from '../../core/forecast/forecast-text.ts';
import { FORECAST_MODEL } from '../../core/forecast/types.ts';
import {
  checkForecastLocations,
  checkForecastSize,
  forecastHistory,
  locationField,
  noObservations,
  sizeField,
} from '../../inputs/forecast-input.ts';
import { factsOf } from '../bodies.ts';
import type { Deps } from '../deps.ts';
import { forecastExample } from '../examples.ts';
import { streamData } from '../list-stream.ts';
import { sendJsonText } from '../raw-json.ts';
import { answers, errors } from '../responses.ts';

/** `POST /api/v1/forecast`. */
export function forecastRoutes({ config, database: { db }, forecaster }: Deps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/v1/forecast',
      {
        config: { operation: 'forecast' },
        schema: {
          operationId: 'forecast_demand',
          tags: ['forecast'],
          summary: 'Demand forecast per location',
          description:
            'One value per step of `step_hours` (default 24): 168 hours give 7 values, each the expected ' +
            'demand of its ' +
            'step. Only observations before `start_date` are used, so a past date is a backtest.',
          body: { ...ForecastRequest, examples: [forecastExample] },
          response: { 200: answers('the forecasts', ForecastData), ...errors(400, 404, 413, 415, 503) },
        },
      },
      async (request, reply) => {
        const body = factsOf(request, 'forecast');
        const {
          location_ids: ids,
          horizon_hours: horizonHours = config.FORECASTING_HORIZON_DAYS * 24,
          features = {},
        } = body;
        const { start_date, include_intervals = false, confidence_level = 0.95 } = features;
        const stepHours = features.step_hours ?? 24;
        checkForecastSize(ids.length, horizonHours, stepHours, sizeField(body));
        await checkForecastLocations(db, ids);
        const { startDate, ...hours } = await forecastHistory(
          db,
          config,
          ids,
          start_date,
          'features.start_date',
        );
        const confidenceLevel = include_intervals ? confidence_level : null;
        const options = { startDate, horizonHours, stepHours, confidenceLevel };
        const results = await forecaster.forecast({ locationIds: ids, ...hours, options });
        const silentIds = results.flatMap((one) => (one.status === 'ok' ? [] : one.locationId));
        if (silentIds.length > 0)
          throw await noObservations(db, config, silentIds, startDate, locationField(ids));
        const set = { model: FORECAST_MODEL, startDate, results: results as LocationText[] };
        const asked = { horizonHours, stepHours };
        const ahead = await forecaster.ahead({ locationIds: ids, options });
        const pieces = forecastPieces(set, asked, new Date().toISOString(), ahead);
        return sendJsonText(reply, streamData(request.id, pieces));
      },
    );
  };
}
