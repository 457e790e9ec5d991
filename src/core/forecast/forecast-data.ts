/** Forecasts as they go over the wire. */
import type { ForecastData } from '../../contracts/forecast.ts';
import type { ForecastSet, LocationForecast } from './types.ts';

/** Decimals of a forecast value. */
const round = (value: number) => Math.round(value * 1e4) / 1e4;

/**
 * @param set forecasts of locations that all have observations
 * @param generatedAt ISO 8601
 */
export function forecastData(
  set: ForecastSet,
  asked: { horizonHours: number; stepHours: number },
  generatedAt: string,
): ForecastData {
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
      horizon_hours: asked.horizonHours,
      generated_at: generatedAt,
      start_date: set.startDate ?? '',
      step_hours: asked.stepHours,
      methods: perLocation((result) => result.method),
      backtest_wape: perLocation((result) =>
        result.backtestWape === null ? null : round(result.backtestWape),
      ),
    },
  };
}
