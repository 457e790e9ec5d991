import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { redisCommand, startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

const document = readFileSync(path.join(import.meta.dirname, '../../docs/operator/security.md'), 'utf8');

test.skipIf(!redisCommand())(
  'the Redis user of the security page may do all that the service does, and touches nothing else',
  async () => {
    const folder = await newTemporaryFolder('redis-user');
    const port = await freePort();
    const server = await startRedisServer(port, folder);
    atEnd(async () => {
      await stopProcess(server);
      await removeFolder(folder);
    });
    const admin = new Redis(port);
    atEnd(async () => admin.disconnect());
    const [, setUser] = /`ACL (SETUSER fleet [^`]+)`/.exec(document)!;
    await admin.call('ACL', ...setUser.replace('PASSWORD', 'pass').split(' '));
    const redisUrl = `redis://fleet:pass@127.0.0.1:${port}`;

    const overrides = { QUEUE_PREFIX: 'fleet', RATE_LIMITS: '60,300' };
    const { url } = await startTestService({ redisUrl, overrides });
    const answer = await send(`${url}/api/v1/optimize`, { body: simpleRequest() });
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('r=59')]);
    expect((await send(`${url}/health`)).status).toBe(200);
    expect(await admin.call('ACL', 'LOG')).toEqual([]);

    const user = new Redis(redisUrl);
    atEnd(async () => user.disconnect());
    const others = [
      user.set('other', '1'),
      user.publish('other', ''),
      user.flushall(),
      user.call('CONFIG', 'GET', '*'),
      user.call('ACL', 'LIST'),
      user.keys('*'),
    ];
    for (const one of others) await expect(one).rejects.toThrow('NOPERM');
  },
);
