import { expect, test } from 'vitest';
import { Arrays } from '../../../../src/core/optimize/flow/arrays.ts';
import { createRandom } from '../instances.ts';

test('arrays are zero and of the length asked for, and writing to one changes no other', () => {
  const random = createRandom(1);
  const memory = new Arrays();
  const arrays: (Float64Array | Int32Array | Uint8Array)[] = [];
  for (let a = 0; a < 3000; a++) {
    const length = a % 100 === 0 ? 10_000 : random.integer(0, 150);
    const array = memory[(['float64', 'int32', 'uint8'] as const)[random.integer(0, 2)]](length);
    expect(array.length).toBe(length);
    expect(array.every((value) => value === 0)).toBe(true);
    array.fill(1 + (a % 255));
    arrays.push(array);
  }
  arrays.forEach((array, a) => {
    expect(array.every((value) => value === 1 + (a % 255))).toBe(true);
  });
});
