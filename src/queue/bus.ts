import type { Config } from '../config.ts';
import { openCipher } from './encrypted-events.ts';
import type { ChannelOf, EventBus } from './event-bus.ts';
import { openPostgresBus } from './postgres-bus.ts';
import { openRedisBus } from './redis-bus.ts';

export type BusConfig = Pick<Config, 'DATABASE_URL' | 'REDIS_URL' | 'QUEUE_PREFIX'>;

/**
 * Opens the bus: Redis pub/sub if `REDIS_URL` is set, else LISTEN/NOTIFY.
 * @param secret encrypts its messages (`readEventSecret`)
 */
export function openEventBus(
  config: BusConfig,
  secret: Uint8Array,
  onError: (error: Error) => void,
): EventBus {
  const cipher = openCipher(secret, () =>
    onError(
      new Error('dropped a message that the service did not send; check who can publish to Redis, or NOTIFY'),
    ),
  );
  // One channel per type: nobody is woken by events they do not listen to.
  const channelOf: ChannelOf = (type) => `${config.QUEUE_PREFIX}_${type}`;
  return config.REDIS_URL
    ? openRedisBus(config.REDIS_URL, channelOf, cipher, onError)
    : openPostgresBus(config.DATABASE_URL ?? '', channelOf, cipher, onError);
}
