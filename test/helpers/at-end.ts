import { afterAll } from 'vitest';

/**
 * The clean-up at the end of a test file. Vitest ignores an `afterAll` that is registered inside a hook or a test, so
 * this one is registered when the file imports this module.
 */
const cleanups: (() => unknown)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Calls `cleanup` at the end of the test file, the latest first. May be called anywhere, including hooks and tests. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}
