import { strict as assert } from 'node:assert';
import { WebSocket } from 'ws';
import { createRandom } from '../../core/optimize/instances.ts';
import { type Case, type CaseContext, endlessProblem, endOf, SkippedError, smallProblem } from './case.ts';

const ASYNC = { prefer: 'respond-async' };

/** Stores endless jobs under made-up names, one name each. */
async function storeEndless(context: CaseContext, count: number): Promise<string[]> {
  const random = createRandom(7);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const headers = { ...ASYNC, 'x-client-id': `invented-${i}` };
    const reply = await context.call('POST', '/api/v1/optimize', {
      body: endlessProblem(context, random),
      headers,
    });
    assert.equal(reply.status, 202, reply.text.slice(0, 300));
    ids.push(reply.body.data.job_id);
  }
  return ids;
}

const cancel = (context: CaseContext, id: string) => context.call('DELETE', `/api/v1/jobs/${id}`);

export const jobCases: Case[] = [
  {
    name: 'four long jobs under invented names leave a worker to another address, and can be cancelled',
    seconds: 10,
    async run(context) {
      if (context.workerCount < 2) throw new SkippedError('needs two workers or more');
      const ids = await storeEndless(context, 4);
      try {
        const from = context.another();
        const reply = await context.call('POST', '/api/v1/optimize', { body: smallProblem(context), from });
        from.close();
        assert.equal(reply.status, 200, reply.text.slice(0, 300));
        assert.ok(reply.ms < 10_000, `answered after ${Math.round(reply.ms)} ms`);
        return `answered after ${Math.round(reply.ms)} ms`;
      } finally {
        const statuses = await Promise.all(ids.map(async (id) => (await cancel(context, id)).status));
        const ends = await Promise.all(ids.map((id) => endOf(context, id)));
        assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set(['cancelled']), String(statuses));
      }
    },
  },
  {
    name: 'cancellations in a storm of jobs: a job whose DELETE got 202 ends as cancelled',
    seconds: 5,
    async run(context) {
      const ids = await storeEndless(context, 20);
      const replies = await Promise.all(ids.map((id) => cancel(context, id)));
      for (const { status } of replies) assert.ok(status === 200 || status === 202);
      const ends = await Promise.all(ids.map((id) => endOf(context, id)));
      for (const { status } of ends) assert.equal(status, 'cancelled');
    },
  },
  {
    name: 'over the WebSocket stage, incumbent, bound and gap never fall back to null, and progress never falls',
    seconds: 5,
    async run(context) {
      const random = createRandom(8);
      const problem = {
        ...endlessProblem(context, random),
        options: { time_limit_seconds: 3, explain: true },
      };
      const stored = await context.call('POST', '/api/v1/optimize', { body: problem, headers: ASYNC });
      const jobId = stored.body.data.job_id;
      const messages = await followJob(context.baseUrl, jobId);
      const progress = messages.filter(({ type }) => type === 'progress');
      assert.equal(messages.at(-1)?.type, 'complete');
      assert.ok(progress.length > 0);
      for (const [i, message] of progress.entries()) {
        const before = progress[i - 1];
        if (!before) continue;
        assert.ok(message.progress >= before.progress, 'progress fell');
        for (const key of ['stage', 'incumbent', 'bound', 'gap']) {
          assert.ok(before[key] === null || message[key] !== null, `${key} fell back to null`);
        }
      }
      return `${progress.length} messages`;
    },
  },
  {
    name: 'worker_id does not reveal the name of a host',
    async run(context) {
      const { hostname } = await import('node:os');
      const solved = await context.call('POST', '/api/v1/optimize', { body: smallProblem(context) });
      const job = await context.call('GET', `/api/v1/jobs/${solved.body.metadata.job_id}`);
      assert.ok(!job.text.includes(hostname()), 'names this host');
    },
  },
  {
    name: 'a WebSocket from a page of another origin is refused',
    async run({ baseUrl }) {
      const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws/optimization`, {
        origin: 'https://elsewhere.example',
      });
      const status = await new Promise((resolve) => {
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
        socket.on('open', () => resolve('open'));
        socket.on('error', () => {});
      });
      socket.terminate();
      assert.equal(status, 403);
    },
  },
];

// biome-ignore lint/suspicious/noExplicitAny: messages of several shapes
function followJob(baseUrl: string, jobId: string): Promise<any[]> {
  return new Promise((resolve, reject) => {
    // biome-ignore lint/suspicious/noExplicitAny: messages of several shapes
    const messages: any[] = [];
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws/optimization`);
    socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', job_id: jobId })));
    socket.on('error', reject);
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      messages.push(message);
      if (message.type !== 'complete' && message.type !== 'error') return;
      socket.close();
      resolve(messages);
    });
  });
}
