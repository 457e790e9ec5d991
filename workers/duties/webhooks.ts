import type { Logger } from 'pino';
import type { Config } from '../../src/config.ts';
import { MAX_KEPT_ANSWER_LENGTH } from '../../src/contracts/webhooks.ts';
import type { Database } from '../../src/db/client.ts';
import {
  type AttemptedDelivery,
  type ClaimedDelivery,
  claimDeliveries,
  giveBackDelivery,
  recordAttempt,
} from '../../src/db/webhooks/webhook-deliveries.ts';
import { openWebhookReach } from '../../src/webhook-urls.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { type Resolve, sendWebhook, signWebhook, type WebhookAnswer } from './webhook-send.ts';

/** Attempts at once to one webhook, by one worker. */
const MOST_EACH = 4;
/** Delays grow threefold, from five seconds to four hours; jitter makes them up to half as long again. */
const FIRST_DELAY_SECONDS = 5;
const DELAY_FACTOR = 3;
const MAX_DELAY_SECONDS = 4 * 3600;
/** Beyond the time limit of an attempt: recording it may take a while. */
const LEASE_MARGIN_SECONDS = 30;
const GONE = 410;

export type WebhookDeps = {
  config: Pick<Config, 'WEBHOOK_TIMEOUT_SECONDS' | 'WEBHOOK_ALLOWED_NETWORKS'>;
  db: Database;
  logger: Logger;
  metrics?: Pick<WorkerMetrics, 'webhookAttempted'> | undefined;
  /** tests say what a name means */
  resolve?: Resolve;
};

/** How long to wait before the next attempt. @param random from 0 to 1 */
export function retryDelaySeconds(attempt: number, random = Math.random()): number {
  const delay = Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * DELAY_FACTOR ** (attempt - 1));
  return delay * (1 + random / 2);
}

/**
 * Sends events to webhooks. Every worker does: `send` claims what is due and begins to send it. What a worker was
 * sending when it died is due again when its lease ends, so an event is sent at least once, and may be sent twice.
 */
export function openWebhookSender(deps: WebhookDeps) {
  const { config, db, logger } = deps;
  const reach = openWebhookReach(config.WEBHOOK_ALLOWED_NETWORKS);
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1000;
  const leaseSeconds = config.WEBHOOK_TIMEOUT_SECONDS + LEASE_MARGIN_SECONDS;
  const closing = new AbortController();
  const underWay = new Map<string, number>();
  const sending = new Set<Promise<void>>();
  const onError = (err: unknown) => logger.warn({ err }, 'webhooks');

  const count = (webhookId: string, by: 1 | -1) => {
    const present = (underWay.get(webhookId) ?? 0) + by;
    if (present === 0) underWay.delete(webhookId);
    else underWay.set(webhookId, present);
  };

  /** Claims one after the other: two at once would count the same free places. */
  let claiming: Promise<void> | undefined;
  let isWanted = false;
  const claim = async () => {
    do {
      isWanted = false;
      if (closing.signal.aborted) return;
      for (const delivery of await claimDeliveries(db, underWay, MOST_EACH, leaseSeconds)) {
        count(delivery.webhookId, 1);
        const attempt = deliver(delivery)
          .catch(onError)
          .finally(() => {
            sending.delete(attempt);
            count(delivery.webhookId, -1);
            // There may be more for this webhook, now that a place is free.
            send().catch(onError);
          });
        sending.add(attempt);
      }
    } while (isWanted);
  };
  const send = (): Promise<void> => {
    isWanted = true;
    claiming ??= claim().finally(() => {
      claiming = undefined;
    });
    return claiming;
  };

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await attempt(delivery);
    // Broken off by the end of this process, which is not the receiver's fault.
    if (!outcome) return giveBackDelivery(db, delivery);
    const isGone = outcome.httpStatus === GONE;
    const reason = isGone ? `the receiver answered ${GONE}: it wants no more events` : undefined;
    const status = await recordAttempt(db, delivery, outcome, reason);
    if (status === undefined) return;
    deps.metrics?.webhookAttempted(status === 'waiting' ? 'retried' : status);
    const { deliveryId: delivery_id, webhookId: webhook_id, attempt: number } = delivery;
    const { httpStatus: http_status, error } = outcome;
    const line = { delivery_id, webhook_id, attempt: number, status, http_status, error };
    logger[status === 'delivered' ? 'debug' : 'warn'](line, 'webhook');
  }

  /** @returns undefined if this process ended it */
  async function attempt(delivery: ClaimedDelivery): Promise<AttemptedDelivery | undefined> {
    const { deliveryId, event, createdAt, data, secret, previousSecret } = delivery;
    // The same bytes at each attempt; the signature differs by its time.
    const body = `{"type":"${event}","timestamp":"${createdAt.toISOString()}","data":${data}}`;
    const timestamp = Math.floor(Date.now() / 1000);
    const secrets = previousSecret ? [secret, previousSecret] : [secret];
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'fleet-decision-service',
      'webhook-id': deliveryId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(deliveryId, timestamp, body, secrets),
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([timeout, closing.signal]);
    const { resolve } = deps;
    try {
      const answer = await sendWebhook(delivery.url, headers, body, {
        reach,
        signal,
        ...(resolve && { resolve }),
      });
      return judge(delivery.attempt, answer);
    } catch (error) {
      if (closing.signal.aborted) return undefined;
      const reason = timeout.aborted
        ? `no answer within ${config.WEBHOOK_TIMEOUT_SECONDS} s`
        : reasonOf(error as NodeJS.ErrnoException);
      return {
        status: 'waiting',
        delaySeconds: retryDelaySeconds(delivery.attempt),
        ...{ httpStatus: null, answer: null, error: reason.slice(0, MAX_KEPT_ANSWER_LENGTH) },
      };
    }
  }

  return {
    /** Begins to send what is due. */
    send,
    /** Breaks off what is being sent; it is due again at once. */
    async close(): Promise<void> {
      closing.abort();
      await claiming?.catch(onError);
      await Promise.all(sending);
    },
  };
}

/** Why no answer came, without the address that a name means: messages of the system contain it. */
function reasonOf({ code, syscall, message }: NodeJS.ErrnoException): string {
  if (code !== undefined && (syscall !== undefined || message === ''))
    return `${syscall ?? 'connect'} ${code}`;
  return message || 'no answer';
}

/** The meaning of an answer: 2xx is the end, and so is 410. All others are tried again; a redirect is not followed. */
function judge(attempt: number, { status, text, retryAfterSeconds }: WebhookAnswer): AttemptedDelivery {
  const kept = { httpStatus: status, answer: text.slice(0, MAX_KEPT_ANSWER_LENGTH) };
  if (status >= 200 && status < 300) return { ...kept, status: 'delivered', delaySeconds: 0, error: null };
  if (status === GONE)
    return { ...kept, status: 'dead', delaySeconds: 0, error: `the receiver answered ${GONE}` };
  const asked = Math.min(retryAfterSeconds ?? 0, MAX_DELAY_SECONDS);
  const what = status >= 300 && status < 400 ? `${status}, and redirects are not followed` : `${status}`;
  return {
    ...kept,
    status: 'waiting',
    delaySeconds: Math.max(asked, retryDelaySeconds(attempt)),
    error: `the receiver answered ${what}`,
  };
}
