import type { JobEvent } from '../contracts/events.ts';

/**
 * The event bus between processes: small messages about jobs, to everybody who listens, at most once.
 * Nothing may depend on an event arriving: whenever the bus connects (again), a listener looks into PostgreSQL.
 */
export type EventBus = {
  publish(event: JobEvent): Promise<void>;
  /**
   * Calls `listener` for each event of these types, and `onConnect` each time the connection stands (again); resolves
   * at the first one, which may be long after the call where the server is away.
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
