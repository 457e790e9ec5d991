/**
 * `npm run bench:sockets -- [--seconds 20] [--sockets 20] [--jobs 1000] [--backends redis,postgres]`: what one caller
 * can do to the WebSocket of another one. The other one follows a job, whose progress comes twenty times a second over
 * the event bus, sends heartbeats, and subscribes to further jobs now and then. Meanwhile the attacker has as many
 * sockets as `WEBSOCKET_MAX_PER_CALLER` allows, and sends on each of them as fast as it is read.
 *
 * Real processes: an API, a throwaway PostgreSQL, Redis; no worker, so that jobs stay queued and the bench itself
 * reports their progress. The attacker's thread has a lower priority than everything else, and shares the machine.
 */
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { loadConfig } from '../src/config.ts';
import { openDatabase } from '../src/db/client.ts';
import { readEventSecret } from '../src/db/service/event-secret.ts';
import { openEventBus } from '../src/queue/bus.ts';
import type { EventBus } from '../src/queue/event-bus.ts';
import { percentile, readArguments, reportTable, whole } from './cli.ts';
import { sendTimed } from './load/client.ts';
import type { Flood } from './load/flood-thread.ts';
import { endAll, endAllOnFault, endLater } from './load/processes.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { cityRequest } from './requests.ts';

const { seconds, sockets, jobs, backends, json } = readArguments({
  ...{ seconds: 20, sockets: 20, jobs: 1000 },
  backends: 'redis,postgres',
});

const SHAPE = { locations: 20, vehicles: 200, classes: 1, isFractional: false };
const { request, locations: places } = cityRequest(0, SHAPE);
/** Between two reports of progress, and between two heartbeats. */
const BEAT_MS = 50;
/** Between two subscriptions. */
const SUBSCRIBE_MS = 250;
/** How often the own event loop is looked at. */
const OWN_DELAY_MS = 5;
/** From the start of an attack until it counts: buffers fill. */
const WARM_MS = 2000;
/** What has not come so long after the end is lost. */
const MAX_WAIT_MS = 10_000;
const VICTIM = '10.0.0.2';
const ATTACKER = '10.0.0.1';

const message = (type: 'subscribe' | 'unsubscribe', jobId: string) => JSON.stringify({ type, job_id: jobId });

/** What the attacker sends on each socket, again and again, by the jobs that it may follow. */
const ATTACKS: Record<string, (jobIds: string[]) => string[]> = {
  'nobody attacks': () => [],
  'subscriptions to all of its jobs, and their ends': (jobIds) => [
    ...jobIds.map((jobId) => message('subscribe', jobId)),
    ...jobIds.map((jobId) => message('unsubscribe', jobId)),
  ],
  'a subscription that it has': ([jobId]) => Array.from({ length: 1000 }, () => message('subscribe', jobId)),
  'faulty messages': () => Array.from({ length: 1000 }, () => '{}'),
};

/** Milliseconds that the other caller waits. */
type Waits = { progress: number[]; heartbeat: number[]; subscription: number[] };

/** Follows a job for a while, as a client on another address than the attacker. */
async function follow(api: string, bus: EventBus, jobIds: string[]): Promise<Waits> {
  const [jobId, ...others] = jobIds;
  const socket = new WebSocket(`${api.replace('http', 'ws')}/ws/optimization`, {
    headers: { 'x-forwarded-for': VICTIM },
  });
  await once(socket, 'open');
  const waits: Waits = { progress: [], heartbeat: [], subscription: [] };
  const sentMs = new Map<string, number>();
  const arrived = (what: keyof Waits, mark: string) => {
    const since = sentMs.get(mark);
    if (since !== undefined) waits[what].push(performance.now() - since);
    sentMs.delete(mark);
  };
  socket.on('pong', (mark) => arrived('heartbeat', String(mark)));
  socket.on('message', (data) => {
    const { job_id, iterations } = JSON.parse(String(data)) as { job_id: string; iterations: number | null };
    if (job_id !== jobId) arrived('subscription', job_id);
    else if (iterations !== null) arrived('progress', `iteration ${iterations}`);
  });
  socket.send(message('subscribe', jobId));
  await once(socket, 'message');
  const noted = (mark: string) => {
    sentMs.set(mark, performance.now());
    return mark;
  };
  const untilMs = performance.now() + seconds * 1000;
  for (let beat = 1; performance.now() < untilMs; beat++) {
    noted(`iteration ${beat}`);
    const known = { stage: 'solve', incumbent: null, bound: null, gap: null };
    // Sent with what follows, after 20 ms at the latest: the beat does not wait for it.
    void bus.publish({
      type: 'progress',
      job_id: jobId,
      attempt: 1,
      progress: 0.5,
      ...known,
      iterations: beat,
    });
    socket.ping(noted(`beat ${beat}`));
    if (beat % (SUBSCRIBE_MS / BEAT_MS) === 0) {
      const other = others[((beat * BEAT_MS) / SUBSCRIBE_MS) % others.length];
      socket.send(message('subscribe', noted(other)));
      socket.send(message('unsubscribe', other));
    }
    await delay(BEAT_MS);
  }
  const lateMs = performance.now() + MAX_WAIT_MS;
  while (sentMs.size > 0 && performance.now() < lateMs) await delay(BEAT_MS);
  if (sentMs.size > 0) console.error(`${sentMs.size} never came`);
  socket.terminate();
  return waits;
}

async function measure(backend: string): Promise<[name: string, cell: string][]> {
  try {
    const settings = { WEBSOCKET_MAX_PER_CALLER: String(sockets), HTTP_TRUSTED_PROXIES: '127.0.0.1' };
    const { api, env } = await startLoadService(backend, places, settings);
    const jobIds: string[] = [];
    for (let i = 0; i < jobs; i++) {
      const { answer } = await sendTimed(`${api}/api/v1/optimize`, 'POST', JSON.stringify(request), {
        prefer: 'respond-async',
      });
      jobIds.push(answer.data.job_id);
    }
    const onError = (error: unknown) => console.error(error);
    const { db, close } = openDatabase(env.DATABASE_URL, { poolSize: 1, onError });
    const bus = openEventBus(loadConfig(env), await readEventSecret(db), onError);
    await close();
    endLater(() => bus.close());
    const rows: [string, string][] = [];
    for (const [name, messagesOf] of Object.entries(ATTACKS)) {
      const messages = messagesOf(jobIds);
      const thread =
        messages.length === 0
          ? undefined
          : new Worker(new URL('./load/flood-thread.ts', import.meta.url), {
              workerData: { api, sockets, caller: ATTACKER, messages },
            });
      let flooded: Flood = { messages: 0, answerBytes: 0 };
      if (thread) {
        await once(thread, 'message');
        thread.on('message', (latest: Flood) => {
          flooded = latest;
        });
        await delay(WARM_MS);
      }
      const ownDelay = monitorEventLoopDelay({ resolution: OWN_DELAY_MS });
      ownDelay.enable();
      const [before, startedMs] = [flooded, performance.now()];
      const waits = await follow(api, bus, jobIds);
      const elapsedSeconds = (performance.now() - startedMs) / 1000;
      const perSecond = (what: keyof Flood) => (flooded[what] - before[what]) / elapsedSeconds;
      ownDelay.disable();
      await thread?.terminate();
      const own = (percent: number) => Math.max(0, ownDelay.percentile(percent) / 1e6 - OWN_DELAY_MS);
      const figures = (at: (share: number) => number) =>
        [0.5, 0.99, 1].map((share) => at(share).toFixed(0)).join(', ');
      for (const [what, list] of Object.entries(waits)) {
        rows.push([`${name}: ${what}, ms`, figures((share) => percentile(list, share))]);
      }
      rows.push([`${name}: delay of the bench itself, ms`, figures((share) => own(100 * share))]);
      if (!thread) continue;
      rows.push([`${name}: messages that the attacker sends per second`, whole(perSecond('messages'))]);
      rows.push([`${name}: answers to it, KB per second`, whole(perSecond('answerBytes') / 1000)]);
    }
    return rows;
  } finally {
    await endAll();
  }
}

endAllOnFault();
const columns = ['median, p99, longest', ...backends.split(',').map((backend) => BACKENDS[backend])];
const rows = new Map<string, string[]>();
for (const backend of backends.split(',')) {
  for (const [name, cell] of await measure(backend)) rows.set(name, [...(rows.get(name) ?? []), cell]);
}
reportTable({ columns, rows: [...rows].map(([name, cells]) => [name, ...cells]) }, json);
process.exit();
