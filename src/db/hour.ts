/** How an hour of demand looks as text, and the number it is everywhere else: UTC hours since the Unix epoch. */
export const HOUR_MS = 3_600_000;

/** Years that observations may lie in. A mistyped year would move the default start of every forecast. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2199;

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))$/;

/**
 * Reads the start of an hour, ISO 8601 with an offset; seconds may be left out.
 * @returns UTC hours since the epoch, or what is wrong with the text (to be put after the text itself)
 */
export function parseHour(text: string): number | string {
  const match = TIME.exec(text);
  if (!match) return 'is not a time with its offset, for example 2026-03-01T05:00:00Z';
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const instant = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date.UTC carries 30 February over to March: such a day does not exist. It reads years below 100 as 19xx.
  const exists =
    instant.getUTCDate() === day && instant.getUTCMonth() === month - 1 && hour < 24 && minute < 60;
  if (!exists || second > 59) return 'is a time that does not exist';
  if (year < FIRST_YEAR || year > LAST_YEAR) return `lies outside the years ${FIRST_YEAR} to ${LAST_YEAR}`;
  const offsetMinutes = (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)) * (match[8] === '-' ? -1 : 1);
  const hours = (instant.getTime() - offsetMinutes * 60_000) / HOUR_MS;
  if (!Number.isInteger(hours) || Number(match[7] ?? 0) !== 0)
    return 'is not the start of a full UTC hour, such as 05:00:00Z';
  return hours;
}

/** The hour as ISO 8601 in UTC. */
export function formatHour(hour: number): string {
  return new Date(hour * HOUR_MS).toISOString();
}
