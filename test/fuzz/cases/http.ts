import { strict as assert } from 'node:assert';
import { assertRefused, type Case, smallProblem } from './case.ts';

export const httpCases: Case[] = [
  {
    name: 'a method that a path does not have is 405 with Allow',
    async run({ call }) {
      const reply = await call('DELETE', '/api/v1/optimize');
      assertRefused(reply, 405);
      assert.match(reply.headers.allow ?? '', /POST/);
    },
  },
  {
    name: 'Accept is negotiated: the best type by its q-value, 406 if none fits',
    async run({ call }) {
      const accept = (text: string) => call('GET', '/api/v1/data/locations', { headers: { accept: text } });
      assertRefused(await accept('application/xml'), 406);
      assert.equal((await accept('application/xml;q=1, application/json;q=0.1')).status, 200);
      assert.equal((await accept('*/*')).status, 200);
    },
  },
  {
    name: 'Preference-Applied gives the wait that is applied',
    async run(context) {
      const headers = { prefer: 'wait=99999' };
      const reply = await context.call('POST', '/api/v1/optimize', { body: smallProblem(context), headers });
      const applied = Number(/wait=(\d+)/.exec(String(reply.headers['preference-applied']))?.[1]);
      assert.ok(applied < 99_999, String(reply.headers['preference-applied']));
      return String(reply.headers['preference-applied']);
    },
  },
  {
    name: '/favicon.ico is there',
    async run({ call }) {
      assert.equal((await call('GET', '/favicon.ico')).status, 200);
    },
  },
  {
    name: 'answers are compressed if the client asks, and carry security headers',
    async run({ call }) {
      const reply = await call('GET', '/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
      assert.equal(reply.headers['content-encoding'], 'gzip');
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
      assert.ok(reply.headers['content-security-policy']);
    },
  },
  {
    name: 'a foreign Host is refused if the service is bound to loopback',
    async run({ call, baseUrl }) {
      const { hostname } = new URL(baseUrl);
      const reply = await call('GET', '/', { headers: { host: 'attacker.example' } });
      assert.ok(reply.status >= 400 && reply.status < 500, `${hostname} answered ${reply.status}`);
    },
  },
  {
    name: 'every operation has an operationId of its own',
    async run({ call }) {
      const { body } = await call('GET', '/openapi.json');
      const ids = Object.values<Record<string, { operationId?: string }>>(body.paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId),
      );
      assert.ok(ids.every(Boolean));
      assert.equal(new Set(ids).size, ids.length);
    },
  },
];
