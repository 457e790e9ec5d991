/** Bounds of a cheapest plan's cost, and the difference of two such costs with its error. Whole cost units. */
import { fromUnits } from '../problem/costs.ts';

/**
 * A proved lower bound of a cheapest plan's cost (Infinity: there is no plan), and the cost of a known plan (Infinity:
 * none known).
 */
export type Range = { least: number; most: number };

/** A figure in money and its maximum error; value null: no plan is left. */
export type Estimate = { value: number | null; error: number };

/** No figure: nothing is known, or too little, as the error would not be smaller than the figure. */
export const NOT_KNOWN = null;

/** Whether a figure may be given with this error: it is exact, or larger than its error. */
export function isWithin(figure: Estimate | typeof NOT_KNOWN, error: number): boolean {
  if (figure === NOT_KNOWN || figure.error > error) return false;
  return figure.value === null || error === 0 || Math.abs(figure.value) > error;
}

export const UNKNOWN: Readonly<Range> = { least: 0, most: Number.POSITIVE_INFINITY };

/** It is proved that there is no plan. */
export const NO_PLAN: Readonly<Range> = { least: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };

/** The intersection of both. */
export function both(a: Range, b: Range): Range {
  return { least: Math.max(a.least, b.least), most: Math.min(a.most, b.most) };
}

/**
 * `of − from`: the guessed figure (or the middle, without a guess), clipped to the possible range. Unknown if the error
 * would not be smaller than the figure: then not even its sign is known.
 * @param sign 1 if the difference cannot be negative, −1 if not positive, 0 if it may be either
 */
export function difference(
  guess: number | null,
  of: Range,
  from: Range,
  sign: 1 | 0 | -1,
): Estimate | typeof NOT_KNOWN {
  if (of.least === Number.POSITIVE_INFINITY) return { value: null, error: 0 };
  let least = of.least - from.most;
  let most = of.most - from.least;
  if (sign > 0) least = Math.max(0, least);
  if (sign < 0) most = Math.min(0, most);
  const middle = most === Number.POSITIVE_INFINITY ? least : (least + most) / 2;
  const value = Math.round(Math.min(most, Math.max(least, guess ?? middle)));
  const error = fromUnits(Math.max(value - least, most - value));
  const figure = { value: fromUnits(value) + 0, error };
  return isWithin(figure, error) ? figure : NOT_KNOWN;
}
