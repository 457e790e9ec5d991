import { createHash } from 'node:crypto';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { AppError } from '../../answers/errors.ts';
import { type Config, tokenAlgorithms } from '../../config.ts';
import { ROLES, type Role, TIERS, type Tier } from '../../contracts/access.ts';
import type { Identity } from './identity.ts';

const RETRY_AFTER_SECONDS = 5;
const CLOCK_TOLERANCE_SECONDS = 5;
/** Owners are also names of callers in the queue, which have at most 128 characters. */
const MAX_OWNER_LENGTH = 128;

/** Faults of the place where the keys are, not of the token. */
const KEYS_AWAY = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']);

export type TokenCheck = (token: string) => Promise<Identity>;

type TokenConfig = Pick<
  Config,
  'JWT_JWKS_URL' | 'JWT_SECRET' | 'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWT_ROLE_CLAIM' | 'JWT_TIER_CLAIM'
>;

/** Checks tokens. @returns a check that throws AppError UNAUTHORIZED, or SERVICE_UNAVAILABLE without the public keys */
export function openTokenCheck(config: TokenConfig): TokenCheck {
  const { JWT_JWKS_URL: url, JWT_SECRET: secret, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = config;
  if (issuer === undefined || audience === undefined) throw new Error('JWT_ISSUER, JWT_AUDIENCE: not set');
  const options = {
    issuer,
    audience,
    algorithms: tokenAlgorithms(config),
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  };
  const secretKey = new TextEncoder().encode(secret);
  const getKey: JWTVerifyGetKey = url === undefined ? () => secretKey : createRemoteJWKSet(new URL(url));
  return async (token) => {
    const { payload } = await jwtVerify(token, getKey, options).catch((error: unknown) => {
      throw translate(error);
    });
    const subject = claimOf(payload, 'sub');
    // Half a surrogate pair cannot be stored as it is: two such subjects would be one owner.
    if (typeof subject !== 'string' || subject === '' || !subject.isWellFormed())
      throw new AppError('UNAUTHORIZED', 'the token has no valid claim "sub"');
    return {
      owner: ownerOfSubject(subject),
      role: highest(ROLES, claimOf(payload, config.JWT_ROLE_CLAIM)) as Role | null,
      tier: (highest(TIERS, claimOf(payload, config.JWT_TIER_CLAIM)) ?? 'default') as Tier,
      keyId: null,
      expiresAt: (payload.exp as number) * 1000,
    };
  };
}

function ownerOfSubject(subject: string): string {
  const owner = `jwt:${subject}`;
  const isPlain = owner.length <= MAX_OWNER_LENGTH && !owner.includes('\0');
  return isPlain ? owner : `jwt-sha256:${createHash('sha256').update(subject).digest('base64url')}`;
}

/** A claim by its name or, if there is none of that name, by the path of names that dots separate. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** The highest of the names that a claim has, which is a text or a list of texts; null if it has none of them. */
function highest(names: readonly string[], claim: unknown): string | null {
  return names.findLast((name) => (Array.isArray(claim) ? claim.includes(name) : claim === name)) ?? null;
}

function translate(error: unknown): AppError {
  if (error instanceof errors.JOSEError && !KEYS_AWAY.has(error.code)) {
    return new AppError('UNAUTHORIZED', `the token is not valid: ${error.message}`);
  }
  const message = 'the public keys of tokens (setting JWT_JWKS_URL) cannot be fetched now; try again';
  return new AppError('SERVICE_UNAVAILABLE', message, RETRY_AFTER_SECONDS);
}
