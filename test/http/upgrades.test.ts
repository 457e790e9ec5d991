import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { namelessFiles } from '../helpers/nameless-files.ts';
import { send, startTestService } from '../helpers/service.ts';
import { connectTo } from '../helpers/socket.ts';

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

describe('only the WebSocket upgrades', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({ workers: 0, overrides: { AUDIT: 'on' } });
  });
  /** Sends a request that asks for an upgrade, and reads the status line of its answer. */
  async function upgrade(method: string, path: string, body: Buffer = Buffer.alloc(0), more = '') {
    const socket = await connectTo(service.url);
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}Content-Length: ${body.length}\r\n${more}\r\n`;
    socket.write(Buffer.concat([Buffer.from(head), body]));
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return String(first).split('\r\n')[0];
  }

  test.each([
    ['GET', '/health', 'HTTP/1.1 200 OK'],
    ['GET', '/api/v1/data/fleet', 'HTTP/1.1 200 OK'],
    ['HEAD', '/ws/optimization', 'HTTP/1.1 404 Not Found'],
    ['DELETE', '/api/v1/data/fleet/none', 'HTTP/1.1 404 Not Found'],
    ['GET', '/ws/optimization', 'HTTP/1.1 101 Switching Protocols'],
  ])('%s %s with Upgrade is answered with %s', async (method, path, status) => {
    expect(await upgrade(method, path)).toBe(status);
  });

  test('an upgrade to something else is not one', async () => {
    const socket = await connectTo(service.url);
    socket.write(
      'GET /ws/optimization HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    );
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 404/);
    socket.destroy();
  });

  test('a change that is asked for with Upgrade is made, and its audit row has its status', async () => {
    const body = Buffer.from('vehicle_id,location_id\nV1,1\n');
    const answer = await upgrade('PUT', '/api/v1/data/fleet', body, 'Content-Type: text/csv\r\n');
    expect(answer).toBe('HTTP/1.1 201 Created');
    await expect
      .poll(async () => (await send(`${service.url}/api/v1/audit`)).body.data.entries)
      .toEqual(
        expect.arrayContaining([expect.objectContaining({ operation: 'put_fleet', http_status: 201 })]),
      );
  });

  test('a body larger than its share of memory leaves no file open, whatever its request asks for', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => `1,2,${Math.sin(i)},9\n`).join('');
    const packed = gzipSync(`from_location_id,to_location_id,distance_km,duration_minutes\n${rows}`);
    const more = 'Content-Type: text/csv\r\nContent-Encoding: gzip\r\n';
    expect(await upgrade('PUT', '/api/v1/data/travel', packed, more)).toBe('HTTP/1.1 400 Bad Request');
    expect(await namelessFiles()).toEqual([]);
  });

  test('callers that hang up while their body comes in, or is stored, leave no file open', async () => {
    const head = 'PUT /api/v1/data/travel HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n';
    const row = '1,2,3,4\n'.repeat(50_000);
    for (let cut = 0; cut < 50; cut++) {
      const socket = await connectTo(service.url);
      socket.write(`${head}Content-Length: ${row.length}\r\n\r\n`);
      // The last of them send all of it.
      socket.write(row.slice(0, ((cut + 1) / 40) * row.length), () => socket.destroy());
      await once(socket, 'close');
    }
    await expect.poll(namelessFiles).toEqual([]);
    expect((await send(`${service.url}/health`)).status).toBe(200);
  });
});
