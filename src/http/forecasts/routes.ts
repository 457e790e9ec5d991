import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { AppError } from '../../answers/errors.ts';
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
  startText,
} from '../../inputs/forecast-input.ts';
import { readCaller } from '../auth/caller.ts';
import { startFaults } from '../bodies/operations.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import { factsOf } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { forecastExample } from '../documents/examples.ts';
import { streamData } from '../lists/list-stream.ts';
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
            'step. Only observations before `start_date` or `start_at` are used, so a start in the past is a backtest.',
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
        const { include_intervals = false, confidence_level = 0.95 } = features;
        const stepHours = features.step_hours ?? 24;
        const faults = startFaults(features, 'features.');
        if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
        checkForecastSize(ids.length, horizonHours, stepHours, sizeField(body));
        await checkForecastLocations(db, ids);
        const { start, ...hours } = await forecastHistory(db, config, ids, features, 'features.');
        const confidenceLevel = include_intervals ? confidence_level : null;
        const options = { ...start, horizonHours, stepHours, confidenceLevel };
        const task = { locationIds: ids, ...hours, options };
        const results = await forecaster.forecast(task, readCaller(request).caller);
        const silentIds = results.flatMap((one) => (one.status === 'ok' ? [] : one.locationId));
        if (silentIds.length > 0)
          throw await noObservations(db, silentIds, startText(start), locationField(ids));
        const { startDate } = start;
        const set = { model: FORECAST_MODEL, startDate, results: results as LocationText[] };
        const ahead = await forecaster.ahead({ locationIds: ids, options });
        const pieces = forecastPieces(set, options, new Date().toISOString(), ahead);
        return sendJsonText(reply, streamData(request.id, pieces));
      },
    );
  };
}
