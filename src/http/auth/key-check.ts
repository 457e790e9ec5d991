import { LRUCache } from 'lru-cache';
import { AppError } from '../../answers/errors.ts';
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
/**
 * Keys that PostgreSQL does not know, or is being asked for, per address and minute: whoever tries keys costs no more
 * than that. Keys that are found valid are not among them, and a key that is repeated counts once.
 */
export const STRANGE_KEYS = 100;
const STRANGE_MS = 60_000;
const MAX_ADDRESSES = 10_000;
/** Compared with the secret of an unknown key, which then takes as long as a wrong secret. */
const NO_HASH = hashSecret('');

/** `at`: when it began. */
type LookUp = { at: number; record: ApiKeyRecord | undefined };

export type KeyCheck = (text: string, address: string) => Promise<Identity | undefined>;

/**
 * Checks API keys. @returns a check that gives undefined for a key that is unknown or revoked, and throws AppError
 * RATE_LIMITED where too many strange keys come from an address
 */
export function openKeyCheck(db: Queryable, onError: (error: Error) => void): KeyCheck {
  // Requests with the same key at the same time share one look-up.
  const known = new LRUCache<string, LookUp>({
    max: MAX_KEYS,
    ttl: KEY_TRUST_MS,
    ignoreFetchAbort: true,
    fetchMethod: async (id) => ({ at: Date.now(), record: await readApiKeyRecord(db, id) }),
  });

  /** Keys that were valid: they are looked up whatever else comes from their address. */
  const valid = new LRUCache<string, true>({ max: MAX_KEYS });
  /** Keys that were unknown or revoked, which no key is for a while: whoever repeats one costs nothing. */
  const invalid = new LRUCache<string, true>({ max: MAX_KEYS, ttl: STRANGE_MS });
  /** Keys that are being looked up. */
  const asked = new Set<string>();
  /** Look-ups of strange keys by address, since the first of them. */
  const strangers = new LRUCache<string, { count: number }>({
    max: MAX_ADDRESSES,
    ttl: STRANGE_MS,
    noUpdateTTL: true,
  });

  /** @returns takes it back: it was none */
  function countStrange(address: string): () => void {
    const seen = strangers.get(address) ?? { count: 0 };
    if (seen.count >= STRANGE_KEYS) {
      const seconds = Math.max(1, Math.ceil(strangers.getRemainingTTL(address) / 1000));
      const message =
        `more than ${STRANGE_KEYS} unknown API keys came from this address within a minute; ` +
        `try again in ${seconds} seconds`;
      throw new AppError('RATE_LIMITED', message, seconds);
    }
    seen.count++;
    strangers.set(address, seen);
    return () => seen.count--;
  }

  /** A key as it was at most `KEY_TRUST_MS` ago, or is now, however long PostgreSQL and this process take. */
  async function find(id: string): Promise<ApiKeyRecord | undefined> {
    const askedAt = Date.now();
    for (let forceRefresh = false; ; forceRefresh = true) {
      const found = await known.fetch(id, { forceRefresh });
      if (found && (found.at >= askedAt || Date.now() - found.at < KEY_TRUST_MS)) return found.record;
    }
  }

  /** The same within the limit of strange keys. Calls with the same new key at the same time count as one. */
  async function findKnown(id: string, address: string): Promise<ApiKeyRecord | undefined> {
    if (invalid.has(id)) return undefined;
    const takeBack = valid.has(id) || asked.has(id) ? undefined : countStrange(address);
    asked.add(id);
    let isStrange = false;
    try {
      const record = await find(id);
      isStrange = !record || record.revokedAt !== null;
      if (isStrange) {
        valid.delete(id);
        invalid.set(id, true);
      } else valid.set(id, true);
      return record;
    } finally {
      asked.delete(id);
      if (!isStrange) takeBack?.();
    }
  }

  function noteUse(record: ApiKeyRecord): void {
    if (record.lastUsedAt && Date.now() - record.lastUsedAt.getTime() < HOUR_MS) return;
    record.lastUsedAt = new Date();
    noteApiKeyUse(db, record.keyId).catch(onError);
  }

  return async (text, address) => {
    const key = readApiKey(text);
    if (!key) return undefined;
    const record = await findKnown(key.id, address);
    const isRight = isSecretOf(record?.secretHash ?? NO_HASH, key.secret);
    if (!record || !isRight || record.revokedAt) return undefined;
    noteUse(record);
    const { owner, role, tier, keyId } = record;
    return { owner, role, tier, keyId, expiresAt: null };
  };
}
