/**
 * Numbers as text: query parameters, path parameters, settings. Only the digits that JSON allows are a number. `Number`
 * would also accept hexadecimal digits, spaces, and the empty text as 0.
 */

const WHOLE = /^-?(0|[1-9][0-9]{0,14})$/;
const DECIMAL = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** @returns undefined if the text is not a whole number in plain decimal digits, or cannot be represented exactly */
export function readWholeNumber(text: string): number | undefined {
  return WHOLE.test(text) ? Number(text) : undefined;
}

/** @returns undefined if the text is not a finite decimal number */
export function readDecimalNumber(text: string): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : undefined;
  return Number.isFinite(value) ? value : undefined;
}

/** The number that a text such as 1:30 means; undefined if it is no such text. */
export function clockAdvice(text: string): string | undefined {
  const [, hours, minutes] = /^\s*(\d{1,4}):([0-5]\d)\s*$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return `write one number: ${text.trim()} is ${60 * Number(hours) + Number(minutes)} minutes`;
}
