import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { placeInProportion } from '../../src/commands/replay/sample-past.ts';
import { hoursOf, MONDAY, seriesOf } from '../core/forecast/samples.ts';

const COMMAND = fileURLToPath(new URL('../../src/commands/replay/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });

describe('npm run replay', () => {
  test('prints a row per policy and a bound below all of them, and writes picture and figures', () => {
    const [svg, json] = [join(folder, 'day.svg'), join(folder, 'day.json')];
    const days = ['--from', '2017-04-30', '--days', '1', '--seeds', '1'];
    const { stdout, stderr, status } = run(
      ...[...days, '--policies', 'none,horizon-2-observed', '--svg', svg, '--json', json],
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^8,000 vehicles, 1 days from 2017-04-30, \d+,\d{3} trips; a lost trip costs 6 km\./,
    );
    expect(stdout).toMatch(/\n\| none \| \d+\.\d\d % \| 0 \| 0 \| 0 \| – \|/);
    expect(stdout).toMatch(/\n\| horizon-2-observed \| \d+\.\d\d % \| [1-9]/);
    const { bound, policies, demand_by_hour, demand_by_location } = JSON.parse(readFileSync(json, 'utf8'));
    for (const { expected } of policies) expect(expected.objective).toBeGreaterThanOrEqual(bound);
    expect(demand_by_hour).toHaveLength(24);
    expect(demand_by_location).toHaveLength(73);
    expect(policies[1].drawn).toHaveLength(1);
    expect(readFileSync(svg, 'utf8')).toContain('Sun, 30 Apr');
  }, 60_000);

  test('says what is wrong with a command line, and which hours the sample has', () => {
    for (const [args, message, code] of [
      [['--policies', 'none,hourly'], '--policies names hourly; give none, nightly, static, or horizon-2', 2],
      [['--policies', 'none-upper'], '--policies names none-upper', 2],
      [['--fleet', '0'], '--fleet is 0; give a whole number from 1 to 10000000', 2],
      [['--confidence', '0.4'], '--confidence is 0.4; give a number from 0.5 to 0.999', 2],
      [['--from', '2017-13-01'], '--from is 2017-13-01; give a day as YYYY-MM-DD', 2],
      [['--week', '1'], "Unknown option '--week'", 2],
      [['--days', '8'], 'the sample has the hours from 2017-01-01T05Z to 2017-05-04T03Z', 1],
    ] as const) {
      const { stderr, status } = run(...args);
      expect(stderr).toContain(message);
      expect(status).toBe(code);
    }
  }, 60_000);
});

test('a fleet is placed in proportion to the demand before the period, to the last vehicle', () => {
  const levels = [1, 2, 3, 0];
  const series = levels.map((level, i) =>
    // What comes later does not count.
    seriesOf(
      hoursOf(2, (hour) => (hour < 168 ? level : 100)),
      { locationId: i },
    ),
  );
  expect([...placeInProportion(series, MONDAY + 168, 12)]).toEqual([2, 4, 6, 0]);
  expect([...placeInProportion(series, MONDAY + 168, 13)]).toEqual([2, 4, 7, 0]);
  expect([...placeInProportion(series, MONDAY + 168, 1)]).toEqual([0, 0, 1, 0]);
});
