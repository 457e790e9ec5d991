import { get, getAll, send } from './client.ts';
import type { AuditEntry, Webhook, WebhookDelivery } from './types.ts';

/** As many as the service stores. */
const MAX_WEBHOOKS = 50;
/** Rows of each list: as many as are worth a look. */
const NEWEST = 20;

const deliveriesOf = (webhookId: string) => `/api/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries`;

export type DeadDelivery = WebhookDelivery & { webhook: Webhook };

/** All webhooks, and the newest of the events that the service has given up, newest first. */
export async function readDeadDeliveries(signal: AbortSignal) {
  const webhooks = await getAll<Webhook>('/api/v1/webhooks', 'webhooks', MAX_WEBHOOKS, signal);
  const lists = await Promise.all(
    webhooks.map(async (webhook) => {
      const path = `${deliveriesOf(webhook.webhook_id)}?status=dead&limit=${NEWEST}`;
      const { deliveries } = await get<{ deliveries: WebhookDelivery[] }>(path, signal);
      return deliveries.map((delivery): DeadDelivery => ({ ...delivery, webhook }));
    }),
  );
  const dead = lists.flat().toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  return { webhooks, dead: dead.slice(0, NEWEST) };
}

/** Sends an event again, which is tried for another day. */
export async function sendAgain({ webhook, delivery_id }: DeadDelivery): Promise<void> {
  const path = `${deliveriesOf(webhook.webhook_id)}/${encodeURIComponent(delivery_id)}/resend`;
  await send('POST', path);
}

/** The newest requests that may have changed something. */
export async function readAudit(signal: AbortSignal): Promise<AuditEntry[]> {
  return (await get<{ entries: AuditEntry[] }>(`/api/v1/audit?limit=${NEWEST}`, signal)).entries;
}
