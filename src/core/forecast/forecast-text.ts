/**
 * Forecasts as they go over the wire, as JSON text. A large forecast is millions of numbers: they become text in the
 * thread that computed them, and whoever answers with them only puts texts together.
 */
import type { ForecastResult, ForecastSet, LocationForecast, NoObservations } from './types.ts';

/** To four decimals; numbers so large that they have none stay what they are, where the product would overflow. */
const round = (value: number) => (value < LARGEST_ROUNDED ? Math.round(value * 1e4) / 1e4 : value);
const LARGEST_ROUNDED = Number.MAX_SAFE_INTEGER / 1e4;

/** The forecast of a location; each part JSON text. */
export type LocationText = {
  status: 'ok';
  locationId: number;
  values: string;
  /** `{lower[], upper[]}`; null where none was asked for */
  interval: string | null;
  method: string;
  backtestWape: string;
};

/** Forecasts that can be answered with. */
export type ForecastText = { model: string; startDate: string | null; results: LocationText[] };

export function locationText(result: ForecastResult): LocationText | NoObservations {
  return result.status === 'ok' ? writeLocation(result) : result;
}

function writeLocation(result: LocationForecast): LocationText {
  const { locationId, values, lower, upper, method, backtestWape } = result;
  const numbers = (list: Float64Array) => `[${Array.from(list, round).join(',')}]`;
  return {
    status: 'ok',
    locationId,
    values: numbers(values),
    interval: lower && upper ? `{"lower":${numbers(lower)},"upper":${numbers(upper)}}` : null,
    method: JSON.stringify(method),
    backtestWape: String(backtestWape === null ? null : round(backtestWape)),
  };
}

/**
 * The JSON of `ForecastData`, piece by piece.
 * @param generatedAt ISO 8601
 */
export function* forecastPieces(
  { model, startDate, results }: ForecastText,
  asked: { horizonHours: number; stepHours: number },
  generatedAt: string,
): Generator<string> {
  yield '{"forecasts":';
  yield* perLocation(results, ({ values }) => values);
  if (results[0]?.interval) {
    yield ',"intervals":';
    yield* perLocation(results, ({ interval }) => interval!);
  }
  const metadata = {
    model,
    horizon_hours: asked.horizonHours,
    generated_at: generatedAt,
    start_date: startDate ?? '',
    step_hours: asked.stepHours,
  };
  yield `,"metadata":${JSON.stringify(metadata).slice(0, -1)},"methods":`;
  yield* perLocation(results, ({ method }) => method);
  yield ',"backtest_wape":';
  yield* perLocation(results, ({ backtestWape }) => backtestWape);
  yield '}}';
}

/** The JSON of `ForecastData`, of locations that all have observations. */
export function forecastJson(
  { results, ...set }: ForecastSet,
  asked: { horizonHours: number; stepHours: number },
  generatedAt: string,
): string {
  const written = (results as LocationForecast[]).map(writeLocation);
  return [...forecastPieces({ ...set, results: written }, asked, generatedAt)].join('');
}

function* perLocation(results: readonly LocationText[], pick: (result: LocationText) => string) {
  let before = '{';
  for (const result of results) {
    yield `${before}"${result.locationId}":${pick(result)}`;
    before = ',';
  }
  yield results.length > 0 ? '}' : '{}';
}
