import { expect, test } from 'vitest';
import { makeApiKey } from '../../src/api-keys.ts';
import { startApi } from '../../src/main.ts';
import { createLogger, logRepeated } from '../../src/process/logger.ts';
import { atEnd } from '../helpers/at-end.ts';
import { storeKey } from '../helpers/keys.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

test('an error that repeats is logged at once, then once in ten seconds with how often it came', () => {
  const lines: object[] = [];
  let now = 0;
  const log = logRepeated({ warn: (line: object) => lines.push(line) } as never, 'connection', () => now);
  const gone = new Error('gone');
  const away = new Error('away');
  for (let i = 0; i < 1000; i++) log(gone);
  log(away);
  expect(lines).toEqual([{ err: gone }, { err: away }]);
  now = 10_000;
  log(gone);
  log(gone);
  expect(lines.slice(2)).toEqual([{ err: gone, repeated: 999 }]);
});

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.c2VjcmV0IHBheWxvYWQ.c2VjcmV0IHNpZ25hdHVyZQ';

/** Lines of a log, as text. */
function collect() {
  const lines: string[] = [];
  return { lines, stream: { write: (line: string) => void lines.push(line) } };
}

test('no secret reaches the log of an API, wherever it was sent', async () => {
  const service = await startTestService({ workers: 0, overrides: { AUTH: 'keys' } });
  const { headers } = await storeKey(service.db, 'operator');
  const { lines, stream } = collect();
  const api = await startApi(service.config, createLogger('api', { LOG_LEVEL: 'trace' }, stream));
  atEnd(() => api.close());
  const { key } = makeApiKey();
  const secret = key.split('_').slice(2).join('_');
  const ask = (path: string, options: Parameters<typeof send>[1] = {}) => send(`${api.url}${path}`, options);
  await ask(`/api/v1/jobs?api_key=${key}`);
  await ask(`/api/v1/jobs?limit=7&token=a-secret-of-its-own`, { headers });
  await ask(`/nowhere?password=a-secret-of-its-own`);
  await ask(`/api/v1/jobs/${key}`, { headers });
  await ask('/api/v1/jobs', { headers: { 'x-api-key': key } });
  await ask('/api/v1/jobs', { headers: { authorization: `Bearer ${TOKEN}` } });
  await ask(`/api/v1/jobs/${TOKEN}`, { headers });
  // A statement that fails, and with it what it was sent.
  await service.pool.query('alter table locations rename to gone');
  const body = simpleRequest(1);
  body.fleet_state.vehicles[0]!.id = 'a-secret-of-its-own';
  const failed = await ask('/api/v1/optimize', { headers, body });
  const patched = await ask('/api/v1/data/locations/1', {
    method: 'PATCH',
    headers,
    body: { name: 'a-secret-of-its-own' },
  });
  await service.pool.query('alter table gone rename to locations');
  expect([failed.status, patched.status]).toEqual([500, 500]);

  const log = lines.join('');
  expect(log).toContain('/api/v1/jobs?api_key=…');
  expect(log).toContain('/api/v1/jobs?limit=7&token=…');
  expect(log).toContain('Failed query: ');
  for (const hidden of [secret, 'a-secret-of-its-own', TOKEN.split('.')[2]!])
    expect(log).not.toContain(hidden);
});

test('an error is logged with its causes, without passwords of URLs and values of the database', () => {
  const { lines, stream } = collect();
  const logger = createLogger('worker', { LOG_LEVEL: 'info' }, stream);
  const refused = Object.assign(new Error('invalid input syntax for type json: "a secret"'), {
    ...{
      severity: 'ERROR',
      code: '22P02',
      detail: 'Token "a secret" is invalid.',
      where: 'unnamed portal: a secret',
    },
  });
  logger.error({
    err: new Error('no answer from postgresql://fleet:a%20secret@db:5432/fleet', { cause: refused }),
  });
  const [line] = lines;
  expect(line).not.toMatch(/a( |%20)secret/);
  const { err } = JSON.parse(line!);
  expect(err).toMatchObject({
    type: 'Error',
    message: 'no answer from postgresql://…db:5432/fleet',
    cause: { code: '22P02', message: 'invalid input syntax for type json: …' },
  });
  expect(err.cause.stack).toMatch(/logger\.test\.ts/);
});
