import { sql } from 'drizzle-orm';
import type { Queryable } from '../client.ts';
import { schedules, storedWebhooks, webhookDeliveries } from '../schema.ts';

/** The kinds of work that are due now. */
type Due = { hasOccurrences: boolean; hasDeliveries: boolean };

/**
 * Whether occurrences of schedules or events for webhooks are due: one statement for both, since each worker asks every
 * second, however little it has to do.
 */
export async function findDue(db: Queryable): Promise<Due> {
  const { rows } = await db.execute<Due>(sql`
    select exists (select from ${schedules} where next_at <= now()) as "hasOccurrences",
      exists (select from ${storedWebhooks} w cross join lateral (
        select from ${webhookDeliveries} d
        where d.webhook_id = w.webhook_id and d.status = 'waiting' and d.next_at <= now() limit 1) due
        where w.active) as "hasDeliveries"`);
  return rows[0];
}
