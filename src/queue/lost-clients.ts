import pg from 'pg';

let isDone = false;

/**
 * Lets the process outlive PostgreSQL connections that are lost while nobody listens for it. BullMQ listens on its
 * LISTEN connection a moment after it stands, on those of its pool not while they are checked out, and on none that
 * it closes. A server that ends one in that moment would end the process (an `error` event without a listener
 * throws). Whoever uses the connection next is told in any case: its query fails.
 */
export function surviveLostClients(): void {
  if (isDone) return;
  isDone = true;
  const { emit } = pg.Client.prototype;
  pg.Client.prototype.emit = function (this: pg.Client, event: string | symbol, ...args: unknown[]) {
    if (event === 'error' && this.listenerCount('error') === 0) return false;
    return emit.call(this, event, ...args);
  };
}
