import { createHmac } from 'node:crypto';
import { lookup, Resolver } from 'node:dns/promises';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { hostOf, refusalOf, type WebhookReach } from '../../src/webhook-urls.ts';

/** Bytes of an answer that are read; the rest is not waited for. */
const MAX_ANSWER_BYTES = 4096;

export type ResolvedAddress = { address: string; family: number };
/** Finds the addresses of a name. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;
/** Answers of a name server that leave open whether the machine itself knows the name. */
const UNKNOWN = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Finds addresses beside the thread pool, in which files and other look-ups wait: a name server that does not answer
 * holds a thread for many seconds. Names that only the machine knows (its hosts file, its search domains) are looked up
 * there one after the other.
 * @param servers default: those of the machine
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers) resolver.setServers(servers);
  let last: Promise<unknown> = Promise.resolve();
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    const error = (four as PromiseRejectedResult).reason as NodeJS.ErrnoException;
    if (!UNKNOWN.has(error.code)) throw error;
    const next = last.catch(() => {}).then(() => lookup(host, { all: true }));
    last = next;
    return next;
  };
}
const resolveByDns = createResolve();

export type WebhookAnswer = {
  status: number;
  /** the first bytes of the body */
  text: string;
  /** seconds that the receiver asks to be left alone for; null: it does not */
  retryAfterSeconds: number | null;
};

/**
 * The value of `webhook-signature`: one signature per secret, by the Standard Webhooks specification
 * (https://www.standardwebhooks.com).
 */
export function signWebhook(id: string, timestamp: number, body: string, secrets: readonly Buffer[]): string {
  const sign = (secret: Buffer) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return secrets.map((secret) => `v1,${sign(secret)}`).join(' ');
}

/**
 * Sends a body to a URL. The name is resolved once, each of its addresses is checked, and the connection goes to these
 * very addresses: a name that means something else a moment later leads nowhere. Redirects are answers like any other.
 * @param signal ends it, at the time limit, for example
 * @throws Error if no answer came, with the reason; or if an address is not allowed, and nothing was sent
 */
export async function sendWebhook(
  text: string,
  headers: Record<string, string>,
  body: string,
  { reach, signal, resolve = resolveByDns }: { reach: WebhookReach; signal: AbortSignal; resolve?: Resolve },
): Promise<WebhookAnswer> {
  const url = new URL(text);
  const addresses = await abortable(findAddresses(url, reach, resolve), signal);
  signal.throwIfAborted();
  const { promise, resolve: answered, reject } = Promise.withResolvers<WebhookAnswer>();
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    // A connection of its own: one that is kept open was made to an address that was checked another time.
    agent: false as const,
    signal,
    lookup: (_host: string, { all }: { all?: boolean }, done: (...found: unknown[]) => void) =>
      all ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family),
  };
  const request: ClientRequest = (url.protocol === 'https:' ? https : http).request(url, options as object);
  request.on('error', reject);
  request.on('response', (response: IncomingMessage) => {
    // From here on the status counts, whatever becomes of the body.
    request.off('error', reject).on('error', () => {});
    readAnswer(response).then(answered, reject);
  });
  request.end(body);
  try {
    return await promise;
  } finally {
    request.destroy();
  }
}

async function findAddresses(url: URL, reach: WebhookReach, resolve: Resolve): Promise<ResolvedAddress[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (found.length === 0) throw new Error(`${host} has no address`);
  for (const { address } of found) {
    // The address of a name inside the network is none of the business of those who read why an event was not sent.
    const refusal = refusalOf(url, address, reach, family === 0 ? host : address);
    if (refusal) throw new Error(refusal);
  }
  return found;
}

/** Reads the beginning of an answer. Its status counts even if the rest never comes. */
async function readAnswer(response: IncomingMessage): Promise<WebhookAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The connection broke, or time is up.
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString().replaceAll('\0', '');
  const { 'retry-after': after } = response.headers;
  return {
    status: response.statusCode ?? 0,
    text,
    retryAfterSeconds: after !== undefined && /^\d{1,9}$/.test(after) ? Number(after) : null,
  };
}

/** A promise that fails as soon as a signal comes. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
