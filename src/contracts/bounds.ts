/**
 * The bounds of every quantity, once: the schemas state them, CSV and settings are read with them, and PostgreSQL's
 * check constraints are made from them (`db/schema.ts`; a test compares the database with this file).
 */

/** Ids of locations and counts are 32-bit integers, as PostgreSQL keeps them. */
export const MIN_LOCATION_ID = -2147483648;
export const MAX_LOCATION_ID = 2147483647;
export const MAX_COUNT = 2147483647;

/** A whole number from `MIN_LOCATION_ID` to `MAX_LOCATION_ID` as a key of an object: canonical decimal digits. */
export const LOCATION_KEY = `^(0|-?([1-9][0-9]{0,8}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}|214[0-6][0-9]{6}|2147[0-3][0-9]{5}|21474[0-7][0-9]{4}|214748[0-2][0-9]{3}|2147483[0-5][0-9]{2}|21474836[0-3][0-9]|214748364[0-7])|-2147483648)$`;

/**
 * Capacity of a vehicle. Below, the solver cannot tell it from none; above, sums are not exact enough to prove a
 * plan.
 */
export const MIN_CAPACITY = 1e-6;
export const MAX_CAPACITY = 1e9;

/**
 * Demand of a location in one time step of a plan, in the unit of capacity; the limit has the reason of
 * `MAX_CAPACITY`.
 */
export const MAX_DEMAND = 1e9;

/**
 * Demand of a location in one hour, as observed: a forecast of 24 such hours, and its upper end, stays below
 * `MAX_DEMAND`.
 */
export const MAX_HOURLY_DEMAND = 1e6;
export const MAX_DAILY_DEMAND = 24 * MAX_HOURLY_DEMAND;

/** What an event may multiply demand by: beyond, a mistyped percentage is likelier than an event. */
export const MAX_EVENT_FACTOR = 100;

/** Total cost of a plan: in units of 1e-4 it is an exact integer, with room to spare. */
export const MAX_COST = 1e11;
export const MAX_DISTANCE_KM = 1e6;

/** Below, whether a plan is found says more of the machine's load than of the problem. */
export const MIN_TIME_LIMIT_SECONDS = 0.1;

/** What the forecast of a decision may be multiplied by. */
export const MIN_DEMAND_SCALE = 1e-6;
export const MAX_DEMAND_SCALE = 1e6;

export const MAX_LATITUDE = 90;
export const MAX_LONGITUDE = 180;

/** Characters. */
export const MAX_VEHICLE_ID_LENGTH = 128;
export const MAX_EVENT_ID_LENGTH = 128;
export const MAX_EVENT_KIND_LENGTH = 64;
export const MAX_NAME_LENGTH = 200;
export const MAX_TIME_ZONE_LENGTH = 64;

/** Ages and times since maintenance, in days: beyond every scale of risk. */
export const MAX_AGE_DAYS = 1e6;

/** Years that dates of vehicles lie in. */
export const MIN_VEHICLE_YEAR = 1900;
/**
 * Years that observations lie in, and forecasts start in. A mistyped year would move the default start of every
 * forecast.
 */
export const MIN_OBSERVED_YEAR = 1970;
export const MAX_YEAR = 2199;
/** The same years as patterns of dates. */
export const VEHICLE_YEARS = '^(19|20|21)';
export const OBSERVED_YEARS = '^(19[7-9]|20|21)';
