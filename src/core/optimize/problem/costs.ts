/**
 * Money in whole cost units of 1e-4, so that sums are exact integers (up to 2⁵³ units).
 * Costs are rounded up. That keeps the triangle inequality (⌈a + b⌉ ≤ ⌈a⌉ + ⌈b⌉); rounding to nearest breaks it.
 */

export const UNITS_PER_COST = 1e4;

/** Products such as 1.1 × 10⁴ miss the intended whole number by a few units in the last place. */
const REPRESENTATION_NOISE = 2 ** -50;

/** A cost in units, rounded up. A whole number of units stays unchanged despite binary representation. */
export function toUnitsUp(cost: number): number {
  const units = cost * UNITS_PER_COST;
  const nearest = Math.round(units);
  return Math.abs(units - nearest) <= nearest * REPRESENTATION_NOISE ? nearest : Math.ceil(units);
}

/** A ceiling in units, rounded down with the same guard. A ceiling beyond exact integers counts as none. */
export function toUnitsDown(cost: number): number {
  const units = cost * UNITS_PER_COST;
  if (units >= Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY;
  const nearest = Math.round(units);
  return Math.abs(units - nearest) <= nearest * REPRESENTATION_NOISE ? nearest : Math.floor(units);
}

/** Units as the decimal that the answer shows: the nearest double. */
export function fromUnits(units: number): number {
  return units / UNITS_PER_COST;
}
