/**
 * Rolling origins inside the history (Tashman 2000): the model's past forecasts are compared with the history.
 *
 *   origins o_i = n − ⌈H⌉₂₄ − 24 q i,   i = 0 … count − 1
 * with H the horizon compared, n the hours of history, ⌈H⌉₂₄ rounded up to whole days. Every origin has the hour of day
 * at which the history ends, so the steps of a comparison fall on the same local hours as those of the forecast. q is
 * never a multiple of 7: the origins then cover all weekdays. Units: hours. Complexity O(count).
 */
import { HOURS_PER_DAY } from './types.ts';

const MAX_ORIGINS = 12;
/** Longest horizon compared: four weeks. */
const MAX_HORIZON_HOURS = 672;
/** Share of the history after the first origin that one comparison may use; the rest is for spreading the origins. */
const HORIZON_SHARE = 0.6;

export type RollingPlan = {
  /** Ascending positions in the history; empty if the history is too short for any comparison. */
  origins: number[];
  horizonHours: number;
  /** Hours between an origin and its first step. */
  leadHours: number;
};

const wholeDays = (hours: number): number => Math.floor(hours / HOURS_PER_DAY);

/**
 * @param historyHours n
 * @param firstOrigin  hours of history the method needs
 * @param leadHours    hours from the end of the history to the start of the forecast
 * @param horizonHours hours from the start to the end of the forecast
 */
export function planOrigins(
  historyHours: number,
  firstOrigin: number,
  leadHours: number,
  horizonHours: number,
): RollingPlan {
  const roomDays = wholeDays(historyHours - firstOrigin);
  if (roomDays < 1) return { origins: [], horizonHours: 0, leadHours: 0 };
  const longest = Math.min(
    MAX_HORIZON_HOURS,
    Math.max(HOURS_PER_DAY, HOURS_PER_DAY * wholeDays((historyHours - firstOrigin) * HORIZON_SHARE)),
  );
  // A gap longer than half of the comparable hours is replaced by a shorter one that ends at the same hour of day.
  const lead = leadHours <= longest / 2 ? leadHours : leadHours % HOURS_PER_DAY;
  const horizon = Math.min(lead + horizonHours, longest);
  const last = historyHours - HOURS_PER_DAY * Math.ceil(horizon / HOURS_PER_DAY);
  const days = wholeDays(last - firstOrigin);
  let count = Math.min(MAX_ORIGINS, days + 1);
  let spacing = count > 1 ? Math.floor(days / (count - 1)) : 1;
  if (spacing % 7 === 0) spacing--;
  count = Math.max(1, count);
  const origins = Array.from({ length: count }, (_, i) => last - HOURS_PER_DAY * spacing * (count - 1 - i));
  return { origins, horizonHours: horizon, leadHours: lead };
}

/**
 * By how much each origin j counts for each other one i, a row per i: min(1, |o_j − o_i| / H), the part of the hours
 * after j that i is not compared with. None counts for itself.
 */
export const countsElsewhere = (origins: readonly number[], horizonHours: number): Float64Array[] =>
  origins.map((own) =>
    Float64Array.from(origins, (other) => Math.min(1, Math.abs(other - own) / horizonHours)),
  );

/**
 * The share of each origin for the weights of each other one, one row per origin: weights that are chosen by errors
 * fit those same errors best. The last row, for the end of the history, is all 1. So is a row that would be all 0.
 */
export function sharesElsewhere(origins: readonly number[], horizonHours: number): Float64Array[] {
  const all = new Float64Array(origins.length).fill(1);
  const rows = countsElsewhere(origins, horizonHours);
  return [...rows.map((row) => (row.some((share) => share > 0) ? row : all)), all];
}
