import { once } from 'node:events';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

const TIMEOUT_SECONDS = 3;

describe('requests that come in slowly, or broken', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const open = new Set<net.Socket>();
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: { HTTP_REQUEST_TIMEOUT_SECONDS: TIMEOUT_SECONDS },
    });
  });
  afterAll(() => {
    for (const socket of open) socket.destroy();
  });

  /** Sends `text`, then one byte of `rest` ten times a second. Resolves with the answer when the socket is closed. */
  async function drip(text: string, rest = ''): Promise<string> {
    const { hostname, port } = new URL(service.url);
    const socket = net.connect(Number(port), hostname);
    open.add(socket);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(text);
    let sent = 0;
    const timer = setInterval(() => sent < rest.length && socket.write(rest[sent++]), 100);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(timer);
    open.delete(socket);
    return answer;
  }
  function read(answer: string) {
    const [head, body] = answer.split('\r\n\r\n');
    const headers = Object.fromEntries(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.toLowerCase().split(': ')),
    );
    return { status: Number(head.split(' ')[1]), headers, body: JSON.parse(body) };
  }
  const post = (length: number, more = '') =>
    `POST /api/v1/optimize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;

  test('300 dripping sockets are closed before all has come, each with 408 in the envelope', async () => {
    const dripping = Array.from({ length: 300 }, (_, i) =>
      i % 2 === 0
        ? drip('GET /health HTTP/1.1\r\nHost: ', 'x'.repeat(1000))
        : drip(post(1000), ' '.repeat(999)),
    );
    // Others are served meanwhile.
    expect((await send(`${service.url}/health`)).status).toBe(200);
    const answers = (await Promise.all(dripping)).map(read);
    // All of it would come within 100 s: 408 says that it was not waited for.
    for (const { status, headers, body } of answers) {
      expect(status).toBe(408);
      expect(body).toMatchObject({ status: 'error', data: null, errors: [{ code: 'REQUEST_TIMEOUT' }] });
      expect(headers['x-request-id']).toBe(body.metadata.request_id);
    }
  });

  test('the answer to a body that never arrived has the request id of its caller', async () => {
    const { headers } = read(await drip(post(10, 'X-Request-Id: mine\r\n')));
    expect(headers['x-request-id']).toBe('mine');
  });

  test('waiting for an answer is not bounded by it', async () => {
    const answer = await send(`${service.url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { prefer: `wait=${TIMEOUT_SECONDS * 2}` },
    });
    expect(answer.status).toBe(202);
  });

  test('a body that needs half of the time is accepted', async () => {
    const body = JSON.stringify(simpleRequest());
    const head = post(body.length, 'Prefer: respond-async\r\nConnection: close\r\n');
    const pieces = 5;
    const { hostname, port } = new URL(service.url);
    const socket = net.connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(head);
    const size = Math.ceil(body.length / pieces);
    for (let i = 0; i < pieces; i++) {
      await setTimeout((TIMEOUT_SECONDS * 1000 * 0.5) / pieces);
      socket.write(body.slice(i * size, (i + 1) * size));
    }
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1.1 202/);
  });

  test.each([
    [
      'headers beyond 16 KiB',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['what is no HTTP', 'HELLO\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['a method that does not exist', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'VALIDATION_ERROR'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'VALIDATION_ERROR',
    ],
    ['a request without Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_ERROR'],
    [
      'a path that cannot be read',
      'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a chunk without its length',
      'POST /api/v1/optimize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'VALIDATION_ERROR',
    ],
  ])('%s is answered with the envelope and X-Request-Id', async (_what, text, status, code) => {
    const answer = read(await drip(text));
    expect(answer).toMatchObject({ status, body: { status: 'error', data: null, errors: [{ code }] } });
    expect(answer.headers['x-request-id']).toBe(answer.body.metadata.request_id);
  });
});
