import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');

/** The schema of the first release: the commit that changed it last stands for this release before any tag. */
const FIRST_SCHEMA = 'migrations/000[0-3]_*.sql';
/** Installing another version's packages. */
const INSTALL_MS = 240_000;

const gitIn = (root: string, ...args: string[]) =>
  execFileSync('git', ['-C', root, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
const git = (...args: string[]) => gitIn(ROOT, ...args);

const reads = (work: () => string): string | undefined => {
  try {
    return work().trim();
  } catch {
    return undefined;
  }
};

/** Says why tests are skipped; where tests must not be skipped without need, that is an error. */
function skip(why: string, mustRun: boolean): undefined {
  if (mustRun) throw new Error(why);
  console.warn(`\n  ${why}: tests with the version before are SKIPPED.\n`);
}

/**
 * The version before this one: the newest tag `v…` before the present commit, else the commit that changed the first
 * schema last, which may be the present one.
 * @returns undefined, after a message, if the history does not have it
 * @throws Error in CI, if the clone is a shallow one: then the history could be had
 */
export function findVersionBefore(root = ROOT, isCi = Boolean(process.env.CI)): string | undefined {
  // A shallow clone may lack the newest tag, and seems to begin with all files.
  if (reads(() => gitIn(root, 'rev-parse', '--is-shallow-repository')) === 'true')
    return skip('the clone is shallow; fetch the whole history with its tags', isCi);
  const tag = reads(() => gitIn(root, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^'));
  const commit = tag
    ? reads(() => gitIn(root, 'rev-parse', '--verify', '--quiet', `${tag}^{commit}`))
    : reads(() => gitIn(root, 'log', '--max-count=1', '--format=%H', '--', FIRST_SCHEMA));
  return commit || skip(`the history has neither a release nor ${FIRST_SCHEMA}`, false);
}

/** Whether a file is part of a version. */
export function hasFile(commit: string, file: string): boolean {
  return reads(() => git('cat-file', '-e', `${commit}:${file}`)) !== undefined;
}

type Packages = Record<string, { version: string; dependencies?: Record<string, string> }>;

/** Dependencies of a version that are not installed here in the version of its lock file. */
function missingDependencies(commit: string): string[] {
  const { packages } = JSON.parse(git('show', `${commit}:package-lock.json`)) as { packages: Packages };
  return Object.keys(packages[''].dependencies ?? {}).filter((name) => {
    const file = path.join(ROOT, 'node_modules', name, 'package.json');
    const installed = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
    return installed !== packages[`node_modules/${name}`].version;
  });
}

/**
 * Puts the files of a version into an empty folder, with its packages: those that are installed here if they are the
 * same, else its own.
 * @returns whether it could; false, after a message, if its packages cannot be had
 * @throws Error in CI, if its packages cannot be had
 */
export async function checkOut(
  commit: string,
  folder: string,
  missing: readonly string[] = missingDependencies(commit),
): Promise<boolean> {
  // Those of the workspaces, too, which the lock file names.
  const packages = ['package-lock.json', ':(glob)**/package.json'];
  const archive = execFileSync(
    'git',
    ['-C', ROOT, 'archive', commit, 'src', 'workers', 'migrations', ...packages],
    {
      maxBuffer: 2 ** 28,
    },
  );
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  if (missing.length === 0) {
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    return true;
  }
  try {
    // Not `npm ci`: a lock file made on one platform may lack packages of others. Versions are those of the lock file.
    const options = [
      '--no-save',
      '--omit=dev',
      '--omit=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
    ];
    await promisify(execFile)('npm', ['install', ...options], { cwd: folder, timeout: INSTALL_MS });
    return true;
  } catch (error) {
    const why = `npm could not install what the version before needs (${missing}): ${error}`;
    skip(why, Boolean(process.env.CI));
    return false;
  }
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
