import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = import.meta.dirname;
const CACHE = path.join(PACKAGE, '../../node_modules/.cache');

/**
 * A virtual environment with what an extra of the package needs (`pyproject.toml`), kept for the next run.
 * `TEST_PYTHON` names the interpreter; default: `python3`.
 * @returns where a program of the environment is
 * @throws Error without Python 3.10 or newer, or without a registry of packages
 */
export async function installPython(extra: 'generate' | 'test'): Promise<(program: string) => string> {
  const interpreter = process.env.TEST_PYTHON ?? 'python3';
  const asked = ['-c', 'import sys; assert sys.version_info >= (3, 10); print(sys.executable, sys.version)'];
  const { stdout: version } = await run(interpreter, asked);
  const wanted = version + (await readFile(path.join(PACKAGE, 'pyproject.toml'), 'utf8'));
  const name = `python-${extra}-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`;
  const environment = path.join(CACHE, name);
  const program = (of: string) => path.join(environment, 'bin', of);
  const mark = path.join(environment, 'installed');
  if (!existsSync(mark)) {
    await run(interpreter, ['-m', 'venv', '--clear', environment]);
    const pip = ['install', '--quiet', '--disable-pip-version-check', `${PACKAGE}[${extra}]`];
    await run(program('pip'), pip, { maxBuffer: 2 ** 26 });
    await writeFile(mark, version);
  }
  return program;
}
