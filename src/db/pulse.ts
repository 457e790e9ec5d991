import pg from 'pg';

/** How often the pulse is felt; a server that does not answer within `silenceMs`, twice in a row, is taken for gone. */
const USUAL = { intervalMs: 1000, silenceMs: 3000 };
const MAX_MISSES = 2;

/**
 * Feels a server's pulse while connections of a pool are at work, and ends these connections where there is none: their
 * queries fail as those of a lost connection do. A server that was frozen, or that sits behind a network that swallows
 * everything, keeps its connections open and would hold up whoever waits on one for as long as it likes.
 * A query that takes long on a server that answers others is left alone.
 * @returns ends the watch
 */
export function watchPulse(
  pool: pg.Pool,
  url: string,
  onError: (error: Error) => void,
  { intervalMs, silenceMs } = USUAL,
): () => Promise<void> {
  const busy = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => busy.add(client));
  pool.on('release', (_error, client) => busy.delete(client));
  let pulse: pg.Client | undefined;
  let misses = 0;

  /** Whether the server answers. One that refuses the connection is not silent: others hear that, too. */
  async function isSilent(): Promise<boolean> {
    const limits = { connectionTimeoutMillis: silenceMs, query_timeout: silenceMs };
    const client = pulse ?? new pg.Client({ connectionString: url, ...limits });
    try {
      if (client !== pulse) {
        client.on('error', () => {}); // noticed at the next beat
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
    // These, not those that have come to be at work meanwhile.
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
