/**
 * Forecasts as they go over the wire, as JSON text. A large forecast is millions of numbers: they become text in the
 * thread that computed them, and whoever answers with them only puts texts together.
 */
import { localDate, localMidnight } from './local-time.ts';
import type { ForecastResult, ForecastSet, Holiday, LocationForecast, NoObservations } from './types.ts';

/** An observation older than this at the start is one to tell of. */
const RECENT_HOURS = 48;

/** To four decimals; numbers so large that they have none stay what they are, where the product would overflow. */
const round = (value: number) => (value < MAX_ROUNDED ? Math.round(value * 1e4) / 1e4 : value);
const MAX_ROUNDED = Number.MAX_SAFE_INTEGER / 1e4;

/** The forecast of a location; each part JSON text. */
export type LocationText = {
  status: 'ok';
  locationId: number;
  values: string;
  /** `{lower[], upper[]}`; null where none was asked for */
  interval: string | null;
  method: string;
  backtestWape: string;
  /** What a planner has to know of the location; null where there is nothing to say. */
  notes: string | null;
};

/** What is known of the days to come. */
export type Ahead = {
  /** absent where no calendar is known */
  holidays?: readonly Holiday[];
  /** as the wire has them, the first of `eventCount` */
  events?: readonly object[];
  eventCount?: number;
};

/** Forecasts that can be answered with. */
export type ForecastText = { model: string; startDate: string | null; results: LocationText[] };

/** @param startDate first local day of the forecast */
export function locationText(result: ForecastResult, startDate: string): LocationText | NoObservations {
  return result.status === 'ok' ? writeLocation(result, startDate) : result;
}

function writeLocation(result: LocationForecast, startDate: string): LocationText {
  const { locationId, values, lower, upper, method, backtestWape } = result;
  const numbers = (list: Float64Array) => `[${Array.from(list, round).join(',')}]`;
  return {
    status: 'ok',
    locationId,
    values: numbers(values),
    interval: lower && upper ? `{"lower":${numbers(lower)},"upper":${numbers(upper)}}` : null,
    method: JSON.stringify(method),
    backtestWape: String(backtestWape === null ? null : round(backtestWape)),
    notes: writeNotes(result, startDate),
  };
}

function writeNotes({ leadHours, notes: history }: LocationForecast, startDate: string): string | null {
  const { levelShift, absentRows } = history;
  const notes = {
    ...(leadHours !== null &&
      leadHours > RECENT_HOURS && {
        newest_observation: localDate(localMidnight(startDate)! - leadHours - 1),
      }),
    ...(levelShift && {
      level_shift: { date: levelShift.date, factor: levelShift.factor && round(levelShift.factor) },
    }),
    ...(absentRows && {
      absent_rows: {
        share: round(absentRows.share),
        hours_of_day: absentRows.hoursOfDay,
        weekdays: absentRows.weekdays,
        zeros_never_seen: absentRows.zerosNeverSeen,
      },
    }),
  };
  return Object.keys(notes).length > 0 ? JSON.stringify(notes) : null;
}

/**
 * The JSON of `ForecastData`, piece by piece.
 * @param generatedAt ISO 8601
 */
export function* forecastPieces(
  { model, startDate, results }: ForecastText,
  asked: { horizonHours: number; stepHours: number },
  generatedAt: string,
  { holidays, events, eventCount }: Ahead = {},
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
    ...(holidays && { holidays }),
    ...(events && events.length > 0 && { events, event_count: eventCount }),
  };
  yield `,"metadata":${JSON.stringify(metadata).slice(0, -1)},"methods":`;
  yield* perLocation(results, ({ method }) => method);
  yield ',"backtest_wape":';
  yield* perLocation(results, ({ backtestWape }) => backtestWape);
  const noted = results.filter(({ notes }) => notes !== null);
  if (noted.length > 0) {
    yield ',"notes":';
    yield* perLocation(noted, ({ notes }) => notes!);
  }
  yield '}}';
}

/** The JSON of `ForecastData`, of locations that all have observations. */
export function forecastJson(
  { results, ...set }: ForecastSet,
  asked: { horizonHours: number; stepHours: number },
  generatedAt: string,
  ahead?: Ahead,
): string {
  const written = (results as LocationForecast[]).map((one) => writeLocation(one, set.startDate!));
  return [...forecastPieces({ ...set, results: written }, asked, generatedAt, ahead)].join('');
}

function* perLocation(results: readonly LocationText[], pick: (result: LocationText) => string) {
  let before = '{';
  for (const result of results) {
    yield `${before}"${result.locationId}":${pick(result)}`;
    before = ',';
  }
  yield results.length > 0 ? '}' : '{}';
}
