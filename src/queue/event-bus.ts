import type { JobEvent } from '../contracts/events.ts';

/**
 * The event bus between processes: small messages about jobs, delivered to every listener at most once, and
 * encrypted (`encrypted-events.ts`). Nothing may depend on an event: a listener reads PostgreSQL whenever one may have
 * been missed.
 */
export type EventBus = {
  /** Events of one publisher arrive in order. Progress waits a moment for those that follow, to be sent with them. */
  publish(event: JobEvent): Promise<void>;
  /**
   * Calls `listener` for each event of these types, and `look` when some may have been missed: each time the connection
   * is established or restored. Resolves at the first connection, which may take long if the server is down.
   */
  subscribe<T extends JobEvent['type']>(
    types: readonly T[],
    listener: (event: Extract<JobEvent, { type: T }>) => void,
    look: () => void,
  ): Promise<void>;
  close(): Promise<void>;
};

/** The channel of the server that carries events of a type. */
export type ChannelOf = (type: JobEvent['type']) => string;
