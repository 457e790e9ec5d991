import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cutText, sendJsonText } from '../../src/http/bodies/raw-json.ts';
import { STREAM_PAGE_ROWS, streamList } from '../../src/http/lists/list-stream.ts';

const fullPage = (n: number) =>
  Array.from({ length: STREAM_PAGE_ROWS }, (_, i) => ({ id: n * STREAM_PAGE_ROWS + i }));

describe('a streamed list', () => {
  test('is one JSON envelope, however many pages it has', async () => {
    for (const sizes of [[0], [1], [STREAM_PAGE_ROWS, 0], [STREAM_PAGE_ROWS, STREAM_PAGE_ROWS, 3]]) {
      const pages = sizes.map((size, n) => fullPage(n).slice(0, size));
      let n = 0;
      const stream = await streamList(
        'r',
        'rows',
        async () => pages[n++],
        async () => ({ total: n }),
      );
      const text = (await stream.toArray()).join('');
      expect(JSON.parse(text)).toMatchObject({
        status: 'success',
        data: { rows: pages.flat(), total: sizes.length },
        metadata: { request_id: 'r' },
      });
    }
  });

  test('asks for each page after the last row of the one before', async () => {
    const asked: unknown[] = [];
    const readPage = async (after: { id: number } | null) => {
      asked.push(after?.id ?? null);
      return asked.length < 3 ? fullPage(asked.length - 1) : [];
    };
    await (await streamList('r', 'rows', readPage, async () => ({}))).toArray();
    expect(asked).toEqual([null, STREAM_PAGE_ROWS - 1, 2 * STREAM_PAGE_ROWS - 1]);
  });

  test('reads at most a few pages ahead of a reader that does not read, and none for one that has left', async () => {
    let reads = 0;
    const readPage = async () => fullPage(reads++);
    const stream = await streamList('r', 'rows', readPage, async () => ({}));
    stream.once('readable', () => {});
    for (let i = 0; i < 100; i++) await turn();
    expect(reads).toBeLessThanOrEqual(3);
    stream.destroy();
    await once(stream, 'close');
    const atEnd = reads;
    for (let i = 0; i < 100; i++) await turn();
    expect(reads).toBe(atEnd);
  });

  describe('over HTTP', () => {
    const app = Fastify();
    let base: string;
    beforeAll(async () => {
      app.get('/:failsAt', async (request, reply) => {
        const failsAt = Number((request.params as { failsAt: string }).failsAt);
        let n = 0;
        const readPage = async () => {
          if (n === failsAt) throw new Error('the database is gone');
          return fullPage(n++);
        };
        return sendJsonText(reply, await streamList(request.id, 'rows', readPage, async () => ({})));
      });
      base = await app.listen({ port: 0, host: '127.0.0.1' });
    });
    afterAll(() => app.close());

    test('breaks the connection if a later page fails, instead of ending an incomplete answer', async () => {
      const response = await fetch(`${base}/2`);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    });

    test('answers with the error if the first page fails', async () => {
      expect((await fetch(`${base}/0`)).status).toBe(500);
    });
  });
});

test('a text that is cut into pieces is the same text, whatever characters are at the cuts', () => {
  for (const shift of [0, 1]) {
    const text = 'x'.repeat(shift) + '💥'.repeat(100_000);
    const pieces = [...cutText(text)];
    expect(pieces.length).toBeGreaterThan(3);
    expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()).toBe(text);
  }
});
