import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { CsvFaultList, ReadingStopped } from '../../src/csv/faults.ts';
import { type CsvRow, createCsvParser } from '../../src/csv/parser.ts';
import { createRowReader, type RowValues } from '../../src/csv/row-reader.ts';
import type { Stage } from '../../src/db/staging.ts';

/** The values and faults of a text that arrives in chunks of so many bytes. */
async function read(stage: Stage, text: string | Buffer, chunk = 7) {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
    bytes.subarray(at * chunk, (at + 1) * chunk),
  );
  const faults = new CsvFaultList(100);
  const reader = createRowReader({ stage, faults });
  const values: RowValues[] = [];
  try {
    await pipeline(Readable.from(chunks), createCsvParser(), async (rows: AsyncIterable<CsvRow>) => {
      for await (const row of rows) {
        const found = reader.read(row);
        if (found) values.push(found);
      }
      reader.end();
    });
  } catch (error) {
    if (!(error instanceof ReadingStopped)) throw error;
  }
  return { values, faults: faults.faults.map(({ line, message }) => `${line}: ${message}`) };
}

const CITY = [
  [12, 'Place, North', 48.88, 2.355, null, null, 1250.5, null],
  [13, 'Café; Lyon', 45.76, 4.835, null, 'true', null, null],
];
const PLAIN =
  'id,name,latitude,longitude,active,expected_daily_demand\n' +
  '12,"Place, North",48.88,2.355,,1250.5\n13,Café; Lyon,45.76,4.835,true,\n';
/** As a spreadsheet with a decimal comma saves it. */
const SEMICOLONS =
  'ID;Name;Latitude;Longitude;Active;Expected daily demand\r\n' +
  '12;Place, North;48,88;2,355;;1250,5\r\n13;"Café; Lyon";45,76;4,835;TRUE;\r\n';

describe('CSV', () => {
  test.each([
    ['with commas', PLAIN],
    ['with a byte order mark', `\uFEFF${PLAIN}`],
    ['with empty lines before the header', `\n\r\n${PLAIN}`],
    ['with semicolons and decimal commas', SEMICOLONS],
    ['with both, and a byte order mark', `\uFEFF${SEMICOLONS}`],
    ['with semicolons and decimal points', SEMICOLONS.replaceAll(/(\d),(\d)/g, '$1.$2')],
    ['with tabs', PLAIN.replace('"Place, North"', 'Place@ North').replaceAll(',', '\t').replace('@', ',')],
    ['as UTF-16', Buffer.from(`\uFEFF${PLAIN}`, 'utf16le')],
  ])('is read %s', async (_how, text) => {
    for (const chunk of [2, 50, 10_000])
      expect(await read('locations', text, chunk)).toEqual({ values: CITY, faults: [] });
  });

  test('ends without a line break', async () => {
    expect(await read('fleet', 'vehicle_id;location_id\nV1;12')).toMatchObject({
      values: [['V1', 12, 'operational', '1', null, null, null]],
    });
    expect(await read('fleet', 'vehicle_id;location_id')).toEqual({ values: [], faults: [] });
    expect(await read('fleet', '')).toMatchObject({ faults: [expect.stringMatching(/^null: is empty/)] });
  });

  test('has decimal commas only between semicolons, where they cannot separate thousands', async () => {
    const fault = (text: string) => [`2: capacity "${text}" is not a number, for example 12.5`];
    expect((await read('fleet', 'vehicle_id,location_id,capacity\nV1,12,"1,234"')).faults).toEqual(
      fault('1,234'),
    );
    expect((await read('fleet', 'vehicle_id\tlocation_id\tcapacity\nV1\t12\t1,5')).faults).toEqual(
      fault('1,5'),
    );
    expect((await read('fleet', 'vehicle_id;location_id;capacity\nV1;12;1.234,5')).faults).toEqual(
      fault('1.234,5'),
    );
    // Only numbers: an id keeps its comma.
    expect((await read('fleet', 'vehicle_id;location_id\n1,5;12')).values[0][0]).toBe('1,5');
  });

  test('whose header lacks a column says which, as the text has it', async () => {
    expect((await read('fleet', 'Vehicle;Location ID\nV1;12')).faults).toEqual([
      expect.stringMatching(
        /^1: column vehicle_id missing; the header is "Vehicle,Location ID"; the columns are /,
      ),
    ]);
    expect((await read('fleet', 'Vehicle-ID;Location ID;location_id\nV1;12;12')).faults).toEqual([
      expect.stringMatching(/^1: unknown or repeated: "location_id"; /),
    ]);
  });

  test('that is no text is refused before it fills memory', async () => {
    await expect(read('fleet', `vehicle_id${'x'.repeat(30_000)}`, 5000)).rejects.toThrow(/Max Record Size/);
  });
});
