import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { reportText } from './report.ts';
import { runFuzz } from './run.ts';
import { findServiceProcesses, isWorker } from './service-processes.ts';

const USAGE = `usage: npm run test:fuzz -- [--url http://127.0.0.1:8000] [--requests 30000] [--seed 1] [--concurrency 8]
  [--cases REGEXP] [--case-seconds 300] [--rest-seconds 60]
  [--folder CHECKOUT] [--findings FILE]

Sends hard cases, then requests made at random from the service's own /openapi.json, and judges every answer.
It writes, changes and deletes data: use it on a service that holds nothing of worth.
Exit code 0 where every case holds and every answer is as promised.`;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8000' },
    requests: { type: 'string', default: '30000' },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '8' },
    cases: { type: 'string', default: '' },
    'case-seconds': { type: 'string', default: '300' },
    'rest-seconds': { type: 'string', default: '60' },
    folder: { type: 'string', default: process.cwd() },
    findings: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const counts = [
  values.requests,
  values.seed,
  values.concurrency,
  values['case-seconds'],
  values['rest-seconds'],
].map(Number);
if (values.help || counts.some((count) => !(count >= 0))) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 1);
}
const [requests, seed, concurrency, caseSeconds, restSeconds] = counts;
const pids = findServiceProcesses(values.folder);
const startedAt = performance.now();
const report = await runFuzz({
  ...{ baseUrl: values.url, requests, seed, concurrency, caseSeconds, restSeconds, pids },
  casePattern: new RegExp(values.cases, 'i'),
  workerCount: pids.filter(isWorker).length,
  onPhase: (phase) => console.error(`${Math.round((performance.now() - startedAt) / 1000)} s  ${phase}`),
});
console.log(reportText(report));
if (report.findings.length > 0) {
  const text = report.findings.join('\n\n');
  if (values.findings) await writeFile(values.findings, text);
  else console.error(text.slice(0, 20_000));
}
const isGood = report.findings.length === 0 && report.cases.every(({ outcome }) => outcome !== 'fails');
process.exit(isGood ? 0 : 1);
