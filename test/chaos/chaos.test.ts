import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { isFullDepth } from '../helpers/depth.ts';
import { redisCommand } from '../helpers/global-setup.ts';
import { processesUsing } from '../helpers/processes.ts';

/** The short form of `npm run test:chaos`: most kinds of fault once; at full depth, every kind a time or two. */
const STORM = isFullDepth ? ['--seconds', '12'] : ['--seconds', '6', '--processes', '2'];

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
  test.each(backends)(
    'every accepted job has exactly one result, and everybody is told the same one (%s backend)',
    async (backend) => {
      const runner = startRunner(...STORM, '--seed', '1', '--backend', backend);
      const [code] = await runner.exited;
      expect(code, runner.output).toBe(0);
      expect(runner.output).toMatch(/lost +0\n +doubled +0\n/);
    },
  );
});

describe('the runner of the storm', () => {
  test.each([
    ['while its servers start', 'SIGINT', 'postgres'],
    ['in the storm', 'SIGKILL', 'workers/main.ts'],
  ] as const)(
    'leaves no process and no file behind when it is ended %s by %s',
    async (_when, signal, begun) => {
      const runner = startRunner('--seconds', '60', '--processes', '1', '--backend', 'postgres');
      await once(runner.child.stdout, 'data');
      let folder: string | undefined;
      const running = async () => {
        folder ??= /starting in (\S+)/.exec(runner.output)?.[1];
        return folder ? (await processesUsing(folder)).map(({ command }) => command) : [];
      };
      await expect.poll(running).toContainEqual(expect.stringContaining(begun));
      runner.child.kill(signal);
      const [code] = await runner.exited;
      expect(code).toBe(signal === 'SIGINT' ? 1 : null);
      // The one that cleans up outlives the runner by a moment.
      await expect.poll(running).toEqual([]);
      await expect.poll(() => existsSync(folder!)).toBe(false);
    },
  );
});
