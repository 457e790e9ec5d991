/**
 * `npm run test:attacks -- [--backends redis,postgres] [--attacks REGEXP] [--seconds 10] [--vehicles 50000]`: what many
 * callers together can make an API process hold. Real processes: an API, a worker that solves one large job first, a
 * throwaway PostgreSQL, Redis for that backend. `/health` and `/` are asked from a thread of its own, every 50 and 10
 * ms; callers share the machine with the service.
 *
 * Exit code 1 if a process ends, grows beyond 700 MiB, does not send another caller the large answer, or answers
 * `/health` later than after 200 ms, the slowest in a hundred apart.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { readArguments, reportTable, whole } from '../../bench/cli.ts';
import { endAll, endAllOnFault, spawnWorker } from '../../bench/load/processes.ts';
import { BACKENDS, startLoadService } from '../../bench/load/service.ts';
import { cityRequest } from '../../bench/requests.ts';
import { openProbe } from '../fuzz/probe.ts';

const MAX_MIB = 700;
const MAX_HEALTH_MS = 200;

const { backends, attacks, seconds, vehicles, json } = readArguments({
  ...{ backends: 'redis,postgres', attacks: '' },
  ...{ seconds: 10, vehicles: 50_000 },
});

/** The service under attack: its address, and a job whose answer is large. */
type Target = { api: string; jobId: string };

/** A body just below the limit of JSON, of one part again and again, which shrinks to less than a hundredth. */
function largeBody(part: string, before: string, after: string): string {
  const parts = part.repeat(Math.ceil(2048 / part.length));
  let text = before;
  for (let i = 0; text.length < 48_000_000; i++) text += `${parts}${Math.sin(i) + 2},`;
  return text.slice(0, -1) + after;
}
const BODIES = {
  numbers: largeBody('0,', '{"demand_forecast":{"1":[', ']},"fleet_state":{"vehicles":[]}}'),
  texts: largeBody('"",', '{"fleet_state":{"vehicles":[', ']}}'),
};

async function sendBodies(api: string, body: string | Buffer, encoding: Record<string, string>, count = 30) {
  const statuses = await Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${api}/api/v1/optimize`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', prefer: 'respond-async', ...encoding },
      }).then(
        async (answer) => {
          await answer.text();
          return String(answer.status);
        },
        () => 'cut',
      ),
    ),
  );
  return tally(statuses);
}

/** How often each outcome came: `28 × 503, 2 × 400`. */
function tally(outcomes: readonly string[]): string {
  const counts = Map.groupBy(outcomes, (one) => one);
  return [...counts].map(([name, { length }]) => `${length} × ${name}`).join(', ');
}

/** Sockets that ask for a large answer again and again, and read nothing. */
async function readNothing(open: () => Promise<{ socket: Socket; ended: () => string }>, count: number) {
  const opened = await Promise.all(Array.from({ length: count }, open));
  await delay(seconds * 1000);
  const outcome = tally(opened.map(({ ended }) => ended()));
  for (const { socket } of opened) socket.destroy();
  return outcome;
}

async function openWebSocket({ api, jobId }: Target) {
  const client = new WebSocket(`${api.replace('http', 'ws')}/ws/optimization`);
  client.on('error', () => {});
  await once(client, 'open');
  const { _socket: socket } = client as unknown as { _socket: Socket };
  socket.pause();
  for (let i = 0; i < 16; i++) client.send(JSON.stringify({ type: 'subscribe', job_id: jobId }));
  return { socket, ended: watch(socket, () => client.ping()) };
}

async function openPipeline({ api, jobId }: Target, path = `/api/v1/jobs/${jobId}`) {
  const socket = connect(Number(new URL(api).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(10));
  return { socket, ended: watch(socket, () => socket.write('\r\n')) };
}

/** Whether the service has closed a socket that reads nothing: a write fails then. */
function watch(socket: Socket, write: () => void): () => string {
  const beat = setInterval(write, 100);
  socket.once('close', () => clearInterval(beat));
  return () => (socket.destroyed ? 'closed' : 'open');
}

/**
 * Reads the large answer again and again, from another address, which takes turns with that of the attack.
 * @returns ends it, and tells how often each outcome came
 */
function readAsOther({ api, jobId }: Target): () => Promise<string[]> {
  let isOver = false;
  const read = async () => {
    const request = get(`${api}/api/v1/jobs/${jobId}`, { localAddress: '127.0.0.2' });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const { length } = await buffer(answer);
    return length > 1e6 ? String(answer.statusCode) : `${answer.statusCode} of ${length} bytes`;
  };
  const reading = (async () => {
    const outcomes: string[] = [];
    for (; !isOver; await delay(1000)) outcomes.push(await read().catch(() => 'cut'));
    return outcomes;
  })();
  return () => {
    isOver = true;
    return reading;
  };
}

const ATTACKS: Record<string, (target: Target) => Promise<string>> = {
  'nobody attacks': async () => {
    await delay(seconds * 1000);
    return '';
  },
  '30 packed bodies of numbers': ({ api }) =>
    sendBodies(api, gzipSync(BODIES.numbers), { 'content-encoding': 'gzip' }),
  '30 packed bodies of texts': ({ api }) =>
    sendBodies(api, gzipSync(BODIES.texts), { 'content-encoding': 'gzip' }),
  '30 plain bodies of numbers': ({ api }) => sendBodies(api, BODIES.numbers, {}),
  '30 packed CSV bodies': ({ api }) =>
    sendCsv(
      api,
      gzipSync(largeBody('1,2,3,4\n', 'from_location_id,to_location_id,distance_km,duration_minutes\n', '')),
    ),
  '12 WebSockets that read nothing': (target) => readNothing(() => openWebSocket(target), 12),
  '200 connections that read nothing': (target) => readNothing(() => openPipeline(target), 200),
};

async function sendCsv(api: string, body: Buffer) {
  const headers = { 'content-type': 'text/csv', 'content-encoding': 'gzip' };
  const put = () =>
    fetch(`${api}/api/v1/data/travel`, { method: 'PUT', body, headers }).then(
      ({ status }) => String(status),
      () => 'cut',
    );
  return tally(await Promise.all(Array.from({ length: 30 }, put)));
}

endAllOnFault();
const chosen = Object.entries(ATTACKS).filter(([name]) => new RegExp(attacks).test(name));
const rows: string[][] = [];
let isGood = true;
for (const backend of backends.split(',')) {
  for (const [name, attack] of chosen) {
    const { request, locations } = cityRequest(1, {
      locations: 20,
      vehicles,
      classes: 1,
      isFractional: false,
    });
    const { api, apiPid, env } = await startLoadService(backend, locations);
    await spawnWorker(env);
    const solved = await fetch(`${api}/api/v1/optimize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...request,
        constraints: { max_rebalancing_cost: null, min_service_level: 0.5 },
      }),
    });
    const answer = await solved.text();
    const { metadata } = JSON.parse(answer) as { metadata: { job_id: string } };
    if (answer.length < vehicles * 20)
      throw new Error(`the answer is small: ${solved.status} ${answer.slice(0, 500)}`);
    const probe = await openProbe(api, [apiPid]);
    await delay(2000);
    await probe.look();
    const target = { api, jobId: metadata.job_id };
    const endOther = readAsOther(target);
    const outcome = await attack(target);
    const others = await endOther();
    await delay(1000);
    const { health } = await probe.look();
    const [memory] = await probe.memory();
    const isAlive = await fetch(`${api}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    isGood &&=
      isAlive &&
      others.every((one) => one === '200') &&
      memory.peak <= MAX_MIB &&
      health.p99 <= MAX_HEALTH_MS;
    rows.push([
      BACKENDS[backend],
      name,
      outcome,
      tally(others),
      ...[memory.rest, memory.peak, health.median, health.p99, health.longest].map(whole),
      isAlive ? 'yes' : 'no',
    ]);
    console.error(rows.at(-1)!.join(' | '));
    await probe.close();
    await endAll();
  }
}
reportTable(
  {
    columns: [
      'backend',
      'attack',
      'outcome',
      'answers to another caller',
      'MiB before',
      'MiB at most',
      'health ms (median)',
      'p99',
      'longest',
      'alive',
    ],
    rows,
  },
  json,
);
process.exit(isGood ? 0 : 1);
