import type { Config } from '../config.ts';
import type { ChannelOf, EventBus } from './event-bus.ts';
import { openPostgresBus } from './postgres-bus.ts';
import { openRedisBus } from './redis-bus.ts';
import { openSigner } from './signed-events.ts';

export type BusConfig = Pick<Config, 'DATABASE_URL' | 'REDIS_URL' | 'QUEUE_PREFIX'>;

/** Strangers' messages are reported at most this often: whoever sends them must not fill the log. */
const REPORT_EVERY_MS = 60_000;

/**
 * Opens the bus: Redis pub/sub if `REDIS_URL` is set, else LISTEN/NOTIFY.
 * @param secret signs its messages (`readEventSecret`)
 */
export function openEventBus(
  config: BusConfig,
  secret: Uint8Array,
  onError: (error: Error) => void,
): EventBus {
  const signer = openSigner(secret, reportStrangers(onError));
  // One channel per type: nobody is woken by events they do not listen to.
  const channelOf: ChannelOf = (type) => `${config.QUEUE_PREFIX}_${type}`;
  return config.REDIS_URL
    ? openRedisBus(config.REDIS_URL, channelOf, signer, onError)
    : openPostgresBus(config.DATABASE_URL ?? '', channelOf, signer, onError);
}

/** @returns counts a message that was dropped; the first is reported at once, others together a minute later */
export function reportStrangers(onError: (error: Error) => void, now = () => performance.now()): () => void {
  let count = 0;
  let quietUntil = Number.NEGATIVE_INFINITY;
  return () => {
    count++;
    if (now() < quietUntil) return;
    quietUntil = now() + REPORT_EVERY_MS;
    onError(
      new Error(
        `dropped event bus messages that the service did not sign: ${count}; check who can publish to Redis, or NOTIFY`,
      ),
    );
    count = 0;
  };
}
