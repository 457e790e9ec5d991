/**
 * Forecasts as JSON text, as the service sends them. A large forecast has millions of numbers. The thread that computes
 * them also turns them into text; the code that answers requests only joins texts.
 */
import { localDate } from './local-time.ts';
import type {
  ForecastOptions,
  ForecastResult,
  ForecastSet,
  Holiday,
  LocationForecast,
  NoObservations,
} from './types.ts';

/** If the newest observation is older than this at the start, the forecast says so. */
const RECENT_HOURS = 48;

/**
 * Rounds to four decimals. Very large numbers have no decimals and stay unchanged, since the product would overflow.
 */
const round = (value: number) => (value < MAX_ROUNDED ? Math.round(value * 1e4) / 1e4 : value);
const MAX_ROUNDED = Number.MAX_SAFE_INTEGER / 1e4;

/** The forecast of a location; each part is JSON text. */
export type LocationText = {
  status: 'ok';
  locationId: number;
  values: string;
  /** `{lower[], upper[]}`; null if no interval was asked for */
  interval: string | null;
  method: string;
  backtestWape: string;
  /** What a planner should know about the location; null if there is nothing to say. */
  notes: string | null;
};

/** The known holidays and events of the horizon. */
export type Ahead = {
  /** absent if no calendar is known */
  holidays?: readonly Holiday[];
  /** in the shape of the answer, only the first of `eventCount` */
  events?: readonly object[];
  eventCount?: number;
};

type Asked = Pick<ForecastOptions, 'horizonHours' | 'stepHours' | 'startsAt'>;

/** Forecasts that can be sent as an answer. */
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
    notes: writeNotes(result),
  };
}

function writeNotes({ startHour, leadHours, notes: history }: LocationForecast): string | null {
  const { levelShift, absentRows } = history;
  const notes = {
    ...(leadHours !== null &&
      leadHours > RECENT_HOURS && {
        newest_observation: localDate(startHour - leadHours - 1),
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
  asked: Asked,
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
    ...(asked.startsAt !== undefined && { starts_at: asked.startsAt }),
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

/** The JSON of `ForecastData` for locations that all have observations. */
export function forecastJson(
  { results, ...set }: ForecastSet,
  asked: Asked,
  generatedAt: string,
  ahead?: Ahead,
): string {
  const written = (results as LocationForecast[]).map(writeLocation);
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
