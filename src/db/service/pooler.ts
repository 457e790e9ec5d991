import pg from 'pg';

const LIMIT_MS = 3000;
/** A pooler that others use, too, may give two clients different sessions by chance. */
const ROUNDS = 5;

/**
 * Makes sure that each connection has a session of its own. The service listens and prepares statements in sessions; a
 * pooler that lends them by the transaction lets some of that fail, and some of it wait for ever.
 * @throws Error with one line that says what to do; what a server says that cannot be reached
 */
export async function assertSessions(url: string): Promise<void> {
  const limits = { connectionTimeoutMillis: LIMIT_MS, query_timeout: LIMIT_MS };
  const clients = [0, 1].map(() => new pg.Client({ connectionString: url, ...limits }));
  const [one, other] = clients;
  const sessionOf = async (client: pg.Client): Promise<number> =>
    (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0].pid;
  try {
    for (const client of clients) {
      client.on('error', () => {}); // its next query fails
      await client.connect();
    }
    for (let round = 0; round < ROUNDS; round++) {
      const own = await sessionOf(one);
      // While the other one holds its session in a transaction, this one gets another, if sessions are lent.
      await other.query('begin');
      const isLent = (await sessionOf(other)) === own || (await sessionOf(one)) !== own;
      await other.query('rollback');
      if (isLent) throw new Error(LENT);
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

const LENT =
  'DATABASE_URL leads to a pooler that lends sessions by the transaction (pgbouncer: pool_mode = transaction); let it ' +
  'lead to PostgreSQL itself, or to a pool with pool_mode = session';
