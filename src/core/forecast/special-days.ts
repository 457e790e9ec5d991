/**
 * Special days: public holidays, the days next to them, and the days that they enclose.
 *
 * A holiday's window is the three days before it and the one after. For a Thursday or Friday it includes the weekend
 * after it. Holidays four to seven days apart (Christmas and New Year) make a season: every day between them is
 * special.
 * A day in several windows has the first role that applies: holiday, day between, day after, days before (nearest
 * first).
 *
 * Two special days are alike by their slot (distance from the holiday, or "between"), by the kind of holiday (its
 * weekday, which decides whether it makes a long weekend; or "season") and by its name. Days are local day numbers:
 * local hour index / 24, 0 being 1970-01-01, a Thursday.
 * Complexity O(H log H) for H holidays.
 */
import { createClocks, localDate, localMidnight, localStart } from './local-time.ts';
import { HOURS_PER_DAY, type Holiday, type Horizon } from './types.ts';

const DAYS_BEFORE = 3;
/** Fewest and most days from one holiday of a season to the next. */
const SEASON_GAP = [4, 7] as const;
export const SEASON = 'season';
/** Holidays this far outside of some days can still make them special. Callers must pass them, too. */
export const HOLIDAY_REACH_HOURS = (SEASON_GAP[1] + DAYS_BEFORE) * HOURS_PER_DAY;

/**
 * `off`: a holiday. `between`: a working day enclosed by holidays, or by a holiday and a weekend. `near`: any other.
 */
export type DayRole = 'off' | 'between' | 'near';

export type SpecialDay = {
  role: DayRole;
  /** Name of the holiday. */
  name: string;
  /** Days after that holiday; negative for days before it. */
  offset: number;
  /** Weekday of the holiday, 0 = Sunday, or `season`. */
  kind: string;
};

/** Special days by local day number. */
export type SpecialDays = ReadonlyMap<number, SpecialDay>;

/** 0 = Sunday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

export const dayOf = (localHour: number): number => Math.floor(localHour / HOURS_PER_DAY);

/** Special days around holidays, in any order. Throws RangeError for an invalid date. */
export function specialDays(holidays: readonly Holiday[]): SpecialDays {
  const names = new Map<number, string>();
  for (const { date, name } of holidays) {
    const midnight = localMidnight(date);
    if (midnight === null) throw new RangeError(`holiday ${date} is not a calendar date; give YYYY-MM-DD`);
    const day = dayOf(midnight);
    // For two holidays on one day: always choose the same one.
    const other = names.get(day);
    if (other === undefined || name < other) names.set(day, name);
  }
  const days = new Map<number, SpecialDay>();
  const add = (day: number, special: SpecialDay): void => {
    if (!days.has(day)) days.set(day, special);
  };
  const sorted = [...names.keys()].sort((a, b) => a - b);
  const groups = seasons(sorted);
  const kindOf = (group: number[], day: number): string =>
    isSeason(group) ? SEASON : String(weekdayOf(day));
  for (const group of groups) {
    for (const day of group) {
      add(day, { role: 'off', name: names.get(day)!, offset: 0, kind: kindOf(group, day) });
    }
  }
  for (const group of groups) {
    if (!isSeason(group)) continue;
    const first = group[0];
    for (let day = first + 1; day < group.at(-1)!; day++) {
      add(day, { role: 'between', name: names.get(first)!, offset: day - first, kind: SEASON });
    }
  }
  const offsets = [1, ...Array.from({ length: DAYS_BEFORE }, (_, i) => -1 - i), 2, 3];
  for (const offset of offsets) {
    for (const group of groups) {
      for (const day of group) {
        if (offset > 1 && offset > daysToSunday(day)) continue;
        const role = isBridge(day, offset) ? 'between' : 'near';
        add(day + offset, { role, name: names.get(day)!, offset, kind: kindOf(group, day) });
      }
    }
  }
  return days;
}

/** Days from a Thursday or a Friday to the Sunday after it; 1 for other days. */
const daysToSunday = (day: number): number =>
  weekdayOf(day) >= 4 && weekdayOf(day) <= 5 ? 7 - weekdayOf(day) : 1;

/** The Friday after a Thursday holiday, the Monday before a Tuesday one. */
function isBridge(day: number, offset: number): boolean {
  return (offset === 1 && weekdayOf(day) === 4) || (offset === -1 && weekdayOf(day) === 2);
}

/** Ascending holidays, grouped into seasons: the next holiday of a group is never further away than a season allows. */
function seasons(sorted: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const day of sorted) {
    const group = groups.at(-1);
    if (group !== undefined && day - group.at(-1)! <= SEASON_GAP[1]) group.push(day);
    else groups.push([day]);
  }
  return groups;
}

const isSeason = (group: readonly number[]): boolean =>
  group.some((day, i) => i > 0 && day - group[i - 1] >= SEASON_GAP[0]);

/** How alike two special days are, 0 … 1: 1 for the same day of the same holiday in another year. */
export function likeness(a: SpecialDay, b: SpecialDay): number {
  if (slotOf(a) !== slotOf(b)) return 0;
  const isSameKind = a.kind === b.kind;
  const isSameName = a.name === b.name && a.offset === b.offset;
  return LIKE_SLOT + (isSameKind ? LIKE_KIND : 0) + (isSameName ? LIKE_NAME : 0);
}

/**
 * Shares of the variance between holidays that two days have in common if they share the slot, the kind, the holiday.
 */
const LIKE_SLOT = 0.2;
const LIKE_KIND = 0.3;
const LIKE_NAME = 0.5;

const slotOf = ({ role, offset }: SpecialDay): string => (role === 'between' ? role : String(offset));

/**
 * The holidays in a horizon, by date. A holiday outside it is included if it makes a day of the horizon special (the
 * day before, …). O(days).
 * @param zones IANA zones of the locations; they matter only if all locations begin at one hour
 */
export function holidaysAhead(
  holidays: readonly Holiday[],
  horizon: Horizon,
  zones: Iterable<string> = ['UTC'],
): Holiday[] {
  const special = specialDays(holidays);
  const clocks = createClocks();
  const starts = [...new Set(zones)].map((zone) => localStart(horizon, clocks(zone)));
  const last = Math.max(...starts) + horizon.horizonHours - 1;
  const found = new Map<number, Holiday>();
  for (let day = dayOf(Math.min(...starts)); day <= dayOf(last); day++) {
    const one = special.get(day);
    if (one === undefined) continue;
    const holiday = day - one.offset;
    found.set(holiday, { date: localDate(holiday * HOURS_PER_DAY), name: one.name });
  }
  return [...found].sort(([a], [b]) => a - b).map(([, holiday]) => holiday);
}
