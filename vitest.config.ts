import { defineConfig } from 'vitest/config';

/** Tests that need PostgreSQL, Redis, a browser, or processes of their own. */
const SERVICE = [
  'test/{bench,chaos,clients,commands,console,db,deploy,docs,e2e,fuzz,http,process,queue,workers}/**/*.test.ts',
  'test/container.test.ts',
];
/** Tests in those folders that need none of it. `test/lanes.test.ts` keeps both lists honest. */
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

export default defineConfig({
  test: {
    maxWorkers: 2,
    testTimeout: 10_000,
    hookTimeout: 10_000,
    tags: [
      {
        name: 'slow',
        description: 'thousands of random instances against an oracle, or solves that take their time',
        // The longest took 119 s on 2 cores with a load of 8: 600 random problems, each solved by HiGHS as well. The
        // limit only catches what hangs.
        timeout: 300_000,
      },
    ],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/*.test.ts', 'test/{core,contracts,csv,inputs}/**/*.test.ts', ...PURE],
          exclude: ['test/container.test.ts'],
        },
      },
      {
        test: {
          name: 'service',
          include: SERVICE,
          exclude: PURE,
          globalSetup: './test/helpers/global-setup.ts',
          // Servers and processes start and stop within single tests: with a load of 8 on 2 cores the slowest of them,
          // a start of the whole service after a kill, took 37 s.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Where a whole suite would be lost to a machine that stands still: a wait that never ended is tried again,
          // once, and the run says so. A wrong answer is wrong at once.
          ...(process.env.CI && { retry: { count: 1, condition: /timed out|Timeout \d+ms exceeded/ } }),
        },
      },
    ],
  },
});
