const cleanups: (() => unknown)[] = [];

/** Calls `cleanup` at the end of the test file, the latest first. May be called anywhere, including hooks and tests. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Does what `atEnd` was told, all of it: the next file may share this process. */
export async function cleanUp(): Promise<void> {
  const errors: unknown[] = [];
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
