import { makeApiKey } from '../../api-keys.ts';
import { ConfigError, loadConfig } from '../../config.ts';
import {
  insertApiKey,
  listApiKeys,
  type NewApiKey,
  readApiKeyRecord,
  revokeApiKey,
} from '../../db/api-keys.ts';
import { type Database, openDatabase } from '../../db/client.ts';
import { assertMigrated } from '../../db/migrate.ts';
import { describeStartError } from '../../process/lifecycle.ts';
import { KEYS_USAGE, KeysError, readKeysCommand } from './command.ts';
import { keyTable } from './table.ts';

// `npm run keys`: makes, lists and revokes API keys. Standard output has the key or the table, nothing else.
try {
  const command = readKeysCommand(process.argv.slice(2));
  if (command.act === 'help') console.log(KEYS_USAGE);
  else await withDatabase((db) => run(db, command));
} catch (error) {
  const lines = error instanceof KeysError ? [error.message, '', KEYS_USAGE] : describeStartError(error);
  for (const line of lines) console.error(line);
  process.exitCode = 1;
}

async function run(db: Database, command: Exclude<ReturnType<typeof readKeysCommand>, { act: 'help' }>) {
  if (command.act === 'list') console.log(keyTable(await listApiKeys(db)));
  else if (command.act === 'create') {
    const { name, role, tier } = command;
    await create(db, { name, role, tier });
  } else {
    const known = await readApiKeyRecord(db, command.keyId);
    if (!known) throw new KeysError(`no key has the id "${command.keyId}"; npm run keys -- list shows them`);
    const { name, role, tier, owner } = known;
    if (command.act === 'replace') await create(db, { name, role, tier, owner });
    else {
      const wasValid = await revokeApiKey(db, command.keyId);
      console.error(`${command.keyId} ("${name}") ${wasValid ? 'is revoked' : 'was revoked before'}`);
    }
  }
}

async function create(db: Database, about: Pick<NewApiKey, 'name' | 'role' | 'tier'> & { owner?: string }) {
  const { id, key, hash } = makeApiKey();
  await insertApiKey(db, { owner: `key:${id}`, ...about, keyId: id, secretHash: hash });
  console.error(`${about.role} "${about.name}", tier ${about.tier}, id ${id}. The key is shown only now:`);
  console.log(key);
}

async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const { DATABASE_URL } = loadConfig();
  if (!DATABASE_URL) {
    const hint = 'DATABASE_URL is not set; set it (`npm start` prints that of its own database)';
    throw new ConfigError([hint]);
  }
  const database = openDatabase(DATABASE_URL, { poolSize: 1, onError: () => {} });
  try {
    await assertMigrated(database.pool);
    await work(database.db);
  } finally {
    await database.close();
  }
}
