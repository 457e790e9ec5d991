/** Times of the clock of a zone, as a field of a form has them: `2017-05-06T00:00`. */

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (!clock) {
    const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    clock = new Intl.DateTimeFormat('en', { ...day, ...time, timeZone });
    clocks.set(timeZone, clock);
  }
  return clock;
}

/** @param at ISO 8601 with offset */
export function localTime(at: string, timeZone: string): string {
  const parts = clockOf(timeZone).formatToParts(new Date(at));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)!.value;
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/**
 * The moment at which the clock of a zone shows a time: the first of two, where the clock is set back; where it is set
 * forward past the time, the moment as far after the change.
 */
export function instantOf(local: string, timeZone: string): string {
  const wanted = Date.parse(`${local}Z`);
  const offsetAt = (moment: number) =>
    Date.parse(`${localTime(new Date(moment).toISOString(), timeZone)}Z`) - moment;
  // Offsets are less than a day, so those a day before and after are the ones between which a change may lie.
  const before = offsetAt(wanted - 86_400_000);
  const after = offsetAt(wanted + 86_400_000);
  const first = wanted - before;
  const isFirst = offsetAt(first) === before || offsetAt(wanted - after) !== after;
  return new Date(isFirst ? first : wanted - after).toISOString();
}
