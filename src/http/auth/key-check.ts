import { LRUCache } from 'lru-cache';
import { hashSecret, isSecretOf, readApiKey } from '../../api-keys.ts';
import type { Queryable } from '../../db/client.ts';
import { type ApiKeyRecord, noteApiKeyUse, readApiKeyRecords } from '../../db/service/api-keys.ts';
import type { Identity } from './identity.ts';

/**
 * How long an answer of PostgreSQL about a key counts. A key in use is looked up twice a second in each API process:
 * so a revoked one ends within a second everywhere, without an event that could be lost.
 */
export const KEY_TRUST_MS = 400;
const MAX_KEYS = 10_000;
const HOUR_MS = 3_600_000;
/** Keys of one query, far fewer than the values that one may have. */
const KEYS_PER_QUERY = 1000;
/** Compared with the secret of an unknown key, which then takes as long as a wrong secret. */
const NO_HASH = hashSecret('');

/** `at`: when it began. */
type LookUp = { at: number; record: ApiKeyRecord | undefined };

export type KeyCheck = (text: string) => Promise<Identity | undefined>;

/**
 * Looks keys up, one query at a time: what arrives meanwhile is asked for together. So whoever invents keys costs
 * PostgreSQL hardly more than one key in use does, and locks out nobody.
 */
function openLookUps(db: Queryable): (id: string) => Promise<LookUp> {
  const waiting: ({ id: string } & PromiseWithResolvers<LookUp>)[] = [];
  let isAsking = false;
  async function askForAll(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    while (waiting.length > 0) {
      const asked = waiting.splice(0, KEYS_PER_QUERY);
      const at = Date.now();
      try {
        const ids = asked.map(({ id }) => id);
        const records = await readApiKeyRecords(db, ids);
        for (const { id, resolve } of asked) resolve({ at, record: records.get(id) });
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    isAsking = false;
  }
  return (id) => {
    const lookUp = { id, ...Promise.withResolvers<LookUp>() };
    waiting.push(lookUp);
    void askForAll();
    return lookUp.promise;
  };
}

/** Checks API keys. @returns a check that gives undefined for a key that is unknown or revoked */
export function openKeyCheck(db: Queryable, onError: (error: Error) => void): KeyCheck {
  const lookUp = openLookUps(db);
  // Requests with the same key at the same time share one look-up.
  const known = new LRUCache<string, LookUp>({
    max: MAX_KEYS,
    ttl: KEY_TRUST_MS,
    ignoreFetchAbort: true,
    fetchMethod: lookUp,
  });

  /** A key as it was at most `KEY_TRUST_MS` ago, or is now, however long PostgreSQL and this process take. */
  async function find(id: string): Promise<ApiKeyRecord | undefined> {
    const askedAt = Date.now();
    for (let forceRefresh = false; ; forceRefresh = true) {
      const found = await known.fetch(id, { forceRefresh });
      if (found && (found.at >= askedAt || Date.now() - found.at < KEY_TRUST_MS)) return found.record;
    }
  }

  function noteUse(record: ApiKeyRecord): void {
    if (record.lastUsedAt && Date.now() - record.lastUsedAt.getTime() < HOUR_MS) return;
    record.lastUsedAt = new Date();
    noteApiKeyUse(db, record.keyId).catch(onError);
  }

  return async (text) => {
    const key = readApiKey(text);
    if (!key) return undefined;
    const record = await find(key.id);
    const isRight = isSecretOf(record?.secretHash ?? NO_HASH, key.secret);
    if (!record || !isRight || record.revokedAt) return undefined;
    noteUse(record);
    const { owner, role, tier, keyId } = record;
    return { owner, role, tier, keyId, expiresAt: null };
  };
}
