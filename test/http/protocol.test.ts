import { beforeAll, describe, expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

/** What HTTP itself says of methods, types and preferences, whatever the operation. */
describe('HTTP', () => {
  let base: string;
  let planId: string;
  beforeAll(async () => {
    const service = await startTestService({ overrides: { HTTP_WAIT_LIMIT_SECONDS: 60 } });
    base = service.url;
    const solved = await send(`${base}/api/v1/optimize`, { body: simpleRequest() });
    planId = solved.body.metadata.plan_id;
  });

  describe('a method that a known path does not have', () => {
    test.each([
      ['GET', '/api/v1/optimize', 'POST, OPTIONS'],
      ['HEAD', '/api/v1/optimize', 'POST, OPTIONS'],
      ['DELETE', '/api/v1/config', 'GET, HEAD, OPTIONS'],
      ['POST', '/api/v1/jobs/opt_1', 'GET, HEAD, DELETE, OPTIONS'],
      ['PATCH', '/api/v1/decisions', 'GET, HEAD, POST, OPTIONS'],
      ['PROPFIND', '/api/v1/data/fleet', 'GET, HEAD, PUT, OPTIONS'],
      ['PUT', '/openapi.json?x=1', 'GET, HEAD, OPTIONS'],
      ['POST', '/docs/static/index.css', 'GET, HEAD, OPTIONS'],
    ])('%s %s is answered with 405 and Allow: %s', async (method, path, allow) => {
      const answer = await send(`${base}${path}`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
      if (method === 'HEAD') return expect(answer.text).toBe('');
      expect(answer.body).toMatchObject({ status: 'error', data: null });
      expect(answer.body.errors[0]).toMatchObject({
        code: 'METHOD_NOT_ALLOWED',
        message: `${path.split('?')[0]} does not support ${method}; use one of ${allow}`,
      });
    });

    test('is refused whatever its body is, before it is read', async () => {
      const headers = { 'content-type': 'text/xml', 'content-encoding': 'zip' };
      for (const [path, status] of [
        ['/api/v1/config', 405],
        ['/nowhere', 404],
      ] as const) {
        expect((await send(`${base}${path}`, { method: 'POST', body: '<x/>', headers })).status).toBe(status);
      }
    });
  });

  test('OPTIONS says which methods a path has; of an unknown path it is 404', async () => {
    const answer = await send(`${base}/api/v1/data/fleet/V1`, { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow'), answer.text]).toEqual([
      204,
      'PATCH, DELETE, OPTIONS',
      '',
    ]);
    expect((await send(`${base}/nowhere`, { method: 'OPTIONS' })).status).toBe(404);
  });

  test('HEAD is answered as GET, without a body', async () => {
    for (const path of ['/health', '/api/v1/data/fleet', `/api/v1/plans/${planId}`, '/api/v1/plans/none']) {
      const [get, head] = [await send(`${base}${path}`), await send(`${base}${path}`, { method: 'HEAD' })];
      expect([head.status, head.headers.get('content-type'), head.text], path).toEqual([
        get.status,
        get.headers.get('content-type'),
        '',
      ]);
    }
  });

  describe('Accept', () => {
    const json = 'application/json; charset=utf-8';
    const csv = 'text/csv; charset=utf-8';
    test.each([
      ['*/*', json],
      ['', json],
      ['text/csv', csv],
      ['TEXT/CSV;charset=UTF-8', csv],
      ['text/csv;q=0.5, application/json', json],
      ['text/csv, application/json;q=0.9', csv],
      ['text/*', csv],
      ['application/*;q=0.2, text/csv;q=0.1', json],
      ['application/json;q=0, */*', csv],
      ['application/json; charset=utf-8', json],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
      ['text/csv;q=0', undefined],
      ['text/html', undefined],
      ['application/json;q=0', undefined],
    ])('"%s" gives a plan as %s', async (accept, type) => {
      const answer = await send(`${base}/api/v1/plans/${planId}`, { headers: { accept } });
      expect(answer.headers.get('vary')).toContain('accept');
      if (type) return expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([406, json]);
      expect(answer.body.errors[0]).toMatchObject({
        code: 'NOT_ACCEPTABLE',
        field: 'Accept',
        message: expect.stringContaining('application/json or text/csv'),
      });
    });

    test('that excludes JSON refuses a job before it is stored', async () => {
      const headers = { accept: 'text/csv' };
      const answer = await send(`${base}/api/v1/optimize`, { body: simpleRequest(), headers });
      expect([answer.status, answer.body.errors[0].code]).toEqual([406, 'NOT_ACCEPTABLE']);
      expect((await send(`${base}/api/v1/jobs`)).body.data.jobs).toHaveLength(1);
    });

    test('leaves errors as they are: a caller of CSV gets them as JSON', async () => {
      const answer = await send(`${base}/api/v1/plans/none`, { headers: { accept: 'text/csv' } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, json]);
    });
  });

  test('Preference-Applied gives the wait that is applied, not the requested one', async () => {
    const headers = { prefer: 'wait=1000' };
    const answer = await send(`${base}/api/v1/optimize`, { body: simpleRequest(), headers });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, 'wait=60']);
  });

  test('/favicon.ico is an icon', async () => {
    const answer = await fetch(`${base}/favicon.ico`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
    expect([...new Uint8Array(await answer.arrayBuffer()).slice(0, 4)]).toEqual([0, 0, 1, 0]);
  });
});
