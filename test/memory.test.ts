import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MEMORY_ENVIRONMENT } from '../src/memory.ts';
import { newTemporaryFolder, removeFolder } from './helpers/folders.ts';

const MIB = 1024 ** 2;

/** A process that allocates 400 MiB, lets go of them, and says how large it is whenever it is asked. */
const GROWN = `
import { giveMemoryBack } from '${path.join(import.meta.dirname, '../src/memory.ts')}';
const { close } = giveMemoryBack();
let held = [];
process.on('message', (what) => {
  if (what === 'stop') return close(), process.disconnect();
  if (what === 'grow') held = Array.from({ length: 400 }, () => Buffer.alloc(${MIB}, 1));
  if (what === 'let go') held = [];
  process.send(process.memoryUsage.rss());
});
process.send('ready');
`;

test('a process that has grown and rests gives its memory back by itself', { timeout: 60_000 }, async () => {
  const folder = await newTemporaryFolder('memory');
  const file = path.join(folder, 'grown.ts');
  await writeFile(file, GROWN);
  const child = fork(file, { env: { ...process.env, ...MEMORY_ENVIRONMENT } });
  await once(child, 'message');
  const ask = async (what: string): Promise<number> => {
    const answer = once(child, 'message');
    child.send(what);
    return (await answer)[0];
  };
  const rest = await ask('size');
  const peak = await ask('grow');
  expect(peak).toBeGreaterThan(rest + 300 * MIB);
  await ask('let go');
  await expect.poll(() => ask('size'), { timeout: 40_000, interval: 500 }).toBeLessThan(rest * 1.5);
  child.send('stop');
  await once(child, 'exit');
  await removeFolder(folder);
});

test('containers start with the same environment', async () => {
  const dockerfile = await readFile(path.join(import.meta.dirname, '../Dockerfile'), 'utf8');
  for (const [name, value] of Object.entries(MEMORY_ENVIRONMENT))
    expect(dockerfile).toContain(`${name}=${value}`);
});
