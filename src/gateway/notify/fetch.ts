import { createAddressList } from '../../shared/http/address-list.ts';
import { createCheckedFetch } from '../../shared/http/checked-fetch.ts';
import { addressOfHost, isLoopbackAddress, isPublicAddress } from '../../shared/http/public-address.ts';
import type { WebhookFetch } from '../../shared/http/webhook-fetch.ts';
import { maxInFlight } from './queue.ts';
import { sendTimeoutMs } from './send.ts';

const connectTimeoutMs = 5_000;

/** Connections to one origin: merchants can share one. The deliveries in flight have bounds of their own. */
const connections = maxInFlight.total;

export type NotifyFetchOptions = {
  livemode: boolean;
  /** Networks that are not public and may be reached. */
  allowPrivate: readonly string[];
};

/**
 * Creates the HTTP client of notifications. It is separate from that of payments and of lookups, so that a slow system blocks
 * neither. Requests go to public addresses and to the networks of `allowPrivate`; those of test keys also to this machine.
 */
export function createNotifyFetch({ livemode, allowPrivate }: NotifyFetchOptions) {
  const allowed = createAddressList(allowPrivate);
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (!livemode && isLoopbackAddress(address)) || allowed.has(address);
  const limits = { connectTimeoutMs, responseTimeoutMs: sendTimeoutMs, connections };
  const { send, close } = createCheckedFetch(isAllowed, limits);
  const fetch: WebhookFetch = (url, request) => send(url, request);
  return {
    fetch,
    close,
    /** Whether an endpoint may have the URL: https, or http to a network that is not public. */
    isUrlAllowed(url: URL): boolean {
      const address = addressOfHost(url);
      if (address !== undefined && !isAllowed(address)) return false;
      if (url.protocol === 'https:') return true;
      if (url.protocol !== 'http:') return false;
      return !livemode || (address !== undefined && allowed.has(address));
    },
  };
}
