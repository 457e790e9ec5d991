import { v7 as uuidv7 } from 'uuid';
import { makeApiKey } from '../../api-keys.ts';
import { ConfigError, loadConfig } from '../../config.ts';
import { AUDIT_PREFIX } from '../../contracts/audit.ts';
import { type Database, openDatabase } from '../../db/client.ts';
import { assertMigrated } from '../../db/migrate.ts';
import {
  insertApiKey,
  listApiKeys,
  type NewApiKey,
  readApiKeyRecords,
  revokeApiKey,
} from '../../db/service/api-keys.ts';
import { insertAuditEntries, type NewAuditEntry } from '../../db/service/audit.ts';
import { describeStartError } from '../../process/lifecycle.ts';
import { KEYS_USAGE, type KeysCommand, KeysError, readKeysCommand } from './command.ts';
import { keyTable } from './table.ts';

/** The output of the command: `out` is a key, or a table; `note` explains it. */
export type KeysOutput = { out?: string; note?: string };

/** Makes, lists or revokes keys. @throws KeysError if no key has the id */
export async function runKeysCommand(db: Database, command: KeysCommand): Promise<KeysOutput> {
  if (command.act === 'help') return { out: KEYS_USAGE };
  if (command.act === 'list') return { out: keyTable(await listApiKeys(db)) };
  if (command.act === 'create') {
    const { name, role, tier } = command;
    return create(db, { name, role, tier });
  }
  const { keyId } = command;
  const known = (await readApiKeyRecords(db, [keyId])).get(keyId);
  if (!known) throw new KeysError(`no key has the id "${keyId}"; npm run keys -- list shows them`);
  const { name, role, tier, owner } = known;
  if (command.act === 'replace') return create(db, { name, role, tier, owner });
  const wasValid = await db.transaction(async (tx) => {
    await insertAuditEntries(tx, [commandEntry('revoke_key', keyId)], true);
    return revokeApiKey(tx, keyId);
  });
  return { note: `${keyId} ("${name}") ${wasValid ? 'is revoked' : 'was revoked before'}` };
}

type About = Pick<NewApiKey, 'name' | 'role' | 'tier'> & { owner?: string };

async function create(db: Database, about: About): Promise<KeysOutput> {
  const { id, key, hash } = makeApiKey();
  await db.transaction(async (tx) => {
    await insertAuditEntries(tx, [commandEntry('create_key', id)], true);
    await insertApiKey(tx, { owner: `key:${id}`, ...about, keyId: id, secretHash: hash });
  });
  const { role, name, tier } = about;
  return { out: key, note: `${role} "${name}", tier ${tier}, id ${id}. The key is shown only now:` };
}

/** Keys are for a service with authentication, so this is noted whatever AUDIT says. */
const commandEntry = (operation: 'create_key' | 'revoke_key', resourceId: string): NewAuditEntry => ({
  auditId: `${AUDIT_PREFIX}_${uuidv7()}`,
  actor: 'command line',
  ...{ operation, resourceId, keyId: null, address: null, method: null, path: null, requestId: null },
});

async function withDatabase(work: (db: Database) => Promise<KeysOutput>): Promise<KeysOutput> {
  const { DATABASE_URL } = loadConfig();
  if (!DATABASE_URL)
    throw new ConfigError(['DATABASE_URL is not set; set it (`npm start` prints that of its own database)']);
  const database = openDatabase(DATABASE_URL, { poolSize: 1, onError: () => {} });
  try {
    await assertMigrated(database.pool);
    return await work(database.db);
  } finally {
    await database.close();
  }
}

// `npm run keys`. Standard output has the key or the table, nothing else.
if (import.meta.main) {
  try {
    const command = readKeysCommand(process.argv.slice(2));
    const { out, note } = await withDatabase((db) => runKeysCommand(db, command));
    if (note !== undefined) console.error(note);
    if (out !== undefined) console.log(out);
  } catch (error) {
    const lines = error instanceof KeysError ? [error.message, '', KEYS_USAGE] : describeStartError(error);
    for (const line of lines) console.error(line);
    process.exitCode = 1;
  }
}
