import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';

/** One API or worker process of the service, and any process that takes its place after a kill. */
export type FleetMember = {
  readonly name: string;
  readonly kind: 'api' | 'worker';
  /** not killed for a while: it must live through everything else, and its resources are measured */
  isSpared: boolean;
  readonly logFile: string;
  /** undefined while it is down */
  pid: number | undefined;
  /** of an API that is up */
  url: string;
  /** number of processes that have had this place; it changes when a process was killed */
  life: number;
  /** callers that are waiting for an answer from it */
  waiting: number;
};

export type Fleet = {
  readonly members: readonly FleetMember[];
  readonly logFolder: string;
  /** exits and stops that were not requested, or were not orderly */
  readonly faults: string[];
  /** starts that failed because a server was away */
  readonly failedStarts: () => number;
  /** Ends the sparing of members. */
  endSparing(): void;
  /** SIGKILL, and a new process in its place after `restartAfterMs`. */
  kill(member: FleetMember, restartAfterMs: number): Promise<void>;
  /** Freezes a process in the middle of its work, then lets it continue. */
  freeze(member: FleetMember, ms: number): Promise<void>;
  /** SIGTERM to all. Those that do not end in order within `limitMs` are killed and recorded as faults. */
  stop(limitMs: number): Promise<void>;
};

export type FleetOptions = {
  folder: string;
  env: Record<string, string>;
  apis: number;
  workers: number;
};

const SCRIPTS = { api: 'src/main.ts', worker: 'workers/main.ts' };
const START_AGAIN_MS = 300;
/**
 * A start that has neither succeeded nor failed after this time hangs. Many starts at once on a busy machine are slow.
 */
const START_LIMIT_MS = 240_000;
/** Time for a hanging process to write down its open handles. */
const REPORT_MS = 3000;

/** Starts the processes. At first, the first API and the first worker are spared. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: what stops and starts processes shares their list
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { folder, env } = options;
  const faults: string[] = [];
  const children = new Map<FleetMember, ChildProcess>();
  const starts = new Set<Promise<void>>();
  let failedStarts = 0;
  let stopping = false;

  const newMember = (kind: FleetMember['kind'], n: number): FleetMember => ({
    name: `${kind}-${n}`,
    kind,
    isSpared: n === 1,
    logFile: path.join(folder, `${kind}-${n}.log`),
    pid: undefined,
    url: '',
    life: 0,
    waiting: 0,
  });
  const members = [
    ...Array.from({ length: options.apis }, (_, i) => newMember('api', i + 1)),
    ...Array.from({ length: options.workers }, (_, i) => newMember('worker', i + 1)),
  ];

  /** Starts processes until one is ready: while a server is away, a start must fail. */
  async function start(member: FleetMember): Promise<void> {
    while (!stopping) {
      const port = member.kind === 'api' ? await freePort() : 0;
      const log = openSync(member.logFile, 'a');
      const child = spawn(
        process.execPath,
        [
          '--report-on-signal',
          `--report-directory=${folder}`,
          `--report-filename=${member.name}.report.json`,
          fileURLToPath(new URL(`../../${SCRIPTS[member.kind]}`, import.meta.url)),
        ],
        {
          env: { ...env, PORT: String(port) },
          stdio: ['ignore', log, log, 'ipc'],
        },
      );
      closeSync(log);
      children.set(member, child);
      const exited = once(child, 'exit');
      const decided = new AbortController();
      const isReady = await Promise.race([
        once(child, 'message').then(() => true),
        exited.then(() => false),
        delay(START_LIMIT_MS, false, { signal: decided.signal }).catch(() => false),
      ]);
      decided.abort();
      if (!isReady && child.exitCode === null && child.signalCode === null) {
        faults.push(`${member.name} was neither ready nor gone after ${START_LIMIT_MS} ms`);
        child.kill('SIGKILL');
        await exited;
      }
      if (isReady) {
        member.url = `http://127.0.0.1:${port}`;
        member.pid = child.pid;
        const { life } = member;
        void exited.then(([code, signal]) => {
          if (stopping || member.life !== life) return;
          member.life++;
          member.pid = undefined;
          // After an abort, the runner has already removed the logs.
          if (!existsSync(member.logFile)) return;
          const tail = readFileSync(member.logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
          faults.push(`${member.name} ended by itself (${signal ?? `exit code ${code}`}):\n${tail}`);
          later(member, START_AGAIN_MS);
        });
        return;
      }
      failedStarts++;
      await delay(START_AGAIN_MS);
    }
  }
  const later = (member: FleetMember, ms: number) => {
    const starting = delay(ms).then(() => start(member));
    starts.add(starting);
    return starting.finally(() => starts.delete(starting));
  };

  await Promise.all(members.map(start));
  return {
    members,
    logFolder: folder,
    faults,
    failedStarts: () => failedStarts,
    endSparing() {
      for (const member of members) member.isSpared = false;
    },
    async kill(member, restartAfterMs) {
      const child = children.get(member);
      if (member.pid === undefined || !child) return;
      member.life++;
      member.pid = undefined;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await later(member, restartAfterMs);
    },
    async freeze(member, ms) {
      const child = children.get(member);
      child?.kill('SIGSTOP');
      await delay(ms);
      child?.kill('SIGCONT');
    },
    async stop(limitMs) {
      stopping = true;
      await Promise.all(starts);
      await Promise.all(
        [...children].map(async ([member, child]) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const gone = once(child, 'exit');
          child.kill('SIGTERM');
          const hung = setTimeout(async () => {
            child.kill('SIGUSR2');
            await delay(REPORT_MS);
            child.kill('SIGKILL');
          }, limitMs);
          const [code, signal] = await gone;
          clearTimeout(hung);
          if (signal === 'SIGKILL') {
            faults.push(
              `${member.name} did not stop within ${limitMs} ms; what it waits for: ${member.name}.report.json`,
            );
          } else if (code !== 0) faults.push(`${member.name} stopped with exit code ${code}`);
        }),
      );
    },
  };
}
