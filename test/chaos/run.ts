import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { newTemporaryFolder } from '../helpers/folders.ts';
import { processesLeft } from '../helpers/processes.ts';
import { createCaller } from './caller.ts';
import { checkAnswers, checkJobs, checkSubscriptions, type Finding, type Totals } from './check.ts';
import { checkLife } from './check-life.ts';
import { checkSchedules, type ScheduleTotals } from './check-schedules.ts';
import { openClients } from './clients.ts';
import { type FaultCounts, planStorm, runFaults } from './faults.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { findLateWrites, watchLateWrites } from './late-writes.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { complaintsOf, traceOf } from './logs.ts';
import {
  chaosLocations,
  chaosProblems,
  DEMAND_SQL,
  HISTORY_HOURS,
  HISTORY_START,
  type PosedProblem,
  TRIPS_SQL,
} from './problems.ts';
import { openReaper, type Reaper } from './reaper.ts';
import { openSchedules } from './schedules.ts';
import { openPostgresServer, openRedisServer, type PostgresServer, type RedisServer } from './servers.ts';
import { watchVitals } from './vitals.ts';

export type ChaosOptions = {
  seconds: number;
  seed: number;
  backend: 'redis' | 'postgres';
  /** number of API processes, and of workers */
  processes: number;
  /** aborts: everything is killed */
  signal: AbortSignal;
  onPhase: (phase: string) => void;
};

export type ChaosReport = {
  folder: string;
  faults: FaultCounts;
  ledger: Ledger;
  totals: Totals;
  schedules: ScheduleTotals;
  subscriptionsCompleted: number;
  /** from the moment when everything was up again to the end of the last job */
  calmToEndedMs: number;
  failedStarts: number;
  vitals: string[];
  complaints: Map<string, number>;
  /** each with the known facts about its job */
  findings: (Finding & { history: string[] })[];
};

const CLIENTS = 16;
/** From calm to the end of the last job, and to the end of all processes: only what hangs takes longer. */
const CALM_LIMIT_MS = 240_000;
const STOP_LIMIT_MS = 60_000;
const SAMPLE_MS = 2000;
/** Maximum number of findings that are reported with the whole history of their job. */
const MAX_TRACED = 10;

/** A job may lose its worker this often; the storm makes some reach the limit. */
const MAX_CRASHES = 3;
/** Share of the storm after which the first API and the first worker are killed like all others. */
const SPARED_SHARE = 0.6;

const SETTINGS = {
  // The duration of freezes depends on these three, see `faults.ts`.
  JOB_LOCK_SECONDS: '8',
  JOB_MAX_ATTEMPTS: String(MAX_CRASHES),
  // All clients come from one address, which may keep all workers busy.
  JOBS_RUNNING_PER_CALLER: '1000',
  DATABASE_POOL_SIZE: '5',
  SHUTDOWN_TIMEOUT_SECONDS: '5',
  WORKER_CONCURRENCY: '1',
};

/** The whole run: start everything, storm, calm, compare, stop, look for leftovers. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = await newTemporaryFolder('chaos');
  const reaper = openReaper(folder);
  options.onPhase(`starting in ${folder}`);
  let report: ChaosReport | undefined;
  try {
    const aborted = once(options.signal, 'abort').then(() => options.signal.throwIfAborted());
    report = (await Promise.race([run(options, folder, reaper), aborted])) as ChaosReport;
    return report;
  } finally {
    await reaper.close(report !== undefined && report.findings.length > 0);
  }
}

async function run(options: ChaosOptions, folder: string, reaper: Reaper): Promise<ChaosReport> {
  const { seconds, seed, backend, signal, onPhase } = options;
  const postgres = await openPostgresServer(`${folder}/postgres`);
  const redis = backend === 'redis' ? await openRedisServer(folder) : undefined;
  const locations = chaosLocations(seed);
  for (const { id, latitude, longitude } of locations) {
    await postgres.query('insert into locations (id, name, latitude, longitude) values ($1, $2, $3, $4)', [
      id,
      `Place ${id}`,
      latitude,
      longitude,
    ]);
  }
  await postgres.query(
    `insert into demand_observations (location_id, hour, demand)
     select id, timestamptz '${HISTORY_START}' + h * interval '1 hour', ${DEMAND_SQL}
     from locations, generate_series(0, ${HISTORY_HOURS - 1}) h`,
  );
  await postgres.query(
    `insert into trip_flows (from_location_id, to_location_id, trips)
     select a.id, b.id, ${TRIPS_SQL} from locations a, locations b`,
  );
  await watchLateWrites(postgres.query);
  const fleet = await openFleet({
    folder,
    apis: options.processes,
    workers: options.processes,
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: folder,
      DATABASE_URL: postgres.url,
      ...(redis && { REDIS_URL: redis.url }),
      ...SETTINGS,
    },
  });
  const ledger = createLedger();
  const problems = chaosProblems(seed, locations);
  const faults = planStorm(seed, seconds, redis !== undefined);
  const report = await storm({
    folder,
    postgres,
    redis,
    fleet,
    ledger,
    problems,
    locations,
    faults,
    seed,
    seconds,
    signal,
    onPhase,
  });
  onPhase('stopping');
  await fleet.stop(STOP_LIMIT_MS);
  await redis?.close();
  await postgres.close();
  const left = await processesLeft(folder, (pid) => pid === reaper.pid);
  for (const { command } of left)
    addFinding(report, fleet, { message: `still runs: ${command}`, jobId: undefined });
  for (const message of fleet.faults) addFinding(report, fleet, { message, jobId: undefined });
  return report;
}

type Storm = {
  folder: string;
  postgres: PostgresServer;
  redis: RedisServer | undefined;
  fleet: Fleet;
  ledger: Ledger;
  problems: PosedProblem[];
  locations: ReturnType<typeof chaosLocations>;
  faults: ReturnType<typeof planStorm>;
  seed: number;
  seconds: number;
  signal: AbortSignal;
  onPhase: (phase: string) => void;
};

async function storm(setup: Storm): Promise<ChaosReport> {
  const { folder, postgres, redis, fleet, ledger, problems, locations, signal } = setup;
  const giveUp = new AbortController();
  const onSignal = () => giveUp.abort();
  signal.addEventListener('abort', onSignal);
  const caller = createCaller(fleet, ledger, giveUp.signal);
  const vitals = watchVitals(fleet);
  vitals.sample();
  const sampler = setInterval(vitals.sample, SAMPLE_MS);

  const schedules = await openSchedules(caller, postgres, problems);
  setup.onPhase('storm');
  const clients = openClients(CLIENTS, setup.seed, caller, problems);
  const sparing = setTimeout(fleet.endSparing, SPARED_SHARE * 1000 * setup.seconds);
  const targets = { fleet, postgres, redis, caller, problems };
  const faults = await runFaults(setup.faults, 1000 * setup.seconds, targets, signal);
  clearTimeout(sparing);
  const calmAt = performance.now();
  setup.onPhase('calm');
  const deadline = setTimeout(onSignal, CALM_LIMIT_MS);
  await Promise.all([clients.finish(), schedules.finish()]);
  await untilAllEnded(postgres, giveUp.signal);
  const calmToEndedMs = performance.now() - calmAt;
  clearInterval(sampler);
  clearTimeout(deadline);
  signal.throwIfAborted();

  setup.onPhase('comparing');
  const findings: Finding[] = [];
  const asking = createCaller(fleet, ledger, AbortSignal.any([signal, AbortSignal.timeout(CALM_LIMIT_MS)]));
  await checkAnswers(asking).catch((error) => findings.push({ message: String(error), jobId: undefined }));
  await checkLife(asking, fleet, postgres, problems, findings);
  const totals = await checkJobs({
    postgres,
    fleet,
    ledger,
    problems,
    scheduled: schedules.problems,
    locations,
    maxCrashes: MAX_CRASHES,
    findings,
  });
  const scheduleTotals = await checkSchedules(postgres.query, schedules, findings);
  await findLateWrites(postgres.query, findings);
  const { completed } = checkSubscriptions(ledger, findings);
  // A start waits for servers that are away, so nothing has to start it again.
  if (fleet.failedStarts() > 0)
    findings.push({ message: `${fleet.failedStarts()} starts failed`, jobId: undefined });
  const report: ChaosReport = {
    folder,
    faults,
    ledger,
    totals,
    schedules: scheduleTotals,
    subscriptionsCompleted: completed,
    calmToEndedMs,
    failedStarts: fleet.failedStarts(),
    vitals: vitals.report(findings),
    complaints: complaintsOf(folder),
    findings: [],
  };
  const rows = new Map<string, StoredRow>();
  for (const { jobId } of [...findings, ...ledger.faults]) {
    if (jobId === undefined) continue;
    const [found] = await postgres.query<{ row: StoredRow }>(
      "select to_jsonb(jobs) - '{input,result}'::text[] as row from jobs where job_id = $1",
      [jobId],
    );
    if (found) rows.set(jobId, found.row);
  }
  for (const finding of [...ledger.faults, ...findings]) addFinding(report, fleet, finding, rows);
  return report;
}

/** A row of `jobs` without its long columns. */
type StoredRow = { request_id: string };

/** Records a finding with the job's data in PostgreSQL, what clients saw, and all log lines about it. */
function addFinding(
  report: ChaosReport,
  fleet: Fleet,
  finding: Finding,
  rows: ReadonlyMap<string, StoredRow> = new Map(),
): void {
  const { jobId } = finding;
  let history: string[] = [];
  if (jobId !== undefined && report.findings.length < MAX_TRACED) {
    const row = rows.get(jobId);
    history = [
      `row: ${JSON.stringify(row)}`,
      ...(report.ledger.jobs.get(jobId)?.history ?? []),
      ...traceOf(fleet.logFolder, [jobId, row?.request_id ?? jobId]),
    ];
  }
  report.findings.push({ ...finding, history });
}

async function untilAllEnded(postgres: PostgresServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [{ n }] = await postgres.query<{ n: number }>(
      'select count(*)::int as n from jobs where finished_at is null',
    );
    if (n === 0) return;
    await delay(50);
  }
}
