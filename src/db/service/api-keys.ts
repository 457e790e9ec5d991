import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Role, Tier } from '../../contracts/access.ts';
import type { Queryable } from '../client.ts';
import { apiKeys } from '../schema.ts';

export type NewApiKey = {
  keyId: string;
  secretHash: Buffer;
  name: string;
  role: Role;
  tier: Tier;
  owner: string;
};

export async function insertApiKey(db: Queryable, key: NewApiKey): Promise<void> {
  await db.insert(apiKeys).values(key);
}

/** Those of these keys that exist, revoked or not, by id. */
export async function readApiKeyRecords(db: Queryable, keyIds: string[]) {
  const rows = await db.select().from(apiKeys).where(inArray(apiKeys.keyId, keyIds));
  return new Map(rows.map((row) => [row.keyId, row]));
}
export type ApiKeyRecord = typeof apiKeys.$inferSelect;

/** All keys, the oldest first. */
export async function listApiKeys(db: Queryable): Promise<ApiKeyRecord[]> {
  return db.select().from(apiKeys).orderBy(apiKeys.createdAt, apiKeys.keyId);
}

/** Revokes a key. @returns whether it was valid until now */
export async function revokeApiKey(db: Queryable, keyId: string): Promise<boolean> {
  const rows = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.keyId, keyId), isNull(apiKeys.revokedAt)))
    .returning({ keyId: apiKeys.keyId });
  return rows.length > 0;
}

/** Which of these keys are valid. */
export async function findValidApiKeys(db: Queryable, keyIds: string[]): Promise<Set<string>> {
  const rows = await db
    .select({ keyId: apiKeys.keyId })
    .from(apiKeys)
    .where(and(inArray(apiKeys.keyId, keyIds), isNull(apiKeys.revokedAt)));
  return new Set(rows.map((row) => row.keyId));
}

/** Whether an owner has a valid key with one of these roles. */
export async function hasKeyOfRole(db: Queryable, owner: string, roles: readonly Role[]): Promise<boolean> {
  const rows = await db
    .select({ keyId: apiKeys.keyId })
    .from(apiKeys)
    .where(and(eq(apiKeys.owner, owner), inArray(apiKeys.role, [...roles]), isNull(apiKeys.revokedAt)))
    .limit(1);
  return rows.length > 0;
}

/** Notes that a key is in use, to the hour. Replicas that do so at the same time write once. */
export async function noteApiKeyUse(db: Queryable, keyId: string): Promise<void> {
  const hour = sql`date_trunc('hour', now())`;
  await db
    .update(apiKeys)
    .set({ lastUsedAt: hour })
    .where(
      and(eq(apiKeys.keyId, keyId), sql`(${apiKeys.lastUsedAt} is null or ${apiKeys.lastUsedAt} < ${hour})`),
    );
}
