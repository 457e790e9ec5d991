import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { KeysError, readKeysCommand } from '../../src/commands/keys/command.ts';
import { runKeysCommand } from '../../src/commands/keys/main.ts';
import { send, startTestService } from '../helpers/service.ts';

const service = await startTestService({ workers: 0, overrides: { AUTH: 'keys' } });

const keys = async (...args: string[]) => {
  const { out = '', note = '' } = await runKeysCommand(service.db, readKeysCommand(args));
  return { out, note };
};
const statusWith = async (key: string) =>
  (await send(`${service.url}/api/v1/jobs`, { headers: { 'x-api-key': key } })).status;

// The first steps of docs/operator/security.md.
test('a key is made, shown once, used, replaced and revoked; the database has no secret of it', async () => {
  const args = ['create', '--name', 'Dispatch desk', '--role', 'planner', '--tier', 'premium'];
  const env = { ...process.env, DATABASE_URL: service.config.DATABASE_URL };
  const made = await promisify(execFile)(process.execPath, ['src/commands/keys/main.ts', ...args], { env });
  const key = made.stdout.trim();
  expect(key).toMatch(/^fds_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
  expect(await statusWith(key)).toBe(200);
  const [, id, secret] = /^fds_([a-z0-9]+)_(.*)$/.exec(key)!;
  const noted = await service.pool.query('select actor, operation, resource_id from audit_log');
  expect(noted.rows).toEqual([{ actor: 'command line', operation: 'create_key', resource_id: id }]);
  const { rows } = await service.pool.query('select k::text as row from api_keys k');
  expect(rows).toHaveLength(1);
  expect(rows[0].row).not.toContain(secret);
  expect(rows[0].row).not.toContain(Buffer.from(secret).toString('hex'));

  const { out: other } = await keys('create', '--replaces', id);
  expect(await statusWith(other)).toBe(200);
  const list = (await keys('list')).out.split('\n');
  expect(list[0]).toMatch(/^id +name +role +tier +owner +created +last used +revoked$/);
  for (const line of list.slice(1)) expect(line).toContain(`Dispatch desk  planner  premium  key:${id}`);
  expect(list).toHaveLength(3);
  expect(list.join('\n')).not.toContain(secret);

  expect((await keys('revoke', id)).note).toBe(`${id} ("Dispatch desk") is revoked`);
  expect((await keys('revoke', id)).note).toContain('was revoked before');
  expect(await statusWith(other)).toBe(200);
});

test('a wrong command line says what is wrong, and stores nothing', async () => {
  const count = async () => (await service.pool.query('select count(*)::int as n from api_keys')).rows[0].n;
  const before = await count();
  for (const [args, message] of [
    [['create', '--name', 'x'], '--name and --role are needed'],
    [['create', '--name', 'x', '--role', 'boss'], '--role: "boss" is none of viewer, planner, operator'],
    [['create', '--name', ' ', '--role', 'viewer'], '--name: " " has to be'],
    [['create', '--replaces', 'nobody'], 'no key has the id "nobody"'],
    [['revoke', 'nobody'], 'no key has the id "nobody"'],
    [['list', '--role', 'viewer'], '--role goes with create only'],
    [['list', 'all'], 'list all is none of create, list and revoke <id>'],
    [[], 'nothing is none of create, list and revoke <id>'],
  ] as const) {
    const error = await keys(...args).catch((fault) => fault);
    expect(error).toBeInstanceOf(KeysError);
    expect(error.message).toContain(message);
  }
  expect(await count()).toBe(before);
});
