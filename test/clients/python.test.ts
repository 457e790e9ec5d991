import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { installPython } from '../../clients/python/environment.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { startTestService } from '../helpers/service.ts';

const run = promisify(execFile);
const PACKAGE = path.join(import.meta.dirname, '../../clients/python');
/** Their Python is run. */
const PAGES = ['clients/python/README.md', 'docs/analyst/python.md'];

describe('the Python client', () => {
  let folder: string;
  let program: ((name: string) => string) | undefined;
  /** What its own tests find in their environment. */
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await newTemporaryFolder('python');
    program = await installPython('test').catch((error: Error) => {
      console.warn(
        '\n  ############################################################################\n' +
          '  #  No Python 3.10 or newer with venv and its packages: the tests of the    #\n' +
          '  #  Python client are SKIPPED.                                              #\n' +
          `  ############################################################################\n  ${error.message.split('\n')[0]}\n`,
      );
      return undefined;
    });
  });
  afterAll(() => removeFolder(folder));

  /** Runs a tool in the package's folder; a failure shows what it printed. */
  async function runTool(name: string, ...args: string[]): Promise<void> {
    const options = { cwd: PACKAGE, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    await run(program!(name), args, options).catch((error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    });
  }

  test('is installed by pip, type-checks strictly, and does what its tests, pages and notebook say', async ({
    skip,
  }) => {
    if (!program) return skip('Python or its packages are not to be had');
    const installed = path.join(folder, 'installed');
    const without = ['--no-deps', '--no-build-isolation', '--disable-pip-version-check', '--quiet'];
    await runTool('pip', 'install', ...without, '--target', installed, PACKAGE);
    await runTool('ruff', 'check', '--quiet', '--no-cache');
    await runTool('ruff', 'format', '--check', '--quiet', '--no-cache');
    // Its tests run on the Python that is here; the types of the others are checked, the oldest and the newest.
    const cache = ['--cache-dir', path.join(path.dirname(program('')), '../mypy')];
    for (const version of ['3.10', '3.14']) await runTool('mypy', ...cache, '--python-version', version);

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
