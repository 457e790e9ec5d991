import { makeApiKey } from '../../src/api-keys.ts';
import type { Role, Tier } from '../../src/contracts/access.ts';
import type { Database } from '../../src/db/client.ts';
import { insertApiKey } from '../../src/db/service/api-keys.ts';

/** Stores an API key. */
export async function storeKey(
  db: Database,
  role: Role,
  own: { name?: string; tier?: Tier; owner?: string } = {},
) {
  const { id, key, hash } = makeApiKey();
  const owner = `key:${id}`;
  await insertApiKey(db, { keyId: id, secretHash: hash, name: role, tier: 'default', owner, role, ...own });
  return { id, key, owner, headers: { authorization: `Bearer ${key}` } };
}
