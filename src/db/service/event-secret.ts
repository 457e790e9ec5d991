import type { Queryable } from '../client.ts';
import { eventSecret } from '../schema.ts';

/** The secret with which processes of the service encrypt their events (`queue/encrypted-events.ts`). */
export async function readEventSecret(db: Queryable): Promise<Buffer> {
  const [{ secret }] = await db.select({ secret: eventSecret.secret }).from(eventSecret);
  return secret;
}
