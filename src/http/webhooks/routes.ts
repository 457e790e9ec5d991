import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { JobReference } from '../../contracts/jobs.ts';
import { MAX_WEBHOOK_URL_LENGTH, RemovedWebhook, Webhook, WebhookPatch } from '../../contracts/webhooks.ts';
import { changeWebhook, deleteWebhook, readWebhook, readWebhookPage } from '../../db/webhooks/webhooks.ts';
import { findUrlFault, openWebhookReach, type WebhookReach } from '../../webhook-urls.ts';
import { factsOf } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { cutPage, DEFAULT_LIMIT, isNewestFirstKey, NextCursor, PAGE_QUERY } from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';
import { webhookOnWire } from './webhook-view.ts';

const Params = Type.Object({ webhook_id: JobReference });
const Query = Type.Object(PAGE_QUERY, { additionalProperties: false });
const WebhookList = Type.Object(
  { webhooks: Type.Array(Webhook), next_cursor: NextCursor },
  { $id: 'WebhookList' },
);
/** `/api/v1/webhooks`: who is told of events. Workers tell them (`workers/duties/webhooks.ts`). */
export function webhookRoutes({ config, database }: Deps): FastifyPluginAsyncTypebox {
  const { db } = database;
  const reach = openWebhookReach(config.WEBHOOK_ALLOWED_NETWORKS);

  return async (app) => {
    app.get(
      '/api/v1/webhooks',
      {
        schema: {
          operationId: 'list_webhooks',
          tags: ['webhooks'],
          summary: 'Webhooks, newest first',
          querystring: Query,
          response: { 200: answers('a page of webhooks', WebhookList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const { limit = DEFAULT_LIMIT, cursor } = request.query;
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const rows = await readWebhookPage(db, before, limit + 1);
        const { items, next_cursor } = cutPage(rows, limit, (row) => [row.createdAt, row.webhookId]);
        return success(request.id, { webhooks: items.map(webhookOnWire), next_cursor });
      },
    );

    app.get(
      '/api/v1/webhooks/:webhook_id',
      {
        schema: {
          operationId: 'get_webhook',
          tags: ['webhooks'],
          summary: 'A webhook',
          params: Params,
          response: { 200: answers('the webhook', Webhook), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { webhook_id: webhookId } = request.params;
        const webhook = await readWebhook(db, webhookId);
        if (!webhook) throw unknownWebhook(webhookId);
        return success(request.id, webhookOnWire(webhook));
      },
    );

    app.patch(
      '/api/v1/webhooks/:webhook_id',
      {
        config: { operation: 'webhook_patch' },
        schema: {
          operationId: 'change_webhook',
          tags: ['webhooks'],
          summary: 'Change a webhook, switch it off or on',
          description:
            'The fields in the body are changed, the rest stay. What waits is sent to the new URL. Events that ' +
            'happen while it is off are not noted for it.',
          params: Params,
          body: { ...WebhookPatch, examples: [{ active: false }] },
          response: { 200: answers('the webhook', Webhook), ...errors(400, 404, 413, 415, 503) },
        },
      },
      async (request) => {
        const { webhook_id: webhookId } = request.params;
        const { events, url, ...change } = factsOf(request, 'webhook_patch');
        const fields = {
          ...change,
          ...(url !== undefined && { url: readWebhookUrl(url, reach) }),
          ...(events && { events: [...new Set(events)] }),
        };
        const webhook = await changeWebhook(db, webhookId, fields);
        if (!webhook) throw unknownWebhook(webhookId);
        return success(request.id, webhookOnWire(webhook));
      },
    );

    app.delete(
      '/api/v1/webhooks/:webhook_id',
      {
        schema: {
          operationId: 'delete_webhook',
          tags: ['webhooks'],
          summary: 'Delete a webhook',
          description: 'What waits for it is not sent any more.',
          params: Params,
          response: { 200: answers('the deleted webhook', RemovedWebhook), ...errors(400, 404, 503) },
        },
      },
      async (request) => {
        const { webhook_id: webhookId } = request.params;
        if (!(await deleteWebhook(db, webhookId))) throw unknownWebhook(webhookId);
        return success(request.id, { webhook_id: webhookId });
      },
    );
  };
}

/**
 * Checks the URL of a webhook as far as that is known before its name is resolved.
 * @returns it as it is stored: one text for all ways to write it
 * @throws AppError VALIDATION_ERROR
 */
export function readWebhookUrl(url: string, reach: WebhookReach): string {
  const fault = findUrlFault(url, reach);
  if (fault)
    throw new AppError('VALIDATION_ERROR', [{ field: 'url', message: `${JSON.stringify(url)} ${fault}` }]);
  const normal = new URL(url).href;
  if (normal.length <= MAX_WEBHOOK_URL_LENGTH) return normal;
  const message = `has ${normal.length} characters once it is encoded; at most ${MAX_WEBHOOK_URL_LENGTH} are allowed`;
  throw new AppError('VALIDATION_ERROR', [{ field: 'url', message }]);
}

export function unknownWebhook(id: string): AppError {
  const message = `webhook "${id}" not found; GET /api/v1/webhooks lists the stored webhooks`;
  return new AppError('RESOURCE_NOT_FOUND', [{ field: 'webhook_id', message }]);
}
