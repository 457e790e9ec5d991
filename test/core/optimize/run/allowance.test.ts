import { expect, test } from 'vitest';
import { createAllowance } from '../../../../src/core/optimize/run/stopping.ts';
import { compute } from '../compute.ts';

test('what may be done past the time limit has its time of a processor, however long others keep that from it', () => {
  const isSpent = createAllowance(50);
  expect(isSpent()).toBe(false);
  // The thread waits, as it does while other threads have the processor.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  expect(isSpent()).toBe(false);
  compute(60);
  expect(isSpent()).toBe(true);
});
