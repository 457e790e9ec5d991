/** Shapes that cross the border of the forecast engine: plain, structured-clonable data. */

/** Hourly demand of one location. Hours are consecutive and counted in UTC. */
/** Whole hours to add to a UTC hour to get the local hour index. */
export type ZoneClock = (utcHour: number) => number;

export type DemandSeries = {
  locationId: number;
  /** IANA name, e.g. `America/New_York`; an unknown name is a RangeError. */
  timeZone: string;
  /** The clock of the zone, which the series of one call share; set by `withClocks`. */
  clock?: ZoneClock;
  /** UTC hours since the Unix epoch of `values[0]`. */
  startHour: number;
  /** Demand per hour; NaN is a missing hour. Negative and infinite numbers count as missing. */
  values: Float64Array;
  /** Stretches of demand before `values`. Only the effects of holidays and events are learned from them. */
  older?: readonly { startHour: number; values: Float64Array }[];
};

/** A public holiday. */
export type Holiday = {
  /** Local day, `YYYY-MM-DD`. */
  date: string;
  /** The same every year. */
  name: string;
};

/** A stretch of time in which demand is known to differ: a strike, a marathon, a closed station, a promotion. */
export type DemandEvent = {
  /** Free text; events with the same text are alike. */
  kind: string;
  /** null: all locations. */
  locationId: number | null;
  /** UTC hours since the epoch: from (inclusive), until (exclusive). */
  fromHour: number;
  untilHour: number;
  /** Stated factor on demand, ≥ 0; null: learned from past events of the same kind. */
  factor: number | null;
};

/** When a forecast begins. */
export type ForecastStart = {
  /** First local day, `YYYY-MM-DD`; without `originHour` each location begins at midnight of its own clock. */
  startDate: string;
  /** UTC hour since the epoch at which all locations begin, within `startDate` on the clock of the service. */
  originHour?: number;
  /** `originHour` on the clock of the service, with its offset, for answers. */
  startsAt?: string;
};

/** The local hours of a forecast. */
export type Horizon = ForecastStart & { horizonHours: number };

/** Default of `startDate`: `defaultStartDate` of the series set, or the day of `originHour` at its first series. */
export type ForecastOptions = Partial<ForecastStart> & {
  /** Local hours to forecast, 1 or more. */
  horizonHours: number;
  /** Local hours per value, 1 or more. The last step ends with the horizon and may be shorter. */
  stepHours: number;
  /** Share of outcomes that the intervals should cover, 0.5 … 0.999; null for no intervals. */
  confidenceLevel: number | null;
  /** Levels of further intervals, of which only the upper ends are wanted; none if absent. */
  upperLevels?: readonly number[];
  /** Public holidays in the history (including `older`), in the forecast, and near either; none if absent. */
  holidays?: readonly Holiday[];
  /** Events in the history and the forecast, in any order; none if absent. */
  events?: readonly DemandEvent[];
};

/** The rungs of the short-history ladder, best first. */
const FORECAST_METHODS = ['combination', 'sar_weekly_mean', 'daily_profile', 'mean'] as const;
export type ForecastMethod = (typeof FORECAST_METHODS)[number];

/** Methods for locations without observations: the expected demand, or nothing (`missing-history.ts`). */
export const METHODS_WITHOUT_HISTORY = ['expected_daily_demand', 'no_history'] as const;
type MethodWithoutHistory = (typeof METHODS_WITHOUT_HISTORY)[number];

export type LocationForecast = {
  status: 'ok';
  locationId: number;
  /** Local hour index at which it begins. */
  startHour: number;
  /** Expected demand summed over each step, `ceil(horizonHours / stepHours)` numbers ≥ 0. */
  values: Float64Array;
  lower?: Float64Array;
  upper?: Float64Array;
  /** One per level of `upperLevels`, if there are any. */
  uppers?: Float64Array[];
  method: ForecastMethod | MethodWithoutHistory;
  /** Σ|error| / Σdemand of the same steps over the rolling origins inside the history; null if unknown. */
  backtestWape: number | null;
  /** Observed hours the model was fitted on (at most 13 weeks). */
  observedHours: number;
  /** Hours from the newest observation to the start; null if there is no observation. */
  leadHours: number | null;
  notes: HistoryNotes;
};

/** What a planner should know about the history behind a forecast. */
export type HistoryNotes = {
  /** Newest lasting change of level; null if none was found. */
  levelShift: {
    /** First local day on the new level, `YYYY-MM-DD`. */
    date: string;
    /** Demand of a day after the change over that before it; null if there was none before. */
    factor: number | null;
  } | null;
  /** The pattern in which hours are missing; null if none was found. Missing hours count as unknown, not as 0. */
  absentRows: AbsentRows | null;
};

export type AbsentRows = {
  /** Share of the hours from the oldest to the newest observed that are missing. */
  share: number;
  /** Hours of the local day, 0 … 23, that are never observed. */
  hoursOfDay: number[];
  /** Days of the week, 1 (Monday) … 7, that are never observed. */
  weekdays: number[];
  /** The history has counts, including 1, but never 0: rows seem to be written only when there is demand. */
  zerosNeverSeen: boolean;
};

export const NO_NOTES: HistoryNotes = { levelShift: null, absentRows: null };

/** The location has no usable observation before the start. */
export type NoObservations = {
  status: 'no_observations';
  locationId: number;
};

export type ForecastResult = LocationForecast | NoObservations;

export type ForecastSet = {
  /** Name of the model, for `metadata.model`. */
  model: string;
  /** First local day of the forecast; null if no series has an observation and no start was given. */
  startDate: string | null;
  /** One per series, in the order of the series. */
  results: ForecastResult[];
};

export const FORECAST_MODEL = 'sar-profile-combination';

export const HOURS_PER_DAY = 24;
export const HOURS_PER_WEEK = 168;
