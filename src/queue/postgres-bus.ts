import pg from 'pg';
import type { ChannelOf, EventBus } from './event-bus.ts';

const RECONNECT_DELAY_MS = 250;

/** The event bus on LISTEN/NOTIFY: one connection that listens, a small pool that notifies. */
export function openPostgresBus(
  url: string,
  channelOf: ChannelOf,
  onError: (error: Error) => void,
): EventBus {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 3000,
    query_timeout: 5000,
    keepAlive: true,
  });
  pool.on('error', onError);
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  return {
    async publish(event) {
      // Events need not survive a crash of PostgreSQL. A wait for the disk would serialize all notifiers.
      const text = "select pg_notify($1, $2) where set_config('synchronous_commit', 'off', true) = 'off'";
      await pool.query({ name: 'notify', text, values: [channelOf(event.type), JSON.stringify(event)] });
    },
    async subscribe(types, listener, onConnect) {
      const connect = async () => {
        const next = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000, keepAlive: true });
        next.on('error', onError);
        next.on('notification', (message) => listener(JSON.parse(message.payload ?? '{}')));
        await next.connect();
        for (const type of types) await next.query(`listen ${next.escapeIdentifier(channelOf(type))}`);
        if (closed) return next.end();
        client = next;
        next.once('end', () => {
          client = undefined;
          later();
        });
        onConnect();
        connected();
      };
      const later = () => {
        if (!closed) timer = setTimeout(attempt, RECONNECT_DELAY_MS);
      };
      const attempt = () => {
        connect().catch((error) => {
          onError(error);
          later();
        });
      };
      let connected = () => {};
      await new Promise<void>((resolve) => {
        connected = resolve;
        attempt();
      });
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(onError);
      await pool.end();
    },
  };
}
