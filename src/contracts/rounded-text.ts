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

export const roundedText = (value: number): string => nearest.format(value);
// From the decimals that JSON has: the number 1.1 is a little more than 1.1, which would be rounded up to 1.101.
/** At least the value: for a limit that a reader is told to raise, or a figure said to be too much. */
export const roundedUpText = (value: number): string => up.format(decimals(value));
/** At most the value: for a limit that a reader is told to lower, or a figure said to be too little. */
export const roundedDownText = (value: number): string => down.format(decimals(value));

function decimals(value: number): Intl.StringNumericLiteral {
  return `${value}`;
}
