import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { packJson } from '../../src/db/packed-json.ts';
import { answerInOrder, openTurns } from '../../src/http/bodies/turns.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newJob } from '../helpers/jobs.ts';
import { send, startTestService } from '../helpers/service.ts';

/** A reader of an answer with this name, which notes what is made for it. */
function openReader(turns: ReturnType<typeof openTurns>, name: string, made: string[]) {
  async function* pieces() {
    for (let i = 1; ; i++) {
      made.push(`${name}${i}`);
      yield `${name}${i}`;
    }
  }
  const cut = Promise.withResolvers<void>();
  let isGone = false;
  const answer = turns('caller', pieces(), {
    isGone: () => isGone,
    cut: () => {
      void answer.return(undefined);
      cut.resolve();
    },
  });
  const leave = () => {
    isGone = true;
    return answer.return(undefined);
  };
  return { read: async () => (await answer.next()).value, cut: cut.promise, leave };
}

test('while an answer waits, who has read nothing for longest is cut off, and nobody else', async () => {
  const turns = openTurns(2, 1);
  const [first, second, third] = ['a', 'b', 'c'].map((name) => openReader(turns, name, []));
  expect([await first!.read(), await second!.read()]).toEqual(['a1', 'b1']);
  expect(await third!.read()).toBe('c1');
  await first!.cut;
  expect([await first!.read(), await second!.read()]).toEqual([undefined, 'b2']);
});

test('who leaves while it waits has nothing made for it, and holds up nobody', async () => {
  const made: string[] = [];
  const turns = openTurns(1, 3_600_000);
  const [first, second, third] = ['a', 'b', 'c'].map((name) => openReader(turns, name, made));
  expect(await first!.read()).toBe('a1');
  const [waits, last] = [second!.read(), third!.read()];
  void second!.leave();
  await first!.leave();
  expect([await waits, await last]).toEqual([undefined, 'c1']);
  expect(made).toEqual(['a1', 'c1']);
});

test('requests that are sent ahead on a connection begin when those before are answered', async () => {
  const app = Fastify();
  atEnd(() => app.close());
  answerInOrder(app);
  const before: { writableFinished: boolean }[] = [];
  const begun: boolean[] = [];
  app.get('/', async (_request, { raw }) => {
    begun.push(before.every(({ writableFinished }) => writableFinished));
    before.push(raw);
    await new Promise(setImmediate);
    return 'x'.repeat(100_000);
  });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n';
  socket.write(`${`${request}\r\n`.repeat(19)}${request}Connection: close\r\n\r\n`);
  await once(socket.resume(), 'close');
  expect(begun).toEqual(Array(20).fill(true));
});

test('a reader of a large answer who reads nothing is cut off, and brings nobody else a refusal', async () => {
  const service = await startTestService({ workers: 0, overrides: { LARGE_ANSWERS_AT_ONCE: 1 } });
  // More than all buffers on the way hold.
  const input = JSON.stringify({ text: 'x'.repeat(30_000_000) });
  const { jobId } = await insertJob(service.db, newJob({ input, columns: await packJson(input) }));
  const path = `/api/v1/jobs/${jobId}/request`;
  const slow = connect(Number(new URL(service.url).port), '127.0.0.1');
  slow.on('error', () => {});
  slow.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(20));
  await once(slow, 'readable');
  for (const { status, text } of await Promise.all([1, 2, 3].map(() => send(service.url + path)))) {
    expect(status).toBe(200);
    expect(text.includes(input)).toBe(true);
  }
  await once(slow.resume(), 'close');
  expect(slow.bytesRead).toBeLessThan(input.length);
});
