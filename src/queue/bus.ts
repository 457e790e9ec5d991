import type { Config } from '../config.ts';
import type { JobEvent } from '../contracts/events.ts';
import { openPostgresBus } from './postgres-bus.ts';
import { openRedisBus } from './redis-bus.ts';

/**
 * The event bus between processes: small messages about jobs, to everybody who listens, at most once.
 * Nothing may depend on an event arriving: whenever the bus connects (again), a listener looks into PostgreSQL.
 */
export type EventBus = {
  publish(event: JobEvent): Promise<void>;
  /**
   * Calls `listener` for each event of these types, and `onConnect` each time the connection stands (again); resolves at the
   * first one, which may be long after the call where the server is away.
   */
  subscribe<T extends JobEvent['type']>(
    types: readonly T[],
    listener: (event: Extract<JobEvent, { type: T }>) => void,
    onConnect: () => void,
  ): Promise<void>;
  close(): Promise<void>;
};

/** The channel of the server that carries events of a type. */
export type ChannelOf = (type: JobEvent['type']) => string;

export type BusConfig = Pick<Config, 'DATABASE_URL' | 'REDIS_URL' | 'QUEUE_PREFIX'>;

/** Opens the bus on Redis pub/sub where `REDIS_URL` is set, on LISTEN/NOTIFY otherwise. */
export function openEventBus(config: BusConfig, onError: (error: Error) => void): EventBus {
  // A channel for each type: nobody is woken by what they do not listen to.
  const channelOf: ChannelOf = (type) => `${config.QUEUE_PREFIX}_${type}`;
  return config.REDIS_URL
    ? openRedisBus(config.REDIS_URL, channelOf, onError)
    : openPostgresBus(config.DATABASE_URL ?? '', channelOf, onError);
}
