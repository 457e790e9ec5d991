import type { Config } from '../config.ts';
import type { ChannelOf, EventBus } from './event-bus.ts';
import { openPostgresBus } from './postgres-bus.ts';
import { openRedisBus } from './redis-bus.ts';

export type BusConfig = Pick<Config, 'DATABASE_URL' | 'REDIS_URL' | 'QUEUE_PREFIX'>;

/** Opens the bus: Redis pub/sub if `REDIS_URL` is set, else LISTEN/NOTIFY. */
export function openEventBus(config: BusConfig, onError: (error: Error) => void): EventBus {
  // One channel per type: nobody is woken by events they do not listen to.
  const channelOf: ChannelOf = (type) => `${config.QUEUE_PREFIX}_${type}`;
  return config.REDIS_URL
    ? openRedisBus(config.REDIS_URL, channelOf, onError)
    : openPostgresBus(config.DATABASE_URL ?? '', channelOf, onError);
}
