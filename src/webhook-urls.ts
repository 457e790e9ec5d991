import { isIP } from 'node:net';
import { isPublicAddress, openAddressList } from './addresses.ts';

/** Which addresses webhooks may be sent to. */
export type WebhookReach = {
  /** in WEBHOOK_ALLOWED_NETWORKS */
  isAllowed(address: string): boolean;
  /** whether there are any such networks */
  hasAllowed: boolean;
};

/** @param networks the setting WEBHOOK_ALLOWED_NETWORKS */
export function openWebhookReach(networks: string | undefined): WebhookReach {
  return {
    isAllowed: networks ? openAddressList(networks) : () => false,
    hasAllowed: networks !== undefined,
  };
}

/** The host of a URL as a name or an address, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Why nothing is sent to an address, a phrase; undefined: it may be sent. An unencrypted request may go only to
 * networks that the operator names.
 * @param shown what the phrase calls it
 */
export function refusalOf(
  url: URL,
  address: string,
  { isAllowed }: WebhookReach,
  shown = address,
): string | undefined {
  if (isAllowed(address)) return undefined;
  const permit = 'WEBHOOK_ALLOWED_NETWORKS does not allow it';
  if (!isPublicAddress(address)) return `${shown} is not a public address, and ${permit}`;
  if (url.protocol === 'https:') return undefined;
  return `${shown} would be sent to without encryption, and ${permit}; use https`;
}

/**
 * Why a text cannot be the URL of a webhook, as far as that is known before its name is resolved; undefined: it can.
 */
export function findUrlFault(text: string, reach: WebhookReach): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return 'is not a URL that begins with https://';
  if (url.username !== '' || url.password !== '')
    return 'contains a user name or password; the signature proves who sends';
  if (url.hash !== '') return 'contains a fragment (#), which is never sent; leave it out';
  const host = hostOf(url);
  if (isIP(host) !== 0) return refusalOf(url, host, reach);
  if (url.protocol === 'http:' && !reach.hasAllowed)
    return 'is not encrypted: use https, or name the network of the receiver in WEBHOOK_ALLOWED_NETWORKS';
  return undefined;
}
