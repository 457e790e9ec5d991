/** Significant digits of sums in answers: those behind them are noise of adding doubles. */
const DIGITS = 12;

/** A sum as the answer states it: 71.3307, not 71.3307000000002. What is added up stays as it is. */
export function asFigure(sum: number): number {
  return Number(sum.toPrecision(DIGITS));
}
