import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { appendFile, chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';

/** What is needed of one installation: the embedded PostgreSQL has no programs for backups. */
const PROGRAMS = [
  'initdb',
  'pg_ctl',
  'postgres',
  'pg_dump',
  'pg_restore',
  'pg_basebackup',
  'psql',
  'createdb',
];

/** Folder of an installed PostgreSQL with server and client programs; undefined if there is none. */
export function findSystemPostgres(): string | undefined {
  const folders = ['/usr/lib/postgresql/*/bin', '/usr/local/pgsql/bin', '/opt/homebrew/opt/postgresql*/bin'];
  return folders
    .flatMap((folder) => globSync(folder))
    .toSorted()
    .findLast((bin) => globSync(PROGRAMS.map((name) => path.join(bin, name))).length === PROGRAMS.length);
}

/**
 * A PostgreSQL of that installation with an empty database `fleet`.
 * @param folder where its data go, in the folder `data`
 */
export async function startSystemPostgres(bin: string, folder: string) {
  // PostgreSQL does not run as root.
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const user = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  const data = path.join(folder, 'data');
  const backup = path.join(folder, 'backup');
  await mkdir(backup);
  if (user.uid !== undefined) for (const one of [folder, backup]) await chown(one, user.uid, user.gid);
  const port = await freePort();
  const server = `postgresql://fleet@127.0.0.1:${port}`;
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    ...{ LC_ALL: 'C.UTF-8', PGDATA: data, BACKUP: backup },
    ...{ ADMIN_URL: `${server}/postgres`, DATABASE_URL: `${server}/fleet` },
  };
  /** Runs a script as an operator would, and waits for its end. */
  const run = async (script: string, more: Record<string, string> = {}): Promise<void> => {
    const options = { ...user, cwd: folder, env: { ...env, ...more } };
    // Not piped: a server that `pg_ctl` starts would keep the pipe open.
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { ...options, stdio: 'ignore' });
    const [status] = await once(shell, 'exit');
    if (status !== 0) throw new Error(`exit code ${status} of\n${script}`);
  };
  await run('initdb --auth=trust --username=fleet --no-locale --encoding=UTF8');
  const settings = { port, listen_addresses: "'127.0.0.1'", unix_socket_directories: "''", fsync: 'off' };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await appendFile(path.join(data, 'postgresql.conf'), lines.join(''));
  await run('pg_ctl start --wait --log="$PGDATA.log" && createdb --maintenance-db="$ADMIN_URL" fleet');
  return { url: env.DATABASE_URL, run, stop: () => run('pg_ctl stop --mode=immediate') };
}
