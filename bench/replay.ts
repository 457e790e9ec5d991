/**
 * What a replay takes: the sample's last week with 8,000 cabs, an hourly plan each, in processor time of one process
 * with its forecasts.
 *
 *   npm run bench:replay -- [--days 7] [--policies none,…,horizon-6-spread,horizon-6-observed] [--seeds 0]
 *     [--json FILE]
 *
 * Forecasts are made once for all policies, so each policy is also replayed with the forecasts of those before it.
 */

import { readCommandLine } from '../src/commands/replay/options.ts';
import { readSamplePast } from '../src/commands/replay/sample-past.ts';
import { loadSolver } from '../src/core/optimize/highs/highs.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { replay } from '../src/core/replay/replay.ts';
import { cpuMs, digits, readArguments, reportTable, whole } from './cli.ts';

const { days, policies, seeds, json } = readArguments({
  days: 7,
  policies: 'none,nightly,static,horizon-6,horizon-6-spread,horizon-6-observed',
  seeds: 0,
});

const command = readCommandLine([
  ...['--from', new Date(Date.parse('2017-05-04') - days * 86_400_000).toISOString().slice(0, 10)],
  ...['--days', `${days}`, '--policies', policies, '--seeds', `${seeds}`],
]);
if (!command) throw new Error('no command line');
await loadSolver(createCache());
const { past, fleet, forecasts, options } = await readSamplePast(command);

const seconds = (ms: number) => digits(ms / 1000);
const rows: string[][] = [];
const readyMs = cpuMs();
const n = fleet.length;
for (let hour = 0; hour < past.hours; hour++) forecasts.mean(hour, 1);
rows.push([
  `${past.hours} forecasts of ${n} zones, made for each hour`,
  '–',
  '–',
  seconds(cpuMs() - readyMs),
]);
const bounded = { ...options, policies: options.policies.slice(-1) };
for (const policy of options.policies) {
  const startedMs = cpuMs();
  const report = await replay(past, fleet, forecasts, { ...options, policies: [policy], withBound: false });
  const { figures, record } = report!.policies[0].expected;
  rows.push([
    policy.name,
    whole(record.moves.length),
    (100 * figures.servedShare).toFixed(2),
    seconds(cpuMs() - startedMs),
  ]);
}
const startedMs = cpuMs();
await replay(past, fleet, forecasts, bounded);
const lastMs = cpuMs() - startedMs;
rows.push([`${bounded.policies[0].name} again, and the bound`, '–', '–', seconds(lastMs)]);
rows.push(['all of it', '–', '–', seconds(cpuMs() - readyMs)]);
reportTable({ columns: ['policy', 'pairs that move', 'served, %', 's'], rows }, json);
