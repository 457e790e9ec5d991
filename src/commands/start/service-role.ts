// Names in the catalog of PostgreSQL:
// cspell:ignore datdba userbyid
import pg from 'pg';
import { BEFORE_FIRST_RELEASE } from '../../db/migrate.ts';

/**
 * Makes sure that the service's database exists and that a role owns it which has no other rights on the server.
 * @param adminUrl URL for the server's administrator
 * @throws Error if somebody else owns the database, as in the first versions
 */
export async function ensureServiceDatabase(
  adminUrl: string,
  { database, role, password }: { database: string; role: string; password: string },
): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const name = client.escapeIdentifier(role);
    const { rowCount: roles } = await client.query('select from pg_roles where rolname = $1', [role]);
    if (roles === 0) await client.query(`create role ${name}`);
    // The file has the password that counts: the role gets it, whatever it had before.
    await client.query(
      `alter role ${name} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
       password ${client.escapeLiteral(password)}`,
    );
    const { rows } = await client.query<{ owner: string }>(
      'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
      [database],
    );
    if (rows.length === 0)
      await client.query(`create database ${client.escapeIdentifier(database)} owner ${name}`);
    else if (rows[0].owner !== role) throw new Error(BEFORE_FIRST_RELEASE);
  });
}

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
