import { expect, test } from 'vitest';
import {
  createSharedProgress,
  openProgressReader,
  openProgressWriter,
} from '../../workers/shared-progress.ts';

function openBoth() {
  const memory = createSharedProgress();
  return { write: openProgressWriter(memory), read: openProgressReader(memory), memory };
}

test('the newest progress is read once, with the figures that earlier reports told', () => {
  const { write, read } = openBoth();
  expect(read()).toBeNull();
  write({ stage: 'build', progress: 0 });
  write({ stage: 'solve', progress: 0.25, incumbent: 12.5, bound: 0, iterations: 3 });
  write({ stage: 'solve', progress: 0.5, bound: 10, incumbent: null });
  const known = { stage: 'solve', progress: 0.5, incumbent: 12.5, bound: 10, gap: null, iterations: 3 };
  expect(read()).toEqual(known);
  expect(read()).toBeNull();
  write({ stage: 'a name of a stage that is longer than the memory that is kept for names', progress: 1 });
  expect(read()?.stage).toBe('a name of a stage that is longer than the memory');
});

test('progress that is being written is not read in parts', () => {
  const { write, read, memory } = openBoth();
  const version = new Int32Array(memory);
  write({ stage: 'solve', progress: 0.5 });
  Atomics.add(version, 0, 1);
  expect(read()).toBeNull();
  Atomics.add(version, 0, 1);
  expect(read()).toMatchObject({ stage: 'solve', progress: 0.5 });
});
