import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { atEnd } from '../../helpers/at-end.ts';
import { storeKey } from '../../helpers/keys.ts';
import { send, simpleRequest, startTestService } from '../../helpers/service.ts';
import { openSocket } from '../../helpers/socket.ts';

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'fleet';
const SECRET = 'a secret of more than thirty-two characters';

type Key = Parameters<SignJWT['sign']>[0];
const tokenOf = (claims: JWTPayload, key: Key, alg: string, own: { expires?: string; kid?: string } = {}) =>
  new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'ada', role: 'planner', ...claims })
    .setProtectedHeader({ alg, ...(own.kid && { kid: own.kid }) })
    .setExpirationTime(own.expires ?? '5m')
    .sign(key);

describe('tokens signed with a secret, beside keys', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const secret = new TextEncoder().encode(SECRET);
  beforeAll(async () => {
    service = await startTestService({
      overrides: {
        AUTH: 'keys,jwt',
        JWT_SECRET: SECRET,
        JWT_ISSUER: ISSUER,
        JWT_AUDIENCE: AUDIENCE,
        JWT_ROLE_CLAIM: 'realm_access.roles',
      },
    });
  });
  const ask = async (token: string, path = '/api/v1/jobs', body?: unknown) =>
    send(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });
  const roles = (...names: string[]) => ({ realm_access: { roles: names } });

  test('the highest role of the claim counts, and a token without one may use only what is public', async () => {
    const statusOf = async (claims: JWTPayload) => (await ask(await tokenOf(claims, secret, 'HS256'))).status;
    expect(await statusOf(roles('offline_access', 'viewer', 'planner'))).toBe(200);
    expect(await statusOf(roles('viewer'))).toBe(403);
    expect(await statusOf(roles('admin'))).toBe(403);
    expect(await statusOf({ role: 'operator' })).toBe(403);
  });

  test('a token with another issuer, audience, secret or algorithm, without expiry or subject, or an expired one is 401', async () => {
    const good = roles('planner');
    const bad = [
      tokenOf({ ...good, iss: 'https://other.example' }, secret, 'HS256'),
      tokenOf({ ...good, aud: 'other' }, secret, 'HS256'),
      tokenOf(good, new TextEncoder().encode(`${SECRET}.`), 'HS256'),
      tokenOf(good, secret, 'HS512'),
      tokenOf(good, secret, 'HS256', { expires: '-1m' }),
      tokenOf({ ...good, sub: '' }, secret, 'HS256'),
      tokenOf({ ...good, sub: 'ada\ud800' }, secret, 'HS256'),
      tokenOf({ ...good, sub: ['ada'] } as never, secret, 'HS256'),
      tokenOf({ ...good, nbf: Math.floor(Date.now() / 1000) + 60 }, secret, 'HS256'),
      new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'ada', ...good })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(secret),
      `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: 9e9, ...good }))}.`.replaceAll(
        '=',
        '',
      ),
      'no token at all',
      'fds_aaaaaaaaaaaa_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ];
    for (const [i, token] of (await Promise.all(bad)).entries()) {
      const answer = await ask(token);
      expect(answer.status, String(i)).toBe(401);
      expect(answer.headers.get('www-authenticate'), String(i)).toMatch(/^Bearer realm="fleet"/);
    }
  });

  test('clocks may differ by five seconds, no more', async () => {
    const now = Math.floor(Date.now() / 1000);
    const statusAt = async (exp: number) => {
      const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', ...roles('planner'), exp };
      return (await ask(await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret))).status;
    };
    expect(await statusAt(now - 1)).toBe(200);
    expect(await statusAt(now - 7)).toBe(401);
  });

  test('jobs belong to the subject, whichever token it has; a key is another owner', async () => {
    const post = async (token: string) => ask(token, '/api/v1/optimize', simpleRequest());
    const made = await post(await tokenOf(roles('planner'), secret, 'HS256'));
    expect(made.status).toBe(200);
    const path = `/api/v1/jobs/${made.body.metadata.job_id}`;
    expect(
      (await ask(await tokenOf(roles('planner'), secret, 'HS256', { expires: '9m' }), path)).status,
    ).toBe(200);
    expect(
      (await ask(await tokenOf({ ...roles('planner'), sub: 'bob' }, secret, 'HS256'), path)).status,
    ).toBe(404);
    expect((await ask((await storeKey(service.db, 'planner')).key, path)).status).toBe(404);
    expect((await ask((await storeKey(service.db, 'operator')).key, path)).status).toBe(200);
    const long = await post(await tokenOf({ ...roles('planner'), sub: 'x'.repeat(1000) }, secret, 'HS256'));
    expect(long.status).toBe(200);
  });

  test('a WebSocket opens with a token, and is closed when that expires', async () => {
    const exp = Math.floor(Date.now() / 1000) + 6;
    const token = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'ada', ...roles('planner'), exp })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret);
    const socket = await openSocket(service.url, { headers: { authorization: `Bearer ${token}` } });
    expect((await socket.closed).code).toBe(1008);
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000);
  });
});

test('the tier comes from the claim that the setting names', async () => {
  const { url } = await startTestService({
    workers: 0,
    overrides: {
      AUTH: 'jwt',
      JWT_SECRET: SECRET,
      JWT_ISSUER: ISSUER,
      JWT_AUDIENCE: AUDIENCE,
      JWT_TIER_CLAIM: 'plan',
      RATE_LIMITS: '4,6',
    },
  });
  const ask = async (claims: JWTPayload) => {
    const token = await tokenOf(claims, new TextEncoder().encode(SECRET), 'HS256');
    const { status, headers } = await send(`${url}/api/v1/config`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return [status, headers.get('ratelimit-policy')];
  };
  expect(await ask({ sub: 'a', plan: 'premium' })).toEqual([200, '"premium";q=6;w=60']);
  expect(await ask({ sub: 'a', tier: 'premium' })).toEqual([200, '"default";q=4;w=60']);
});

test('tokens are checked with the public keys of the issuer; without these the answer is 503, not 401', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const stranger = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
  let isAway = true;
  const server = createServer((_request, response) => {
    if (isAway) response.writeHead(500).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(jwks));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => void server.close());
  const { url } = await startTestService({
    workers: 0,
    overrides: {
      AUTH: 'jwt',
      JWT_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
      JWT_ISSUER: ISSUER,
      JWT_AUDIENCE: AUDIENCE,
    },
  });
  const statusOf = async (token: string) =>
    (await send(`${url}/api/v1/config`, { headers: { authorization: `Bearer ${token}` } })).status;
  const good = await tokenOf({}, privateKey, 'ES256', { kid: 'one' });
  expect(await statusOf(good)).toBe(503);
  isAway = false;
  expect(await statusOf(good)).toBe(200);
  expect(await statusOf(await tokenOf({}, stranger.privateKey, 'ES256', { kid: 'one' }))).toBe(401);
  expect(await statusOf(await tokenOf({}, stranger.privateKey, 'ES256', { kid: 'two' }))).toBe(401);
  // The public key as a secret: the attack that the list of algorithms is for.
  const asSecret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]));
  expect(await statusOf(await tokenOf({}, asSecret, 'HS256', { kid: 'one' }))).toBe(401);
});
