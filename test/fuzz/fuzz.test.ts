import { beforeAll, expect, test } from 'vitest';
import { isFullDepth } from '../helpers/depth.ts';
import { startTestService } from '../helpers/service.ts';
import { runFuzz } from './run.ts';

/**
 * The short form of `npm run test:fuzz`: a few hundred requests, fewer at sampled depth, and the hard cases that are
 * quick and whose outcome does not hang on how fast the machine is.
 */
let baseUrl: string;
beforeAll(async () => {
  const service = await startTestService({ workers: 2, sample: true });
  baseUrl = service.url;
});

test('hard cases hold, and random requests from the document are answered as it promises', async () => {
  const { cases, findings, operations } = await runFuzz({
    ...{ baseUrl, requests: isFullDepth ? 600 : 200, seed: 1, concurrency: 4, restSeconds: 0 },
    ...{ caseSeconds: 1, casePattern: /./, pids: [], workerCount: 2, onPhase: () => {} },
  });
  expect(findings).toEqual([]);
  expect(cases.filter(({ outcome }) => outcome === 'fails')).toEqual([]);
  expect(cases.length).toBeGreaterThan(50);
  const answered = (name: string) => operations.get(name)?.statuses.get(200) ?? 0;
  const read = answered('GET /api/v1/replays/{replay_id}');
  const compared = answered('GET /api/v1/replays/{replay_id}/compare/{other_replay_id}');
  expect(read + compared, `read ${read}, compared ${compared}`).toBeGreaterThan(0);
});
