/**
 * Numbers as text: query parameters, path parameters, settings. Only the digits that JSON would hold are a number; what
 * `Number` reads besides (hexadecimal, spaces, nothing at all as 0) is not.
 */

const WHOLE = /^-?(0|[1-9][0-9]{0,14})$/;
const DECIMAL = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** @returns undefined where the text is not a whole number in plain decimal digits, or not an exact one */
export function readWholeNumber(text: string): number | undefined {
  return WHOLE.test(text) ? Number(text) : undefined;
}

/** @returns undefined where the text is not a finite decimal number */
export function readDecimalNumber(text: string): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : undefined;
  return Number.isFinite(value) ? value : undefined;
}
