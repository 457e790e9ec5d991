/**
 * `npm run bench:overload -- [--seconds 120] [--watchers 1000] [--factor 3] [--workers 1] [--backends
 * redis,postgres]`: what becomes of a service that gets several times what it can do. Small problems (20 locations,
 * 200 vehicles), real processes, a throwaway PostgreSQL with its usual durability, Redis without persistence; callers
 * and watchers share the machine with them.
 *
 * First the capacity is measured, with eight callers that wait for their answers (or stated: `--capacity 100`, jobs
 * per second). Then calls arrive at several times that rate, whether earlier ones are answered or not, and the queue
 * may hold five seconds of work. Each job that is accepted has a watcher. `/health` and `/` are asked every 50 and 10
 * ms from a thread of its own, and the watchers' thread has a lower priority than everything else. What the callers'
 * own event loop adds to their times is a row of the table.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { LocationPoint } from '../src/core/optimize/problem/model.ts';
import { openProbe } from '../test/fuzz/probe.ts';
import { percentile, readArguments, reportTable, whole } from './cli.ts';
import { endAll, endAllOnFault, spawnWorker } from './load/processes.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { cityRequest } from './requests.ts';

const {
  seconds,
  watchers,
  factor,
  workers,
  capacity: stated,
  backends,
  json,
} = readArguments({
  ...{ seconds: 120, watchers: 1000, factor: 3, workers: 1, capacity: 0 },
  backends: 'redis,postgres',
});

const SHAPE = { locations: 20, vehicles: 200, classes: 1, isFractional: false };
const bodies = Array.from({ length: 50 }, (_, seed) => JSON.stringify(cityRequest(seed, SHAPE).request));
const CALLERS = 8;
const CAPACITY_SECONDS = 8;
/** Work that the queue may hold, s. */
const QUEUE_SECONDS = 5;
const TICK_MS = 10;
/** How often the callers' own event loop is looked at. */
const OWN_DELAY_MS = 5;

/**
 * Connections of the callers, opened before they are needed, as a reverse proxy keeps them: Node accepts one new
 * connection in each turn of its event loop, so that new ones wait where turns are long.
 */
const CONNECTIONS = 1000;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });

type Told = { status: number; ms: number; jobId: string | undefined };

/** One call; a connection that fails has status 0. */
async function call(
  api: string,
  body: string | undefined,
  prefer = 'respond-async',
  path = 'optimize',
): Promise<Told> {
  const startedMs = performance.now();
  try {
    const sent = request(`${api}/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      agent,
      headers: {
        prefer,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const text = String(await buffer(response));
    const ms = performance.now() - startedMs;
    return { status: response.statusCode ?? 0, ms, jobId: /"job_id":"([^"]+)"/.exec(text)?.[1] };
  } catch {
    return { status: 0, ms: performance.now() - startedMs, jobId: undefined };
  }
}

let sent = 0;
const nextBody = () => bodies[sent++ % bodies.length];

/** Jobs per second with callers that wait, of a service of its own. */
async function measureCapacity(backend: string, places: LocationPoint[]): Promise<number> {
  const { api, env } = await startLoadService(backend, places);
  for (let i = 0; i < workers; i++) await spawnWorker(env);
  for (let i = 0; i < bodies.length; i++) await call(api, nextBody(), 'wait=60'); // warm
  let done = 0;
  const until = performance.now() + CAPACITY_SECONDS * 1000;
  const callOn = async () => {
    while (performance.now() < until) if ((await call(api, nextBody(), 'wait=60')).status === 200) done++;
  };
  await Promise.all(Array.from({ length: CALLERS }, callOn));
  await endAll();
  return done / CAPACITY_SECONDS;
}

async function measure(backend: string): Promise<[name: string, cell: string][]> {
  try {
    const places = cityRequest(0, SHAPE).locations;
    const capacity = stated || (await measureCapacity(backend, places));
    console.error(`${backend}: ${capacity.toFixed(0)} jobs per second`);
    const most = Math.max(20, Math.round(QUEUE_SECONDS * capacity));
    const { api, env } = await startLoadService(backend, places, { QUEUE_MAX_WAITING: String(most) });
    for (let i = 0; i < workers; i++) await spawnWorker(env);
    for (let i = 0; i < bodies.length; i++) await call(api, nextBody(), 'wait=60');
    const thread = new Worker(new URL('./load/watchers-thread.ts', import.meta.url), {
      workerData: { api, watchers },
    });
    await once(thread, 'message');
    await Promise.all(Array.from({ length: CONNECTIONS }, () => call(api, undefined, undefined, 'config')));
    const probe = await openProbe(api, []);
    await probe.look();

    const answers: Told[] = [];
    const ownDelay = monitorEventLoopDelay({ resolution: OWN_DELAY_MS });
    ownDelay.enable();
    const open = new Set<Promise<void>>();
    const startedMs = performance.now();
    let offered = 0;
    for (let nowMs = 0; nowMs < seconds * 1000; nowMs = performance.now() - startedMs) {
      for (const due = (nowMs / 1000) * capacity * factor; offered < due; offered++) {
        const one = call(api, nextBody()).then((told) => {
          answers.push(told);
          if (told.status === 202) thread.postMessage(told.jobId);
        });
        open.add(one);
        void one.finally(() => open.delete(one));
      }
      await delay(TICK_MS);
    }
    const endedMs = performance.now();
    ownDelay.disable();
    const own = (percent: number) =>
      Math.max(0, ownDelay.percentile(percent) / 1e6 - OWN_DELAY_MS).toFixed(0);
    const { health, loop } = await probe.look();
    await Promise.all(open);
    // A caller who comes now is served as before once the queue has room.
    let served: Told;
    do served = await call(api, nextBody(), 'wait=60');
    while (served.status !== 200);
    const recovered = performance.now() - endedMs;
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status === 503 || status === 429);
    const states = new Map<string, number>();
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, i) => {
        for (let j = i; j < accepted.length; j += CALLERS) {
          const { jobId } = accepted[j];
          const status = await endOf(api, jobId ?? '');
          states.set(status, (states.get(status) ?? 0) + 1);
        }
      }),
    );
    const watched = await untilTold(thread, accepted.length);
    await probe.close();
    await thread.terminate();
    const ms = (list: Told[], share: number) =>
      percentile(
        list.map((one) => one.ms),
        share,
      ).toFixed(0);
    return [
      ['capacity: jobs per second', whole(capacity)],
      ['calls per second', whole(offered / ((endedMs - startedMs) / 1000))],
      ['accepted', whole(accepted.length)],
      ['refused with 503', whole(refused.length)],
      ['other answers', whole(answers.length - accepted.length - refused.length)],
      ['refusal, ms: median, p99, longest', `${ms(refused, 0.5)}, ${ms(refused, 0.99)}, ${ms(refused, 1)}`],
      [
        'acceptance, ms: median, p99, longest',
        `${ms(accepted, 0.5)}, ${ms(accepted, 0.99)}, ${ms(accepted, 1)}`,
      ],
      [
        '/health, ms: median, p99, longest',
        `${health.median.toFixed(0)}, ${health.p99.toFixed(0)}, ${health.longest.toFixed(0)}`,
      ],
      ['delay of the callers themselves, ms: median, p99, longest', `${own(50)}, ${own(99)}, ${own(100)}`],
      [
        '/, ms: median, p99, longest',
        `${loop.median.toFixed(0)}, ${loop.p99.toFixed(0)}, ${loop.longest.toFixed(0)}`,
      ],
      ['accepted jobs that completed', `${whole(states.get('completed') ?? 0)} of ${whole(accepted.length)}`],
      [
        'watchers told of an end',
        `${whole(watched.told)} of ${whole(accepted.length)}; ${watched.lost} sockets lost`,
      ],
      ['served again after, s', (recovered / 1000).toFixed(1)],
    ];
  } finally {
    await endAll();
  }
}

/** What the watchers know, when all are told or after ten seconds. */
async function untilTold(thread: Worker, jobs: number): Promise<{ told: number; lost: number }> {
  const until = performance.now() + 10_000;
  for (;;) {
    thread.postMessage('count');
    const [watched] = (await once(thread, 'message')) as [{ told: number; lost: number }];
    if (watched.told >= jobs || performance.now() > until) return watched;
    await delay(100);
  }
}

/** How a job ended. */
async function endOf(api: string, jobId: string): Promise<string> {
  for (;;) {
    const answer = await fetch(`${api}/api/v1/jobs/${jobId}`);
    const { data } = (await answer.json()) as { data: { status: string } | null };
    if (data && !['queued', 'running'].includes(data.status)) return data.status;
    await delay(50);
  }
}

endAllOnFault();
const columns = ['', ...backends.split(',').map((backend) => BACKENDS[backend])];
const rows = new Map<string, string[]>();
for (const backend of backends.split(',')) {
  for (const [name, cell] of await measure(backend)) rows.set(name, [...(rows.get(name) ?? []), cell]);
}
reportTable({ columns, rows: [...rows].map(([name, cells]) => [name, ...cells]) }, json);
process.exit();
