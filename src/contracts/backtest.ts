import { type Static, Type } from 'typebox';
import { Metadata } from './envelope.ts';
import { ConfidenceLevels, MAX_FORECAST_LOCATIONS, StepHours } from './forecast.ts';
import { LocationId } from './optimize.ts';
import { JOB_PRIORITIES } from './priorities.ts';

/** Longest horizon of a backtest: eight weeks. */
const MAX_BACKTEST_HOURS = 1344;
/** Models fitted by one backtest, locations times origins: some minutes of one thread. */
export const MAX_BACKTEST_FITS = 50_000;

export const BacktestRequest = Type.Object(
  {
    location_ids: Type.Optional(
      Type.Array(LocationId, {
        minItems: 1,
        maxItems: MAX_FORECAST_LOCATIONS,
        description: 'default: all stored locations',
      }),
    ),
    horizon_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BACKTEST_HOURS, default: 168 })),
    step_hours: Type.Optional(StepHours),
    origins: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 52,
        default: 8,
        description: 'dates to forecast from; fewer if the history is too short',
      }),
    ),
    confidence_levels: Type.Optional(ConfidenceLevels),
    options: Type.Optional(
      Type.Object(
        { priority: Type.Optional(Type.Enum([...JOB_PRIORITIES], { default: 'normal' })) },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'BacktestRequest', additionalProperties: false },
);
export type BacktestRequest = Static<typeof BacktestRequest>;

const NumberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const BacktestAccuracy = Type.Object(
  {
    wape: NumberOrNull('Σ|error| / Σdemand; null where there was no demand'),
    mase: NumberOrNull("mean |error| over that of last week's value inside the history; below 1 is better"),
    bias: NumberOrNull('Σ(forecast − demand) / Σdemand; above 0 is too high'),
  },
  { $id: 'BacktestAccuracy' },
);

const Coverage = Type.Array(Type.Union([Type.Number(), Type.Null()]), {
  description: 'share of the steps inside the interval, one per confidence level; null if none was compared',
});

export const BacktestScore = Type.Object(
  {
    steps: Type.Integer({ description: 'steps compared' }),
    service: BacktestAccuracy,
    last_week: { ...BacktestAccuracy, description: "last week's value: the seasonal naive method" },
    weekday_mean: { ...BacktestAccuracy, description: 'mean of the last four same weekdays' },
    coverage: Coverage,
  },
  { $id: 'BacktestScore' },
);
export type BacktestScore = Static<typeof BacktestScore>;

const BacktestData = Type.Object(
  {
    model: Type.String(),
    horizon_hours: Type.Integer(),
    step_hours: Type.Integer(),
    confidence_levels: Type.Array(Type.Number()),
    start_dates: Type.Array(Type.String({ format: 'date' }), {
      description: 'first local day of each forecast, newest first',
    }),
    overall: BacktestScore,
    weeks: Type.Object(
      {
        calm: Type.Optional({ ...BacktestScore, description: 'all other weeks' }),
        holiday: Type.Optional({
          ...BacktestScore,
          description: 'weeks that contain a public holiday, a day next to one, or an event',
        }),
        after_shift: Type.Optional({
          ...BacktestScore,
          description: 'other weeks with a day in the two weeks that follow a lasting change of level',
        }),
      },
      {
        description: 'of all locations, by kind of week (Monday to Sunday, local); only kinds that occurred',
      },
    ),
    locations: Type.Record(Type.String(), BacktestScore),
  },
  { $id: 'BacktestData' },
);

export const BacktestResponse = Type.Object(
  {
    status: Type.Literal('success'),
    data: BacktestData,
    metadata: Type.Interface([Metadata], { job_id: Type.String() }, { $id: 'BacktestMetadata' }),
  },
  { $id: 'BacktestResponse' },
);
export type BacktestResponse = Static<typeof BacktestResponse>;
