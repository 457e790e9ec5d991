import type { FastifyRequest } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import { isLikeApiKey } from '../../api-keys.ts';
import type { Config } from '../../config.ts';
import type { Queryable } from '../../db/client.ts';
import { findValidApiKeys } from '../../db/service/api-keys.ts';
import { readCredentials } from './credentials.ts';
import type { Identity } from './identity.ts';
import { KEY_TRUST_MS, openKeyCheck } from './key-check.ts';
import { openTokenCheck } from './token-check.ts';

export type Guard = {
  /** The sender of a request. @throws AppError UNAUTHORIZED, SERVICE_UNAVAILABLE */
  identify(request: Pick<FastifyRequest, 'headers'>): Promise<Identity>;
  /** Whether key or token of a caller still count. */
  isValid(identity: Identity): Promise<boolean>;
  /** Calls `end` once key or token of a caller count no more, within a second. @returns ends that */
  follow(identity: Identity, end: () => void): () => void;
  close(): void;
};

/** Opens what checks callers; undefined if authentication is off. */
export function openGuard(
  config: Config,
  db: Queryable,
  onError: (error: unknown) => void,
): Guard | undefined {
  if (config.AUTH === 'off') return undefined;
  const checkKey = config.AUTH.includes('keys') ? openKeyCheck(db, onError) : undefined;
  const checkToken = config.AUTH.includes('jwt') ? openTokenCheck(config) : undefined;
  const followed = new Set<{ identity: Identity; end: () => void }>();

  const findEnded = async (identities: Identity[]): Promise<Set<Identity>> => {
    const keyIds = [...new Set(identities.flatMap(({ keyId }) => keyId ?? []))];
    const valid = keyIds.length > 0 ? await findValidApiKeys(db, keyIds) : new Set<string>();
    const now = Date.now();
    const isOver = ({ keyId, expiresAt }: Identity) =>
      (keyId !== null && !valid.has(keyId)) || (expiresAt !== null && expiresAt <= now);
    return new Set(identities.filter(isOver));
  };

  let looking: Promise<void> | undefined;
  const look = async () => {
    const ended = await findEnded([...followed].map(({ identity }) => identity));
    for (const entry of followed) {
      if (!ended.has(entry.identity)) continue;
      followed.delete(entry);
      entry.end();
    }
  };
  const timer = setInterval(() => {
    if (followed.size > 0)
      looking ??= look()
        .catch(onError)
        .finally(() => (looking = undefined));
  }, KEY_TRUST_MS).unref();

  return {
    async identify(request) {
      const credentials = readCredentials(request);
      if (credentials === undefined) {
        const kinds = [checkKey && 'an API key', checkToken && 'a token'].filter(Boolean).join(' or ');
        throw new AppError('UNAUTHORIZED', `${kinds} is needed; send it as "Authorization: Bearer …"`);
      }
      if (checkToken && !(checkKey && isLikeApiKey(credentials))) return checkToken(credentials);
      const identity = await checkKey?.(credentials);
      if (identity) return identity;
      throw new AppError(
        'UNAUTHORIZED',
        'the API key is unknown or revoked; ask an operator for another one',
      );
    },
    isValid: async (identity) => (await findEnded([identity])).size === 0,
    follow(identity, end) {
      const entry = { identity, end };
      followed.add(entry);
      return () => followed.delete(entry);
    },
    close: () => clearInterval(timer),
  };
}
