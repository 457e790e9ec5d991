import type { AllocationPlanItem, PlanLocation } from '../../contracts/optimize.ts';
import { PLAN_CSV_COLUMNS, type PlanCsvPart, type PlanMove } from '../../contracts/plans.ts';
import { BYTE_ORDER_MARK, csvText } from '../bodies/csv-answer.ts';

/** Separates the ids of vehicles in one cell. Not a space: some ids contain spaces. */
const ID_SEPARATOR = ';';

/** The columns with texts that callers gave. */
const TEXTS = ['vehicle_id', 'source_name', 'target_name', 'vehicle_ids', 'name'];

type Row = AllocationPlanItem | PlanMove | PlanLocation;

/**
 * A part of a plan as CSV, page by page, its header first. Unknown values are empty cells.
 * @param forSpreadsheet whether no spreadsheet may take a text for a formula
 */
export async function* planCsv(
  part: PlanCsvPart,
  pages: AsyncIterable<readonly Row[]>,
  forSpreadsheet: boolean,
): AsyncGenerator<string> {
  const columns = PLAN_CSV_COLUMNS[part].map((name) => ({ name, isText: TEXTS.includes(name) }));
  yield `${forSpreadsheet ? BYTE_ORDER_MARK : ''}${PLAN_CSV_COLUMNS[part].join(',')}\r\n`;
  for await (const rows of pages) {
    let text = '';
    for (const row of rows as readonly Record<string, Cell>[]) {
      for (let c = 0; c < columns.length; c++) {
        const value = row[columns[c].name];
        if (c > 0) text += ',';
        if (value === null || value === undefined) continue;
        const shown = Array.isArray(value) ? value.join(ID_SEPARATOR) : value;
        text += columns[c].isText ? csvText(String(shown), forSpreadsheet) : shown;
      }
      text += '\r\n';
    }
    yield text;
  }
}

type Cell = string | number | null | undefined | string[];
