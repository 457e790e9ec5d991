import { Type } from 'typebox';

/** The query parameters of every answer that comes as CSV too. */
export const CSV_QUERY = {
  spreadsheet: Type.Optional(
    Type.Boolean({
      description:
        'with `Accept: text/csv`: `true` quotes every text and prefixes an apostrophe to those that a ' +
        'spreadsheet would read as a ' +
        'formula (first character `=`, `+`, `-`, `@`, a tab or a line break). Numbers stay numbers. ' +
        'Without it, texts are as stored',
    }),
  ),
};

/** Spaces aside, since some spreadsheets drop them; and the wide forms, which some take for the narrow ones. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

/**
 * A text as a cell of CSV (RFC 4180). As it stands by default, since identifiers go back into systems.
 * @param forSpreadsheet whether no spreadsheet may take it for a formula
 */
export function csvText(text: string, forSpreadsheet: boolean): string {
  const shown = forSpreadsheet && FORMULA.test(text) ? `'${text}` : text;
  return forSpreadsheet || /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
