/**
 * The bounds of every quantity, in one place: the schemas state them, the readers of CSV and settings check them, and
 * PostgreSQL's check constraints are made from them (`db/schema.ts`; a test compares the database with this file).
 */

/** Ids of locations and counts are 32-bit integers, as PostgreSQL keeps them. */
export const MIN_LOCATION_ID = -2147483648;
export const MAX_LOCATION_ID = 2147483647;
export const MAX_COUNT = 2147483647;

/** A whole number from `MIN_LOCATION_ID` to `MAX_LOCATION_ID` as a key of an object: canonical decimal digits. */
export const LOCATION_KEY =
  '^(0|-?([1-9][0-9]{0,8}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}|214[0-6][0-9]{6}|2147[0-3][0-9]{5}|' +
  '21474[0-7][0-9]{4}|214748[0-2][0-9]{3}|2147483[0-5][0-9]{2}|21474836[0-3][0-9]|214748364[0-7])|-2147483648)$';
/** The same, or `default` for all locations without a key. */
export const LOCATION_OR_DEFAULT_KEY = `^default$|${LOCATION_KEY}`;

/**
 * Capacity of a vehicle, and what it serves in a step. The solver cannot tell smaller ones from 0; with larger ones,
 * sums are too inexact to prove a plan.
 */
export const MIN_CAPACITY = 1e-6;
export const MAX_CAPACITY = 1e9;

/** Demand of a location in one time step of a plan; limited for the same reason as `MAX_CAPACITY`. */
export const MAX_DEMAND = 1e9;

/** Allowed lengths of a time step of demand, in hours. Each divides a day, so that steps and days end together. */
export const STEP_HOURS = [1, 2, 3, 4, 6, 8, 12, 24] as const;

/** Trips of a vehicle in an hour: from one in six weeks to one in four seconds. */
export const MIN_TRIPS_PER_VEHICLE_HOUR = 0.001;
export const MAX_TRIPS_PER_VEHICLE_HOUR = 1000;

/**
 * Observed demand of a location in one hour. A forecast of 24 such hours stays below `MAX_DEMAND`, its upper end
 * included.
 */
export const MAX_HOURLY_DEMAND = 1e6;
export const MAX_DAILY_DEMAND = 24 * MAX_HOURLY_DEMAND;

/** Highest priority level of a location's demand; 0 is ordinary demand. */
export const MAX_PRIORITY_LEVEL = 9;

/** Largest factor of an event on demand. A larger one is more likely a mistyped percentage. */
export const MAX_EVENT_FACTOR = 100;

/** Total cost of a plan: in units of 1e-4 an exact integer, with a large margin. */
export const MAX_COST = 1e11;
export const MAX_DISTANCE_KM = 1e6;
/** Cost of a km, of a minute, of a move. */
export const MAX_MOVE_RATE = 1e6;
/** Cost of a unit of unmet demand. */
export const MAX_UNMET_DEMAND_COST = 1e6;
export const MAX_TRAVEL_MINUTES = 1e6;
/** Counted trips between two locations: a century of the busiest hours. */
export const MAX_TRIPS = 1e12;
export const HOURS_OF_WEEK = 168;
/** Stands for an hour of the week where all hours are counted: below every hour. */
export const ALL_HOURS = -1;
/** Counts of trips that one plan or replay reads: 72 MB. */
export const MAX_TRIP_COUNTS = 4_000_000;

/** Speed of moves whose minutes are not known. */
export const MIN_SPEED_KMH = 0.1;
export const MAX_SPEED_KMH = 1000;
export const DEFAULT_SPEED_KMH = 20;

/** With less time, whether a plan is found depends more on the machine's load than on the problem. */
export const MIN_TIME_LIMIT_SECONDS = 0.1;

/** Bounds of the factor on the forecast of a decision. */
export const MIN_DEMAND_SCALE = 1e-6;
export const MAX_DEMAND_SCALE = 1e6;

export const MAX_LATITUDE = 90;
export const MAX_LONGITUDE = 180;

/** In characters. */
export const MAX_VEHICLE_ID_LENGTH = 128;
export const MAX_EVENT_ID_LENGTH = 128;
export const MAX_EVENT_KIND_LENGTH = 64;
export const MAX_NAME_LENGTH = 200;
export const MAX_TIME_ZONE_LENGTH = 64;
export const MAX_CRON_LENGTH = 200;

/** Largest body of a schedule's decisions: each of its jobs stores a copy. */
export const MAX_SCHEDULED_BYTES = 1_000_000;

/** Ages and times since maintenance, in days: above every scale of risk. */
export const MAX_AGE_DAYS = 1e6;

/** Years of the dates of vehicles. */
export const MIN_VEHICLE_YEAR = 1900;
/** Years of observations and of starts of forecasts. */
export const MIN_OBSERVED_YEAR = 1970;
export const MAX_YEAR = 2199;
/** The same years as patterns of dates. */
export const VEHICLE_YEARS = '^(19|20|21)';
export const OBSERVED_YEARS = '^(19[7-9]|20|21)';
