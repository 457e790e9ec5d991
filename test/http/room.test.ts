import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Hold, openRoom } from '../../src/http/bodies/room.ts';
import { atEnd } from '../helpers/at-end.ts';
import { send, startTestService } from '../helpers/service.ts';
import { connectTo } from '../helpers/socket.ts';

const MIB = 1024 ** 2;

test('all requests together hold no more than the room; small ones find some while large ones fill their share', () => {
  const open = openRoom(10 * MIB);
  const [first, second, third] = ['a', 'b', 'c'].map(open) as [Hold, Hold, Hold];
  expect([first.add(5 * MIB), second.add(3 * MIB), third.fits(MIB), third.add(MIB)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const small = Array.from({ length: 20 }, (_, i) => open(`small ${i}`));
  expect(small.filter((one) => one.add(256 * 1024))).toHaveLength(8);
  first.release();
  first.release();
  expect([third.add(5 * MIB), third.add(1)]).toEqual([false, true]);
});

test('no caller fills the room for large requests alone', () => {
  const open = openRoom(10 * MIB);
  expect([open('a').add(6 * MIB), open('a').add(MIB), open('b').add(2 * MIB)]).toEqual([true, false, true]);
});

test('a body that finds no room gets 503 with Retry-After, a small one is served, and so is the next when there is room', async () => {
  const limit = 4 * MIB;
  const { url } = await startTestService({ workers: 0, overrides: { HTTP_JSON_LIMIT_BYTES: limit } });
  const path = '/api/v1/optimize';
  // Bodies that never end, of callers on two addresses.
  const hanging = [];
  for (const localAddress of ['127.0.0.2', '127.0.0.3']) {
    const socket = await connectTo(url, localAddress);
    atEnd(async () => void socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`);
    socket.write(`Content-Length: ${limit}\r\n\r\n${' '.repeat(limit - 100_000)}`);
    hanging.push(socket);
  }
  const large = gzipSync(
    Array.from({ length: 60_000 }, (_, i) => Math.sin(i))
      .join('')
      .slice(0, 900_000),
  );
  const post = () => send(`${url}${path}`, { body: large, headers: { 'content-encoding': 'gzip' } });
  await expect.poll(async () => (await post()).status).toBe(503);
  const refused = await post();
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.body.errors[0].message).toMatch(/JSON bodies .* 2\.5 times the largest/);
  expect((await send(`${url}${path}`, { body: '{}' })).status).toBe(400);
  for (const socket of hanging) socket.destroy();
  await expect.poll(async () => (await post()).status).toBe(400);
});
