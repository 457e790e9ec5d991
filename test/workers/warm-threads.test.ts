import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const folder = path.join(import.meta.dirname, '../../workers');
/** A thread whose works keep as many bytes as they are told to; it answers with its id. */
const HOARDER = `
import { threadId } from 'node:worker_threads';
const kept = [];
export default (bytes) => {
  if (bytes > 0) kept.push(Buffer.alloc(bytes, 1));
  return threadId;
};`;

/**
 * What a process of its own says, in which `threads` is one thread of this module and `run` gives it work.
 * @param growthBytes from which a thread is renewed; @param body what it does
 */
async function resultOf(module: string, growthBytes: string, body: string) {
  const files = mkdtempSync(path.join(tmpdir(), 'warm-'));
  onTestFinished(() => rmSync(files, { recursive: true }));
  const file = path.join(files, 'thread.mjs');
  writeFileSync(file, module);
  const text = `
    import { openWarmThreads } from ${JSON.stringify(`${folder}/run/warm-threads.ts`)};
    let started = 0;
    const exits = new Map();
    process.on('worker', (worker) => {
      started++;
      exits.set(worker.threadId, new Promise((resolve) => worker.once('exit', resolve)));
    });
    const MIB = 2 ** 20;
    const threads = openWarmThreads(${JSON.stringify(`file://${file}`)}, 1, ${growthBytes});
    const run = (bytes) => threads.run(bytes, { signal: new AbortController().signal, transferList: [] });
    ${body}
    await threads.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text]);
  return JSON.parse(stdout);
}

test('a thread whose work keeps memory is renewed once, and work that arrives meanwhile is done', async () => {
  const { works, starts } = await resultOf(
    HOARDER,
    '64 * 2 ** 20',
    `const works = [await run(0), await run(128 * MIB), ...(await Promise.all([run(0), run(0)]))];
    await exits.get(works[0]);
    works.push(await run(0), await run(0));
    console.log(JSON.stringify({ works, starts: started }));`,
  );
  expect([works.length, works[1], starts]).toEqual([6, works[0], 2]);
  expect(new Set(works.slice(-2))).toEqual(new Set([works[0] + 1]));
});

test('a thread that never rests is renewed after as much growth as the ones before it', async () => {
  // Each new thread has work at once, while the old one is still about to end.
  const [, ...later]: number[] = await resultOf(
    HOARDER,
    '64 * 2 ** 20',
    `let thread = await run(0);
    const counts = [];
    while (counts.length < 6) {
      const before = started;
      let count = 0;
      for (; started === before; count++) await run(16 * MIB);
      counts.push(count);
      const old = thread;
      while (thread === old) thread = await run(0);
      await exits.get(old);
      await run(0);
    }
    console.log(JSON.stringify(counts));`,
  );
  expect(Math.max(...later)).toBeLessThan(2 * Math.min(...later));
});
