/**
 * The minimal service that stores before it accepts and before it answers: HTTP, one INSERT, a token, a claim, one
 * UPDATE with the answer, an event, and the answer read and sent. It uses the same libraries and durability, and bodies
 * and answers of the same length. It has one table and two indexes, but no checks, solve, thread or plan. As child
 * processes, this file is its API and its worker.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import pg from 'pg';
import { openEventBus } from '../../src/queue/bus.ts';
import { openConsumer, openQueue } from '../../src/queue/queue.ts';
import { endChildLater } from './processes.ts';

export type LeastConfig = { databaseUrl: string; redisUrl: string | undefined; answer: string };

const TABLE = 'create table least_jobs (id int primary key, input json not null, worker text, answer json)';
const LINE = 'create index on least_jobs (id) where worker is null';
const INSERT = 'insert into least_jobs (id, input) values ($1, $2)';
// Does not wait for the disk, like the service's claim.
const CLAIM = `update least_jobs set worker = 'w' where id = (
    select id from least_jobs where worker is null order by id limit 1 for no key update skip locked)
  and set_config('synchronous_commit', 'off', true) = 'off' returning id, input::text`;
const FINISH = 'update least_jobs set answer = $2 where id = $1 and answer is null';
const READ = 'select answer::text from least_jobs where id = $1';

/** Signs its events, as those of the service are signed. */
const SECRET = Buffer.alloc(32);

const connections = ({ databaseUrl, redisUrl }: LeastConfig) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  return {
    run: async (text: string, values: unknown[]) =>
      (await pool.query({ name: text.slice(0, 60), text, values })).rows,
    config: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: 'least',
      WORKER_CONCURRENCY: 1,
      JOB_LOCK_SECONDS: 10,
    },
  };
};

/** @returns the address it listens on */
async function startApi(least: LeastConfig): Promise<string> {
  const { run, config } = connections(least);
  await run(TABLE, []);
  await run(LINE, []);
  const queue = await openQueue(config, console.error);
  const waiting = new Map<string, () => void>();
  const onEnded = ({ job_id }: { job_id: string }) => waiting.get(job_id)?.();
  await openEventBus(config, SECRET, console.error).subscribe(['ended'], onEnded, () => {});
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  let count = 0;
  app.post('/', async (request, reply) => {
    const id = ++count;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    waiting.set(String(id), resolve);
    await run(INSERT, [id, request.body]);
    await queue.enqueue();
    await ended;
    waiting.delete(String(id));
    const [{ answer }] = await run(READ, [id]);
    return reply.type('application/json').send(answer);
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
}

async function startWorker(least: LeastConfig): Promise<string> {
  const { run, config } = connections(least);
  const bus = openEventBus(config, SECRET, console.error);
  const handle = async () => {
    const [claimed] = await run(CLAIM, []);
    if (!claimed) return;
    await run(FINISH, [claimed.id, least.answer]);
    await bus.publish({ type: 'ended', job_id: String(claimed.id) });
  };
  await openConsumer(config, handle, console.error);
  return 'ready';
}

const ROLES = { api: startApi, worker: startWorker };

/** Starts its processes. @returns the address it listens on */
export async function startLeast(least: LeastConfig): Promise<string> {
  const start = async (role: keyof typeof ROLES) => {
    const child = fork(fileURLToPath(import.meta.url), [role]);
    endChildLater(child);
    child.send(least);
    const [told] = (await once(child, 'message')) as [string];
    return told;
  };
  const url = await start('api');
  await start('worker');
  return url;
}

if (import.meta.main) {
  const [least] = (await once(process, 'message')) as [LeastConfig];
  process.send?.(await ROLES[process.argv[2] as keyof typeof ROLES](least));
  process.once('disconnect', () => process.exit());
}
