import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CsvFaultList, ReadingStopped } from '../../src/csv/faults.ts';
import { type CsvRow, createCsvParser, describeCsvError } from '../../src/csv/parser.ts';
import { createRowReader, type RowValues } from '../../src/csv/row-reader.ts';
import type { Stage } from '../../src/db/data/staging.ts';

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
    ['with the separator in a first line, as Excel states it', `\uFEFFsep=;\r\n${SEMICOLONS}`],
    [
      'with rows of separators only',
      `${PLAIN.replace('active,expected_daily_demand\n', '$&,,,,,\n')},,,,,\n`,
    ],
    ['as UTF-16', Buffer.from(`\uFEFF${PLAIN}`, 'utf16le')],
  ])('is read %s', async (_how, text) => {
    for (const chunk of [2, 50, 10_000])
      expect(await read('locations', text, chunk)).toEqual({ values: CITY, faults: [] });
  });

  test('has times as psql and BigQuery write them', async () => {
    const hours = [
      '2017-05-03 22:00:00+00',
      '2017-05-03 18:00:00-04',
      '2017-05-03 22:00:00 UTC',
      '2017-05-03 22:00:00.000 UTC',
    ];
    const { values, faults } = await read(
      'demand',
      `location_id,hour,demand\n${hours.map((hour) => `4,${hour},7\n`).join('')}`,
    );
    expect(faults).toEqual([]);
    expect(values).toEqual(hours.map(() => [4, '2017-05-03T22:00:00.000Z', 7]));
    // A fault is in the line where an editor shows it.
    const { faults: late } = await read('demand', 'sep=,\nlocation_id,hour,demand\n,,\n4,2017-05-03,7\n');
    expect(late).toEqual([expect.stringMatching(/^4: hour "2017-05-03" is not a time/)]);
  });

  test('whose first line never ends is refused at once, however long it is', async () => {
    // A search from each of its characters to the end would take hours.
    const parser = createCsvParser();
    const error = new Promise((resolve) => parser.once('error', resolve));
    parser.write(Buffer.alloc(4e6, 'x'));
    expect(describeCsvError(await error)?.message).toMatch(/^the row has more than 10000 characters/);
  });

  test('ends without a line break', async () => {
    expect(await read('fleet', 'vehicle_id;location_id\nV1;12')).toMatchObject({
      values: [['V1', 12, 'operational', '1', null, null, null, null]],
    });
    expect(await read('fleet', 'vehicle_id;location_id')).toEqual({ values: [], faults: [] });
    expect(await read('fleet', '')).toMatchObject({ faults: [expect.stringMatching(/^null: is empty/)] });
  });

  test('may not have hours and minutes for a number, and is told what they are in minutes', async () => {
    const { faults } = await read(
      'travel',
      'from_location_id,to_location_id,distance_km,duration_minutes\n1,2,3,1:05',
    );
    expect(faults).toEqual([
      '2: duration_minutes "1:05" is not a number, for example 12.5; write one number: 1:05 is 65 minutes',
    ]);
  });

  test('has decimal commas only between semicolons, where they cannot separate thousands', async () => {
    const fault = (text: string) => [
      `2: capacity "${text}" is not a number, for example 12.5; write it alone, without a unit or a thousands separator`,
    ];
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

  test('may write whole numbers with .0, as data frames do', async () => {
    expect((await read('fleet', 'vehicle_id,location_id\nV1,12.0\nV2,-3.00')).values).toEqual([
      ['V1', 12, 'operational', '1', null, null, null, null],
      ['V2', -3, 'operational', '1', null, null, null, null],
    ]);
    expect((await read('fleet', 'vehicle_id,location_id\nV1,12.5')).faults).toEqual([
      '2: location_id "12.5" is not a whole number, for example 12',
    ]);
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

  const fleet = (row: string) => `vehicle_id,location_id,acquired_on,utilization_rate\nV0,12,,\n${row}\n`;
  test.each<[string, string, string]>([
    [
      'a share in percent',
      fleet('V1,12,,85'),
      '3: utilization_rate 85 is above the maximum 1; give one from 0 to 1; 85 % is 0.85',
    ],
    [
      'a date of another country',
      fleet('V1,12,04.05.2017,'),
      '3: acquired_on "04.05.2017" is not a date as YYYY-MM-DD, for example 2026-03-01',
    ],
    [
      'a day that does not exist',
      fleet('V1,12,2017-02-30,'),
      '3: acquired_on "2017-02-30" is not a day of the calendar',
    ],
    [
      'a name for an id',
      fleet('V1,Midtown,,'),
      '3: location_id "Midtown" is not a whole number, for example 12',
    ],
    ['a value too few', fleet('V1'), '3: has 1 value; the header has 4 columns'],
    [
      'a comma too many',
      fleet('V1,12,,0,8'),
      '3: has 5 values; the header has 4 columns; put a value that contains a comma in quotes',
    ],
  ])('with %s says so, and what to write', async (_what, text, fault) => {
    expect((await read('fleet', text)).faults).toEqual([fault]);
  });

  test.each<[string, string | Buffer, string]>([
    [
      'JSON',
      '{"fleet": [{"vehicle_id": "a", "location_id": 1}]}',
      'null: is JSON, not CSV; send it with Content-Type: application/json',
    ],
    [
      'JSON on several lines',
      '\uFEFF [\n {\n"vehicle_id": "a"}]',
      'null: is JSON, not CSV; send it with Content-Type: application/json',
    ],
    [
      'packed',
      gzipSync('vehicle_id,location_id\nV1,12\n'),
      'null: is packed with gzip; send it with Content-Encoding: gzip',
    ],
    [
      'a spreadsheet',
      Buffer.from('PK\u0003\u0004\u0014\u0000'),
      'null: is a spreadsheet or a zip archive, not text; save it as CSV',
    ],
    [
      'with a quote inside a value',
      fleet('6" pipe,12,,'),
      '3: a quote stands inside a value that does not begin with one; put the value in quotes, and double those inside: "6"" pipe"',
    ],
    [
      'with a quote that closes early',
      fleet('"the "new" pier",12,,'),
      '3: a value goes on after its closing quote; double the quotes inside a value: "the ""new"" pier"',
    ],
    [
      'with a quote that stays open',
      fleet('"V1,12,,'),
      '3: the text ends inside a value in quotes; close its quote',
    ],
    [
      'with a row that does not end',
      fleet('x'.repeat(30_000)),
      '3: the row has more than 10000 characters; look for a quote that is not closed',
    ],
  ])('that is %s is refused in plain words', async (_what, text, fault) => {
    for (const chunk of [3, 10_000]) {
      const error = await read('fleet', text, chunk).then(
        () => undefined,
        (reason: unknown) => describeCsvError(reason),
      );
      expect(error && `${error.line}: ${error.message}`).toBe(fault);
    }
  });
});
