import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ForecastData, ForecastRequest } from '../../contracts/forecast.ts';
import { localDate, zoneClock } from '../../core/forecast/local-time.ts';
import type { ForecastSet, LocationForecast } from '../../core/forecast/types.ts';
import { type NewestHour, readNewestHourOfEach, readNewestHours } from '../../db/demand.ts';
import { findKnownLocationIds } from '../../db/locations.ts';
import { success } from '../../envelope.ts';
import { AppError, type Fault } from '../../errors.ts';
import type { Deps } from '../app.ts';
import { forecastExample } from '../examples.ts';
import { answers, errors } from '../responses.ts';

const HOUR_MS = 3_600_000;
/** Furthest start after the newest observation: the model knows no more than a year ahead. */
const MAX_LEAD_DAYS = 366;
/** Decimals of a forecast value. */
const round = (value: number) => Math.round(value * 1e4) / 1e4;

/** `POST /api/v1/forecast`. */
export function forecastRoutes({ config, database: { db }, forecaster }: Deps): FastifyPluginAsyncTypebox {
  async function checkLocations(ids: number[]): Promise<void> {
    const first = new Map<number, number>();
    const repeated: Fault[] = [];
    for (const [i, id] of ids.entries()) {
      const earlier = first.get(id);
      if (earlier === undefined) first.set(id, i);
      else {
        const message = `location ${id} stands at location_ids[${earlier}] already; name each once`;
        repeated.push({ field: `location_ids[${i}]`, message });
      }
    }
    if (repeated.length > 0) throw new AppError('VALIDATION_ERROR', repeated.slice(0, 100));
    const known = await findKnownLocationIds(db, ids);
    const unknown = ids.flatMap((id, i) =>
      known.has(id)
        ? []
        : [
            {
              field: `location_ids[${i}]`,
              message: `location ${id} is not stored; GET /api/v1/data/locations lists them`,
            },
          ],
    );
    if (unknown.length > 0) throw new AppError('RESOURCE_NOT_FOUND', unknown.slice(0, 100));
  }

  /** The hours whose observations may be used, back by the setting from the newest one, and the first day forecast. */
  async function history(ids: number[], asked: string | undefined) {
    // One day more than UTC midnight: west of Greenwich the local day starts later; the engine cuts exactly.
    const beforeHour = asked === undefined ? 0x7fffffff : Date.parse(asked) / HOUR_MS + 24;
    const hours = await readNewestHours(db, ids, beforeHour);
    if (hours.length === 0) throw await noObservations(ids, asked);
    const newest = Math.max(...hours.map(({ hour }) => hour));
    if (asked !== undefined && Date.parse(asked) / HOUR_MS - newest > MAX_LEAD_DAYS * 24) {
      const day = new Date(newest * HOUR_MS).toISOString().slice(0, 10);
      throw new AppError('VALIDATION_ERROR', [
        {
          field: 'features.start_date',
          message: `${asked} is more than ${MAX_LEAD_DAYS} days after the newest observation (${day}); take an earlier date or add observations`,
        },
      ]);
    }
    const end = Math.min(beforeHour, newest + 1);
    return {
      fromHour: end - config.FORECASTING_HISTORY_WEEKS * 168 - 48,
      beforeHour: end,
      startDate: asked ?? dayAfter(hours, config.FORECASTING_TIME_ZONE),
    };
  }

  /** Says of each location whether it was never observed, or fell silent, and when. */
  async function noObservations(ids: readonly number[], startDate: string | undefined): Promise<AppError> {
    const named = ids.slice(0, 100);
    const newest = await readNewestHourOfEach(db, named);
    const weeks = config.FORECASTING_HISTORY_WEEKS;
    const faults = named.map((id) => {
      const hour = newest.get(id);
      const message =
        hour === undefined
          ? `location ${id} has no demand observations; add them with POST /api/v1/data/demand, or leave it out`
          : `location ${id} has no demand observations in the ${weeks} weeks before ${startDate ?? 'the newest of the request'}, ` +
            `its newest is of ${new Date(hour * HOUR_MS).toISOString().slice(0, 13)}:00Z; ` +
            'add newer ones with POST /api/v1/data/demand (an hour without demand is an observation of 0), or leave it out';
      return { field: 'location_ids', message };
    });
    return new AppError('MODEL_NOT_LOADED', faults);
  }

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
          horizon_hours = config.FORECASTING_HORIZON_DAYS * 24,
          features = {},
        } = request.body;
        const { start_date, include_intervals = false, confidence_level = 0.95, step_hours = 24 } = features;
        await checkLocations(ids);
        const { startDate, ...hours } = await history(ids, start_date);
        const set = await forecaster.forecast({
          locationIds: ids,
          ...hours,
          options: {
            startDate,
            horizonHours: horizon_hours,
            stepHours: step_hours,
            confidenceLevel: include_intervals ? confidence_level : null,
          },
        });
        const silent = set.results.filter(({ status }) => status === 'no_observations');
        if (silent.length > 0) {
          throw await noObservations(
            silent.map(({ locationId }) => locationId),
            set.startDate ?? undefined,
          );
        }
        return success(request.id, answer(set, { horizon_hours, step_hours }));
      },
    );
  };
}

/** The local day after the newest observation: the first that has none anywhere. */
function dayAfter(hours: readonly NewestHour[], defaultTimeZone: string): string {
  const local = hours.map(({ timeZone, hour }) => hour + zoneClock(timeZone ?? defaultTimeZone)(hour));
  return localDate(Math.max(...local) + 24);
}

function answer(set: ForecastSet, asked: { horizon_hours: number; step_hours: number }): ForecastData {
  const forecasts = set.results as LocationForecast[];
  const perLocation = <T>(pick: (result: LocationForecast) => T) =>
    Object.fromEntries(forecasts.map((result) => [String(result.locationId), pick(result)]));
  const numbers = (values: Float64Array | undefined) => Array.from(values ?? [], round);
  return {
    forecasts: perLocation((result) => numbers(result.values)),
    ...(forecasts[0]?.lower && {
      intervals: perLocation((result) => ({ lower: numbers(result.lower), upper: numbers(result.upper) })),
    }),
    metadata: {
      model: set.model,
      horizon_hours: asked.horizon_hours,
      generated_at: new Date().toISOString(),
      start_date: set.startDate ?? '',
      step_hours: asked.step_hours,
      methods: perLocation((result) => result.method),
      backtest_wape: perLocation((result) =>
        result.backtestWape === null ? null : round(result.backtestWape),
      ),
    },
  };
}
