import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BUILT = path.join(ROOT, 'console/dist');
/** The files that the console is built from. */
const SOURCES = [
  'console/{src,public}/**',
  'console/*.{html,json,ts}',
  'clients/typescript/src/**',
  '{package-lock,tsconfig}.json',
  'clients/typescript/tsconfig.json',
];
/** In the folder of a build: the hash of the sources that it was made of. */
const STAMP = 'sources.txt';
/** Vite takes some 6 s; what takes longer than this hangs. */
const MAX_BUILD_MS = 300_000;

type Options = {
  /** Called before Vite starts, if there is something to build. */
  onBuild?: () => void;
  /** Ends the build, and with it Vite. */
  signal?: AbortSignal | undefined;
};

/**
 * Builds the console if its build is missing or older than its sources. Processes that build at the same time do not
 * disturb each other: each builds in a folder of its own, which then takes the place of the last build. What processes
 * that were killed left behind is removed.
 * @returns whether it was built now; false also where Vite is not installed and there is a build
 * @throws Error with the output of Vite; the last build stays
 */
export async function buildConsole({ onBuild = () => {}, signal }: Options = {}): Promise<boolean> {
  const sources = await hashOf(SOURCES);
  if (await isBuiltFrom(sources)) return false;
  const vite = findVite();
  if (!vite) {
    if (hasConsole()) return false;
    throw new Error('the console was not built: Vite is not installed; `npm install` installs it');
  }
  onBuild();
  await removeLeftovers();
  const folder = path.join(ROOT, `console/.build-${process.pid}`);
  try {
    await runVite(
      vite,
      folder,
      AbortSignal.any([AbortSignal.timeout(MAX_BUILD_MS), ...(signal ? [signal] : [])]),
    );
    await writeFile(path.join(folder, STAMP), sources);
    // Another process may put the same build there between two of these steps: then it stays.
    while (!(await isBuiltFrom(sources))) await replaceFolder(folder, BUILT);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return true;
}

/** Whether there is a build, of whatever sources. */
export function hasConsole(): boolean {
  return existsSync(path.join(BUILT, 'index.html'));
}

async function runVite(vite: string, folder: string, signal: AbortSignal): Promise<void> {
  const options = ['--outDir', folder, '--emptyOutDir', '--logLevel', 'error'];
  const child = spawn(process.execPath, [vite, 'build', path.join(ROOT, 'console'), ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  // An abort is told by `signal`; `close` comes when Vite has ended, so that nothing writes into its folder any more.
  child.on('error', () => {});
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await closed;
  if (signal.aborted) throw new Error(`the console was not built: ${signal.reason.message}`);
  if (code !== 0) throw new Error(`the console was not built: ${output.trim()}`);
}

/**
 * Puts a folder in the place of another. If that fails, the other is there as before.
 * @throws Error of the file system, but not if another process came first
 */
export async function replaceFolder(folder: string, place: string): Promise<void> {
  const aside = `${folder}-last`;
  const isThere = await renameIf(place, aside, 'ENOENT');
  try {
    await renameIf(folder, place, 'ENOTEMPTY', 'EEXIST');
  } catch (error) {
    if (isThere) await renameIf(aside, place, 'ENOTEMPTY', 'EEXIST');
    throw error;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Renames a folder. @returns false if that fails with one of the codes */
async function renameIf(from: string, to: string, ...codes: string[]): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Removes the folders of builds whose processes have ended. */
async function removeLeftovers(): Promise<void> {
  for (const name of globSync('console/.build-*', { cwd: ROOT })) {
    const pid = Number(/\.build-(\d+)/.exec(name)?.[1]);
    if (!isAlive(pid)) await rm(path.join(ROOT, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isBuiltFrom(sources: string): Promise<boolean> {
  const stamp = await readFile(path.join(BUILT, STAMP), 'utf8').catch(() => undefined);
  return stamp === sources;
}

/** A hash of names and contents of all these files. */
async function hashOf(patterns: string[]): Promise<string> {
  const hash = createHash('sha256');
  const files = globSync(patterns, { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => path.join(entry.parentPath, entry.name)).toSorted();
  for (const name of names) hash.update(path.relative(ROOT, name)).update(await readFile(name));
  return hash.digest('hex');
}

/** The script of Vite; undefined where only the packages of a running service are installed. */
function findVite(): string | undefined {
  try {
    const script = path.join(
      path.dirname(createRequire(import.meta.url).resolve('vite/package.json')),
      'bin/vite.js',
    );
    return existsSync(script) ? script : undefined;
  } catch {
    return undefined;
  }
}

// `npm run console`
if (import.meta.main) console.log((await buildConsole()) ? 'built' : 'the build is up to date');
