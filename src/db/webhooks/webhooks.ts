import { desc, eq, sql } from 'drizzle-orm';
import type { WebhookEvent } from '../../contracts/webhooks.ts';
import type { Database, Queryable } from '../client.ts';
import { holdLock } from '../locks.ts';
import { storedWebhooks } from '../schema.ts';

/** So long does the secret before a change sign too. */
const BOTH_SECRETS_HOURS = 24;

/** Everything but the secrets. */
const columns = {
  webhookId: storedWebhooks.webhookId,
  url: storedWebhooks.url,
  events: storedWebhooks.events,
  description: storedWebhooks.description,
  active: storedWebhooks.active,
  switchedOffBecause: storedWebhooks.switchedOffBecause,
  createdAt: storedWebhooks.createdAt,
  updatedAt: storedWebhooks.updatedAt,
};

export type WebhookFields = { url: string; events: WebhookEvent[]; description: string; active: boolean };

/**
 * Stores a webhook.
 * @param most as many may be stored @returns undefined if as many are
 */
export async function insertWebhook(
  db: Database,
  webhook: WebhookFields & { webhookId: string; secret: Buffer },
  most: number,
): Promise<WebhookRecord | undefined> {
  return db.transaction(async (tx) => {
    await holdLock(tx, 'webhooks');
    if ((await tx.$count(storedWebhooks)) >= most) return undefined;
    const [row] = await tx.insert(storedWebhooks).values(webhook).returning(columns);
    return row;
  });
}

/** A webhook without its secrets, or undefined. */
export async function readWebhook(db: Queryable, webhookId: string) {
  const [row] = await db.select(columns).from(storedWebhooks).where(eq(storedWebhooks.webhookId, webhookId));
  return row;
}
export type WebhookRecord = NonNullable<Awaited<ReturnType<typeof readWebhook>>>;

/** Webhooks, newest first; `before` as in `readJobPage`. */
export async function readWebhookPage(
  db: Queryable,
  before: [createdAt: string, webhookId: string] | null,
  limit: number,
): Promise<WebhookRecord[]> {
  return db
    .select(columns)
    .from(storedWebhooks)
    .where(
      before
        ? sql`(${storedWebhooks.createdAt}, ${storedWebhooks.webhookId}) < (${before[0]}::timestamptz, ${before[1]})`
        : undefined,
    )
    .orderBy(desc(storedWebhooks.createdAt), desc(storedWebhooks.webhookId))
    .limit(limit);
}

/** Changes a webhook; fields that are left out stay. @returns the webhook, undefined if it does not exist */
export async function changeWebhook(
  db: Queryable,
  webhookId: string,
  change: Partial<WebhookFields>,
): Promise<WebhookRecord | undefined> {
  const [row] = await db
    .update(storedWebhooks)
    .set({ ...change, ...(change.active && { switchedOffBecause: null }), updatedAt: sql`now()` })
    .where(eq(storedWebhooks.webhookId, webhookId))
    .returning(columns);
  return row;
}

/** Gives a webhook another secret. The one before signs too for a day. @returns undefined if it does not exist */
export async function changeWebhookSecret(
  db: Queryable,
  webhookId: string,
  secret: Buffer,
): Promise<WebhookRecord | undefined> {
  const [row] = await db
    .update(storedWebhooks)
    .set({
      secret,
      previousSecret: sql`${storedWebhooks.secret}`,
      previousSecretUntil: sql`now() + ${BOTH_SECRETS_HOURS} * interval '1 hour'`,
      updatedAt: sql`now()`,
    })
    .where(eq(storedWebhooks.webhookId, webhookId))
    .returning(columns);
  return row;
}

/** Deletes a webhook. Its deliveries are not sent any more, and deleted later (`deleteDeliveries`). */
export async function deleteWebhook(db: Queryable, webhookId: string): Promise<boolean> {
  const { rowCount } = await db.delete(storedWebhooks).where(eq(storedWebhooks.webhookId, webhookId));
  return rowCount === 1;
}
