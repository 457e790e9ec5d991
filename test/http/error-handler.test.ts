import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AppError, LimitError } from '../../src/answers/errors.ts';
import { handleError } from '../../src/http/error-handler.ts';

test('what a caller has not stored yet, and a full queue, are no errors in the log; what fails in the service is', async () => {
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const loggerInstance = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const app = Fastify({ loggerInstance, disableRequestLogging: true });
  app.setErrorHandler(handleError);
  app.get('/young', () => Promise.reject(new AppError('MODEL_NOT_LOADED', 'nothing was observed yet')));
  app.get('/full', () => Promise.reject(new LimitError('SERVICE_UNAVAILABLE', '7 jobs are waiting')));
  app.get('/away', () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'the queue cannot be reached')));
  app.get('/broken', () => Promise.reject(new Error('a fault')));
  const statuses = [];
  for (const url of ['/young', '/full', '/away', '/broken'])
    statuses.push((await app.inject(url)).statusCode);
  expect(statuses).toEqual([503, 503, 503, 500]);
  const [info, error] = [pino.levels.values.info, pino.levels.values.error];
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [info, 'MODEL_NOT_LOADED'],
    [info, 'SERVICE_UNAVAILABLE'],
    [error, 'SERVICE_UNAVAILABLE'],
    [error, 'INTERNAL_ERROR'],
  ]);
  expect(lines[0]!.reason).toBe('nothing was observed yet');
  expect(lines[1]!.reason).toContain('7 jobs');
});
