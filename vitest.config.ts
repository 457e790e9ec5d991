import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Every process and thread that tests start loads the same code: Node compiles it once for all of them.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Tests of the unit lane outside its own folders. `test/lanes.test.ts` keeps the lanes honest. */
const PURE = [
  'test/bench/tables.test.ts',
  'test/clients/python-generated.test.ts',
  'test/clients/schema.test.ts',
  'test/commands/start/log-file.test.ts',
  'test/console/{local-time,settings,texts}.test.ts',
  'test/db/hour.test.ts',
  'test/docs/answers.test.ts',
  'test/fuzz/judge.test.ts',
  'test/http/{faults,list-stream,prefer}.test.ts',
  'test/http/intake/json-fault.test.ts',
  'test/queue/signed-events.test.ts',
];

/** The lanes beside `unit`: folders by what their tests need. `npm test` runs unit, service and smoke. */
const LANES = {
  // PostgreSQL and Redis.
  service: ['test/{db,http,process,queue,workers}/**/*.test.ts'],
  // One look at everything a user touches first: console, start, README's commands, TypeScript client.
  smoke: ['test/smoke/**/*.test.ts'],
  browser: ['test/console/**/*.test.ts'],
  // Processes that start, upgrade, fail, are saved and restored.
  system: ['test/{bench,chaos,commands,deploy,docs,e2e,fuzz}/**/*.test.ts', 'test/container.test.ts'],
  clients: ['test/clients/**/*.test.ts'],
};

/** What a lane starts once beside PostgreSQL and Redis. */
const MORE: Record<string, string[]> = {
  smoke: ['./test/helpers/browser-setup.ts'],
  browser: ['./test/helpers/browser-setup.ts'],
  clients: ['./test/helpers/python-setup.ts'],
};

export default defineConfig({
  test: {
    // One per core: what they share (PostgreSQL, Redis) is small beside what they run. Each needs about 1 GB.
    maxWorkers: Math.max(2, Math.min(availableParallelism(), 16)),
    // It only catches what hangs: a busy machine never reaches it. At full depth a test tries ten times as much.
    testTimeout: process.env.TEST_DEPTH === 'full' ? 3_600_000 : 300_000,
    hookTimeout: 300_000,
    // It says what a test waits for, before that time-out ends it.
    expect: { poll: { timeout: 280_000 } },
    setupFiles: './test/helpers/setup.ts',
    tags: [
      {
        name: 'slow',
        description: 'random instances against an oracle, or solves that take their time',
      },
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Loading the code once per file would take longer than most tests. What replaces modules resets them.
          isolate: false,
          include: ['test/*.test.ts', 'test/{core,contracts,csv,inputs}/**/*.test.ts', ...PURE],
          exclude: ['test/container.test.ts'],
        },
      },
      ...Object.entries(LANES).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include,
          exclude: PURE,
          // Here, too, loading the code would take longer than most tests.
          isolate: name !== 'service',
          globalSetup: ['./test/helpers/global-setup.ts', ...(MORE[name] ?? [])],
        },
      })),
    ],
  },
});
