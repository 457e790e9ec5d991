/** What is known of a cost that is not computed exactly, and the difference of two such, with its error. Units of cost. */
import { fromUnits } from '../costs.ts';

/** A proved lower bound of a cheapest plan's cost and the cost of some plan; Infinity where none is known. */
export type Range = { least: number; most: number };

/** A figure in money and the most that it may be off. */
export type Estimate = { value: number; error: number };

/** The solver's arithmetic, and the rounding of figures to whole units. */
const NOISE_UNITS = 1;

/**
 * `of − from`, estimated by `figure`, which is cut to what is possible.
 * @param sign 1 where the difference cannot be negative, −1 where not positive, 0 where it may be either
 */
export function difference(figure: number, of: Range, from: Range, sign: 1 | 0 | -1): Estimate {
  let least = of.least - from.most;
  let most = of.most - from.least;
  if (sign > 0) least = Math.max(0, least);
  if (sign < 0) most = Math.min(0, most);
  const value = Math.round(sign > 0 ? Math.max(0, figure) : sign < 0 ? Math.min(0, figure) : figure);
  const error = Math.max(0, value - least, most - value) + NOISE_UNITS;
  return { value: fromUnits(value) + 0, error: Math.ceil(error) / 1e4 };
}
