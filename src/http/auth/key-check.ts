import { LRUCache } from 'lru-cache';
import { hashSecret, isSecretOf, readApiKey } from '../../api-keys.ts';
import { type ApiKeyRecord, noteApiKeyUse, readApiKeyRecord } from '../../db/api-keys.ts';
import type { Queryable } from '../../db/client.ts';
import type { Identity } from './identity.ts';

/**
 * How long an answer of PostgreSQL about a key counts. A key in use is looked up twice a second in each API process:
 * so a revoked one ends within a second everywhere, without an event that could be lost.
 */
export const KEY_TRUST_MS = 400;
const MAX_KEYS = 10_000;
const HOUR_MS = 3_600_000;
/** Compared with the secret of an unknown key, which then takes as long as a wrong secret. */
const NO_HASH = hashSecret('');

/** `at`: when it began. */
type LookUp = { at: number; record: ApiKeyRecord | undefined };

export type KeyCheck = (text: string) => Promise<Identity | undefined>;

/** Checks API keys. @returns a check that gives undefined for a key that is unknown or revoked */
export function openKeyCheck(db: Queryable, onError: (error: Error) => void): KeyCheck {
  // Requests with the same key at the same time share one look-up.
  const known = new LRUCache<string, LookUp>({
    max: MAX_KEYS,
    ttl: KEY_TRUST_MS,
    ignoreFetchAbort: true,
    fetchMethod: async (id) => ({ at: Date.now(), record: await readApiKeyRecord(db, id) }),
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
