/** When a forecast begins: what a request says of it, and the day and hour that this is. */
import type { Config } from '../config.ts';
import { START_NOW } from '../contracts/forecast.ts';
import { HOUR_MS, instantMs } from '../contracts/time.ts';
import { createClocks, localDate, localStart, localTimeText } from '../core/forecast/local-time.ts';
import type { ForecastStart } from '../core/forecast/types.ts';
import type { Queryable } from '../db/client.ts';
import { LAST_HOUR } from '../db/data/demand.ts';
import { readTimeZones } from '../db/data/locations.ts';

/** The start of a forecast as a request states it. At most one is given. */
export type AskedStart = { start_date?: string | undefined; start_at?: string | undefined };

/** The start that a request asks for; without day and hour, the default. */
export type WantedStart = {
  startDate?: string;
  originHour?: number;
  /** Only observations before this UTC hour may be used; the engine cuts exactly. */
  beforeHour: number;
  /** For messages; undefined: none was asked for. */
  text: string | undefined;
  field: 'start_date' | 'start_at';
};

/**
 * Reads the start that a request asks for. A time is rounded up to a full hour. An hour that is not over at `now` is
 * not used, whatever has been observed of it.
 * @param now in ms since the epoch
 */
export function readStart({ start_date, start_at }: AskedStart, now = Date.now()): WantedStart {
  if (start_at !== undefined) {
    const originHour = Math.ceil((start_at === START_NOW ? now : instantMs(start_at)) / HOUR_MS);
    const hourText = `${new Date(originHour * HOUR_MS).toISOString().slice(0, 16)}Z`;
    return {
      originHour,
      beforeHour: Math.min(originHour, Math.floor(now / HOUR_MS)),
      text: start_at === START_NOW ? `"${START_NOW}", ${hourText},` : hourText,
      field: 'start_at',
    };
  }
  if (start_date === undefined) return { beforeHour: LAST_HOUR, text: undefined, field: 'start_date' };
  // A day after UTC midnight, since the local day starts later west of Greenwich.
  const beforeHour = Date.parse(start_date) / HOUR_MS + 24;
  return { startDate: start_date, beforeHour, text: start_date, field: 'start_date' };
}

/** The start at a UTC hour, on the clock of the first location that has a time zone, else that of the setting. */
export async function startAtHour(
  db: Queryable,
  config: Pick<Config, 'FORECASTING_TIME_ZONE'>,
  ids: readonly number[],
  originHour: number,
): Promise<ForecastStart> {
  const clock = createClocks()(await readPlanZone(db, config, ids));
  const startDate = localDate(originHour + clock(originHour));
  return { startDate, originHour, startsAt: localTimeText(originHour, clock) };
}

/** The time zone of a plan: that of the first of its locations that has one, else that of the setting. */
export async function readPlanZone(
  db: Queryable,
  config: Pick<Config, 'FORECASTING_TIME_ZONE'>,
  ids: readonly number[],
): Promise<string> {
  const zones = await readTimeZones(db, ids);
  return ids.map((id) => zones.get(id)).find((zone) => zone) ?? config.FORECASTING_TIME_ZONE;
}

/** UTC hours that hold all hours of a forecast, with a day to spare. */
export function forecastSpan(start: ForecastStart, horizonHours: number): { from: number; until: number } {
  const { originHour } = start;
  const first = originHour ?? localStart(start, () => 0);
  return { from: first - (originHour === undefined ? 24 : 0), until: first + 24 + horizonHours };
}

/** Hour of its day at which a forecast begins, on the clock of the service. */
export const startHourOf = ({ startsAt }: ForecastStart): number => Number(startsAt?.slice(11, 13) ?? 0);
