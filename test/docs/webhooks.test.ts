import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { type Received, startReceiver } from '../helpers/receiver.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { readBlocks } from './blocks.ts';

const run = promisify(execFile);
const blocks = readBlocks(
  readFileSync(path.join(import.meta.dirname, '../../docs/client/webhooks.md'), 'utf8'),
);
const block = (language: string): string => {
  const found = blocks.filter((one) => one.language === language);
  expect(found, language).toHaveLength(1);
  return found[0].text;
};

describe('docs/client/webhooks.md', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let secret: string;
  let event: Received;
  let folder: string;
  beforeAll(async () => {
    folder = await newTemporaryFolder('webhooks');
    const receiver = await startReceiver();
    service = await startTestService({ overrides: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' } });
    const body = { url: `${receiver.url}/events`, events: ['job.completed'] };
    secret = (await send(`${service.url}/api/v1/webhooks`, { body })).body.data.secret;
    await send(`${service.url}/api/v1/optimize`, { body: simpleRequest() });
    [event] = await receiver.count('/events', 1);
    return () => removeFolder(folder);
  });

  test('stores a webhook as it says', async () => {
    const command = block('sh').replaceAll('http://127.0.0.1:8000', service.url);
    const { stdout } = await run('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'success',
      data: { secret: expect.stringMatching(/^whsec_/), active: true },
    });
  });

  test('shows an event with the fields that it has', () => {
    const fieldsOf = (value: object): unknown =>
      Object.entries(value).map(([key, inner]) => [
        key,
        inner && typeof inner === 'object' ? fieldsOf(inner) : null,
      ]);
    expect(fieldsOf(JSON.parse(block('json')))).toEqual(fieldsOf(JSON.parse(event.text)));
  });

  /** Headers and bodies: those of the event, then each with one fault. */
  const cases = (): [headers: Record<string, string>, body: string][] => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const headers = Object.fromEntries(names.map((name) => [name, String(event.headers[name])]));
    return [
      [headers, event.text],
      [{ ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, event.text],
      [headers, `${event.text} `],
      [{ ...headers, 'webhook-id': 'msg_other' }, event.text],
      [{ ...headers, 'webhook-timestamp': '1700000000' }, event.text],
      [{}, event.text],
    ];
  };
  const expected = () => [true, true, false, false, false, false];

  test('checks signatures in TypeScript', async () => {
    const file = path.join(folder, 'check.ts');
    const calls = `console.log(JSON.stringify(${JSON.stringify(cases())}.map(([headers, body]) =>
      isFromService(headers as Headers, body as string, ${JSON.stringify(secret)}))));`;
    await writeFile(file, `${block('ts')}\n${calls}\n`);
    const { stdout } = await run(process.execPath, [file]);
    expect(JSON.parse(stdout)).toEqual(expected());
  });

  test('checks signatures in Python', async ({ skip }) => {
    const python = process.env.TEST_PYTHON ?? 'python3';
    const version = 'import sys; assert sys.version_info >= (3, 10)';
    const hasPython = await run(python, ['-c', version]).catch(() => null);
    skip(hasPython === null, 'no Python 3.10 or newer');
    const file = path.join(folder, 'check.py');
    const calls = `import json, sys
cases = json.loads(sys.argv[1])
print(json.dumps([is_from_service(headers, body.encode(), sys.argv[2]) for headers, body in cases]))`;
    await writeFile(file, `${block('python')}\n${calls}\n`);
    const { stdout } = await run(python, [file, JSON.stringify(cases()), secret]);
    expect(JSON.parse(stdout)).toEqual(expected());
  });
});
