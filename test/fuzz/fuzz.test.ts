import { beforeAll, expect, test } from 'vitest';
import { importSample } from '../../src/commands/import/sample.ts';
import { startTestService } from '../helpers/service.ts';
import { runFuzz } from './run.ts';

/**
 * The short form of `npm run test:fuzz`: a few hundred requests, and the hard cases that are quick and whose outcome
 * does not hang on how fast the machine is.
 */
let baseUrl: string;
beforeAll(async () => {
  const service = await startTestService({ workers: 2 });
  // Places without demand: the cases are about the sample's.
  await service.pool.query('delete from locations');
  await importSample(service.pool);
  baseUrl = service.url;
});

test('hard cases hold, and random requests from the document are answered as it promises', async () => {
  const { cases, findings } = await runFuzz({
    ...{ baseUrl, requests: 600, seed: 1, concurrency: 4, restSeconds: 0 },
    ...{ caseSeconds: 1, casePattern: /./, pids: [], workerCount: 2, onPhase: () => {} },
  });
  expect(findings).toEqual([]);
  expect(cases.filter(({ outcome }) => outcome === 'fails')).toEqual([]);
  expect(cases.length).toBeGreaterThan(50);
});
