import type { JobEvent } from '../contracts/events.ts';

/** How long progress waits for other events to go with. Each message of its own costs a write here and a read there. */
const MAX_WAIT_MS = 20;

/**
 * Sends events in order, several at once: progress waits for the next event that is no progress, and not long. A small
 * job reports all its stages within a few milliseconds.
 */
export function openBundle(send: (events: readonly JobEvent[]) => Promise<void>) {
  let events: JobEvent[] = [];
  let sent = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (events.length === 0) return;
    send(events).then(sent.resolve, sent.reject);
    events = [];
    sent = Promise.withResolvers();
  };
  return {
    publish(event: JobEvent): Promise<void> {
      const { promise } = sent;
      events.push(event);
      if (event.type === 'progress') timer ??= setTimeout(flush, MAX_WAIT_MS);
      else flush();
      return promise;
    },
    /** Sends what waits. Its publisher learns how that went. */
    close(): Promise<void> {
      const { promise } = sent;
      const isEmpty = events.length === 0;
      flush();
      return isEmpty ? Promise.resolve() : promise.catch(() => {});
    },
  };
}
