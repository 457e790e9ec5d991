import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { MEMORY_ENVIRONMENT, planCollections } from '../../src/process/memory.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';

const MIB = 1024 ** 2;

/** A process that allocates 400 MiB, lets go of them, and says how large it is whenever it is asked. */
const GROWN = `
import { giveMemoryBack } from '${path.join(import.meta.dirname, '../../src/process/memory.ts')}';
const { begin, close } = giveMemoryBack();
let held = [];
const kept = [];
process.on('message', (what) => {
  if (what === 'stop') return close(), process.disconnect();
  if (what === 'begin') begin();
  if (what === 'grow') held = Array.from({ length: 400 }, () => Buffer.alloc(${MIB}, 1));
  if (what === 'grow in pieces') {
    held = Array.from({ length: 400 * 64 }, (_, i) => {
      if (i % 16 === 0) kept.push(Buffer.alloc(100, 1));
      return Buffer.alloc(${MIB} / 64, 1);
    });
  }
  if (what === 'let go') held = [];
  process.send(process.memoryUsage.rss());
});
process.send('ready');
`;

/** Whether this machine has the C library whose memory can be given back. */
const hasGlibc = 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;

describe('a process that has grown and rests', () => {
  async function growAndLetGo(how: string, begins = false): Promise<void> {
    const folder = await newTemporaryFolder('memory');
    const file = path.join(folder, 'grown.ts');
    await writeFile(file, GROWN);
    const child = fork(file, { env: { ...process.env, ...MEMORY_ENVIRONMENT } });
    atEnd(async () => {
      child.kill('SIGKILL');
      await removeFolder(folder);
    });
    await once(child, 'message');
    const ask = async (what: string): Promise<number> => {
      const answer = once(child, 'message');
      child.send(what);
      return (await answer)[0];
    };
    const rest = await ask('size');
    const peak = await ask(how);
    expect(peak).toBeGreaterThan(rest + 300 * MIB);
    await ask('let go');
    if (begins) expect(await ask('begin')).toBeLessThan(rest * 1.5);
    else await expect.poll(() => ask('size'), { interval: 500 }).toBeLessThan(rest * 1.5);
    child.send('stop');
    await once(child, 'exit');
  }

  test('gives back at once what its start has left', () => growAndLetGo('grow', true));

  test('gives its memory back by itself', () => growAndLetGo('grow'));

  test.skipIf(!hasGlibc)('gives back the free parts between memory that it still uses', () =>
    growAndLetGo('grow in pieces'),
  );
});

describe('collections', () => {
  /** A plan of a process that was 100 at rest, and keeps 300 after so many looks. */
  function grown(looks: number) {
    const plan = planCollections();
    plan.isDue(0, 100);
    plan.noteCollection(100);
    const due = Array.from({ length: looks }, () => {
      const isDue = plan.isDue(0, 300);
      if (isDue) plan.noteCollection(300);
      return isDue;
    });
    return { plan, due };
  }

  test('come less and less often while a process is large and idle', () => {
    const { due } = grown(32);
    expect(due.flatMap((isDue, look) => (isDue ? [look] : []))).toEqual([0, 2, 5, 10, 19]);
  });

  test('begin again as soon as it has worked or grown, and wait until it is idle', () => {
    const worked = grown(32).plan;
    expect([worked.isDue(0.5, 300), worked.isDue(0, 300)]).toEqual([false, true]);
    expect(grown(32).plan.isDue(0, 340)).toBe(true);
    expect(grown(32).plan.isDue(0.5, 340)).toBe(false);
  });

  test('do not come while a process works for a tenth of the time: they drop the code that it needs', () => {
    const { plan } = grown(3);
    expect(Array.from({ length: 100 }, (_, look) => plan.isDue(0.1, 300 + look))).not.toContain(true);
    expect(plan.isDue(0.01, 400)).toBe(true);
  });

  test('do not come while a process is as small as when it was idle', () => {
    const { plan } = grown(3);
    expect(Array.from({ length: 100 }, () => plan.isDue(0, 105))).not.toContain(true);
  });
});

test('containers start with the same environment', async () => {
  const dockerfile = await readFile(path.join(import.meta.dirname, '../../Dockerfile'), 'utf8');
  for (const [name, value] of Object.entries(MEMORY_ENVIRONMENT))
    expect(dockerfile).toContain(`${name}=${value}`);
});
