import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { JobReference } from '../../contracts/jobs.ts';
import { DELIVERY_STATUSES, WebhookDelivery } from '../../contracts/webhooks.ts';
import { readDeliveryPage, resendDelivery } from '../../db/webhooks/webhook-deliveries.ts';
import { readWebhook } from '../../db/webhooks/webhooks.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { cutPage, DEFAULT_LIMIT, isNewestFirstKey, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';
import { unknownWebhook } from './routes.ts';
import { deliveryOnWire } from './webhook-view.ts';

const Params = Type.Object({ webhook_id: JobReference });
const DeliveryParams = Type.Object({ webhook_id: JobReference, delivery_id: JobReference });
const Query = Type.Object(
  { status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])), ...PAGE_QUERY },
  { additionalProperties: false },
);
const DeliveryList = Type.Object(
  { deliveries: Type.Array(WebhookDelivery), next_cursor: NextCursor },
  { $id: 'DeliveryList' },
);

/** `/api/v1/webhooks/{webhook_id}/deliveries`: what became of events. */
export function webhookDeliveryRoutes({ database }: Deps): FastifyPluginAsyncTypebox {
  const { db } = database;
  return async (app) => {
    app.get(
      '/api/v1/webhooks/:webhook_id/deliveries',
      {
        schema: {
          operationId: 'list_webhook_deliveries',
          tags: ['webhooks'],
          summary: 'What was sent to a webhook, or waits, newest first',
          params: Params,
          querystring: Query,
          response: { 200: answers('a page of deliveries', DeliveryList), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { webhook_id: webhookId } = request.params;
        const { limit = DEFAULT_LIMIT, cursor, status } = request.query;
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        if (!(await readWebhook(db, webhookId))) throw unknownWebhook(webhookId);
        const rows = await readDeliveryPage(db, webhookId, status, before, limit + 1);
        const { items, next_cursor } = cutPage(rows, limit, (row) => [row.createdAt, row.deliveryId]);
        return success(request.id, { deliveries: items.map(deliveryOnWire), next_cursor });
      },
    );

    app.post(
      '/api/v1/webhooks/:webhook_id/deliveries/:delivery_id/resend',
      {
        schema: {
          operationId: 'resend_webhook_delivery',
          tags: ['webhooks'],
          summary: 'Send an event again',
          description:
            'It is sent within seconds, with the same `webhook-id`, and tried for another day; while the webhook is ' +
            'off it waits.',
          params: DeliveryParams,
          response: { 200: answers('the delivery', WebhookDelivery), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { webhook_id: webhookId, delivery_id: deliveryId } = request.params;
        if (!(await readWebhook(db, webhookId))) throw unknownWebhook(webhookId);
        const delivery = await resendDelivery(db, webhookId, deliveryId);
        if (!delivery) throw unknownDelivery(webhookId, deliveryId);
        return success(request.id, deliveryOnWire(delivery));
      },
    );
  };
}

function unknownDelivery(webhookId: string, id: string): AppError {
  const message =
    `delivery "${id}" not found: it never existed, or it was deleted after 30 days; GET ` +
    `/api/v1/webhooks/${webhookId}/deliveries lists the stored ones`;
  return new AppError('RESOURCE_NOT_FOUND', [{ field: 'delivery_id', message }]);
}
