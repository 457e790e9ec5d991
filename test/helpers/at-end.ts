import { afterAll } from 'vitest';

/**
 * What the end of a test file has to undo. Vitest runs no `afterAll` that is registered inside a hook or a test: this
 * one is registered when the file imports it.
 */
const cleanups: (() => unknown)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Calls `cleanup` at the end of the test file, the latest first. May be called anywhere, in hooks and tests too. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}
