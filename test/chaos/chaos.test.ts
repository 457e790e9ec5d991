import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { redisCommand } from '../helpers/global-setup.ts';
import { processesUsing } from '../helpers/processes.ts';

/** The short form of `npm run test:chaos`: every kind of fault a time or two. */
const SECONDS = '12';
const LIMIT_MS = 400_000;

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function startRunner(...args: string[]) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const runner = { child, output: '', exited: once(child, 'exit') };
  child.stdout.on('data', (chunk) => {
    runner.output += chunk;
  });
  return runner;
}

describe('under a storm of kills, restarts and cut connections', () => {
  const backends = redisCommand() ? ['redis', 'postgres'] : ['postgres'];
  test.concurrent.each(backends)(
    'every accepted job has exactly one result, and everybody is told the same one (%s backend)',
    async (backend) => {
      const runner = startRunner('--seconds', SECONDS, '--seed', '1', '--backend', backend);
      const [code] = await runner.exited;
      expect(code, runner.output).toBe(0);
      expect(runner.output).toMatch(/lost +0\n +doubled +0\n/);
    },
    LIMIT_MS,
  );
});

describe('the runner of the storm', () => {
  test.concurrent.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves no process and no file behind when it is ended by %s',
    async (signal) => {
      const runner = startRunner('--seconds', '60', '--backend', 'postgres');
      await once(runner.child.stdout, 'data');
      let folder: string | undefined;
      const isUp = async () => {
        folder ??= /starting in (\S+)/.exec(runner.output)?.[1];
        const running = folder ? await processesUsing(folder) : [];
        return running.some(({ command }) => command.includes('workers/main.ts'));
      };
      while (!(await isUp())) await delay(50);
      runner.child.kill(signal);
      const [code] = await runner.exited;
      expect(code).toBe(signal === 'SIGINT' ? 1 : null);
      // The one that cleans up outlives the runner by a moment.
      while (existsSync(folder ?? '') || (await processesUsing(folder ?? '')).length > 0) await delay(50);
    },
    LIMIT_MS,
  );
});
