/**
 * Selects the demand before the history that is worth reading: the time around special days and events like those
 * ahead, and the weeks next to them, which show the usual demand. All other old demand is not read. For each holiday
 * ahead a limited number of special days of the same kind or name is taken, most alike first, then newest. A second
 * limit holds for the hours over all locations.
 * Complexity O(special days² + events).
 */
import { pastEvents } from './event-effects.ts';
import { dayOf, likeness, type SpecialDay, type SpecialDays } from './special-days.ts';
import { type DemandEvent, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

/** Hours before the history, UTC: of one location, or of all (null). */
export type OlderStretch = {
  locationId: number | null;
  fromHour: number;
  beforeHour: number;
};

export type OlderHours = {
  /** First hour of the history: stretches end before it. */
  historyFromHour: number;
  /** The forecast starts at this hour. */
  aheadFromHour: number;
  untilHour: number;
  locationCount: number;
};

/** Past holidays per holiday ahead, and past events per kind ahead. */
const OCCASIONS = 8;
/** Limit for the observations read, approximately; each takes eight bytes. */
const MAX_OBSERVATIONS = 20_000_000;
/** Limit for stretches of single locations: each is a query. */
const MAX_SINGLE = 500;
/** Two days less alike than this share nothing but their distance from a holiday. */
const MIN_LIKENESS = 0.3;
/** Of an event that lasts longer, only the beginning is read. */
const MAX_EVENT = 4 * HOURS_PER_WEEK;
/** Local days differ from those of UTC by less than a day. */
const SPARE_HOURS = HOURS_PER_DAY;

/** The stretches worth reading; none overlap. */
export function olderStretches(
  special: SpecialDays,
  events: readonly DemandEvent[],
  hours: OlderHours,
): OlderStretch[] {
  const { historyFromHour, locationCount } = hours;
  const kinds = kindsAhead(events, hours);
  const byLocation = Map.groupBy(events, ({ locationId }) => locationId);
  const ofAll = pastEvents(byLocation.get(null) ?? [], kinds, historyFromHour, OCCASIONS).map(aroundEvent);
  const mostHours = MAX_OBSERVATIONS / Math.max(1, locationCount);
  const common = merged(fitting([...aroundHolidays(special, hours), ...ofAll], mostHours), historyFromHour);
  byLocation.delete(null);
  const single = [...byLocation].flatMap(([locationId, own]) =>
    merged(pastEvents(own, kinds, historyFromHour, OCCASIONS).map(aroundEvent), historyFromHour).map(
      (one) => ({
        ...one,
        locationId,
      }),
    ),
  );
  return [...common, ...single.slice(0, MAX_SINGLE)];
}

/** Kinds of events ahead that need a learned factor. */
const kindsAhead = (events: readonly DemandEvent[], { aheadFromHour, untilHour }: OlderHours): Set<string> =>
  new Set(
    events.flatMap((event) =>
      event.factor === null && event.untilHour > aheadFromHour && event.fromHour < untilHour
        ? [event.kind]
        : [],
    ),
  );

/** Past holidays like those ahead, with the days around them; the most alike first. */
function aroundHolidays(
  special: SpecialDays,
  { historyFromHour, aheadFromHour, untilHour }: OlderHours,
): OlderStretch[] {
  const targets: [number, SpecialDay][] = [];
  const occasions = new Map<string, { first: number; last: number; score: number }>();
  for (const [day, one] of special) {
    if (day >= dayOf(aheadFromHour) - 1 && day <= dayOf(untilHour)) targets.push([day, one]);
  }
  for (const [day, one] of special) {
    if (day >= dayOf(historyFromHour)) continue;
    const score = targets.reduce((most, [, target]) => Math.max(most, likeness(one, target)), 0);
    const key = occasionOf(day, one);
    const known = occasions.get(key) ?? { first: day, last: day, score: 0 };
    occasions.set(key, {
      first: Math.min(known.first, day),
      last: Math.max(known.last, day),
      score: Math.max(known.score, score),
    });
  }
  const ahead = new Set(targets.map(([day, one]) => occasionOf(day, one)));
  return [...occasions.values()]
    .filter(({ score }) => score > MIN_LIKENESS)
    .sort((a, b) => b.score - a.score || b.first - a.first)
    .slice(0, OCCASIONS * ahead.size)
    .map(({ first, last }) =>
      around(first * HOURS_PER_DAY - SPARE_HOURS, (last + 1) * HOURS_PER_DAY + SPARE_HOURS),
    );
}

/** Names the occasion of a day: days around one holiday belong together, and so do the days that a season encloses. */
const occasionOf = (day: number, { name, offset }: SpecialDay): string => `${day - offset} ${name}`;

const aroundEvent = ({ fromHour, untilHour }: DemandEvent): OlderStretch =>
  around(fromHour, Math.min(untilHour, fromHour + MAX_EVENT));

/**
 * Hours with the week before and after, or two weeks if they are longer than a week. These weeks show the usual demand.
 */
function around(fromHour: number, untilHour: number): OlderStretch {
  const margin =
    untilHour - fromHour > HOURS_PER_WEEK + 2 * SPARE_HOURS ? 2 * HOURS_PER_WEEK : HOURS_PER_WEEK;
  return { locationId: null, fromHour: fromHour - margin, beforeHour: untilHour + margin };
}

/** The first stretches that together have at most `mostHours` hours. */
function fitting(stretches: readonly OlderStretch[], mostHours: number): OlderStretch[] {
  let hours = 0;
  return stretches.filter(({ fromHour, beforeHour }) => {
    hours += beforeHour - fromHour;
    return hours <= mostHours;
  });
}

/** Stretches cut off at the history, without overlaps. */
function merged(stretches: readonly OlderStretch[], historyFromHour: number): OlderStretch[] {
  const result: OlderStretch[] = [];
  for (const { fromHour, beforeHour } of stretches.toSorted((a, b) => a.fromHour - b.fromHour)) {
    if (fromHour >= historyFromHour) continue;
    const until = Math.min(beforeHour, historyFromHour);
    const last = result.at(-1);
    if (last !== undefined && fromHour <= last.beforeHour) last.beforeHour = Math.max(last.beforeHour, until);
    else result.push({ locationId: null, fromHour, beforeHour: until });
  }
  return result;
}
