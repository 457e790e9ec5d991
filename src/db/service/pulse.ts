import pg from 'pg';

/** Interval of the checks. A server that does not answer within `silenceMs`, twice in a row, counts as gone. */
const DEFAULT_LIMITS = { intervalMs: 1000, silenceMs: 3000 };
const MAX_MISSES = 2;

/**
 * Checks that the server answers while connections of a pool are in use. If it does not, ends these connections: their
 * queries fail like those of a lost connection. A frozen server, or one behind a network that drops everything, keeps
 * its connections open, and callers would wait forever. A long query on a server that answers is left alone.
 * @returns ends the checks
 */
export function watchPulse(
  pool: pg.Pool,
  url: string,
  onError: (error: Error) => void,
  { intervalMs, silenceMs } = DEFAULT_LIMITS,
): () => Promise<void> {
  const busy = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => busy.add(client));
  pool.on('release', (_error, client) => busy.delete(client));
  let pulse: pg.Client | undefined;
  let misses = 0;

  /** Whether the server fails to answer. A refused connection is not silence: queries fail by themselves then. */
  async function isSilent(): Promise<boolean> {
    const limits = { connectionTimeoutMillis: silenceMs, query_timeout: silenceMs };
    const client = pulse ?? new pg.Client({ connectionString: url, ...limits });
    try {
      if (client !== pulse) {
        client.on('error', () => {}); // the next check notices it
        await client.connect();
        pulse = client;
      }
      await client.query('select 1');
      return false;
    } catch (error) {
      pulse = undefined;
      client.end().catch(() => {});
      return /timeout/.test((error as Error).message);
    }
  }

  let beating: Promise<void> | undefined;
  const beat = async () => {
    // Only these, not those that were taken from the pool meanwhile.
    const atWork = [...busy];
    misses = (await isSilent()) ? misses + 1 : 0;
    if (misses < MAX_MISSES) return;
    const seconds = (MAX_MISSES * silenceMs) / 1000;
    onError(new Error(`PostgreSQL has not answered for ${seconds} s; its connections are ended`));
    for (const client of atWork) if (busy.has(client)) client.end().catch(onError);
  };
  const timer = setInterval(() => {
    if (busy.size === 0) misses = 0;
    else beating ??= beat().finally(() => (beating = undefined));
  }, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    await beating;
    await pulse?.end().catch(() => {});
  };
}
