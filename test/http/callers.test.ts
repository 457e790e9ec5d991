import { expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const ask = async (url: string, headers: Record<string, string> = {}, options: object = {}) => {
  const answer = await send(`${url}/api/v1/optimize`, {
    body: { ...simpleRequest(), options },
    headers: { prefer: 'respond-async', ...headers },
  });
  const { rows } = await service.pool.query('select caller, client_id, facts from jobs where job_id = $1', [
    answer.body.data?.job_id,
  ]);
  return { answer, stored: rows[0] };
};
const apiWith = async (own: Partial<Config>) => (await service.startApi(own)).url;

test('a caller is its address, with the name of its client; X-Forwarded-For is not read', async () => {
  const { stored } = await ask(service.url, { 'x-forwarded-for': '203.0.113.7' });
  expect(stored).toEqual({ caller: '127.0.0.1', client_id: '', facts: { timeLimitSeconds: null } });
  for (const name of ['invented', 'another']) {
    const { stored } = await ask(service.url, { 'x-client-id': name }, { time_limit_seconds: 7 });
    expect(stored).toEqual({ caller: '127.0.0.1', client_id: name, facts: { timeLimitSeconds: 7 } });
  }
});

test('behind a trusted proxy a caller is the last address that is not a trusted one, whatever precedes it', async () => {
  const url = await apiWith({ HTTP_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8' });
  const callerOf = async (forwarded: string) =>
    (await ask(url, { 'x-forwarded-for': forwarded })).stored.caller;
  expect(await callerOf('203.0.113.7')).toBe('203.0.113.7');
  expect(await callerOf('198.51.100.1, 203.0.113.7, 10.1.1.1')).toBe('203.0.113.7');
  expect(await callerOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  const other = await apiWith({ HTTP_TRUSTED_PROXIES: '10.0.0.0/8' });
  expect((await ask(other, { 'x-forwarded-for': '203.0.113.7' })).stored.caller).toBe('127.0.0.1');
});

test('the priority high is for everybody, for nobody, or for the addresses of the setting', async () => {
  const high = { priority: 'high' };
  expect((await ask(service.url, {}, high)).answer.status).toBe(202);
  const nobody = await apiWith({ PRIORITY_HIGH_FOR: 'nobody' });
  const some = await apiWith({ PRIORITY_HIGH_FOR: '203.0.113.0/24', HTTP_TRUSTED_PROXIES: '127.0.0.1' });
  const countJobs = async () => (await service.pool.query('select count(*)::int as n from jobs')).rows[0].n;
  const before = await countJobs();
  for (const [url, address] of [
    [nobody, '203.0.113.7'],
    [some, '198.51.100.1'],
  ]) {
    const { answer } = await ask(url, { 'x-forwarded-for': address }, high);
    expect([answer.status, answer.body.errors]).toEqual([
      403,
      [
        {
          code: 'FORBIDDEN',
          field: 'options.priority',
          message: expect.stringMatching(/"high" is reserved .*use "normal" or "low"/),
          detail: null,
        },
      ],
    ]);
  }
  expect(await countJobs()).toBe(before);
  expect((await ask(some, { 'x-forwarded-for': '203.0.113.7' }, high)).answer.status).toBe(202);
  expect((await ask(nobody, {}, { priority: 'low' })).answer.status).toBe(202);
});
