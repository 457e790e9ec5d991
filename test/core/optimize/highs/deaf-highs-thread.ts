/** The solver's own thread, except that it never sees a stop flag: it continues until it is ended. */
Atomics.load = (() => 0) as unknown as typeof Atomics.load;
await import('../../../../src/core/optimize/highs/highs-thread.ts');
