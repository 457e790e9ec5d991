import type { Webhook, WebhookDelivery } from '../../contracts/webhooks.ts';
import type { DeliveryRecord } from '../../db/webhooks/webhook-deliveries.ts';
import type { WebhookRecord } from '../../db/webhooks/webhooks.ts';

const time = (at: Date | null) => at?.toISOString() ?? null;

/** A webhook as the API shows it: without its secret. */
export function webhookOnWire(webhook: WebhookRecord): Webhook {
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    events: webhook.events,
    description: webhook.description,
    active: webhook.active,
    switched_off_because: webhook.switchedOffBecause,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

export function deliveryOnWire(delivery: DeliveryRecord): WebhookDelivery {
  return {
    delivery_id: delivery.deliveryId,
    type: delivery.event,
    job_id: delivery.jobId,
    status: delivery.status,
    attempts: delivery.attempts,
    created_at: delivery.createdAt.toISOString(),
    next_at: delivery.status === 'waiting' ? delivery.nextAt.toISOString() : null,
    ended_at: time(delivery.endedAt),
    last_attempt_at: time(delivery.lastAttemptAt),
    last_http_status: delivery.lastHttpStatus,
    last_answer: delivery.lastAnswer,
    last_error: delivery.lastError,
  };
}
