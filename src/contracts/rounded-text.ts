/**
 * Numbers as messages print them: four significant digits, and all digits before the decimal point. No separators: what
 * a message prints can be sent. Fields beside a message have the exact figures.
 */

const FORMAT = {
  useGrouping: false,
  maximumSignificantDigits: 4,
  maximumFractionDigits: 0,
  roundingPriority: 'morePrecision',
} as const;
const nearest = new Intl.NumberFormat('en', FORMAT);
const up = new Intl.NumberFormat('en', { ...FORMAT, roundingMode: 'ceil' });
const down = new Intl.NumberFormat('en', { ...FORMAT, roundingMode: 'floor' });

export const roundedText = (value: number): string => written(nearest, value);
/** At least the value: for a limit that a reader is told to raise, or a figure said to be too much. */
export const roundedUpText = (value: number): string => written(up, value);
/** At most the value: for a limit that a reader is told to lower, or a figure said to be too little. */
export const roundedDownText = (value: number): string => written(down, value);

/** As JSON writes it: what is tiny has an exponent. */
function written(format: Intl.NumberFormat, value: number): string {
  // Rounds the decimals that JSON has: the number 1.1 is a little more than 1.1, which would be rounded up to 1.101.
  return `${Number(format.format(`${value}` as Intl.StringNumericLiteral))}`;
}
