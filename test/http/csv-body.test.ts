import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { CsvBody } from '../../src/http/data/csv-body.ts';
import { namelessFiles } from '../helpers/nameless-files.ts';
import { send, startTestService } from '../helpers/service.ts';

const KIB = 1024;
/** Names of files that bodies are kept in. */
const spools = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('fleet-body-'));

test('a body larger than its share of memory comes back byte by byte, and leaves no file', async () => {
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  const body = new CsvBody();
  let waits = 0;
  for (let i = 0; i < 10; i++) {
    const chunk = Buffer.alloc(30 * KIB + i, String(i));
    sent.update(chunk);
    const kept = body.add(chunk);
    if (kept) waits++;
    await kept;
  }
  expect(waits).toBe(3);
  expect(await spools()).toEqual([]);
  for await (const chunk of body.read()) received.update(chunk);
  expect(received.digest('hex')).toBe(sent.digest('hex'));
});

test.each([
  ['before anything is kept', (body: CsvBody) => body.drop()],
  [
    'while its file is being opened',
    (body: CsvBody) => Promise.all([body.add(Buffer.alloc(300 * KIB)), body.drop()]),
  ],
  [
    'while its file is being written',
    async (body: CsvBody) => {
      await body.add(Buffer.alloc(300 * KIB));
      await Promise.allSettled([body.add(Buffer.alloc(300 * KIB)), body.drop()]);
    },
  ],
])(
  'a body whose caller hangs up %s leaves no file open, keeps nothing, and is never read',
  async (_when, hangUp) => {
    const body = new CsvBody();
    await hangUp(body);
    expect(body.add(Buffer.alloc(300 * KIB))).toBeNull();
    expect(await namelessFiles()).toEqual([]);
    await expect(body.read().next()).rejects.toThrow('the connection closed before the body was complete');
  },
);

test('the limit of travel is its own, and the answer names it', async () => {
  const service = await startTestService({
    workers: 0,
    overrides: { HTTP_TRAVEL_LIMIT_BYTES: 3000, HTTP_BODY_LIMIT_BYTES: 2000 },
  });
  const headers = { 'content-type': 'text/csv' };
  const put = (table: string, body: string) =>
    send(`${service.url}/api/v1/data/${table}`, { method: 'PUT', headers, body });
  const row = 'from_location_id,to_location_id,distance_km,duration_minutes\n1,2,3,4';
  expect((await put('travel', row.padEnd(2900))).status).toBe(201);
  const [large, other] = [await put('travel', row.padEnd(3001)), await put('fleet', ' '.repeat(2001))];
  expect([large.status, large.body.errors[0].message]).toEqual([
    413,
    expect.stringContaining('larger than 3000 bytes'),
  ]);
  expect([other.status, other.body.errors[0].message]).toEqual([
    413,
    expect.stringContaining('HTTP_BODY_LIMIT_BYTES'),
  ]);
});
