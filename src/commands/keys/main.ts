import { makeApiKey } from '../../api-keys.ts';
import { ConfigError, loadConfig } from '../../config.ts';
import {
  insertApiKey,
  listApiKeys,
  type NewApiKey,
  readApiKeyRecord,
  revokeApiKey,
} from '../../db/api-keys.ts';
import { openDatabase, type Queryable } from '../../db/client.ts';
import { assertMigrated } from '../../db/migrate.ts';
import { describeStartError } from '../../process/lifecycle.ts';
import { KEYS_USAGE, type KeysCommand, KeysError, readKeysCommand } from './command.ts';
import { keyTable } from './table.ts';

/** What the command prints: `out` is a key, or a table; `note` explains it. */
export type KeysOutput = { out?: string; note?: string };

/** Makes, lists or revokes keys. @throws KeysError if no key has the id */
export async function runKeysCommand(db: Queryable, command: KeysCommand): Promise<KeysOutput> {
  if (command.act === 'help') return { out: KEYS_USAGE };
  if (command.act === 'list') return { out: keyTable(await listApiKeys(db)) };
  if (command.act === 'create') {
    const { name, role, tier } = command;
    return create(db, { name, role, tier });
  }
  const { keyId } = command;
  const known = await readApiKeyRecord(db, keyId);
  if (!known) throw new KeysError(`no key has the id "${keyId}"; npm run keys -- list shows them`);
  const { name, role, tier, owner } = known;
  if (command.act === 'replace') return create(db, { name, role, tier, owner });
  const wasValid = await revokeApiKey(db, keyId);
  return { note: `${keyId} ("${name}") ${wasValid ? 'is revoked' : 'was revoked before'}` };
}

type About = Pick<NewApiKey, 'name' | 'role' | 'tier'> & { owner?: string };

async function create(db: Queryable, about: About): Promise<KeysOutput> {
  const { id, key, hash } = makeApiKey();
  await insertApiKey(db, { owner: `key:${id}`, ...about, keyId: id, secretHash: hash });
  const { role, name, tier } = about;
  return { out: key, note: `${role} "${name}", tier ${tier}, id ${id}. The key is shown only now:` };
}

async function withDatabase(work: (db: Queryable) => Promise<KeysOutput>): Promise<KeysOutput> {
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
