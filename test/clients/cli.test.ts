import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { createFleetClient } from 'fleet-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createProgram } from '../../clients/cli/src/program.ts';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { openProxy } from '../chaos/proxy.ts';
import { compareAnswer, type Ids, useIds } from '../docs/answers.ts';
import { readSteps } from '../docs/blocks.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { storeKey } from '../helpers/keys.ts';
import { openReverseProxy } from '../helpers/reverse-proxy.ts';
import { simpleRequest, startTestService } from '../helpers/service.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const MAIN = path.join(ROOT, 'clients/cli/src/main.ts');
const DOCUMENT = 'docs/client/cli.md';
const ESCAPE = '\u001b';

type Ended = { code: number; out: string; err: string };

function startFleet(url: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, FLEET_URL: url, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Runs a command to its end. @param input what it reads on standard input */
async function fleet(url: string, args: string[], input = '', env = {}): Promise<Ended> {
  const child = startFleet(url, args, env);
  child.stdin!.end(input);
  const [out, err] = await Promise.all([readAll(child.stdout!), readAll(child.stderr!), once(child, 'exit')]);
  return { code: child.exitCode!, out, err };
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

describe('fleet', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let client: ReturnType<typeof createFleetClient>;
  beforeAll(async () => {
    // Jobs wait until a test starts the worker.
    service = await startTestService({ workers: 0, overrides: { QUEUE_MAX_WAITING: 1 } });
    client = createFleetClient({ url: service.url });
  });
  const run = (args: string[], input?: string) => fleet(service.url, args, input);
  const request = JSON.stringify(simpleRequest());

  test('wrong input ends with 2, before a request is sent or by the faults of the service', async () => {
    expect(await run(['optimize', 'none.json'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/ENOENT/),
    });
    expect(await run(['optimize', '-'], '{')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^standard input is not JSON/),
    });
    expect((await run(['decide', '--nonsense'])).code).toBe(2);
    expect(await fleet('localhost:8000', ['plans'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/"localhost:8000" is no address .* FLEET_URL/),
    });
    const faulty = JSON.stringify({ ...simpleRequest(), constraints: { max_distence: 3 } });
    const { code, err, out } = await run(['optimize', '-', '--json'], faulty);
    expect(code).toBe(2);
    expect(err).toMatch(/^VALIDATION_ERROR\n {2}constraints\.max_distence: .*\n {2}request \S+\n$/);
    expect(JSON.parse(out)).toMatchObject({
      status: 'error',
      errors: [{ field: 'constraints.max_distence' }],
    });
  });

  test('a service that is away ends with 4, and the message says what to do', async () => {
    const { code, err } = await fleet(`http://127.0.0.1:${await freePort()}`, ['plans']);
    expect(code).toBe(4);
    expect(err).toMatch(/ECONNREFUSED[\s\S]*set FLEET_URL/);
  });

  test('Ctrl-C ends the waiting with 130, says how to go on, and leaves the job; cancelled, it ends with 5', async () => {
    const { job_id } = await client.submit('/api/v1/optimize', simpleRequest());
    const watching = startFleet(service.url, ['jobs', 'watch', job_id]);
    const told = readAll(watching.stdout!);
    let err = '';
    for await (const piece of watching.stderr!) {
      if (err === '') watching.kill('SIGINT');
      err += piece;
    }
    if (watching.exitCode === null) await once(watching, 'exit');
    expect({ code: watching.exitCode, out: await told }).toEqual({ code: 130, out: '' });
    expect(err).toContain(`fleet jobs cancel ${job_id}`);
    // The queue has room for one, so the job still waits there.
    const full = await run(['--no-retry', 'optimize', '-'], request);
    expect(full).toMatchObject({ code: 4, err: expect.stringContaining('QUEUE_MAX_WAITING') });
    expect(await run(['jobs', 'cancel', job_id])).toMatchObject({ code: 0, out: `${job_id} cancelled\n` });
    const states = await run(['--json', 'jobs', 'watch', job_id]);
    expect(states.code).toBe(5);
    expect(JSON.parse(states.out.split('\n')[0])).toMatchObject({ job_id, status: 'cancelled' });
  });

  test('doctor names each fault and what to do, and ends with 1', async () => {
    const late = (text: string) =>
      text.replace(
        /"timestamp":"([^"]+)"/,
        (_, at) => `"timestamp":"${new Date(Date.parse(at) + 9e4).toISOString()}"`,
      );
    const proxy = await openReverseProxy(service.url, [late]);
    const { code, out } = await fleet(proxy.url, ['doctor']);
    await proxy.close();
    expect(code).toBe(1);
    expect(out).toMatch(/^well {3}address /);
    expect(out).toMatch(/^wrong {2}clock +(89|90) s apart from this machine\n {7}→ .*NTP/m);
    expect(out).toMatch(/^wrong {2}data +4 locations, 0 of 0 vehicles operational\n {7}→ .*data push/m);
    expect(out).toMatch(/^wrong {2}socket +no WebSocket; jobs are polled\n {7}→ .*upgrades/m);
    expect(out).toMatch(/^wrong {2}solver +no answer within 10 s, job cancelled\n {7}→ .*npm run worker/m);
  });

  test('doctor says at once whether address, database, queue or key is wrong', async ({ skip }) => {
    const away = await fleet(`http://127.0.0.1:${await freePort()}`, ['doctor']);
    expect(away).toMatchObject({ code: 4, out: expect.stringMatching(/^wrong {2}address .*\n {7}→ start/) });
    const refusal = { code: 'UNAUTHORIZED', message: 'no key', field: null, detail: null };
    const error = { status: 'error', data: null, errors: [refusal], metadata: { request_id: 'r' } };
    const proxy = await openReverseProxy(service.url, [
      { status: 404, text: 'no such page' },
      { status: 401, text: JSON.stringify(error) },
    ]);
    const other = await fleet(proxy.url, ['doctor']);
    expect(other).toMatchObject({
      code: 1,
      out: expect.stringMatching(/status 404\n {7}→ something else answers/),
    });
    const keyless = await fleet(proxy.url, ['doctor']);
    expect(keyless).toMatchObject({ code: 6, out: expect.stringMatching(/no key\n {7}→ .*FLEET_API_KEY/) });
    await proxy.close();

    const redisUrl = inject('redisUrl');
    if (redisUrl === '') return skip('there is no Redis to take away');
    const databaseUrl = service.config.DATABASE_URL!;
    const [database, queue] = await Promise.all(
      [databaseUrl, redisUrl].map((url) => openProxy(Number(new URL(url).port))),
    );
    const through = (url: string, { port }: { port: number }) => Object.assign(new URL(url), { port }).href;
    const api = await service.startApi({
      DATABASE_URL: through(databaseUrl, database),
      REDIS_URL: through(redisUrl, queue),
    });
    for (const [wire, name] of [
      [database, 'database'],
      [queue, 'queue'],
    ] as const) {
      await wire.refuse();
      const { code, out } = await fleet(api.url, ['doctor']);
      const remedy = name === 'queue' ? 'REDIS_URL' : 'DATABASE_URL';
      expect(out).toMatch(new RegExp(`^wrong  ${name} .*\\n {7}→ check ${remedy} of the service`, 'm'));
      expect(code).toBe(4);
      await wire.accept();
    }
    await service.close(api);
    await Promise.all([database.close(), queue.close()]);
  });

  test('doctor opens the WebSocket of a service that wants a key', async () => {
    const api = await service.startApi({ AUTH: 'keys' });
    const { key } = await storeKey(service.db, 'planner');
    const { out } = await fleet(api.url, ['doctor'], '', { FLEET_API_KEY: key });
    expect(out).toMatch(/^well {3}socket +WebSocket open$/m);
    await service.close(api);
  });

  test('a service that refuses the caller ends with 6, one that fails with 1', async () => {
    const answer = (status: number, code: string) => {
      const errors = [{ code, message: 'sorry', field: null, detail: null }];
      return {
        status,
        text: JSON.stringify({ status: 'error', data: null, errors, metadata: { request_id: 'r' } }),
      };
    };
    const proxy = await openReverseProxy(service.url, [
      answer(403, 'FORBIDDEN'),
      answer(500, 'INTERNAL_ERROR'),
    ]);
    expect(await fleet(proxy.url, ['plans'])).toMatchObject({
      code: 6,
      err: 'FORBIDDEN\n  sorry\n  request r\n',
    });
    expect(await fleet(proxy.url, ['plans'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^INTERNAL_ERROR/),
    });
    await proxy.close();
  });

  test('data that is pulled can be pushed again, also packed and from standard input', async () => {
    const folder = await folderWith(
      'events.csv',
      'event_id,location_id,from,to,kind\nE1,,2026-01-05T00:00Z,2026-01-06T00:00Z,fair\n',
    );
    const file = path.join(folder, 'events.csv');
    expect((await run(['data', 'push', 'events', file])).out).toBe('events: 1 created, 0 updated\n');
    const { out } = await run(['data', 'pull', 'events']);
    expect(out).toBe(
      'event_id,location_id,from,to,kind,factor,name\r\nE1,,2026-01-05T00:00:00.000Z,2026-01-06T00:00:00.000Z,fair,,\r\n',
    );
    expect((await run(['data', 'push', 'events', '-'], out)).out).toBe('events: 0 created, 1 updated\n');
    await writeFile(`${file}.gz`, gzipSync(out));
    expect((await run(['data', 'push', 'events', `${file}.gz`, '--replace'])).out).toMatch(
      /^events: 0 created, 1 updated/,
    );
    const zoned = 'id,name,latitude,longitude,time_zone\n77,Depot,52.5,13.4,Europe/Berlin\n';
    expect((await run(['data', 'push', 'locations', '-'], zoned)).out).toMatch(/^locations: 1 created/);
    const { out: locations } = await run(['data', 'pull', 'locations']);
    expect(locations).toContain('77,Depot,52.5,13.4,Europe/Berlin,');
    expect((await run(['data', 'push', 'locations', '-'], locations)).out).toBe(
      'locations: 0 created, 5 updated\n',
    );
    const demand = 'location_id,hour,demand\n77,2017-03-12T06:00:00Z,12.5\n77,2017-03-12T07:00:00Z,0\n';
    expect((await run(['data', 'push', 'demand', '-'], demand)).out).toBe('demand: 2 created, 0 updated\n');
    expect((await run(['data', 'pull', 'demand'])).out).toBe(demand);
    expect((await run(['data', 'push', 'demand', '-'], demand)).out).toBe('demand: 0 created, 2 updated\n');
    const [head, first, second] = demand.split('\n');
    const part = (...filters: string[]) => run(['data', 'pull', 'demand', ...filters]).then(({ out }) => out);
    expect(await part('--from', '2017-03-12T07:00Z')).toBe(`${head}\n${second}\n`);
    expect(await part('--location', '77', '--from', '2017-03-12', '--to', '2017-03-12T07:00Z')).toBe(
      `${head}\n${first}\n`,
    );
    const gone = ['data', 'delete', 'demand', '--location', '77', '--from', '2017-03-12T07:00Z'];
    expect((await run(gone)).out).toBe('demand: 1 removed\n');
    expect(await part()).toBe(`${head}\n${first}\n`);
    expect(await run(gone.slice(0, 3))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/name what to delete: location_id, from or to/),
    });
    expect(await run(['data', 'pull', 'travel', '--from', '2017-03-12'])).toMatchObject({
      code: 2,
      err: 'travel cannot be filtered by --from\n',
    });
    const pairs = 'from_location_id,to_location_id,distance_km,duration_minutes\n1,2,11.5,20\n';
    expect((await run(['data', 'push', 'travel', '-'], pairs)).out).toBe('travel: 1 created, 0 updated\n');
    expect((await run(['data', 'pull', 'travel'])).out).toContain('1,2,11.5,20');
    const flows = 'from_location_id,to_location_id,trips\n1,2,7\n';
    expect((await run(['data', 'push', 'trip-flows', '-'], flows)).out).toBe(
      'trip-flows: 1 created, 0 updated\n',
    );
    expect((await run(['data', 'pull', 'trip-flows', '--location', '1'])).out).toContain('1,2,7');
    expect((await run(['data', 'pull', 'trip-flows', '--location', '2'])).out).not.toContain('1,2,7');
  });

  test('risk scores the stored fleet, a location or some vehicles on a day, the highest first', async () => {
    const ages = [
      'vehicle_id,location_id,acquired_on,last_maintenance_on,utilization_rate',
      ...['A,1,2016-01-01,2017-01-01,0.5', 'B,1,2010-01-01,2016-01-01,0.9', 'C,2,2016-06-01,2017-04-01,0.4'],
    ];
    await run(['data', 'push', 'fleet', '-'], `${ages.join('\n')}\nD,2,,,\n`);
    const { out: pulled } = await run(['data', 'pull', 'fleet']);
    expect((await run(['data', 'push', 'fleet', '-'], pulled)).out).toBe('fleet: 0 created, 4 updated\n');
    const on = ['--date', '2017-05-04'];
    const all = await run(['risk', ...on, '--top', '2']);
    expect(all.out).toMatch(/^on 2017-05-04, the highest 2 of 3 scores\n1 of 4 vehicles have no acquired_on/);
    expect(all.out.match(/^[A-D] /gm)).toEqual(['B ', 'A ']);
    const scored = async (...args: string[]) =>
      JSON.parse((await run(['--json', 'risk', ...on, ...args])).out).data.risk_scores;
    const vehicles = [{ id: 'C', age_days: 337, utilization_rate: 0.4, days_since_maintenance: 33 }];
    const { data } = await client.post('/api/v1/risk/score', { body: { vehicles } });
    expect(await scored('--location', '2')).toEqual(data.risk_scores);
    expect(await scored('--vehicle', 'C', 'A')).toHaveLength(2);
    const none = await run(['risk', ...on, '--vehicle', 'D']);
    expect(none).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^1 of 1 vehicles have no .*data push fleet/),
    });
    expect((await run(['risk', '--vehicle', 'E'])).err).toMatch(/^there is no vehicle E/);
  });

  test('data that cannot be read or stored ends with 2, and says where the fault is', async () => {
    expect(await run(['data', 'push', 'fleet', 'none.csv'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^none\.csv cannot be read/),
    });
    expect(await run(['data', 'push', 'fleet', '-'], 'vehicle_id,location_id\nV1,99\n')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^VALIDATION_ERROR\n {2}line 2: /),
    });
    const { code, err } = await run(['data', 'pull', 'fleet', '-o', '/none/fleet.csv']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^\/none\/fleet\.csv cannot be written/),
    });
  });

  test('a schedule is created from standard input, paused, resumed and deleted', async () => {
    const body = { name: 'night', cron: '0 4 * * *', time_zone: 'UTC', decision: {} };
    const created = await run(['--json', 'schedules', 'create', '-'], JSON.stringify(body));
    const { schedule_id } = JSON.parse(created.out).data;
    expect((await run(['schedules', 'pause', schedule_id])).out).toMatch(/state +paused/);
    expect((await run(['schedules'])).out).toMatch(/night +0 4 \* \* \* +UTC +paused/);
    expect((await run(['schedules', 'resume', schedule_id])).out).toMatch(/state +active/);
    expect((await run(['schedules', 'delete', schedule_id])).out).toBe(`${schedule_id} deleted\n`);
    expect(await run(['schedules', 'show', schedule_id])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^RESOURCE_NOT_FOUND/),
    });
  });

  const completed = [
    'data push loc',
    '--json decide --up',
    'jobs list --st',
    'plans list --max',
    'data pull demand --fr',
  ];
  const whole = [
    'data push locations',
    '--json decide --upper',
    'jobs list --status',
    'plans list --max-cost',
  ];
  // While it waits, no time-out of a test can end it.
  const MAX_SHELL_MS = 280_000;
  const inShell = (shell: string, script: string, ...args: string[]) =>
    spawnSync(shell, ['-c', script, shell, ...args], { encoding: 'utf8', timeout: MAX_SHELL_MS });
  const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

  test('completion in bash completes commands, kinds of data and options', async () => {
    const file = path.join(
      await folderWith('fleet.bash', (await run(['completion', 'bash'])).out),
      'fleet.bash',
    );
    const script = `source "$1"; for line in "\${@:2}"; do COMP_WORDS=(fleet $line); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _fleet; unset "COMP_WORDS[COMP_CWORD]"; echo \${COMP_WORDS[*]:1} \${COMPREPLY[*]}; done`;
    const { stdout } = inShell('bash', script, file, ...completed);
    expect(stdout.trim().split('\n')).toEqual([...whole, 'data pull demand --from']);
    const all = inShell(
      'bash',
      `source "$1"; COMP_WORDS=(fleet data push ''); COMP_CWORD=3; _fleet; echo \${COMPREPLY[@]}`,
      file,
    );
    expect(all.stdout).toMatch(/^locations fleet demand travel events trip-flows --replace --url/);
  });

  test('completion in fish completes the same, and no option of another command', async ({ skip }) => {
    if (!has('fish')) return skip('fish is not installed');
    const file = path.join(
      await folderWith('fleet.fish', (await run(['completion', 'fish'])).out),
      'fleet.fish',
    );
    const script = 'source $argv[2]; for line in $argv[3..]; complete -C "fleet $line"; end';
    const { stdout } = inShell('fish', script, file, ...completed, 'jobs list --max', 'plans list --st');
    const found = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0]);
    expect(found).toEqual(['locations', '--upper', '--status', '--max-cost', '--from']);
  });

  test('completion in zsh completes the same', async ({ skip }) => {
    if (!has('zsh')) return skip('zsh is not installed');
    const folder = await folderWith('fleet.zsh', (await run(['completion', 'zsh'])).out);
    // A terminal of zsh's own: it completes only what is typed.
    const script = `zmodload zsh/zpty && zpty shell zsh -f -i
      zpty -w shell "cd $1; autoload -U compinit && compinit -D -u; source ./fleet.zsh; fleet() { print -r -- \\$* >> out }"
      for line in "\${@:2}"; do zpty -w shell "fleet $line"$'\t'; done
      zpty -w shell exit; while zpty -r shell; do :; done`;
    inShell('zsh', script, folder, ...completed);
    const typed = readFileSync(path.join(folder, 'out'), 'utf8').trim().split('\n');
    expect(typed).toEqual([...whole, 'data pull demand --from']);
  });

  // From here on there is a worker, started by the first test that needs one.
  let worker: Promise<unknown> | undefined;
  const startWorker = () => (worker ??= service.startWorker());

  test('a watched job is seen to its end although its connection is cut', async () => {
    const proxy = await openProxy(Number(new URL(service.url).port));
    const { job_id } = await client.submit('/api/v1/optimize', simpleRequest());
    const watching = startFleet(`http://127.0.0.1:${proxy.port}`, ['jobs', 'watch', job_id]);
    const told = readAll(watching.stdout!);
    await once(watching.stderr!, 'data');
    proxy.cut();
    await startWorker();
    if (watching.exitCode === null) await once(watching, 'exit');
    expect(watching.exitCode).toBe(0);
    expect(await told).toContain(`${job_id}  completed`);
    await proxy.close();
  });

  test('optimize reads standard input, waits, and prints the plan without colour or bar in a pipe', async () => {
    await startWorker();
    const { code, out, err } = await run(['optimize', '-'], request);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/vehicles moved +2\n/);
    expect(out).not.toContain(ESCAPE);
  });

  test('optimize --json prints the answer of the service, with lines of progress elsewhere', async () => {
    await startWorker();
    const { code, out, err } = await run(['--json', 'optimize', '-', '--watch'], request);
    expect(code).toBe(0);
    const { metadata, ...answer } = JSON.parse(out);
    const job = await client.get('/api/v1/jobs/{job_id}', { params: { path: metadata } });
    expect(job.data.result).toEqual({ ...answer, metadata });
    expect(err).toMatch(/^100 % {2}completed, cost /m);
  });

  test('an infeasible problem ends with 3, and each remedy of the service is shown', async () => {
    await startWorker();
    const body = JSON.stringify({ ...simpleRequest(1, 9), constraints: { min_service_level: 1 } });
    const { code, err } = await run(['optimize', '-'], body);
    expect(code).toBe(3);
    expect(err).toMatch(/^INFEASIBLE_PROBLEM\n/);
    expect(err).toMatch(/^ {2}constraints\.min_service_level: .*lower it to/m);
  });

  test('on a terminal there is a bar of its width, which disappears before the result', async ({ skip }) => {
    if (spawnSync('script', ['--version']).status !== 0) return skip('`script` is not installed');
    await startWorker();
    const cwd = await folderWith('request.json', request);
    const onTerminal = async (command: string, env = {}) => {
      const line = `stty cols 40; ${process.execPath} ${MAIN} ${command}`;
      const terminal = spawn('script', ['-qec', line, '/dev/null'], {
        cwd,
        env: { PATH: process.env.PATH, FLEET_URL: service.url, TERM: 'xterm', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [shown] = await Promise.all([readAll(terminal.stdout!), once(terminal, 'exit')]);
      return shown;
    };
    const shown = await onTerminal('optimize request.json');
    const bars = shown.split(ESCAPE).flatMap((part) => /\[[=-]+\] \d+% .*/.exec(part)?.[0].length ?? []);
    expect(bars.length).toBeGreaterThan(1);
    expect(Math.max(...bars)).toBeLessThanOrEqual(40);
    expect(shown.slice(shown.lastIndexOf(']'))).toContain(`${ESCAPE}[1mPlan`);
    expect(await onTerminal('plans', { NO_COLOR: '1' })).not.toContain(ESCAPE);
  });

  test('jobs and plans are listed, shown, compared and saved', async () => {
    await startWorker();
    const submit = async (vehicles: number) => {
      const { out } = await run(
        ['--json', 'optimize', '-', '--detach'],
        JSON.stringify(simpleRequest(vehicles)),
      );
      const { job_id } = JSON.parse(out);
      return (await client.waitFor(job_id)).metadata as { job_id: string; plan_id: string };
    };
    const [first, second] = [await submit(3), await submit(4)];
    expect((await run(['jobs', '--limit', '1'])).out).toMatch(
      new RegExp(`^job .*\\n${second.job_id} +optimize +completed +optimal .*${second.plan_id}\\n$`),
    );
    expect((await run(['jobs', 'show', first.job_id])).out).toMatch(/result +optimal[\s\S]*\nphase /);
    expect((await run(['plans', '--limit', '2'])).out.match(/plan_\S+/g)).toEqual([
      second.plan_id,
      first.plan_id,
    ]);
    expect((await run(['plans', 'show', first.plan_id])).out).toMatch(/vehicles moved +2\n/);
    // The second has a vehicle more, which stays: every difference has a sign, and counts of vehicles have none.
    expect((await run(['plans', 'compare', first.plan_id, second.plan_id])).out).toMatch(
      /^ {2}demand served +[+±−]\d+\.\d points\n {2}demand unmet +[+±−][\d.]+\n {2}vehicles moved +±0\n[\s\S]*\n {2}cost +[+±−][\d.]+\n {2}same +\d/,
    );
    const file = path.join(await folderWith('empty', ''), 'moves.csv');
    await run(['plans', 'csv', first.plan_id, '--part', 'moves', '-o', file]);
    expect(readFileSync(file, 'utf8')).toMatch(/^source_location,.*\r\n1,Place 1,2,Place 2,2,/);
  });

  const folders: string[] = [];
  async function folderWith(name: string, text: string): Promise<string> {
    const folder = await newTemporaryFolder('cli');
    folders.push(folder);
    await writeFile(path.join(folder, name), text);
    return folder;
  }
  afterAll(() => Promise.all(folders.map(removeFolder)));
});

describe(DOCUMENT, () => {
  const text = readFileSync(path.join(ROOT, DOCUMENT), 'utf8');
  let folder: string;
  let url: string;
  beforeAll(async () => {
    const service = await startTestService({ sample: true });
    ({ url } = service);
    folder = await newTemporaryFolder('cli');
    for (const name of ['package.json', 'node_modules', 'clients']) {
      await symlink(path.join(ROOT, name), path.join(folder, name));
    }
  });
  afterAll(() => removeFolder(folder));

  test('shows what the commands answer', async () => {
    const ids: Ids = new Map();
    const faults: string[] = [];
    for (const [i, { command, answer }] of readSteps(text).entries()) {
      const env = { PATH: process.env.PATH, HOME: folder, FLEET_URL: url };
      // The first time as a reader would; later without npm, which takes longer than the commands.
      const npx = i === 0 ? '' : `npx() { shift; ${process.execPath} ${MAIN} "$@"; }\n`;
      const ran = await new Promise<Ended>((resolve) => {
        execFile('bash', ['-c', npx + useIds(command.text, ids)], { cwd: folder, env }, (error, out, err) =>
          resolve({ code: Number(error?.code ?? 0), out, err }),
        );
      });
      if (ran.code !== 0) faults.push(`line ${command.line}: ends with ${ran.code}`);
      const found = compareAnswer(answer!.text, ran.out.replaceAll(url, 'http://127.0.0.1:8000'), ids);
      faults.push(...found.map((fault) => `line ${command.line}: ${fault}\n${ran.err}`));
    }
    expect(faults).toEqual([]);
  });

  test('runs every command of the program in one of its blocks', () => {
    const run = readSteps(text)
      .map(({ command }) => command.text)
      .join('\n');
    type Program = ReturnType<typeof createProgram>;
    const commandsOf = (program: Program, path: string): string[] =>
      program.commands.length === 0
        ? [path]
        : program.commands.flatMap((one) => commandsOf(one as Program, `${path} ${one.name()}`));
    // What a group does if nothing else is asked of it has no name of its own: `fleet jobs` lists them.
    const patternOf = (path: string) =>
      new RegExp(
        `npx ${path.replace(/ list$/, '(?! (?:show|watch|cancel|compare|csv|create|pause|resume|delete))')}\\b`.replace(
          'fleet',
          'fleet(?: --json)?',
        ),
      );
    const commands = commandsOf(createProgram({}), 'fleet');
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter((path) => !patternOf(path).test(run))).toEqual([]);
  });

  test('names every command of the program', () => {
    const shown = text.split('\n').filter((line) => line.startsWith('| `'));
    const isNamed = (name: string) => shown.some((line) => line.split('|')[1].includes(name));
    const commands = createProgram({}).commands;
    const names = commands
      .flatMap((command) => [command, ...command.commands])
      .map((command) => command.name());
    expect(names.filter((name) => name !== 'list' && !isNamed(name))).toEqual([]);
  });
});
