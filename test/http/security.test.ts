import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

describe('security', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let base: string;
  beforeAll(async () => {
    service = await startTestService({ workers: 0 });
    base = service.url;
  });

  test('every answer has security headers: pages, JSON, errors, unknown paths', async () => {
    for (const path of ['/docs', '/redoc', '/health', '/api/v1/jobs/none', '/nowhere', '/favicon.ico']) {
      const { headers } = await send(`${base}${path}`);
      expect(headers.get('content-security-policy'), path).toContain("default-src 'self'");
      expect(headers.get('content-security-policy'), path).not.toMatch(/https?:|\*|unsafe-eval/);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(headers.get('referrer-policy'), path).toBe('no-referrer');
      expect(headers.get('x-powered-by'), path).toBeNull();
    }
  });

  describe('bound to loopback', () => {
    test.each([
      'localhost',
      'LOCALHOST:1234',
      'localhost.',
      'fleet.localhost:80',
      '127.0.0.1:8000',
      '127.1.2.3',
      '[::1]:9',
    ])('answers for %s', async (host) => {
      expect((await get(base, '/health', { host })).status).toBe(200);
    });

    test.each([
      'evil.example',
      'evil.example:8000',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '10.0.0.1',
      '[::2]',
      'a b',
    ])('refuses requests for %s with 403', async (host) => {
      const answer = await get(base, '/api/v1/data/fleet', { host });
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.text)).toMatchObject({
        status: 'error',
        errors: [{ code: 'FORBIDDEN', field: 'Host' }],
        metadata: { request_id: answer.headers['x-request-id'] },
      });
    });

    test('refuses such a WebSocket', async () => {
      const refused = await refusal(base, {
        headers: { host: 'evil.example' },
        origin: 'http://evil.example',
      });
      expect([refused.status, refused.body.errors[0].field]).toEqual([403, 'Host']);
    });

    test('answers for the names of the setting HTTP_ALLOWED_HOSTS too, and on other addresses only for these', async () => {
      const HTTP_ALLOWED_HOSTS = 'Fleet.example, other.example';
      const near = await service.startApi({ HTTP_ALLOWED_HOSTS });
      const far = await service.startApi({ HTTP_ALLOWED_HOSTS, HOST: '0.0.0.0' });
      for (const url of [near.url, far.url]) {
        expect((await get(url, '/health', { host: 'fleet.example:443' })).status).toBe(200);
        expect((await get(url, '/health', { host: 'localhost' })).status).toBe(200);
        expect((await get(url, '/health', { host: 'evil.example' })).status).toBe(403);
        // Whoever watches over processes asks each by its address.
        for (const probe of ['/livez', '/readyz', '/livez?from=balancer']) {
          expect((await get(url, probe, { host: '10.0.0.7:8000' })).status).toBe(200);
        }
      }
    });
  });

  test('bound to other addresses answers for every name if no setting names any', async () => {
    const { url } = await service.startApi({ HOST: '0.0.0.0' });
    expect((await get(url, '/health', { host: 'fleet.example' })).status).toBe(200);
  });

  describe('a WebSocket', () => {
    test('is opened by programs, which send no Origin, and by pages of the service itself', async () => {
      for (const options of [{}, { origin: base }, { origin: base.replace('http:', 'https:') }]) {
        const socket = await openSocket(base, options);
        await socket.roundTrip('none');
        socket.close();
      }
    });

    test.each(['http://evil.example', 'http://localhost:1', 'null', 'https://console.example.evil.example'])(
      'is refused to pages of %s with the 403 envelope',
      async (origin) => {
        const { status, body, requestId } = await refusal(base, { origin });
        expect(status).toBe(403);
        expect(body).toMatchObject({ status: 'error', errors: [{ code: 'FORBIDDEN', field: 'Origin' }] });
        expect(body.metadata.request_id).toBe(requestId);
      },
    );

    test('to a path that does not exist, or with an Accept that fits nothing, is refused', async () => {
      expect((await refusal(base, {}, '/nowhere')).status).toBe(404);
      const headers = { accept: 'text/html' };
      expect((await refusal(base, { headers }, '/api/v1/jobs')).status).toBe(406);
    });

    test('is opened by pages of the origins in CORS_ALLOWED_ORIGINS', async () => {
      const { url } = await service.startApi({
        CORS_ALLOWED_ORIGINS: 'https://console.example, http://b.example:81',
      });
      for (const origin of ['https://console.example', 'http://b.example:81']) {
        (await openSocket(url, { origin })).close();
      }
      expect((await refusal(url, { origin: 'http://console.example' })).status).toBe(403);
    });
  });
});

/** GET with headers that fetch does not let anybody set. */
async function get(base: string, path: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(base);
  const sent = request({ hostname, port, path, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** The answer to a handshake that is refused. */
async function refusal(base: string, options: ClientOptions, path = '/ws/optimization') {
  const socket = new WebSocket(`${base.replace('http', 'ws')}${path}`, options);
  const [sent, response] = (await once(socket, 'unexpected-response')) as [ClientRequest, IncomingMessage];
  const body = JSON.parse(await text(response));
  sent.destroy();
  return { status: response.statusCode, body, requestId: response.headers['x-request-id'] };
}
