import { expect, test } from 'vitest';
import { tenthOf } from './helpers/depth.ts';

test.each([
  [1, 4000],
  [1, 7],
  [60_001, 60_001],
  [0, 24],
])('ten days try every seed from %d to %d, each day at least one', (first, last) => {
  const days = Array.from({ length: 10 }, (_, tenth) => {
    const [from, past] = tenthOf(first, last, tenth);
    return Array.from({ length: past - from }, (_, at) => from + at);
  });
  expect(days.filter((day) => day.length === 0)).toEqual([]);
  expect([...new Set(days.flat())]).toEqual(Array.from({ length: last - first + 1 }, (_, at) => first + at));
});
