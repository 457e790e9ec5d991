import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../helpers/services.ts';

test('a worker whose start fails after it has connected says why and ends, instead of living on half started', async () => {
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
  const deadline = setTimeout(() => child.kill('SIGKILL'), 45_000);
  const [code] = await once(child, 'close');
  clearTimeout(deadline);
  expect([code, errors]).toEqual([1, expect.stringContaining(file)]);
});
