import { beforeEach, describe, expect, test } from 'vitest';
import {
  type AttemptEnd,
  type ClaimedJob,
  claimJob,
  finishJob,
  giveBackJob,
  readJobInput,
} from '../../src/db/jobs/job-claims.ts';
import { insertJob, type NewJob } from '../../src/db/jobs/job-intake.ts';
import { readJob } from '../../src/db/jobs/jobs.ts';
import {
  beatWorker,
  countClaimable,
  isAmongFirst,
  isHeldBack,
  NO_RUNNING_LIMIT,
  type RunningLimit,
  readQueuePosition,
  removeWorker,
  tidyTurns,
} from '../../src/db/jobs/turns.ts';
import { readPackedText } from '../../src/db/packed-json.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const { db, pool } = openTestDatabase(await createTestDatabase());
const ALL_BUT_ONE: RunningLimit = { runningPerCaller: null, lockSeconds: 30 };
const atMost = (runningPerCaller: number): RunningLimit => ({ runningPerCaller, lockSeconds: 30 });

const store = async (own: Partial<NewJob> = {}) => (await insertJob(db, newJob(own))).jobId;
const storeMany = async (count: number, own: Partial<NewJob> = {}) => {
  for (let i = 0; i < count; i++) await store(own);
};
const claim = async (limit?: RunningLimit) => {
  const job = await claimJob(db, 'w', null, limit);
  if (!job) throw new Error('nothing to claim');
  return job;
};
const callerOf = async ({ jobId }: { jobId: string }) => (await readJob(db, jobId))?.caller ?? '';
const clientOf = async ({ jobId }: { jobId: string }) => (await readJob(db, jobId))?.clientId ?? '';

const end: AttemptEnd = { outcome: 'completed', reason: null, phases: [] };
/** Makes the last attempt of a job one that took so long. */
const took = (job: ClaimedJob, seconds: number) =>
  pool.query(
    'update job_attempts set started_at = ended_at - make_interval(secs => $2) where job_id = $1 and attempt = $3',
    [job.jobId, seconds, job.attempt],
  );
const finish = async (job: ClaimedJob, seconds: number) => {
  const answer = { httpStatus: 200, body: '{}' };
  expect(
    await finishJob(db, job, { status: 'completed', solverStatus: 'optimal', answer }, end),
  ).not.toBeNull();
  await took(job, seconds);
};
/**
 * Serves jobs one after the other until so much worker time is used.
 * @returns what each caller got of it, in seconds
 */
async function serve(seconds: number, lengthOf: (caller: string) => number) {
  const used: Record<string, number> = {};
  for (let total = 0; total < seconds; ) {
    const job = await claim();
    const caller = await callerOf(job);
    const length = lengthOf(caller);
    await finish(job, length);
    used[caller] = (used[caller] ?? 0) + length;
    total += length;
  }
  return used;
}

beforeEach(async () => {
  await pool.query('delete from jobs');
  await pool.query('delete from caller_turns');
  await pool.query('delete from workers');
  await pool.query('update priority_lines set virtual_seconds = 0');
});

describe('turns', () => {
  test('give callers the same worker time, however long their jobs are and however many wait', async () => {
    await storeMany(20, { caller: 'long' });
    await storeMany(200, { caller: 'short' });
    const used = await serve(200, (caller) => (caller === 'long' ? 20 : 1));
    // No further apart than one job of each.
    expect(Math.abs(used.long - used.short)).toBeLessThanOrEqual(21);
  });

  test('are as exact if jobs take fractions of a second', async () => {
    await storeMany(20, { caller: 'long' });
    await storeMany(400, { caller: 'short' });
    const used = await serve(6, (caller) => (caller === 'long' ? 0.4 : 0.01));
    expect(Math.abs(used.long - used.short)).toBeLessThanOrEqual(0.41);
  });

  test('serve a new caller next, in front of ten thousand jobs of another, and then share', async () => {
    await pool.query(
      `insert into jobs (job_id, status, request_id, input, input_hash, caller)
       select 'opt_many' || lpad(i::text, 5, '0'), 'queued', 'r', '{}', '', 'many' from generate_series(1, 10000) i`,
    );
    for (let i = 0; i < 5; i++) await finish(await claim(), 10);
    const [first, second] = [await store({ caller: 'one' }), await store({ caller: 'one' })];
    const order: string[] = [];
    for (let i = 0; i < 4; i++) {
      const job = await claim();
      order.push(job.jobId);
      await finish(job, 10);
    }
    expect(order).toEqual([first, 'opt_many00006', second, 'opt_many00007']);
  });

  test.each([
    ['callers', "'c' || 10000 - i, ''"],
    ['clients of one caller', "'c', 'client' || 10000 - i"],
  ])(
    'serve ten thousand %s with a job each in the order of arrival, without reading all of them',
    async (_who, names) => {
      // One connection: PostgreSQL counts what it has read when it says so.
      const client = await pool.connect();
      const flush = () => client.query('select pg_stat_force_next_flush()');
      try {
        await client.query(
          `insert into jobs (job_id, status, request_id, input, input_hash, caller, client_id)
           select 'opt_' || i, 'queued', 'r', '{}', '', ${names} from generate_series(1, 10000) i`,
        );
        // As autovacuum does within a minute: until then PostgreSQL may think of the tables as they were before.
        await client.query('analyze jobs, caller_turns, client_turns');
        await flush();
        await client.query('select pg_stat_reset()');
        for (let i = 1; i <= 100; i++) {
          const job = await claimJob({ $client: client as never }, 'w');
          expect(job?.jobId).toBe(`opt_${i}`);
        }
        await flush();
        const { rows } = await client.query(
          `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
           where relname in ('jobs', 'caller_turns', 'client_turns', 'job_attempts')`,
        );
        // A claim counts the first hundred of them, and looks at some rows of those who are next.
        expect(rows[0].read).toBeGreaterThan(0);
        expect(rows[0].read).toBeLessThan(100 * 300);
      } finally {
        client.release();
      }
    },
  );

  test.each([
    ['callers', 'nobody waited', 0, "'c' || i, ''"],
    ['callers', 'one caller waited', 1, "'c' || i, ''"],
    ['clients of one caller', 'nobody waited', 0, "'c', 'client' || i"],
    ['clients of one caller', 'one client waited', 1, "'c', 'client' || i"],
  ])(
    'are entered by many %s without reading the line, also where PostgreSQL planned that while %s',
    async (_who, _when, count, names) => {
      await storeMany(count);
      const client = await pool.connect();
      try {
        // Now the tables are known to be so small that to read all of them looks cheapest, by whichever index.
        await client.query('vacuum analyze caller_turns, client_turns');
        await client.query('select pg_stat_force_next_flush()');
        await client.query('begin');
        await client.query(
          `insert into jobs (job_id, status, request_id, input, input_hash, caller, client_id)
           select 'opt_' || i, 'queued', 'r', '{}', '', ${names} from generate_series(1, 2000) i`,
        );
        // What this transaction has done.
        const { rows } = await client.query(
          `select sum(seq_scan)::int as scans, sum(coalesce(idx_tup_fetch, 0))::int as read
           from pg_stat_xact_user_tables where relname in ('caller_turns', 'client_turns')`,
        );
        await client.query('commit');
        expect(rows[0].scans).toBe(0);
        expect(rows[0].read).toBeLessThan(2000 * 10);
      } finally {
        client.release();
      }
    },
  );

  test('take several jobs of several callers that are claimed at the same moment one from each', async () => {
    for (const caller of ['a', 'b', 'c']) await storeMany(5, { caller });
    const claims = await Promise.all(Array.from({ length: 6 }, () => claim()));
    expect((await Promise.all(claims.map(callerOf))).sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  });

  test('give nobody credit for time in which it had nothing to do', async () => {
    await storeMany(1, { caller: 'idle' });
    await storeMany(60, { caller: 'busy' });
    expect(await serve(51, () => 1)).toEqual({ idle: 1, busy: 50 });
    await storeMany(60, { caller: 'idle' });
    const used = await serve(20, () => 1);
    expect(Math.abs(used.idle - used.busy)).toBeLessThanOrEqual(2);
  });

  test('never make a caller wait for an endless stream of new callers', async () => {
    await storeMany(3, { caller: 'known' });
    await finish(await claim(), 5);
    let newcomers = 0;
    // There is always one more that waits.
    await store({ caller: 'new' });
    for (; newcomers < 100; newcomers++) {
      await store({ caller: `new ${newcomers}` });
      const job = await claim();
      await finish(job, 1);
      if ((await callerOf(job)) === 'known') break;
    }
    expect(newcomers).toBeGreaterThan(1);
    expect(newcomers).toBeLessThan(100);
  });

  test('count an attempt that crashed or was given up as used, as far as it went', async () => {
    await storeMany(30, { caller: 'crashing' });
    await storeMany(30, { caller: 'sound' });
    const used: Record<string, number> = { crashing: 0, sound: 0 };
    for (let total = 0; total < 60; total += 3) {
      const job = await claim();
      const caller = await callerOf(job);
      used[caller] += 3;
      if (caller === 'sound') await finish(job, 3);
      else {
        const outcome = total % 2 === 0 ? 'crashed' : 'released';
        await giveBackJob(db, job, { outcome, reason: 'gone', phases: [] }, 3600);
        await took(job, 3);
      }
    }
    expect(Math.abs(used.crashing - used.sound)).toBeLessThanOrEqual(3);
  });

  test('are those of addresses first: names that clients give themselves gain nothing, and share what their address gets', async () => {
    for (let i = 0; i < 40; i++) await store({ caller: '10.0.0.1', clientId: `invented ${i}` });
    await storeMany(40, { caller: '10.0.0.1', clientId: 'honest' });
    await storeMany(40, { caller: '10.0.0.2' });
    const clients: string[] = [];
    const used: Record<string, number> = {};
    for (let i = 0; i < 40; i++) {
      const job = await claim();
      const caller = await callerOf(job);
      used[caller] = (used[caller] ?? 0) + 1;
      if (caller === '10.0.0.1') clients.push(await clientOf(job));
      await finish(job, 1);
    }
    expect(used).toEqual({ '10.0.0.1': 20, '10.0.0.2': 20 });
    expect(new Set(clients).size).toBeGreaterThanOrEqual(19);
  });

  test('go to the clients of an address by what they used', async () => {
    await storeMany(20, { caller: 'a', clientId: 'long' });
    await storeMany(100, { caller: 'a', clientId: 'short' });
    const used: Record<string, number> = { long: 0, short: 0 };
    for (let total = 0; total < 80; ) {
      const job = await claim();
      const client = await clientOf(job);
      const length = client === 'long' ? 10 : 1;
      await finish(job, length);
      used[client] += length;
      total += length;
    }
    expect(Math.abs(used.long - used.short)).toBeLessThanOrEqual(11);
  });

  test('give queue positions: by what each caller used, and what its jobs take', async () => {
    await storeMany(3, { caller: 'long' });
    await storeMany(1, { caller: 'short', clientId: 'x' });
    await finish(await claim(), 4);
    await finish(await claim(), 1);
    const shorts = [];
    for (let i = 0; i < 6; i++) shorts.push(await store({ caller: 'short', clientId: i % 2 ? 'x' : 'y' }));
    const { rows } = await pool.query("select job_id from jobs where status = 'queued'");
    const places = await Promise.all(
      rows.map(async ({ job_id }) => {
        const job = await readJob(db, job_id);
        return { job_id, place: job ? await readQueuePosition(db, job) : 0 };
      }),
    );
    const told = places.sort((a, b) => a.place - b.place);
    expect(told.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const claimed: string[] = [];
    for (let i = 0; i < 8; i++) {
      const job = await claim();
      claimed.push(job.jobId);
      await finish(job, (await callerOf(job)) === 'long' ? 4 : 1);
    }
    expect(told.map(({ job_id }) => job_id)).toEqual(claimed);
  });
});

describe('the limit of jobs that one caller has running', () => {
  test('holds even when many workers claim at the same moment, and other callers pass', async () => {
    await storeMany(10, { caller: 'greedy' });
    await storeMany(5, { caller: 'greedy', clientId: 'invented' });
    await storeMany(5, { caller: 'greedy', priority: 'high' });
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, i) => claimJob(db, `w${i}`, null, atMost(3))),
    );
    expect(claims.filter((job) => job)).toHaveLength(3);
    const other = await store({ caller: 'other', priority: 'low' });
    expect((await claim(atMost(3))).jobId).toBe(other);
    expect(await claimJob(db, 'w', null, atMost(3))).toBeUndefined();
    const [first] = claims.filter((job) => job !== undefined);
    await finish(first, 1);
    expect(await callerOf(await claim(atMost(3)))).toBe('greedy');
    expect(await claimJob(db, 'w', null, atMost(3))).toBeUndefined();
  });

  test('is one fewer than all slots of live workers, and there is no limit with one slot', async () => {
    await storeMany(10, { caller: 'greedy' });
    const claimAll = async () => {
      let count = 0;
      while (await claimJob(db, 'w', null, ALL_BUT_ONE)) count++;
      return count;
    };
    await beatWorker(db, 'a', 1);
    await beatWorker(db, 'b', 2);
    await beatWorker(db, 'dead', 8);
    await pool.query("update workers set heartbeat_at = now() - interval '31 s' where worker_id = 'dead'");
    expect(await claimAll()).toBe(2);
    await beatWorker(db, 'c', 1);
    expect(await claimAll()).toBe(1);
    await removeWorker(db, 'b');
    await removeWorker(db, 'c');
    expect(await claimAll()).toBe(7);
  });

  test('applies when claimable jobs are counted, and when a job ends that held others back', async () => {
    await storeMany(10, { caller: 'greedy' });
    await storeMany(2, { caller: 'other' });
    expect(await countClaimable(db, 100, NO_RUNNING_LIMIT)).toBe(12);
    expect(await countClaimable(db, 5, NO_RUNNING_LIMIT)).toBe(5);
    expect(await countClaimable(db, 100, atMost(3))).toBe(5);
    const jobs = [await claim(atMost(1)), await claim(atMost(1))];
    expect(await countClaimable(db, 100, atMost(1))).toBe(0);
    expect(await countClaimable(db, 100, atMost(2))).toBe(2);
    for (const job of jobs) {
      await finish(job, 1);
      expect(await isHeldBack(db, job.jobId, atMost(1))).toBe(true);
      expect(await isHeldBack(db, job.jobId, atMost(2))).toBe(false);
      expect(await isHeldBack(db, job.jobId, NO_RUNNING_LIMIT)).toBe(false);
      expect(await isHeldBack(db, job.jobId, ALL_BUT_ONE)).toBe(false);
    }
    await pool.query("update jobs set retry_at = now() + interval '1 h' where status = 'queued'");
    expect(await isHeldBack(db, jobs[0].jobId, atMost(1))).toBe(false);
  });
});

describe('the line', () => {
  const countRows = async () => {
    const { rows } = await pool.query(
      'select (select count(*)::int from caller_turns) as callers, (select count(*)::int from client_turns) as clients',
    );
    return rows[0];
  };

  test('forgets idle callers: the others continue, and an empty queue order has none', async () => {
    for (let i = 0; i < 30; i++) await store({ caller: `once ${i}` });
    for (let i = 0; i < 30; i++) await store({ caller: 'often', clientId: `once ${i}` });
    for (let i = 0; i < 60; i++) await finish(await claim(), 0.5);
    await storeMany(100, { caller: 'often' });
    expect((await countRows()).callers).toBeLessThan(31);
    for (let i = 0; i < 100; i++) await finish(await claim(), 0.5);
    expect(await countRows()).toEqual({ callers: 1, clients: 1 });
    await tidyTurns(db, 30);
    expect(await countRows()).toEqual({ callers: 0, clients: 0 });
  });

  test('loses no job that is stored at the moment at which its caller is forgotten', async () => {
    for (let round = 0; round < 60; round++) {
      const clients = Array.from({ length: 4 }, (_, i) => `c${i % 2}`);
      const [ids] = await Promise.all([
        Promise.all(clients.map((clientId) => store({ caller: 'a', clientId }))),
        tidyTurns(db, 30),
        claimJob(db, 'w').then((job) => job && finish(job, 0.01)),
        tidyTurns(db, 30),
      ]);
      for (let job = await claimJob(db, 'w'); job; job = await claimJob(db, 'w')) await finish(job, 0.01);
      const { rows } = await pool.query(
        "select count(*)::int as n from jobs where job_id = any($1) and status = 'completed'",
        [ids],
      );
      expect(rows[0].n).toBe(4);
    }
  });

  test('skips a job that is locked, and does not wait for the lock', async () => {
    const held = await store({ caller: 'a' });
    const next = await store({ caller: 'b' });
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('select from jobs where job_id = $1 for update', [held]);
      expect((await claim()).jobId).toBe(next);
      expect(await claimJob(db, 'w')).toBeUndefined();
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await claim()).jobId).toBe(held);
  });

  test('reads a large request separately, so that no claim waits for a slow reader', async () => {
    const text = (length: number) => JSON.stringify({ text: 'x'.repeat(length) });
    await store({ input: text(100) });
    const large = [await store({ input: text(70_000) }), await store({ input: text(3_000_000) })];
    expect((await claim()).input).toEqual({ request: text(100), locations: null });
    for (const length of [70_000, 3_000_000]) {
      const job = await claim();
      expect(large).toContain(job.jobId);
      expect(job.input).toBeNull();
      const { request, locations } = await readJobInput(db, job.jobId);
      expect([readPackedText(request), locations]).toEqual([text(length), null]);
    }
  });
});

test('the first few workers that are alive look after all: where they die, others are the first', async () => {
  await pool.query('delete from workers');
  for (const id of ['e', 'd', 'c', 'b', 'a']) await beatWorker(db, id, 1);
  const first = async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'never seen'];
    const are = await Promise.all(ids.map((id) => isAmongFirst(db, id, 30, 3)));
    return ids.filter((_, i) => are[i]);
  };
  expect(await first()).toEqual(['a', 'b', 'c']);
  await pool.query("update workers set heartbeat_at = now() - interval '31 s' where worker_id in ('a', 'c')");
  expect(await first()).toEqual(['b', 'd', 'e']);
  await removeWorker(db, 'b');
  expect(await first()).toEqual(['d', 'e']);
  await pool.query('delete from workers');
});
