import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { assertSessions } from '../../src/db/service/pooler.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { stopProcess } from '../helpers/global-setup.ts';
import { untilItListens } from '../helpers/programs.ts';
import { createTestDatabase } from '../helpers/services.ts';

const PGBOUNCER = 'pgbouncer';
const hasPgbouncer = (() => {
  try {
    execFileSync(PGBOUNCER, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!hasPgbouncer) console.warn('SKIPPED: poolers; no pgbouncer was found on PATH');

/** A pgbouncer in front of a database. @returns the URL that leads through it */
async function startPooler(databaseUrl: string, mode: 'transaction' | 'session'): Promise<string> {
  const folder = await newTemporaryFolder('pgbouncer');
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const listen = await freePort();
  const users = path.join(folder, 'users.txt');
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const file = path.join(folder, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listen}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'ignore_startup_parameters = options,extra_float_digits',
  ];
  await writeFile(file, `${settings.join('\n')}\n`);
  // It refuses to run as root, and then has to read its files as another user.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chmod', ['-R', 'a+rX', folder]);
  const server = spawn(PGBOUNCER, [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' });
  atEnd(async () => {
    await stopProcess(server);
    await removeFolder(folder);
  });
  await untilItListens(server, listen);
  return `postgresql://${username}:${password}@127.0.0.1:${listen}${pathname}`;
}

/** Runs a process of the service until it ends. */
async function run(script: string, databaseUrl: string) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../..', script)], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0', START_WAIT_SECONDS: '60' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, stderr };
}

test.skipIf(!hasPgbouncer)(
  'a pooler that lends sessions by the transaction is refused in one line by every process; one by the session is not',
  async () => {
    const databaseUrl = await createTestDatabase();
    await assertSessions(databaseUrl);
    const lending = await startPooler(databaseUrl, 'transaction');
    for (const script of ['src/main.ts', 'workers/main.ts', 'src/commands/migrate.ts']) {
      expect(await run(script, lending)).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          /^DATABASE_URL leads to a pooler .*pool_mode = transaction.*pool_mode = session\n$/,
        ),
      });
    }
    await assertSessions(await startPooler(databaseUrl, 'session'));
  },
);
