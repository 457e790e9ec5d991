import { randomBytes } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { JobReference } from '../../contracts/jobs.ts';
import { MAX_WEBHOOKS, WEBHOOK_PREFIX, WebhookRequest, WebhookWithSecret } from '../../contracts/webhooks.ts';
import { changeWebhookSecret, insertWebhook } from '../../db/webhooks/webhooks.ts';
import { openWebhookReach } from '../../webhook-urls.ts';
import { factsOf } from '../bodies/receive-body.ts';
import type { Deps } from '../deps.ts';
import { webhookExample } from '../documents/examples.ts';
import { answers, errors } from '../responses.ts';
import { noteMade } from '../service/audit.ts';
import { readWebhookUrl, unknownWebhook } from './routes.ts';
import { webhookOnWire } from './webhook-view.ts';

const Params = Type.Object({ webhook_id: JobReference });

const SECRET_BYTES = 32;
const secretOnWire = (secret: Buffer) => `whsec_${secret.toString('base64')}`;

/** The operations on webhooks that show a secret: its only time. */
export function webhookSecretRoutes({ config, database }: Deps): FastifyPluginAsyncTypebox {
  const { db } = database;
  const reach = openWebhookReach(config.WEBHOOK_ALLOWED_NETWORKS);

  return async (app) => {
    app.post(
      '/api/v1/webhooks',
      {
        config: { operation: 'webhook' },
        schema: {
          operationId: 'create_webhook',
          tags: ['webhooks'],
          summary: 'Be told of events',
          description:
            'From now on events are sent to the URL, signed by the Standard Webhooks specification, at least once ' +
            'each. The secret is in this answer only.',
          body: { ...WebhookRequest, examples: [webhookExample] },
          response: {
            201: answers('the webhook with its secret', WebhookWithSecret),
            ...errors(400, 409, 413, 415, 503),
          },
        },
      },
      async (request, reply) => {
        const { url: text, events, description = '', active = true } = factsOf(request, 'webhook');
        const url = readWebhookUrl(text, reach);
        const secret = randomBytes(SECRET_BYTES);
        const webhookId = `${WEBHOOK_PREFIX}_${uuidv7()}`;
        const fields = { url, events: [...new Set(events)], description, active };
        const webhook = await insertWebhook(db, { webhookId, ...fields, secret }, MAX_WEBHOOKS);
        if (!webhook) throw tooMany();
        noteMade(request, { resourceId: webhookId });
        request.log.info({ webhook_id: webhookId }, 'webhook stored');
        reply.code(201);
        return success(request.id, { ...webhookOnWire(webhook), secret: secretOnWire(secret) });
      },
    );

    app.post(
      '/api/v1/webhooks/:webhook_id/secret',
      {
        schema: {
          operationId: 'rotate_webhook_secret',
          tags: ['webhooks'],
          summary: 'Give a webhook another secret',
          description:
            'The secret is in this answer only. For 24 hours the one before signs too: `webhook-signature` then has ' +
            'two signatures, and one that fits is enough.',
          params: Params,
          response: {
            200: answers('the webhook with its new secret', WebhookWithSecret),
            ...errors(400, 404, 503),
          },
        },
      },
      async (request) => {
        const { webhook_id: webhookId } = request.params;
        const secret = randomBytes(SECRET_BYTES);
        const webhook = await changeWebhookSecret(db, webhookId, secret);
        if (!webhook) throw unknownWebhook(webhookId);
        return success(request.id, { ...webhookOnWire(webhook), secret: secretOnWire(secret) });
      },
    );
  };
}

function tooMany(): AppError {
  return new AppError(
    'CONFLICT',
    `${MAX_WEBHOOKS} webhooks are stored, which is the limit; delete one first`,
  );
}
