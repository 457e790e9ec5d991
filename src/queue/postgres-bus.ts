import pg from 'pg';
import type { JobEvent } from '../contracts/events.ts';
import { openBundle } from './bundle.ts';
import type { EventCipher } from './encrypted-events.ts';
import type { ChannelOf, EventBus } from './event-bus.ts';

const RECONNECT_DELAY_MS = 250;
/** NOTIFY carries no more. */
const MAX_PAYLOAD_BYTES = 7999;

// Events need not survive a crash of PostgreSQL. A wait for the disk would serialize all notifiers.
const NOTIFY = `select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as event (channel, payload)
  where set_config('synchronous_commit', 'off', true) = 'off'`;

/** An answer that is too long is read by whoever waits for it. */
function payloadOf(cipher: EventCipher, event: JobEvent): string {
  const payload = cipher.encrypt(event);
  if (event.type !== 'ended' || Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return payload;
  return cipher.encrypt({ ...event, answer: undefined });
}

/** The event bus on LISTEN/NOTIFY: one connection that listens, a small pool that notifies. */
export function openPostgresBus(
  url: string,
  channelOf: ChannelOf,
  cipher: EventCipher,
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

  const bundle = openBundle(async (events) => {
    const channels = events.map((event) => channelOf(event.type));
    const payloads = events.map((event) => payloadOf(cipher, event));
    await pool.query({ name: 'notify', text: NOTIFY, values: [channels, payloads] });
  });

  return {
    publish: bundle.publish,
    async subscribe(types, listener, look) {
      const hear = cipher.hear(types, listener);
      const connect = async () => {
        const next = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000, keepAlive: true });
        next.on('error', onError);
        next.on('notification', (message) => hear(message.payload ?? ''));
        await next.connect();
        for (const type of types) await next.query(`listen ${next.escapeIdentifier(channelOf(type))}`);
        if (closed) return next.end();
        client = next;
        next.once('end', () => {
          client = undefined;
          later();
        });
        look();
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
      await bundle.close();
      await client?.end().catch(onError);
      await pool.end();
    },
  };
}
