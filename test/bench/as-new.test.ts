import { expect, test } from 'vitest';
import { compareWithNew, judgeRatio, ratioOf, type Side } from '../../bench/load/as-new.ts';

/** A service of which each call takes this many ms on a machine whose speed wanders. */
function side(msOf: (nth: number, turn: number) => number | undefined): Side {
  let [turn, used] = [0, 0];
  return {
    async call(nth) {
      const ms = msOf(nth, Math.floor(turn++ / 5));
      used += ms ?? 0;
      return ms;
    },
    processorMs: () => used,
  };
}
const wander = (turn: number) => 1 + Math.sin(turn);

test('a slower service is seen through a machine whose speed wanders by far more', async () => {
  const fresh = side((nth, turn) => (nth + 1) * (1.5 + wander(turn)));
  const old = side((nth, turn) => 1.1 * (nth + 1) * (1.5 + wander(turn)));
  const { time, processor } = await compareWithNew(old, fresh, 5, 8);
  expect(time.mean).toBeCloseTo(1.1);
  expect(processor.mean).toBeCloseTo(1.1);
  expect([judgeRatio(time), judgeRatio(processor)]).toEqual(['slower', 'slower']);
});

test('each call counts the same, and a call that failed does not count', async () => {
  const fresh = side((nth) => [1, 1000, 10][nth]);
  const old = side((nth) => [2, 500, undefined][nth]);
  const { time } = await compareWithNew(old, fresh, 3, 4);
  expect(time).toEqual({ mean: expect.closeTo(1), error: expect.closeTo(0) });
});

test('a ratio has the standard error of the mean of its rounds', () => {
  expect(ratioOf([0, 0.02])).toEqual({ mean: expect.closeTo(1.01005), error: expect.closeTo(0.0101, 4) });
});

test.each([
  [{ mean: 1.02, error: 0.01 }, 'as new'],
  [{ mean: 0.9, error: 0.04 }, 'as new'],
  [{ mean: 1.04, error: 0.01 }, 'slower'],
  [{ mean: 1.03, error: 0.02 }, 'open'],
])('the ratio %o is %s', (ratio, verdict) => {
  expect(judgeRatio(ratio)).toBe(verdict);
});
