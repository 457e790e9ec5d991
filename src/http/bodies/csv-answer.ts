import { Type } from 'typebox';

/** The query parameters of every answer that is available as CSV. */
export const CSV_QUERY = {
  spreadsheet: Type.Optional(
    Type.Boolean({
      description:
        'with `Accept: text/csv`: `true` quotes every text and prefixes an apostrophe to those that a ' +
        'spreadsheet would read as a ' +
        'formula (first character `=`, `+`, `-`, `@`, a tab or a line break). Numbers stay numbers. The text begins ' +
        'with a byte order mark, so that letters such as ü are read right. Without it, texts are as stored',
    }),
  ),
};

/** Without it, spreadsheets read UTF-8 as an older encoding: Zürich as ZÃ¼rich. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Leading spaces are skipped: some spreadsheets drop them. The wide forms count: some spreadsheets read them as narrow.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

/**
 * A text as a cell of CSV (RFC 4180). By default it is unchanged, since identifiers go back into systems.
 * @param forSpreadsheet whether to prevent spreadsheets from reading the text as a formula
 */
export function csvText(text: string, forSpreadsheet: boolean): string {
  const shown = forSpreadsheet && FORMULA.test(text) ? `'${text}` : text;
  return forSpreadsheet || /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
