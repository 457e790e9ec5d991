/** The solver's own thread as it is, but that it never sees a stop flag: it goes on until it is ended. */
Atomics.load = (() => 0) as unknown as typeof Atomics.load;
await import('../../../../src/core/optimize/highs/highs-thread.ts');
