import pg from 'pg';

/**
 * Makes sure that the service's database exists and that a role owns it, with everything in it, which has no other
 * rights on the server. In a database of an earlier version the administrator owned everything; the role takes that
 * over.
 * @param adminUrl URL for the server's administrator
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
    const { rowCount: databases } = await client.query('select from pg_database where datname = $1', [
      database,
    ]);
    const target = client.escapeIdentifier(database);
    await client.query(
      databases === 0
        ? `create database ${target} owner ${name}`
        : `alter database ${target} owner to ${name}`,
    );
  });
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  await withClient(url.href, (client) => handOver(client, role));
}

/**
 * Statements that hand over everything the administrator owns, except parts of PostgreSQL itself. (`REASSIGN OWNED`
 * refuses the role that owns PostgreSQL's own catalog.) Objects that belong to a table follow their table.
 */
const HAND_OVER = `
  with own as (select oid as role from pg_roles where rolname = current_user),
  space as (
    select oid, nspname, nspowner from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema'
  )
  select format('alter schema %I owner to %I', nspname, $1::text) as statement from space, own where nspowner = role
    and nspname <> 'public'
  union all
  select format('alter table %s owner to %I', c.oid::regclass, $1::text) from pg_class c
    join space on space.oid = relnamespace, own
    where relowner = role and relkind in ('r', 'p', 'v', 'm', 'S', 'f') and not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and deptype in ('a', 'i', 'e'))
  union all
  select format('alter routine %s owner to %I', p.oid::regprocedure, $1::text) from pg_proc p
    join space on space.oid = pronamespace, own
    where proowner = role and not exists (
      select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and deptype = 'e')
  union all
  select format('alter type %s owner to %I', t.oid::regtype, $1::text) from pg_type t
    join space on space.oid = typnamespace, own
    where typowner = role and typtype in ('d', 'e', 'r')`;

async function handOver(client: pg.Client, role: string): Promise<void> {
  await client.query('begin');
  const { rows } = await client.query<{ statement: string }>(HAND_OVER, [role]);
  for (const { statement } of rows) await client.query(statement);
  await client.query('commit');
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
