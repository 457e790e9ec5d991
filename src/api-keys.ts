import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** An API key is `fds_<id>_<secret>`. The id may be shown and logged, the secret never. */
const FORM = /^fds_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;
const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The parts of a key; undefined if a text is none. */
export function readApiKey(text: string): { id: string; secret: string } | undefined {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined ? undefined : { id, secret };
}

/** Whether a text looks like an API key, well formed or not. */
export const isLikeApiKey = (text: string): boolean => text.startsWith('fds_');

/** A new key, with what is stored of it. */
export function makeApiKey(): { id: string; key: string; hash: Buffer } {
  // 252 is the largest multiple of 36 below 256: every letter is equally likely.
  const letters = [...randomBytes(64)].filter((byte) => byte < 252).map((byte) => ID_LETTERS[byte % 36]);
  const id = letters.slice(0, 12).join('');
  const secret = randomBytes(32).toString('base64url');
  return { id, key: `fds_${id}_${secret}`, hash: hashSecret(secret) };
}

/** The stored form of a secret. It has 256 random bits, so a fast hash is as safe as a slow one. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether a secret is the one of which a hash is stored. Takes the same time for every wrong one. */
export function isSecretOf(hash: Uint8Array, secret: string): boolean {
  return timingSafeEqual(hash, hashSecret(secret));
}
