import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { expect, test } from 'vitest';
import { isPublicAddress } from '../../src/addresses.ts';
import { findUrlFault, openWebhookReach } from '../../src/webhook-urls.ts';
import {
  createResolve,
  type ResolvedAddress,
  sendWebhook,
  signWebhook,
} from '../../workers/duties/webhook-send.ts';
import { retryDelaySeconds } from '../../workers/duties/webhooks.ts';
import { atEnd } from '../helpers/at-end.ts';
import { replyWith, startReceiver } from '../helpers/receiver.ts';

const NOWHERE = openWebhookReach(undefined);
const LOCAL = openWebhookReach('127.0.0.1/32');
const { signal } = new AbortController();
const meaning = (...addresses: string[]) => {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<ResolvedAddress[]> => {
    asked.push(host);
    const address = addresses[Math.min(asked.length, addresses.length) - 1];
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  };
  return { asked, resolve };
};

test('a body is signed as the example of the specification says, by each secret', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const body = '{"test": 2432232314}';
  const expected = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const sign = (...secrets: Buffer[]) =>
    signWebhook('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body, secrets);
  expect(sign(secret)).toBe(expected);
  expect(sign(Buffer.from('another'), secret)).toMatch(new RegExp(`^v1,\\S+ ${RegExp.escape(expected)}$`));
});

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.7',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:0:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '4000::1',
  'not an address',
])('%s is not a public address', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
  '%s is a public address',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ['receiver.example', 'is not a URL that begins with https://'],
  ['ftp://receiver.example/', 'is not a URL that begins with https://'],
  ['https://', 'is not a URL that begins with https://'],
  ['https://me:secret@receiver.example/', 'contains a user name or password; the signature proves who sends'],
  ['https://receiver.example/#a', 'contains a fragment (#), which is never sent; leave it out'],
  ['http://receiver.example/', 'is not encrypted: use https, or name the network'],
  ['https://127.0.0.1/', '127.0.0.1 is not a public address, and WEBHOOK_ALLOWED_NETWORKS does not allow it'],
  ['https://2130706433/', '127.0.0.1 is not a public address'],
  ['https://0x7f.1/', '127.0.0.1 is not a public address'],
  ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1 is not a public address'],
  ['https://[fd00::1]:8443/', 'fd00::1 is not a public address'],
  ['http://1.1.1.1/', '1.1.1.1 would be sent to without encryption'],
])('%s is refused before it is stored', (url, fault) => expect(findUrlFault(url, NOWHERE)).toContain(fault));

test('a name, a public address, and what the operator allows are accepted', () => {
  expect(findUrlFault('https://receiver.example:8443/a?b=c', NOWHERE)).toBeUndefined();
  expect(findUrlFault('https://1.1.1.1/', NOWHERE)).toBeUndefined();
  expect(findUrlFault('http://127.0.0.1:9/', LOCAL)).toBeUndefined();
  expect(findUrlFault('http://[::ffff:127.0.0.1]:9/', LOCAL)).toBeUndefined();
  expect(findUrlFault('http://127.0.0.2:9/', LOCAL)).toContain('127.0.0.2 is not a public address');
});

test('nothing is sent to a name that means an internal address, whatever it meant before', async () => {
  const receiver = await startReceiver();
  const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '::1', '0.0.0.0']) {
    const { resolve } = meaning(address);
    await expect(sendWebhook(url, {}, '{}', { reach: NOWHERE, signal, resolve })).rejects.toThrow(
      /^rebinding\.example is not a public address/,
    );
  }
  const both = async () => [
    { address: '1.1.1.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  await expect(
    sendWebhook(url.replace('http', 'https'), {}, '{}', { reach: NOWHERE, signal, resolve: both }),
  ).rejects.toThrow('rebinding.example is not a public address');
  expect(receiver.at('/')).toEqual([]);
});

test('a name is resolved once: the connection goes to the address that was checked', async () => {
  const receiver = await startReceiver();
  const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
  const { asked, resolve } = meaning('127.0.0.1', '127.0.0.2');
  const answer = await sendWebhook(url, { 'webhook-id': 'a' }, '{}', {
    reach: LOCAL,
    signal,
    resolve,
  });
  expect(answer.status).toBe(204);
  expect(asked).toEqual(['rebinding.example']);
  const [one] = receiver.at('/');
  expect(one.headers.host).toBe(new URL(url).host);
});

test('a redirect is not followed, and of a huge answer only the beginning is read', async () => {
  const receiver = await startReceiver();
  receiver.answer('/moved', replyWith(307, { location: `${receiver.url}/elsewhere` }));
  receiver.answer('/huge', ({ response }) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(100_000)));
    };
    response.on('drain', more);
    more();
  });
  const send = (path: string) => sendWebhook(`${receiver.url}${path}`, {}, '{}', { reach: LOCAL, signal });
  expect((await send('/moved')).status).toBe(307);
  expect(receiver.at('/elsewhere')).toEqual([]);
  const huge = await send('/huge');
  expect([huge.status, huge.text.length]).toEqual([200, 4096]);
});

test('a status counts whatever becomes of the body: broken, malformed, or never ending', async () => {
  const receiver = await startReceiver();
  receiver.answer('/broken', ({ response }) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('half', () => response.destroy());
  });
  receiver.answer('/malformed', ({ response }) => {
    response.socket!.end('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n');
  });
  const time = new AbortController();
  receiver.answer('/endless', ({ response }) => {
    response.writeHead(202);
    response.write('more', () => time.abort());
  });
  const send = async (path: string) =>
    (await sendWebhook(`${receiver.url}${path}`, {}, '{}', { reach: LOCAL, signal: time.signal })).status;
  expect(await send('/broken')).toBe(200);
  expect(await send('/malformed')).toBe(201);
  // Time may be up before the status has come: then nothing is known of it.
  expect(await send('/endless').catch(() => 202)).toBe(202);
});

test('names that a server of names is silent about hold up no other look-up of the process', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  atEnd(() => void silent.close());
  const resolve = createResolve([`127.0.0.1:${silent.address().port}`]);
  let settled = 0;
  const asked = Array.from({ length: 50 }, (_, i) => resolve(`silent${i}.example`).finally(() => settled++));
  for (const one of asked) one.catch(() => {});
  expect((await lookup('localhost')).address).toMatch(/^(127\.0\.0\.1|::1)$/);
  expect(settled).toBe(0);
  await expect(asked[0]).rejects.toThrow(/ETIMEOUT/);
});

test('a name that only this machine knows is found', async () => {
  const none = createSocket('udp4');
  await new Promise<void>((resolve) => none.bind(0, '127.0.0.1', resolve));
  const { port } = none.address();
  await new Promise<void>((resolve) => none.close(() => resolve()));
  const [found] = await createResolve([`127.0.0.1:${port}`])('localhost');
  expect(found.address).toMatch(/^(127\.0\.0\.1|::1)$/);
});

test('a receiver that never answers is left at the time limit; so is a name that is never resolved', async () => {
  const receiver = await startReceiver();
  receiver.answer('/hangs', () => {});
  const send = (url: string, resolve?: () => Promise<never>) =>
    sendWebhook(url, {}, '{}', {
      reach: LOCAL,
      signal: AbortSignal.timeout(300),
      ...(resolve && { resolve }),
    });
  await expect(send(`${receiver.url}/hangs`)).rejects.toThrow();
  await expect(send('https://slow.example/', () => new Promise(() => {}))).rejects.toThrow();
});

test('delays grow from seconds to four hours, and the attempts of a day are few', () => {
  const delays = Array.from({ length: 12 }, (_, i) => retryDelaySeconds(i + 1, 0));
  expect(delays.slice(0, 4)).toEqual([5, 15, 45, 135]);
  expect(delays.at(-1)).toBe(4 * 3600);
  expect(retryDelaySeconds(1, 1)).toBe(7.5);
});
