import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { DeliveryStatus, WebhookEvent } from '../../contracts/webhooks.ts';
import type { Database, Queryable } from '../client.ts';
import { storedWebhooks, webhookDeliveries } from '../schema.ts';

/** A delivery that this process may attempt now. */
export type ClaimedDelivery = {
  deliveryId: string;
  webhookId: string;
  /** number of this attempt, from 1 */
  attempt: number;
  event: WebhookEvent;
  createdAt: Date;
  /** JSON text */
  data: string;
  url: string;
  secret: Buffer;
  /** signs too; null: none does */
  previousSecret: Buffer | null;
};

/**
 * Claims deliveries that are due. Two processes never get the same, and if the one that has it dies, it is due again.
 * They are looked up by their ids: to join them PostgreSQL would read all that are stored.
 * @param underWay how many this process is sending to each webhook
 * @param mostEach as many at once to one webhook, so that a receiver that hangs delays no other
 * @param leaseSeconds time after which they are due again
 */
export async function claimDeliveries(
  db: Queryable,
  underWay: ReadonlyMap<string, number>,
  mostEach: number,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.execute<ClaimedDelivery & { createdAt: string | Date }>(sql`
    with due as materialized (
      select d.delivery_id, w.url, w.secret,
        case when w.previous_secret_until > now() then w.previous_secret end as previous_secret
      from ${storedWebhooks} w
      left join unnest(${sql.param([...underWay.keys()])}::text[], ${sql.param([...underWay.values()])}::int[])
        u(webhook_id, count) on u.webhook_id = w.webhook_id
      cross join lateral (
        select delivery_id from ${webhookDeliveries} waiting
        where waiting.webhook_id = w.webhook_id and waiting.status = 'waiting' and waiting.next_at <= now()
        order by waiting.next_at limit greatest(0, ${mostEach}::int - coalesce(u.count, 0))
        for update skip locked) d
      where w.active)
    update ${webhookDeliveries} d
    set attempts = d.attempts + 1, next_at = now() + make_interval(secs => ${leaseSeconds}::float8),
      last_attempt_at = now()
    from due where d.delivery_id = due.delivery_id and d.delivery_id = any(array(select delivery_id from due))
    returning d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.attempts as attempt, d.event,
      d.created_at as "createdAt", d.data::text as data, due.url, due.secret, due.previous_secret as "previousSecret"`);
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
}

/** The outcome of an attempt. */
export type AttemptedDelivery = {
  /** `waiting`: to be tried again */
  status: DeliveryStatus;
  /** until the next attempt */
  delaySeconds: number;
  httpStatus: number | null;
  answer: string | null;
  error: string | null;
};

/**
 * Records an attempt, if it is still the newest. A delivery whose next attempt would come too late is dead.
 * @param switchOff the reason for which its webhook is switched off; all that waits for it is dead then
 * @returns the new status; undefined: another process has the delivery
 */
export async function recordAttempt(
  db: Database,
  { deliveryId, webhookId, attempt }: Pick<ClaimedDelivery, 'deliveryId' | 'webhookId' | 'attempt'>,
  { status, delaySeconds, httpStatus, answer, error }: AttemptedDelivery,
  switchOff?: string,
): Promise<DeliveryStatus | undefined> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ status: DeliveryStatus }>(sql`
      update ${webhookDeliveries} d
      set status = n.status, ended_at = case when n.status <> 'waiting' then now() end, next_at = n.next_at,
        last_http_status = ${httpStatus}::int, last_answer = ${answer}::text, last_error = ${error}::text
      from (
        select delivery_id, t.next_at,
          case when ${status}::text = 'waiting' and t.next_at > retry_until then 'dead' else ${status}::text end
            as status
        from ${webhookDeliveries}
        cross join (select now() + make_interval(secs => ${delaySeconds}::float8) as next_at) t
        where delivery_id = ${deliveryId}) n
      where d.delivery_id = n.delivery_id and d.attempts = ${attempt}::int and d.status = 'waiting'
      returning d.status`);
    if (rows.length > 0 && switchOff !== undefined) {
      await tx.execute(sql`
        update ${storedWebhooks} set active = false, switched_off_because = ${switchOff}, updated_at = now()
        where webhook_id = ${webhookId} and active`);
      await tx.execute(sql`
        update ${webhookDeliveries} set status = 'dead', ended_at = now(), last_error = ${switchOff}
        where webhook_id = ${webhookId} and status = 'waiting'`);
    }
    return rows[0]?.status;
  });
}

/** Gives deliveries back whose attempts were broken off by this process: they are due at once. */
export async function giveBackDelivery(
  db: Queryable,
  { deliveryId, attempt }: Pick<ClaimedDelivery, 'deliveryId' | 'attempt'>,
): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ nextAt: sql`now()`, attempts: attempt - 1 })
    .where(isWaitingAttempt(deliveryId, attempt));
}

const isWaitingAttempt = (deliveryId: string, attempt: number) =>
  and(
    eq(webhookDeliveries.deliveryId, deliveryId),
    eq(webhookDeliveries.attempts, attempt),
    eq(webhookDeliveries.status, 'waiting'),
  );

const { data: _data, retryUntil: _retryUntil, ...columns } = getTableColumns(webhookDeliveries);

/** The deliveries of a webhook, newest first; `before` as in `readJobPage`. */
export async function readDeliveryPage(
  db: Queryable,
  webhookId: string,
  status: DeliveryStatus | undefined,
  before: [createdAt: string, deliveryId: string] | null,
  limit: number,
): Promise<DeliveryRecord[]> {
  const { createdAt, deliveryId } = webhookDeliveries;
  return db
    .select(columns)
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhookId),
        status && eq(webhookDeliveries.status, status),
        before ? sql`(${createdAt}, ${deliveryId}) < (${before[0]}::timestamptz, ${before[1]})` : undefined,
      ),
    )
    .orderBy(desc(createdAt), desc(deliveryId))
    .limit(limit);
}
export type DeliveryRecord = Omit<typeof webhookDeliveries.$inferSelect, 'data' | 'retryUntil'>;

/** Makes a delivery due at once, and for another day. @returns undefined if the webhook has no such delivery */
export async function resendDelivery(
  db: Queryable,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRecord | undefined> {
  const [row] = await db
    .update(webhookDeliveries)
    .set({
      status: 'waiting',
      endedAt: null,
      nextAt: sql`now()`,
      retryUntil: sql`now() + interval '1 day'`,
    })
    .where(and(eq(webhookDeliveries.webhookId, webhookId), eq(webhookDeliveries.deliveryId, deliveryId)))
    .returning(columns);
  return row;
}
