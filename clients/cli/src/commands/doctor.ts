import type { Command } from 'commander';
import { type FleetClient, FleetConnectionError, FleetError } from 'fleet-client';
import { action, type CliContext } from '../context.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { emphasize, print } from '../output.ts';

/** The finding of a check. `remedy` says what to do; without one all is well. */
type Finding = { check: string; finding: string; remedy?: string };

const MAX_CLOCK_SECONDS = 5;
/** A worker takes a job within a moment; one that is busy may need longer. */
const MAX_SOLVE_MS = 10_000;
const MAX_SOCKET_MS = 3000;
const START = 'start the service with `npm start`, or set FLEET_URL to where it runs';
const SEE_LOG = 'see the log of the service';
const DOWN: Record<string, string> = {
  queue: 'check REDIS_URL of the service, and its server',
  database: 'check DATABASE_URL of the service, and its server',
};

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('what is wrong with the service, and what to do')
    .description(
      'Checks address, database, queue, clock, settings, WebSocket, data and, with a job of one vehicle, workers ' +
        'and solver. Exits with 1 if something is wrong, 4 if the service is away, 6 if it needs a key.',
    )
    // It says at once what is wrong.
    .action(action(doctor, false));
}

async function doctor({ fleet, output, apiKey }: CliContext): Promise<void> {
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    if (!output.isJson) print(describe(finding));
  };
  const exitCode = await checkHealth(fleet, tell);
  if (exitCode === EXIT.done) {
    for (const check of [checkSettings, checkData, checkSocket, checkSolver]) {
      tell(await check(fleet, apiKey).catch((error) => failed(check.name, error)));
    }
  }
  if (output.isJson) print(JSON.stringify({ findings }));
  if (exitCode !== EXIT.done) process.exitCode = exitCode;
  else if (findings.some(({ remedy }) => remedy !== undefined)) process.exitCode = EXIT.failed;
}

function describe({ check, finding, remedy }: Finding): string {
  const mark = remedy === undefined ? emphasize('green', 'well ') : emphasize('red', 'wrong');
  return `${mark}  ${check.padEnd(9)}  ${finding}${remedy === undefined ? '' : `\n       → ${remedy}`}`;
}

/** Address, database, queue and clock. @returns the exit code if nothing else can be checked, else `EXIT.done` */
async function checkHealth(fleet: FleetClient, tell: (finding: Finding) => void): Promise<number> {
  try {
    const asked = Date.now();
    const { metadata, data } = await fleet.get('/health');
    const now = (asked + Date.now()) / 2;
    tell({
      check: 'address',
      finding: `${fleet.url} answers, version ${metadata.version}, up ${data.uptime_seconds} s`,
    });
    tell({ check: 'database', finding: data.checks.database });
    tell({ check: 'queue', finding: data.checks.queue });
    const seconds = Math.round((Date.parse(metadata.timestamp) - now) / 1000);
    tell({
      check: 'clock',
      finding: `${seconds} s apart from this machine`,
      ...(Math.abs(seconds) > MAX_CLOCK_SECONDS && { remedy: 'set the clocks of both machines by NTP' }),
    });
    return EXIT.done;
  } catch (error) {
    if (error instanceof FleetError && error.details.length > 0) {
      for (const { code, field, message } of error.details) {
        const isDown = code === 'SERVICE_UNAVAILABLE' && field !== null;
        const remedy = isDown ? DOWN[field] : remedyOf(error);
        tell({ check: field ?? 'address', finding: message, remedy: remedy ?? SEE_LOG });
      }
    } else tell({ check: 'address', finding: (error as Error).message, remedy: remedyOf(error as Error) });
    return exitCodeOf(error);
  }
}

async function checkSettings(fleet: FleetClient): Promise<Finding> {
  const { data } = await fleet.get('/api/v1/config');
  const { forecasting, optimization } = data;
  return {
    check: 'settings',
    finding: `forecasts by ${forecasting.model}, plans by ${optimization.solver} (${optimization.stages.join(', ')})`,
  };
}

async function checkData(fleet: FleetClient): Promise<Finding> {
  const locations = (await fleet.get('/api/v1/data/locations')).data.locations.length;
  const { summary } = (await fleet.get('/api/v1/data/fleet', { params: { query: { limit: 1 } } })).data;
  const finding = `${locations} locations, ${summary.operational} of ${summary.total_vehicles} vehicles operational`;
  const isEmpty = locations === 0 || summary.operational === 0;
  return {
    check: 'data',
    finding,
    ...(isEmpty && {
      remedy: '`fleet data push locations …` and `fleet data push fleet …`; see docs/client/data.md',
    }),
  };
}

async function checkSocket(fleet: FleetClient, apiKey: string | undefined): Promise<Finding> {
  const url = `${fleet.url.replace(/^http/, 'ws').replace(/\/$/, '')}/ws/optimization`;
  const socket = new WebSocket(url, apiKey ? ['fleet.v1', `fleet.auth.${apiKey}`] : []);
  const isOpen = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, MAX_SOCKET_MS, false);
    const settle = (open: boolean) => {
      clearTimeout(timer);
      resolve(open);
    };
    socket.addEventListener('open', () => settle(true));
    socket.addEventListener('error', () => settle(false));
  });
  socket.close();
  if (isOpen) return { check: 'socket', finding: 'WebSocket open' };
  return {
    check: 'socket',
    finding: 'no WebSocket; jobs are polled',
    remedy:
      'let the proxy pass upgrades of /ws/optimization; without a proxy, use the key of a planner, or close WebSockets that it has open',
  };
}

/** A problem without a plan: it takes queue, worker and solver, and leaves no plan among those of the planners. */
async function checkSolver(fleet: FleetClient): Promise<Finding> {
  const job = await fleet.submit('/api/v1/optimize', {
    demand_forecast: { '1': [2] },
    fleet_state: { vehicles: [{ id: 'doctor', location: 1 }] },
    constraints: { min_service_level: 1 },
    network: { location_ids: [1], costs: [[0]] },
  });
  const began = performance.now();
  try {
    await fleet.waitFor(job, { signal: AbortSignal.timeout(MAX_SOLVE_MS) });
    return { check: 'solver', finding: 'a plan where there is none', remedy: 'report it' };
  } catch (error) {
    if (error instanceof FleetError && error.code === 'INFEASIBLE_PROBLEM') {
      const ms = Math.round(performance.now() - began);
      return { check: 'solver', finding: `a worker solved a problem within ${ms} ms` };
    }
    if ((error as Error).name !== 'TimeoutError') throw error;
  }
  const { data } = await fleet.delete('/api/v1/jobs/{job_id}', { params: { path: job } });
  return {
    check: 'solver',
    finding: `no answer within ${MAX_SOLVE_MS / 1000} s, job ${data.status}`,
    remedy:
      'no worker takes jobs: start one with `npm run worker`; if all are busy, see `fleet jobs --status running`',
  };
}

function failed(name: string, error: Error): Finding {
  const check = name.replace('check', '').toLowerCase();
  return { check, finding: error.message, remedy: remedyOf(error) };
}

function remedyOf(error: Error): string {
  if (error instanceof FleetConnectionError) return START;
  if (!(error instanceof FleetError)) return SEE_LOG;
  if (error.code === 'UNAUTHORIZED') return 'give the key of a caller: FLEET_API_KEY or --api-key';
  if (error.code === 'FORBIDDEN') return 'ask for a key that may do this';
  return error.code === 'UNKNOWN'
    ? 'something else answers there: set FLEET_URL to where the service runs'
    : SEE_LOG;
}
