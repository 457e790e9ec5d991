import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { MONDAY, weeklyShape } from '../core/forecast/samples.ts';

const COMMAND = fileURLToPath(new URL('../../src/commands/backtest.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'backtest-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = (weeks: number): string =>
  Array.from({ length: weeks * 168 }, (_, hour) => {
    const stamp = new Date((MONDAY + hour) * 3_600_000).toISOString();
    return `9,${stamp},${Math.round(weeklyShape(hour, 20))}`;
  }).join('\n');

function fileOf(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const run = (...args: string[]) => spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });

describe('npm run backtest', () => {
  test('prints one table with the engine next to the two rules, from CSV and from gzip', () => {
    const csv = `location_id,hour_utc_iso,pickups\n${rows(9)}\n`;
    const options = ['--time-zone', 'UTC', '--origins', '2', '--locations'];
    const plain = run(fileOf('demand.csv', csv), ...options);
    expect(plain.stderr).toBe('');
    expect(plain.status).toBe(0);
    expect(plain.stdout).toMatch(
      /^1 locations, 2 forecasts from 2024-02-13 to 2024-02-26 \(UTC\), 0 public holidays/,
    );
    for (const horizon of [48, 168]) {
      for (const step of [1, 24]) {
        const row = `\n${horizon} h +${step} h +`;
        expect(plain.stdout).toMatch(new RegExp(`${row}this service +\\d+\\.\\d % .* 100.0 % +100.0 %`));
        expect(plain.stdout).toMatch(new RegExp(`${row}last week's value +0\\.0 %`));
        expect(plain.stdout).toMatch(new RegExp(`${row}mean of the last four same weekdays +0\\.0 %`));
      }
    }
    expect(plain.stdout).toMatch(/\n48 h +24 h +calm +4 +\d+\.\d % /);
    expect(plain.stdout).not.toMatch(/storm|holiday or event/);
    expect(plain.stdout).toMatch(/\n9 +\d+\.\d %/);
    const table = (text: string) => text.slice(text.indexOf('\n'));
    const packed = run(fileOf('demand.csv.gz', gzipSync(csv)), ...options);
    expect(table(packed.stdout)).toBe(table(plain.stdout));
  });

  test('--events reads the file of the import: forecasts know past events, and those ahead', () => {
    // Twice as much on three days; of the two forecasts, from 18 February and 2 March, each for two days, the first
    // has one of them ahead.
    const fairs = ['2024-01-31', '2024-02-07', '2024-02-19'].map(
      (day) => Date.parse(`${day}T00:00Z`) / 3_600_000,
    );
    const isFair = (hour: number) => fairs.some((from) => hour >= from && hour < from + 24);
    const demand = rows(9)
      .split('\n')
      .map((row) => {
        const [id, stamp, count] = row.split(',');
        return [id, stamp, Number(count) * (isFair(Date.parse(stamp!) / 3_600_000) ? 2 : 1)].join();
      });
    const file = fileOf('fairs.csv', `location_id,hour_utc_iso,pickups\n${demand.join('\n')}\n`);
    const stamp = (hour: number) => new Date(hour * 3_600_000).toISOString();
    const events = fairs.map((from, i) => `${i},9,${stamp(from)},${stamp(from + 24)},fair\n`).join('');
    const known = fileOf('events.csv', `event_id,location_id,from,to,kind\n${events}`);
    const options = [file, '--time-zone', 'UTC', '--origins', '2', '--horizon', '48', '--step', '24'];
    const wapeOf = ({ stdout }: { stdout: string }) =>
      Number(/\n48 h +24 h +this service +(\d+\.\d) %/.exec(stdout)![1]);
    const [blind, knowing] = [run(...options), run(...options, '--events', known)];
    expect(knowing.stderr).toBe('');
    expect(knowing.stdout).toContain(', 3 events, ');
    expect(knowing.stdout).toMatch(/\n48 h +24 h +holiday or event +\d /);
    expect(wapeOf(blind)).toBeGreaterThan(10);
    expect(wapeOf(knowing)).toBeLessThan(wapeOf(blind) / 2);
  });

  test('every fault of a file of events is named with its line', () => {
    const bad = fileOf(
      'bad-events.csv',
      'event_id,location_id,from,to,kind,factor\n' +
        'a,9,2024-02-01T00:00Z,2024-02-02T00:00Z,fair,2\n' +
        'a,9,2024-02-02T00:00Z,2024-02-01T00:00Z,fair,\n' +
        'b,9,2024-02-02T00:30Z,2024-02-03T00:00Z,fair,\n',
    );
    const result = run('--events', bad);
    expect(result.status).toBe(1);
    expect(result.stdout).toBe('');
    expect(result.stderr).toBe(
      `${bad}:3: event "a" is a duplicate of line 2; send each once\n` +
        `${bad}:3: to 2024-02-01T00:00:00.000Z is not later than from (2024-02-02T00:00:00.000Z); give a later time\n` +
        `${bad}:4: from "2024-02-02T00:30Z" is not the start of a full UTC hour, such as 05:00:00Z\n`,
    );
    expect(run('--events', '/no/such/events.csv').stderr).toBe('/no/such/events.csv: no such file\n');
  });

  test.each([
    [['--origins', 'many'], 2, '--origins is many; give a whole number from 1 to 1000'],
    [['--time-zone', 'Mars/Olympus'], 2, '--time-zone Mars/Olympus is not an IANA time zone'],
    [['--storms', '2017-02-30'], 2, '--storms is 2017-02-30; give days as YYYY-MM-DD'],
    [['--speed', '9'], 2, '--speed'],
    [['--horizon', '48,'], 2, '--horizon is ; give a whole number from 1 to 8784'],
    [['--holidays', 'XX'], 2, '"XX" is not a region with known holidays; countries: AD'],
    [['/no/such/file.csv'], 1, 'no such file'],
  ])('%j ends with exit code %i and says why', (args, status, message) => {
    const result = run(...args);
    expect(result.status).toBe(status);
    expect(result.stderr).toContain(message);
    expect(result.stdout).toBe('');
  });

  test('a row that is not demand is named with its number, and too short a history says how much is needed', () => {
    const bad = run(
      fileOf('bad.csv', 'location_id,hour_utc_iso,n\n9,2024-01-01T00:00Z,4\n9,2024-01-01T00:30Z,4\n'),
    );
    expect(bad.status).toBe(1);
    expect(bad.stderr).toContain('row 3 of');
    const short = run(fileOf('short.csv', `location_id,hour_utc_iso,n\n${rows(4)}\n`));
    expect(short.status).toBe(1);
    expect(short.stderr).toContain('four weeks before the first forecast and 168 hours after it');
  });

  test('--help prints the usage', () => {
    const help = run('--help');
    expect(help.status).toBe(0);
    expect(help.stdout).toContain('--horizon');
  });
});
