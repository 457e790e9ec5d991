import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImportError } from '../../../src/commands/import/faults.ts';
import { importFiles } from '../../../src/commands/import/import-files.ts';
import { newTemporaryFolder, removeFolder } from '../../helpers/folders.ts';
import { send, startTestService } from '../../helpers/service.ts';

const PATHS = {
  locations: 'PUT',
  fleet: 'PUT',
  demand: 'POST',
  events: 'PUT',
  travel: 'PUT',
  trip_flows: 'PUT',
} as const;
type Stage = keyof typeof PATHS;

const many = (rows: number, row: (i: number) => string) =>
  Array.from({ length: rows }, (_, i) => row(i)).join('');

/** Files with faults of every kind: within a cell, a row, between rows, towards what is stored, of all of the text. */
const FILES: [string, Stage, string | Buffer][] = [
  [
    'cells of locations',
    'locations',
    `id,name,latitude,longitude,time_zone\nx,A,1,1,\n4294967296,A,1,1,\n1,,90.5,181,Mars/Base\n2,${'n'.repeat(300)},nan,1e999,\n`,
  ],
  [
    'bytes that are no UTF-8',
    'locations',
    Buffer.from('id,name,latitude,longitude\n1,Caf\xe9,1,1\n', 'latin1'),
  ],
  [
    'a location that comes three times',
    'locations',
    `id,name,latitude,longitude\n${many(3, () => '1,A,1,1\n')}`,
  ],
  [
    'cells of vehicles',
    'fleet',
    'vehicle_id,location_id,status,capacity,acquired_on,last_maintenance_on,utilization_rate\n' +
      `,1,,,,,\n${'x'.repeat(129)},1,parked,0,2026-02-30,1066-01-01,1.5\nb,1,,5e-324,,,\nc,1,,1e308,,,\n`,
  ],
  [
    'unknown locations, many times',
    'fleet',
    `vehicle_id,location_id\n${many(300, (i) => `v${i},${90 + (i % 150)}\n`)}`,
  ],
  ['vehicles that come twice', 'fleet', `vehicle_id,location_id\n${many(90, (i) => `v${i % 45},1\n`)}`],
  [
    'cells of demand',
    'demand',
    'location_id,hour,demand\n1,yesterday,1\n1,2026-03-01T05:30:00Z,-1\n1,2026-02-29T05:00:00Z,many\n1,0000-01-01T05:00:00Z,1\n' +
      '1,2026-03-01T05:00:00+16:00,1e308\n1,2026-03-01T05:00:00,\n',
  ],
  [
    'an hour that comes twice, beside other faults',
    'demand',
    'location_id,hour,demand\n1,2026-03-01T05:00:00Z,1\n1,2026-03-01T06:00:00+01:00,1\n9,2026-03-01T05:00:00Z,1\n1,later,1\n',
  ],
  ['more faults than are listed', 'demand', `location_id,hour,demand\n${many(400, () => '1,later,1\n')}`],
  [
    'more faults than are listed, between rows',
    'demand',
    `location_id,hour,demand\n${many(400, (i) => `${100 + i},2026-03-01T05:00:00Z,1\n`)}`,
  ],
  [
    'cells of events, an event that ends before it begins, one that comes twice, one at an unknown location',
    'events',
    'event_id,location_id,from,to,kind,factor,name\n,x,2026-03-01,2026-03-01T05:30:00Z,,-1,\nb,,2026-03-01T05:00:00Z,2026-03-01T05:00:00Z,strike,101,\n' +
      'c,,2026-03-01T05:00:00Z,2026-03-01T06:00:00+02:00,strike,,\n'.repeat(2) +
      'd,9,2026-03-01T05:00:00Z,2026-03-01T06:00:00Z,strike,,\n',
  ],
  [
    'cells of travel, a pair that comes twice, pairs at unknown locations',
    'travel',
    'from_location_id,to_location_id,distance_km,duration_minutes\n1,x,-1,many\n1,2,1e9,1e9\n' +
      '8,9,1,1\n8,9,1,1\n9,8,1,1\n',
  ],
  [
    'cells of trip flows, a pair and hour that come twice, pairs at unknown locations',
    'trip_flows',
    'from_location_id,to_location_id,trips,hour_of_week\n1,x,-1,168\n1,2,1e13,1.5\n' +
      '8,9,1,\n8,9,1,\n8,9,1,7\n9,8,1,7\n9,8,2,7\n',
  ],
  ['a header that does not fit', 'fleet', 'vehicle,location_id\na,1\n'],
  ['a misspelt column', 'fleet', 'vehicle_id,location_id,capcity\na,1,2\n'],
  ['rows that are too short and too long', 'fleet', 'vehicle_id,location_id\na\nb,1,2\n'],
  ['a quote that is never closed, behind other faults', 'fleet', 'vehicle_id,location_id\na,nowhere\n"b,1\n'],
  ['nothing', 'demand', ''],
  ['a header only, in another encoding', 'demand', Buffer.from('location_id,hour,demand\n', 'utf16le')],
];

describe('the import command', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let folder: string;
  beforeAll(async () => {
    service = await startTestService({});
    folder = await newTemporaryFolder('same-faults');
  });
  afterAll(() => removeFolder(folder));

  async function faultsOfHttp(stage: Stage, content: string | Buffer): Promise<string[]> {
    const { status, body } = await send(`${service.url}/api/v1/data/${stage.replace('_', '-')}`, {
      method: PATHS[stage],
      body: content,
      headers: { 'content-type': 'text/csv' },
    });
    expect(status).toBe(400);
    return body.errors.map(({ field, message }: { field: string | null; message: string }) => {
      const text = message.replace('PUT /api/v1/data/locations stores it', 'import it with --locations');
      return field === null ? text.replace(/^the body /, '') : `${field}: ${text}`;
    });
  }

  async function faultsOfImport(stage: Stage, content: string | Buffer): Promise<string[]> {
    const file = path.join(folder, 'file.csv');
    await writeFile(file, content);
    const error = await importFiles(service.pool, { [stage]: file }).catch((e) => e);
    expect(error).toBeInstanceOf(ImportError);
    return (error as ImportError).problems.slice(0, -1).map((line) =>
      line
        .replace(file, '')
        .replace(/^:(\d+): /, 'line $1: ')
        .replace(/^: /, ''),
    );
  }

  test.each(FILES)('reports what HTTP reports: %s', async (_what, stage, content) => {
    const faults = await faultsOfHttp(stage, content);
    expect(faults.length).toBeGreaterThan(0);
    expect(await faultsOfImport(stage, content)).toEqual(faults);
  });

  test('reports the same faults for a file among several as for the file alone', async () => {
    const contents: Record<Stage, string> = {
      locations: `id,name,latitude,longitude\n${many(150, () => 'x,A,1,1\n')}`,
      fleet: 'vehicle_id,location_id\na,1\na,1\n"b,1\n',
      demand: 'location_id,hour,demand\n1,later,1\n',
      events: 'event_id,from,to,kind\na,later,later,\n',
      travel: 'from_location_id,to_location_id,distance_km,duration_minutes\n1,1,far,long\n',
      trip_flows: 'from_location_id,to_location_id,trips\n1,1,none\n',
    };
    const files: Partial<Record<Stage, string>> = {};
    for (const [stage, content] of Object.entries(contents) as [Stage, string][]) {
      files[stage] = path.join(folder, `${stage}.csv`);
      await writeFile(files[stage], content);
    }
    const alone = await Promise.all(
      (Object.keys(contents) as Stage[]).map((stage) =>
        importFiles(service.pool, { [stage]: files[stage] }).catch((e) => e.problems.slice(0, -1)),
      ),
    );
    expect(alone.map((lines) => lines.length)).toEqual([100, 1, 1, 3, 2, 1]);
    const together = await importFiles(service.pool, files).catch((e) => e.problems);
    expect(together).toEqual([
      ...alone.flat(),
      'at most 100 faults of a file are listed; nothing was stored',
    ]);
  });
});
