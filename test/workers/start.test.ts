import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { atEnd } from '../helpers/at-end.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';
import { spawnWorkerProcess } from '../helpers/worker-process.ts';

test('a worker whose start fails after it has connected says why and ends, instead of staying half started', async () => {
  const file = path.join('/no-such-folder', 'health');
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../workers/main.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: await createTestDatabase(),
      WORKER_HEALTH_FILE: file,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  atEnd(() => child.kill('SIGKILL'));
  const [code] = await once(child, 'close');
  expect([code, errors]).toEqual([1, expect.stringContaining(file)]);
});

test('a worker whose PostgreSQL shuts down at its first heartbeat waits for it, and is ready then', async () => {
  const url = await createTestDatabase();
  const { pool } = openTestDatabase(url);
  // What a server says that is shutting down. A sequence goes on counting where its transaction is undone.
  await pool.query(`
    create sequence beats;
    create function refuse_first_beat() returns trigger language plpgsql as $$
    begin
      if nextval('beats') = 1 then raise 'terminating connection' using errcode = '57P01'; end if;
      return null;
    end $$;
    create trigger refuse_first_beat before insert on workers execute function refuse_first_beat()`);
  await spawnWorkerProcess(testConfig({ DATABASE_URL: url }));
  const { rows } = await pool.query(
    'select (select last_value >= 2 from beats) as again, (select count(*)::int from workers) as workers',
  );
  expect(rows).toEqual([{ again: true, workers: 1 }]);
});
