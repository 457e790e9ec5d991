/**
 * `npm run bench:start -- [--repeats 3]`: when each part of `npm start` is there, after packages, on an empty folder
 * with a console to build and again on the same folder; and the processor time of all its processes until the end
 * (Linux). It builds the console of this checkout anew.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../src/commands/start/embedded-postgres.ts';
import { figure, readArguments, reportTable } from './cli.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** What `npm start` says once each part is there. */
const PARTS: [part: string, line: RegExp][] = [
  ['PostgreSQL', /^PostgreSQL runs/],
  ['its tables', /^the database is empty/],
  ['the sample', /^the sample is loaded/],
  ['API and workers', /^API and /],
  ['the first plan', /^First plan: /],
  ['the console', /its console at|^It is built/],
];
/** Linux shows processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Seconds until each part is there, seconds of the processors, and the folder of PostgreSQL. */
type Start = { parts: Map<string, number>; processors: number; data: string };

/** Starts the service, and stops it when every part is there. */
async function timeStart(folder: string): Promise<Start> {
  const env = { ...process.env, DATA_DIR: folder, PORT: String(await freePort()) };
  const since = performance.now();
  // A group of its own: it gets the signal as from a terminal.
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const gone = once(child, 'exit');
  const parts = new Map<string, number>();
  let processors = Number.NaN;
  // For root it is elsewhere.
  let data = '';
  for await (const line of createInterface({ input: child.stdout })) {
    data = /, data in ([^;]+);/.exec(line)?.[1] ?? data;
    for (const [part, said] of PARTS)
      if (said.test(line)) parts.set(part, (performance.now() - since) / 1000);
    if (parts.has('the first plan') && parts.has('the console') && Number.isNaN(processors)) {
      const server = await readFile(path.join(data, 'data/postmaster.pid'), 'utf8');
      processors = await processorSeconds([child.pid!, Number.parseInt(server, 10)]);
      process.kill(-child.pid!, 'SIGINT');
    }
  }
  await gone;
  return { parts, processors, data };
}

/** Processor time of processes and of all that they started, ended or not, in seconds. */
async function processorSeconds(roots: readonly number[]): Promise<number> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // After the name, which may contain anything: fields 3 (state), 4 (parent), 14 to 17 (own and awaited ticks).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    if (text)
      processes.set(pid, { parent: fields[1], ticks: fields[11] + fields[12] + fields[13] + fields[14] });
  }
  const isOurs = (pid: number): boolean =>
    roots.includes(pid) || (processes.has(pid) && isOurs(processes.get(pid)!.parent));
  const ours = [...processes].filter(([pid]) => isOurs(pid));
  return ours.reduce((sum, [, { ticks }]) => sum + ticks, 0) / TICKS_PER_SECOND;
}

const { repeats, json } = readArguments({ repeats: 3 });
const first = new Map<string, number[]>();
const second = new Map<string, number[]>();
const add = (times: Map<string, number[]>, { parts, processors }: Start) => {
  for (const [part, seconds] of [...parts, ['processor time', processors] as const])
    times.set(part, [...(times.get(part) ?? []), seconds]);
};
for (let r = 0; r < repeats; r++) {
  const folder = await mkdtemp(path.join(tmpdir(), 'fleet-bench-start-'));
  await rm(path.join(ROOT, 'console/dist'), { recursive: true, force: true });
  add(first, await timeStart(folder));
  const again = await timeStart(folder);
  add(second, again);
  for (const made of [folder, again.data]) await rm(made, { recursive: true, force: true });
}
const cell = (seconds: number[] | undefined) => (seconds ? figure(seconds) : '–');
reportTable(
  {
    columns: ['seconds until there is', 'empty folder', 'second start'],
    rows: [...PARTS.map(([part]) => part), 'processor time'].map((part) => [
      part,
      cell(first.get(part)),
      cell(second.get(part)),
    ]),
  },
  json,
);
