/**
 * API and worker as an operator runs them, on a separate PostgreSQL. The API reports how long its event loop is busy.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { MEMORY_ENVIRONMENT } from '../../src/commands/start/processes.ts';
import { endChildLater } from '../load/processes.ts';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export type Turns = { clock: number; processor: number };
export type Service = { url: string; pids: number[]; turns(): Promise<Turns> };

export async function startService(env: Record<string, string>): Promise<Service> {
  const port = await freePort();
  const start = async (path: string, execArgv: string[]): Promise<ChildProcess> => {
    const child = fork(file(path), {
      execArgv,
      env: { ...MEMORY_ENVIRONMENT, ...process.env, LOG_LEVEL: 'error', PORT: String(port), ...env },
    });
    endChildLater(child);
    const [message] = await once(child, 'message');
    if (message !== 'ready') throw new Error(`${path}: ${message}`);
    return child;
  };
  const api = await start('src/main.ts', ['--import', file('bench/loop/turns.ts')]);
  const worker = await start('workers/main.ts', []);
  return {
    url: `http://127.0.0.1:${port}`,
    pids: [api.pid!, worker.pid!],
    async turns() {
      const answer = once(api, 'message');
      api.send('turns');
      const [turns] = await answer;
      return turns;
    },
  };
}
