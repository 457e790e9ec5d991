import { expect, test } from 'vitest';
import { Arrays, SpareBuffers } from '../../../../src/core/optimize/flow/arrays.ts';
import { createRandom } from '../instances.ts';

/** Asks for arrays of all kinds, which have to be zero, and writes to them: to each another number. */
function useArrays(memory: Arrays, seed: number): void {
  const random = createRandom(seed);
  const arrays: (Float64Array | Int32Array | Uint8Array)[] = [];
  for (let a = 0; a < 1000; a++) {
    const length = a % 100 === 0 ? random.integer(0, 20_000) : random.integer(0, 150);
    const array = memory[(['float64', 'int32', 'uint8'] as const)[random.integer(0, 2)]](length);
    expect(array.length).toBe(length);
    expect(array.every((value) => value === 0)).toBe(true);
    array.fill(1 + (a % 255));
    arrays.push(array);
  }
  arrays.forEach((array, a) => {
    expect(array.every((value) => value === 1 + (a % 255))).toBe(true);
  });
}

test('arrays are zero and of the length asked for, and writing to one changes no other', () => {
  for (let seed = 0; seed < 3; seed++) useArrays(new Arrays(), seed);
});

test('nor does it where they have the memory of arrays that were released', () => {
  const spare = new SpareBuffers();
  for (let seed = 0; seed < 2; seed++) {
    const memory = new Arrays(spare);
    useArrays(memory, seed);
    // Others begin before these are released.
    const others = new Arrays(spare);
    useArrays(others, seed + 100);
    memory.release();
    useArrays(others, seed + 200);
    others.release();
    // What has given its memory back takes other memory for new arrays.
    const again = new Arrays(spare);
    useArrays(again, seed);
    useArrays(memory, seed);
    useArrays(again, seed + 1);
    memory.release();
    again.release();
  }
});

test('released memory serves the next arrays of that size, up to 32 MiB of it', () => {
  const spare = new SpareBuffers();
  const memory = new Arrays(spare);
  const used = new Set(Array.from({ length: 5 }, () => memory.int32(2 ** 21).buffer));
  expect(spare.take(2 ** 23)).toBeUndefined();
  memory.release();
  const taken = Array.from({ length: 5 }, () => spare.take(2 ** 23));
  expect(taken.map((buffer) => buffer !== undefined && used.has(buffer))).toEqual([
    ...[true, true, true, true, false],
  ]);
});
