import { type Static, Type } from 'typebox';
import { OBSERVED_YEARS, STEP_HOURS } from './bounds.ts';
import { KnownEvent } from './data.ts';
import { Timestamp } from './envelope.ts';
import { LocationId, MAX_TIME_STEPS } from './optimize.ts';

export const StepHours = Type.Enum([...STEP_HOURS], { default: 24 });
export type StepHours = Static<typeof StepHours>;

export const StartDate = Type.String({
  format: 'date',
  pattern: OBSERVED_YEARS,
  maxLength: 100,
  description:
    'first local day; default: the day after the newest observation of the locations together. Only observations before ' +
    'it are used.',
});
/** In place of a time: that at which the inputs are taken; in a schedule, that of the occurrence. */
export const START_NOW = 'now';

export const StartAt = Type.Union(
  [Type.String({ format: 'date-time', pattern: OBSERVED_YEARS, maxLength: 100 }), Type.Enum([START_NOW])],
  {
    description:
      'instead of `start_date`: the time from which it counts, rounded up to a full hour, or `now`. Only ' +
      'observations of hours that are over by then, and by now, are used.',
  },
);

export const StartsAt = Type.String({
  format: 'date-time',
  description:
    'with `start_at`: when the first step begins, on the clock of the first location that has a time zone, else of ' +
    'the service',
});

/**
 * Share of outcomes within an interval. An interval for less than half says nothing. One for more than 0.999 would rest
 * on errors that thirteen weeks of history cannot show, and near 1 its quantile is infinite.
 */
export const MIN_CONFIDENCE_LEVEL = 0.5;
export const MAX_CONFIDENCE_LEVEL = 0.999;
const LEVEL_BOUNDS = { minimum: MIN_CONFIDENCE_LEVEL, maximum: MAX_CONFIDENCE_LEVEL };
export const ConfidenceLevel = Type.Number({
  ...LEVEL_BOUNDS,
  default: 0.95,
  description: 'share of outcomes that the interval holds',
});
export const ConfidenceLevels = Type.Array(Type.Number(LEVEL_BOUNDS), {
  minItems: 1,
  maxItems: 5,
  default: [0.8, 0.95],
  description: 'intervals whose coverage is measured',
});
export const HorizonHours = Type.Integer({ minimum: 1, maximum: MAX_TIME_STEPS, default: 168 });

/** Maximum number of locations of one forecast. */
export const MAX_FORECAST_LOCATIONS = 5000;
/** Maximum number of values of one forecast: locations times steps. The two ends of an interval do not count. */
export const MAX_FORECAST_VALUES = 1_000_000;
/** Maximum number of events in the metadata of a forecast. */
export const MAX_NAMED_EVENTS = 100;

export const ForecastRequest = Type.Object(
  {
    location_ids: Type.Array(LocationId, { minItems: 1, maxItems: MAX_FORECAST_LOCATIONS }),
    horizon_hours: Type.Optional(HorizonHours),
    features: Type.Optional(
      Type.Object(
        {
          start_date: Type.Optional(StartDate),
          start_at: Type.Optional(StartAt),
          include_intervals: Type.Optional(Type.Boolean({ default: false })),
          confidence_level: Type.Optional(ConfidenceLevel),
          step_hours: Type.Optional(StepHours),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'ForecastRequest', additionalProperties: false },
);
export type ForecastRequest = Static<typeof ForecastRequest>;

const PerLocation = <T extends Type.TSchema>(value: T) => Type.Record(Type.String(), value);

const Day = (description: string) => Type.String({ format: 'date', description });

/** Notes for planners about one location. Each field is present only if it has something to report. */
const ForecastNotes = Type.Object(
  {
    newest_observation: Type.Optional(
      Day('local day of the newest observation, if more than two days before `start_date`'),
    ),
    level_shift: Type.Optional(
      Type.Object(
        {
          date: Day('first local day on the new level'),
          factor: Type.Union([Type.Number(), Type.Null()], {
            description:
              'daily demand after the change divided by that before; null if there was none before',
          }),
        },
        { description: 'the newest lasting change of level in the history; forecasts are on the new level' },
      ),
    ),
    absent_rows: Type.Optional(
      Type.Object(
        {
          share: Type.Number({ description: 'share of the hours that are missing' }),
          hours_of_day: Type.Array(Type.Integer(), { description: 'local hours without rows, 0 to 23' }),
          weekdays: Type.Array(Type.Integer(), { description: 'weekdays without rows, 1 (Monday) to 7' }),
          zeros_never_seen: Type.Boolean({
            description:
              'counts are stored, but no zeros: rows seem to be written only for hours with demand',
          }),
        },
        {
          description:
            'hours are missing in a pattern: they are treated as unknown and filled in, not as 0; store ' +
            'zeros for hours without demand',
        },
      ),
    ),
  },
  { $id: 'ForecastNotes' },
);

export const ForecastData = Type.Object(
  {
    forecasts: PerLocation(Type.Array(Type.Number())),
    intervals: Type.Optional(
      PerLocation(Type.Object({ lower: Type.Array(Type.Number()), upper: Type.Array(Type.Number()) })),
    ),
    metadata: Type.Object({
      model: Type.String(),
      horizon_hours: Type.Integer(),
      generated_at: Timestamp,
      start_date: Type.String({ format: 'date' }),
      starts_at: Type.Optional(StartsAt),
      step_hours: Type.Integer(),
      methods: PerLocation(Type.String({ description: 'method used for the location' })),
      backtest_wape: PerLocation(
        Type.Union([Type.Number(), Type.Null()], {
          description:
            'Σ|error| / Σdemand of the same steps, forecast within the history; null if the history is too short',
        }),
      ),
      holidays: Type.Optional(
        Type.Array(Type.Object({ date: Day('local day'), name: Type.String() }), {
          description:
            'public holidays in the horizon or the day before or after it, by date; absent if no ' +
            'calendar is configured',
        }),
      ),
      events: Type.Optional(
        Type.Array(KnownEvent, {
          description:
            'stored events of these locations in the horizon, ordered by start and truncated; absent if there are none',
          maxItems: MAX_NAMED_EVENTS,
        }),
      ),
      event_count: Type.Optional(
        Type.Integer({ description: 'number of these events in total; absent if there are none' }),
      ),
      notes: Type.Optional({
        ...PerLocation(ForecastNotes),
        description: 'for locations with something to report; absent if there are none',
      }),
    }),
  },
  { $id: 'ForecastData' },
);
export type ForecastData = Static<typeof ForecastData>;
