import { type Static, Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { LocationId, MAX_TIME_STEPS } from './optimize.ts';

export const STEP_HOURS = [1, 2, 3, 4, 6, 8, 12, 24] as const;
export const StepHours = Type.Enum([...STEP_HOURS], { default: 24 });

export const StartDate = Type.String({
  format: 'date',
  description:
    'first local day; default: the day after the newest observation. Only observations before it are used.',
});
export const ConfidenceLevel = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1, default: 0.95 });
export const HorizonHours = Type.Integer({ minimum: 1, maximum: MAX_TIME_STEPS, default: 168 });

/** Locations of one forecast at most. */
export const MAX_FORECAST_LOCATIONS = 5000;

export const ForecastRequest = Type.Object(
  {
    location_ids: Type.Array(LocationId, { minItems: 1, maxItems: MAX_FORECAST_LOCATIONS }),
    horizon_hours: Type.Optional(HorizonHours),
    features: Type.Optional(
      Type.Object(
        {
          start_date: Type.Optional(StartDate),
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
      step_hours: Type.Integer(),
      methods: PerLocation(Type.String({ description: 'method used for the location' })),
      backtest_wape: PerLocation(
        Type.Union([Type.Number(), Type.Null()], {
          description:
            'Σ|error| / Σdemand of the same steps, forecast within the history; null where it is too short',
        }),
      ),
    }),
  },
  { $id: 'ForecastData' },
);
export type ForecastData = Static<typeof ForecastData>;
