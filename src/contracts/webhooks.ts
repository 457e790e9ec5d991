import { type Static, Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { JobId, UUID_PATTERN } from './jobs.ts';
import { nullable } from './nullable.ts';
import { STORABLE_TEXT } from './vehicles.ts';

/** The events that receivers are told. */
export const WEBHOOK_EVENTS = ['job.completed', 'job.failed', 'decision.completed', 'worker.lost'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** As many webhooks may be stored: each event is written once per webhook, with the end of its job. */
export const MAX_WEBHOOKS = 50;
export const MAX_WEBHOOK_URL_LENGTH = 2000;
export const MAX_WEBHOOK_DESCRIPTION_LENGTH = 500;
/** Characters of a receiver's answer that are kept. */
export const MAX_KEPT_ANSWER_LENGTH = 1000;

export const WEBHOOK_PREFIX = 'whk';
export const DELIVERY_PREFIX = 'msg';

const WebhookId = Type.String({ pattern: `^${WEBHOOK_PREFIX}_${UUID_PATTERN}$` });
const DeliveryId = Type.String({
  pattern: `^${DELIVERY_PREFIX}_${UUID_PATTERN}$`,
  description: 'the `webhook-id` of every attempt',
});

const Url = Type.String({
  minLength: 1,
  maxLength: MAX_WEBHOOK_URL_LENGTH,
  pattern: STORABLE_TEXT,
  description:
    'where events are sent; `https`, or `http` to networks of the setting WEBHOOK_ALLOWED_NETWORKS',
});
const Events = Type.Array(Type.Enum([...WEBHOOK_EVENTS]), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  description: 'the types of events that are sent',
});
const Active = Type.Boolean({
  default: true,
  description: 'false: events are not noted for it, and what waits is not sent',
});
const Description = Type.String({ maxLength: MAX_WEBHOOK_DESCRIPTION_LENGTH, pattern: STORABLE_TEXT });

export const WebhookRequest = Type.Object(
  {
    url: Url,
    events: Events,
    description: Type.Optional(Description),
    active: Type.Optional(Active),
  },
  { $id: 'WebhookRequest', additionalProperties: false },
);

export const WebhookPatch = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    active: Type.Optional(Active),
  },
  { $id: 'WebhookPatch', additionalProperties: false, minProperties: 1 },
);

export const Webhook = Type.Object(
  {
    webhook_id: WebhookId,
    url: Type.String(),
    events: Type.Array(Type.Enum([...WEBHOOK_EVENTS])),
    description: Type.String(),
    active: Type.Boolean(),
    switched_off_because: nullable(
      Type.String(),
      'why the service switched it off; null if it did not; `active: true` switches it on again',
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

/** A webhook with its secret, which is shown only when it is made. */
export const WebhookWithSecret = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.String({
      pattern: '^whsec_[A-Za-z0-9+/]+=*$',
      description: 'signs what is sent; not shown again',
    }),
  },
  { $id: 'WebhookWithSecret' },
);

export const RemovedWebhook = Type.Object({ webhook_id: WebhookId }, { $id: 'RemovedWebhook' });

export const WebhookDelivery = Type.Object(
  {
    delivery_id: DeliveryId,
    type: Type.Enum([...WEBHOOK_EVENTS]),
    job_id: JobId,
    status: Type.Enum([...DELIVERY_STATUSES], {
      description:
        '`waiting`: for its next attempt, at `next_at`; `delivered`: answered with 2xx; `dead`: given up, can be resent',
    }),
    attempts: Type.Integer({ minimum: 0 }),
    created_at: { ...Timestamp, description: 'when the event happened' },
    next_at: nullable(
      Timestamp,
      'the next attempt, or when one that is running is taken over; null at the end',
    ),
    ended_at: nullable(Timestamp, 'null while it waits'),
    last_attempt_at: nullable(Timestamp, 'null before the first'),
    last_http_status: nullable(Type.Integer(), 'of the last answer; null without one'),
    last_answer: nullable(Type.String(), `the first ${MAX_KEPT_ANSWER_LENGTH} characters of the last answer`),
    last_error: nullable(Type.String(), 'why the last attempt failed; null if it did not'),
  },
  { $id: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;
