import type { Queryable } from '../client.ts';
import { eventSecret } from '../schema.ts';

/** The secret with which the processes of the service sign what they tell each other (`queue/signed-events.ts`). */
export async function readEventSecret(db: Queryable): Promise<Buffer> {
  const [{ secret }] = await db.select({ secret: eventSecret.secret }).from(eventSecret);
  return secret;
}
