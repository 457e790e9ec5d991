import { beforeEach, onTestFailed, type RunnerTestCase, TestRunner } from 'vitest';

const TENTHS = 10;
const DAY_MS = 86_400_000;
/** Where the random cases of fast-check begin at full depth; each tenth begins elsewhere. */
const FIRST_RUN = 20_240_101;

/** `full`, or which tenth of its random instances each test takes, 0 to 9. */
const depth = process.env.TEST_DEPTH || String(Math.floor(Date.now() / DAY_MS) % TENTHS);
if (!/^(full|\d)$/.test(depth)) throw new Error(`TEST_DEPTH=${depth} is neither full nor a tenth, 0 to 9`);

/** Whether every random instance is tried: `TEST_DEPTH=full`. What holds only of all of them is stated only then. */
export const isFullDepth = depth === 'full';

/**
 * The seeds of a test's random instances: all from `first` to `last` at full depth, otherwise a tenth of them without a
 * gap. The tenth changes every day; `TEST_DEPTH=3` takes that of a fourth day. If the test fails, it says at which seed
 * and how the same seeds are tried again.
 */
export function* seeds(first: number, last: number): Generator<number> {
  const [from, past] = isFullDepth ? [first, last + 1] : tenthOf(first, last, Number(depth));
  let seed = from;
  if (TestRunner.getCurrentTest()) {
    onTestFailed(({ task }) => tellHow(task, seed < past ? `seed ${seed}` : `seeds ${from} to ${past - 1}`));
  }
  for (; seed < past; seed++) yield seed;
}

/** Those of the cases that the day takes, for tests whose cases take a second each: all of them at full depth. */
export function casesOfDay<T>(cases: readonly T[]): T[] {
  if (!TestRunner.getCurrentTest()) {
    beforeEach(({ task, onTestFailed }) => onTestFailed(() => tellHow(task, 'the cases of the day')));
  }
  return [...seeds(0, cases.length - 1)].map((at) => cases[at]);
}

function tellHow({ name, file }: RunnerTestCase, where: string): void {
  console.error(`"${name}" failed at ${where}. Again: TEST_DEPTH=${depth} npx vitest run ${file.name}`);
}

/**
 * Where a tenth of the numbers from `first` to `last` begins, and what comes after it. All ten hold every number, and
 * each at least one.
 */
export function tenthOf(first: number, last: number, tenth: number): [from: number, past: number] {
  const share = (last - first + 1) / TENTHS;
  const from = first + Math.floor(share * tenth);
  return [from, Math.max(from + 1, first + Math.floor(share * (tenth + 1)))];
}

/**
 * Of how many instances of a kind a test has to see more, where that is `count` at full depth. A tenth may hold few of
 * them: a fifth of its share is asked for, and nothing of kinds that are rare.
 */
export function enough(count: number): number {
  return isFullDepth ? count : Math.floor(count / 50) - 1;
}

/** How often fast-check tries a property that is tried `count` times at full depth, and from which seed. */
export function runs(count: number): { numRuns: number; seed: number } {
  if (isFullDepth) return { numRuns: count, seed: FIRST_RUN };
  return { numRuns: Math.ceil(count / TENTHS), seed: FIRST_RUN + 1 + Number(depth) };
}
