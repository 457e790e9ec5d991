import { parseArgs } from 'node:util';
import { type ChaosReport, runChaos } from './run.ts';

/** `npm run test:chaos -- --seconds 600 --seed 7 --backend redis`: exit code 0 if nothing was lost or doubled. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    backend: { type: 'string', default: 'redis' },
    processes: { type: 'string', default: '3' },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const processes = Number(values.processes);
const { backend } = values;
const areCounts = seconds > 0 && processes >= 1 && [seed, processes].every(Number.isInteger);
if (!areCounts || (backend !== 'redis' && backend !== 'postgres')) {
  console.error(
    'usage: npm run test:chaos -- [--seconds 60] [--seed 1] [--backend redis|postgres] [--processes 3]',
  );
  process.exit(1);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
/** Time for start, calm and checks, in addition to the storm. On a busy machine the start alone takes minutes. */
const OVERRUN_SECONDS = 600;
setTimeout(
  () => stop.abort(new Error(`not done ${seconds + OVERRUN_SECONDS} s after the start`)),
  (seconds + OVERRUN_SECONDS) * 1000,
);

const startedAt = performance.now();
const onPhase = (phase: string) =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${phase}`);
let exitCode = 1;
try {
  console.log(`chaos: ${seconds} s, seed ${seed}, ${backend} backend`);
  const report = await runChaos({ seconds, seed, backend, processes, signal: stop.signal, onPhase });
  onPhase('done');
  print(report);
  exitCode = report.findings.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error);
}
// After an abort, the runner may still have open connections.
process.exit(exitCode);

function print({ ledger, faults, totals, ...report }: ChaosReport): void {
  const line = (name: string, value: unknown) => console.log(`  ${name.padEnd(34)} ${value}`);
  const { counts } = ledger;
  console.log('what happened');
  for (const [kind, count] of Object.entries(faults).sort()) line(kind, count);
  line('starts that failed meanwhile', report.failedStarts);
  console.log('what clients saw');
  line('requests', counts.requests);
  line('refused with 503', counts.refused);
  line('refused, but stored', totals.refusedButStored);
  line('connections lost to a kill', counts.brokenConnections);
  line('retries under a key', counts.retries);
  line('cancellations answered', counts.cancels);
  line('  with 202', counts.cancels202);
  line('WebSocket subscriptions', ledger.subscriptions.length);
  line('  told the result', report.subscriptionsCompleted);
  line('  lost with their socket', counts.lostSockets);
  console.log('what came of it');
  line('jobs accepted', totals.jobs);
  line('  that a client was told of', totals.told);
  for (const [ending, count] of Object.entries(totals.endings).sort()) line(`  ended as ${ending}`, count);
  for (const [what, count] of Object.entries(totals.attempts).sort()) line(`  attempts ${what}`, count);
  line('plans checked', totals.plansChecked);
  line('  that look ahead', totals.outlooksChecked);
  line('backtests checked', totals.backtestsChecked);
  line('replays checked', totals.replaysChecked);
  const { schedules } = report;
  line('occurrences of schedules', schedules.occurrences);
  for (const [outcome, count] of Object.entries(schedules.outcomes).sort()) line(`  ${outcome}`, count);
  line('schedules made under their name', schedules.named);
  line('lost', totals.lost);
  line('doubled', totals.doubled);
  line('from calm to all ended', `${(report.calmToEndedMs / 1000).toFixed(1)} s`);
  console.log('what those hold that were spared at first');
  for (const vitals of report.vitals) console.log(`  ${vitals}`);
  console.log('what the service complained of');
  for (const [what, count] of [...report.complaints].sort(([, a], [, b]) => b - a).slice(0, 20)) {
    console.log(`  ${String(count).padStart(6)} ${what}`);
  }
  console.log(
    report.findings.length === 0
      ? 'nothing lost, nothing doubled'
      : `${report.findings.length} FINDINGS; logs: ${report.folder}`,
  );
  for (const { message, jobId, history } of report.findings.slice(0, 50)) {
    console.log(`\n- ${jobId ?? ''} ${message}`);
    for (const text of history) console.log(`    ${text}`);
  }
}
