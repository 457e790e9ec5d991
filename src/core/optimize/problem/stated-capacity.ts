/** Significant digits that survive a multiplication and a division. More of them would show rounding errors. */
const DIGITS = 15;

/**
 * The capacity of a vehicle as the user stated it, for messages.
 * @param served demand that the vehicle serves
 * @param servedPerUnit as in `Problem`
 */
export function statedCapacity(served: number, servedPerUnit: number): number {
  return servedPerUnit === 1 ? served : Number((served / servedPerUnit).toPrecision(DIGITS));
}
