import { pipeline } from 'node:stream/promises';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { HOUR_MS } from '../../contracts/time.ts';
import { CsvFaultList, ReadingStopped, show, throwFaults } from '../../csv/faults.ts';
import { type CsvRow, describeCsvError } from '../../csv/parser.ts';
import { createRowReader, type RowValues } from '../../csv/row-reader.ts';
import { describeFileError, openCsv } from './csv-file.ts';

/** An event of a file, `[fromHour, untilHour)` in UTC hours since the epoch; `locationId` null: all locations. */
export type FileEvent = {
  kind: string;
  locationId: number | null;
  fromHour: number;
  untilHour: number;
  factor: number | null;
};

/**
 * Reads a CSV of events, plain or gzip, without a database. Columns and checks are those of the import, except that
 * locations need not be stored.
 * @throws CsvFaults with all faults of the file
 */
export async function readEventsFile(file: string): Promise<FileEvent[]> {
  const faults = new CsvFaultList(MAX_REPORTED_ERRORS);
  const events: FileEvent[] = [];
  const lines = new Map<unknown, number>();
  const add = (line: number, [id, locationId, from, to, kind, factor]: RowValues): void => {
    const first = lines.get(id);
    if (first === undefined) lines.set(id, line);
    else faults.add(line, `event ${show(String(id))} is a duplicate of line ${first}; send each once`);
    const [fromHour, untilHour] = [from, to].map((stamp) => Date.parse(String(stamp)) / HOUR_MS);
    if (untilHour <= fromHour)
      faults.add(line, `to ${to} is not later than from (${from}); give a later time`);
    events.push({ kind, locationId, fromHour, untilHour, factor } as FileEvent);
  };
  const reader = createRowReader({ stage: 'events', faults });
  try {
    await pipeline([
      ...(await openCsv(file, () => {})),
      async (rows: AsyncIterable<CsvRow>) => {
        for await (const row of rows) {
          const values = reader.read(row);
          if (values) add(row.line, values);
        }
        reader.end();
      },
    ]);
  } catch (error) {
    if (!(error instanceof ReadingStopped)) {
      const message = describeFileError(error);
      const found = message === undefined ? describeCsvError(error) : { line: null, message };
      if (found === undefined) throw error;
      faults.add(found.line, found.message);
    }
  }
  throwFaults([faults]);
  return events;
}
