import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');

/** The version before this one, as long as no release is tagged: what was deployed before the present changes. */
const UNTAGGED = '55fadd8';

const git = (...args: string[]) =>
  execFileSync('git', ['-C', ROOT, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  }).trim();

const reads = (work: () => string): string | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

/**
 * The version before this one: the newest tag `v…` before the present commit, else the commit above.
 * @returns undefined, after a message, where the clone's history has it not
 */
export function findVersionBefore(): string | undefined {
  const name =
    reads(() => git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^')) ?? UNTAGGED;
  const commit = reads(() => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`));
  if (!commit) console.warn(`\n  The history has no ${name}: tests with the version before are SKIPPED.\n`);
  return commit;
}

/** Whether a file is part of a version. */
export function hasFile(commit: string, file: string): boolean {
  return reads(() => git('cat-file', '-e', `${commit}:${file}`)) !== undefined;
}

/** A file of a version. */
function readVersion(commit: string, file: string): string {
  return execFileSync('git', ['-C', ROOT, 'show', `${commit}:${file}`], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
}

type Packages = Record<string, { version: string; dependencies?: Record<string, string> }>;

/** Dependencies of a version that are not installed here in the version of its lock file. */
export function missingDependencies(commit: string): string[] {
  const { packages } = JSON.parse(readVersion(commit, 'package-lock.json')) as { packages: Packages };
  return Object.keys(packages[''].dependencies ?? {}).filter((name) => {
    const file = path.join(ROOT, 'node_modules', name, 'package.json');
    const installed = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
    return installed !== packages[`node_modules/${name}`].version;
  });
}

/** Puts the files of a version into an empty folder, with the packages that are installed here. */
export async function checkOut(commit: string, folder: string): Promise<void> {
  const archive = execFileSync(
    'git',
    ['-C', ROOT, 'archive', commit, 'src', 'workers', 'migrations', 'package.json'],
    {
      maxBuffer: 2 ** 28,
    },
  );
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
}

const ends: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** A process of a version. */
export type Part = { pid: number; url: string; stop(): Promise<number | null> };

/**
 * Starts a process of the version in a folder, and waits until it is ready. It ends with the test file at the latest.
 * @param script `src/main.ts` or `workers/main.ts`
 */
export async function startPart(folder: string, script: string, env: Record<string, string>): Promise<Part> {
  const child = spawn(process.execPath, [path.join(folder, script)], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  ends.push(async () => {
    if (!isOver()) child.kill('SIGKILL');
    await gone;
  });
  const ready = await Promise.race([once(child, 'message'), gone.then(() => undefined)]);
  if (!ready || child.pid === undefined)
    throw new Error(`${script} ended with ${child.exitCode} before it was ready`);
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${env.PORT ?? ''}`,
    async stop() {
      if (!isOver()) child.kill('SIGTERM');
      await gone;
      return child.exitCode;
    },
  };
}

/** Migrates a database with the version in a folder. */
export function migrateWith(folder: string, databaseUrl: string): void {
  execFileSync(process.execPath, [path.join(folder, 'src/commands/migrate.ts')], {
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The folder of this version. */
export const THIS_VERSION = ROOT;
