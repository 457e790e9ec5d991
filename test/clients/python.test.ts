import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { startTestService } from '../helpers/service.ts';

const run = promisify(execFile);
const PACKAGE = path.join(import.meta.dirname, '../../clients/python');
/** Their Python is run. */
const PAGES = ['clients/python/README.md', 'docs/analyst/python.md'];

describe.skipIf(!inject('pythonFolder'))('the Python client', () => {
  const program = (name: string) => path.join(inject('pythonFolder'), name);
  let folder: string;
  /** Where pip puts the package. */
  let installed: string;
  /** What its own tests find in their environment. */
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await newTemporaryFolder('python');
    installed = path.join(folder, 'installed');
    const without = ['--no-deps', '--no-build-isolation', '--disable-pip-version-check', '--quiet'];
    await runTool('pip', 'install', ...without, '--target', installed, PACKAGE);
  });
  afterAll(() => removeFolder(folder));

  /** Runs a tool in the package's folder; a failure shows what it printed. */
  async function runTool(name: string, ...args: string[]): Promise<void> {
    const options = { cwd: PACKAGE, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    await run(program(name), args, options).catch((error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    });
  }

  test('is formatted and checked by ruff, and type-checks strictly on every Python it is for', async () => {
    await runTool('ruff', 'check', '--quiet', '--no-cache');
    await runTool('ruff', 'format', '--check', '--quiet', '--no-cache');
    // Its tests run on the Python that is here; the types of the others are checked, the oldest and the newest.
    const cache = ['--cache-dir', program('../mypy')];
    for (const version of ['3.10', '3.14']) await runTool('mypy', ...cache, '--python-version', version);
  });

  test('is installed by pip, and does what its tests, pages and notebook say', async () => {
    const city = await startTestService({ sample: true });
    const idle = await startTestService({ workers: 0, overrides: { QUEUE_MAX_WAITING: 2 } });
    const empty = await startTestService({});
    await empty.pool.query('delete from locations');
    env = {
      PYTHONPATH: installed,
      FLEET_CITY_URL: city.url,
      FLEET_IDLE_URL: idle.url,
      FLEET_EMPTY_URL: empty.url,
      FLEET_PAGES: PAGES.join(),
    };
    await runTool('python', '-B', '-m', 'pytest');
  });
});
