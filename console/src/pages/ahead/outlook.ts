import type { AheadAnswer } from '../../api/decisions.ts';
import type { Place } from '../../api/locations.ts';
import { movesOf } from '../../api/moves.ts';
import type { OutlookStep } from '../../api/types.ts';
import { HOUR_MS, localHour } from '../../city-time.ts';
import { clock } from '../../format.ts';

/** Vehicles that go from one location to another in one step. */
export type DueMove = {
  /** Step and pair: of all moves. */
  key: string;
  /** Place on the slider: 0 is now, before the first step; 1 is the first step. */
  due: number;
  from: number;
  to: number;
  /** Whole now; later a forecast, in parts of vehicles. */
  vehicles: number;
};

/** A plan that looks ahead, as the page shows it. Amounts are in units of demand, hours on the city's clock. */
export type Ahead = {
  answer: AheadAnswer;
  steps: OutlookStep[];
  stepHours: number;
  /** Local hours since 1970 at which the steps begin. */
  hours: number[];
  zone: string | undefined;
  /** By step, those of now first, and the largest of a step first. */
  moves: DueMove[];
  /** Locations in the order of the steps' figures; empty if the answer has none. */
  ids: number[];
  nameOf: (id: number) => string;
};

/** @param firstHour local hour at which the first step begins, if the answer does not say when */
export function aheadOf(
  answer: AheadAnswer,
  { stepHours, firstHour }: { stepHours: number; firstHour: number },
  places: readonly Place[],
  zone: string | undefined,
): Ahead {
  const names = new Map(places.map(({ id, name }) => [id, name]));
  for (const { location_id: id, name } of answer.plan.locations ?? []) if (name) names.set(id, name);
  const steps = answer.outlook;
  const now = movesOf(answer.plan.allocation_plan).map(({ key, from, to, vehicles }) => {
    return { key: `0:${key}`, due: 0, from, to, vehicles };
  });
  const later = steps.flatMap(({ moves }, t) =>
    moves
      .map(({ source_location: from, target_location: to, vehicles }): DueMove => {
        return { key: `${t + 1}:${from}-${to}`, due: t + 1, from, to, vehicles };
      })
      .toSorted((a, b) => b.vehicles - a.vehicles),
  );
  return {
    answer,
    steps,
    stepHours,
    hours: steps.map(({ starts_at: at }, t) =>
      zone !== undefined && at !== null ? localHour(Date.parse(at), zone) : firstHour + t * stepHours,
    ),
    zone,
    moves: [...now, ...later],
    ids: steps[0]?.vehicles_by_location ? (answer.plan.locations ?? []).map((one) => one.location_id) : [],
    nameOf: (id) => names.get(id) ?? String(id),
  };
}

export const sumOf = (moves: readonly DueMove[]): number =>
  moves.reduce((sum, { vehicles }) => sum + vehicles, 0);

/** Vehicles that serve nobody in a step, because they move. */
export const movingIn = (step: OutlookStep): number =>
  step.on_the_way + step.moves.reduce((sum, { vehicles }) => sum + vehicles, 0);

/** An hour that a step begins with, `18:00`, with the day if steps fall on several. */
export function hourOf({ hours }: Ahead, t: number): string {
  const day = (hour: number) => Math.floor(hour / 24);
  const isOneDay = hours.every((hour) => day(hour) === day(hours[0]));
  if (isOneDay) return clock(hours[t]);
  return `${weekday.format(hours[t] * HOUR_MS)} ${clock(hours[t])}`;
}
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' });

/** The hours of a step: `18:00–19:00`. */
export const spanOf = (ahead: Ahead, t: number): string =>
  `${hourOf(ahead, t)}–${clock(ahead.hours[t] + ahead.stepHours)}`;

/** The figures of a location in each step; undefined if the answer has none. */
export function seriesAt({ steps, ids }: Ahead, id: number) {
  const j = ids.indexOf(id);
  if (j < 0) return undefined;
  const demand = steps.map((step) => step.demand_by_location![j]);
  const unmet = steps.map((step) => step.unmet_by_location![j]);
  return {
    demand,
    served: demand.map((value, t) => value - unmet[t]),
    unmet,
    vehicles: steps.map((step) => step.vehicles_by_location![j]),
  };
}

/** Locations with unserved demand in a step, the most first. */
export function shortIn({ steps, ids }: Ahead, t: number): { id: number; unmet: number }[] {
  const unmet = steps[t]?.unmet_by_location ?? [];
  return ids
    .map((id, j) => ({ id, unmet: unmet[j] }))
    .filter((one) => one.unmet >= 0.5)
    .toSorted((a, b) => b.unmet - a.unmet);
}
