import { expect, test } from 'vitest';
import { openFairLine } from '../../src/http/fair-line.ts';

/** A line whose work ends when it is told to, and the names of the work that has started. */
function openTestLine(places: number) {
  const line = openFairLine(places);
  const started: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const results = new Map<string, Promise<string>>();
  const ask = (caller: string, ...names: string[]) => {
    for (const name of names) {
      const work = () => {
        started.push(name);
        return new Promise<string>((resolve, reject) =>
          ends.set(name, { resolve: () => resolve(name), reject }),
        );
      };
      results.set(name, line(caller, work));
    }
  };
  const end = async (name: string) => {
    ends.get(name)!.resolve();
    await expect(results.get(name)).resolves.toBe(name);
  };
  return { ask, end, started, results, ends };
}

test.each([1, 2, 3])(
  'with all %i places held by one caller, whose line is long, another caller is next',
  async (places) => {
    const { ask, end, started } = openTestLine(places);
    ask('a', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    ask('b', 'b1', 'b2');
    expect(started).toEqual(['a1', 'a2', 'a3'].slice(0, places));
    await end('a1');
    expect(started.slice(places)).toEqual(['b1']);
  },
);

test('callers take turns, one by one, and each in its own order', async () => {
  const { ask, end, started } = openTestLine(1);
  ask('a', 'a1', 'a2', 'a3');
  ask('b', 'b1', 'b2');
  ask('c', 'c1');
  for (let i = 0; i < 6; i++) await end(started[i]);
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('nobody waits behind an endless stream of new callers', async () => {
  const { ask, end, started } = openTestLine(1);
  ask('a', 'a1', 'a2', 'a3');
  for (let i = 0; !started.includes('a3'); i++) {
    ask(`new ${i}`, `new ${i}`);
    ask(`newer ${i}`, `newer ${i}`);
    await end(started.at(-1)!);
    expect(i).toBeLessThan(20);
  }
});

test('a failure is passed on, and the next one starts', async () => {
  const { ask, end, started, results, ends } = openTestLine(1);
  ask('a', 'a1', 'a2');
  ends.get('a1')!.reject(new Error('no history'));
  await expect(results.get('a1')).rejects.toThrow('no history');
  await end('a2');
  ask('b', 'b1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
});
