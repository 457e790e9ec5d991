/**
 * Whether a service that has run for long is as fast as one that has just started. Both do the same calls in turns, so
 * that they share each slow moment of the machine: its own speed wanders by more in half an hour than a service may.
 */

/** A service that is compared. */
export type Side = {
  /** ms of the nth call of a round; undefined: a fault */
  call(nth: number): Promise<number | undefined>;
  /** ms of processor time of its processes so far */
  processorMs(): number;
};

/** A ratio of the old service over the new one, with its standard error. */
export type Ratio = { mean: number; error: number };

/** Most that half an hour may add: a tenth per hour, as for slopes. */
const AS_NEW = 1.05;
const ERRORS = 3;
/** Rounds that do not count: code is compiled in them. */
const WARM_ROUNDS = 3;

/** @param size calls of a round @param rounds that count */
export async function compareWithNew(
  old: Side,
  fresh: Side,
  size: number,
  rounds: number,
): Promise<{ time: Ratio; processor: Ratio }> {
  const sides = [old, fresh];
  const logs: { time: number[]; processor: number[] } = { time: [], processor: [] };
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    const before = sides.map((side) => side.processorMs());
    const times: number[] = [];
    for (let nth = 0; nth < size; nth++) {
      const ms: (number | undefined)[] = [];
      for (const i of (round + nth) % 2 === 0 ? [0, 1] : [1, 0]) ms[i] = await sides[i].call(nth);
      if (ms[0] && ms[1]) times.push(Math.log(ms[0] / ms[1]));
    }
    if (round < 0) continue;
    const [ofOld, ofFresh] = sides.map((side, i) => side.processorMs() - before[i]);
    // Each call counts the same, quick or slow.
    logs.time.push(times.reduce((sum, log) => sum + log, 0) / times.length);
    logs.processor.push(Math.log(ofOld / ofFresh));
  }
  return { time: ratioOf(logs.time), processor: ratioOf(logs.processor) };
}

/** Of logarithms of ratios, at least two. */
export function ratioOf(logs: readonly number[]): Ratio {
  const n = logs.length;
  const log = logs.reduce((sum, one) => sum + one, 0) / n;
  const squares = logs.reduce((sum, one) => sum + (one - log) ** 2, 0);
  const mean = Math.exp(log);
  return { mean, error: mean * Math.sqrt(squares / (n - 1) / n) };
}

/**
 * As new: the ratio with three standard errors is at most 1.05, so that a slow-down of a tenth per hour would have been
 * seen after half an hour. Slower: it exceeds 1 by more than three. Open: neither can be said.
 */
export function judgeRatio({ mean, error }: Ratio): 'as new' | 'slower' | 'open' {
  if (mean + ERRORS * error <= AS_NEW) return 'as new';
  return mean - ERRORS * error > 1 ? 'slower' : 'open';
}
