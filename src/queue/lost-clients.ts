import pg from 'pg';

let isDone = false;

/**
 * Keeps the process alive when it loses a PostgreSQL connection that has no `error` listener at that moment. BullMQ
 * adds its listener to the LISTEN connection shortly after connecting. Its pooled connections have none while checked
 * out, and closing ones have none. An `error` event without a listener throws, which would end the process. Users of
 * the connection still learn of the loss: their next query fails.
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
