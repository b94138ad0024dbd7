import { addressOfHost } from '../../shared/http/addresses.ts';
import { createNetworkRoutes } from '../../shared/http/checked-fetch.ts';
import type { WebhookFetch } from '../../shared/http/webhook-fetch.ts';
import { maxDeliveriesInFlight } from './queue.ts';
import { sendTimeoutMs } from './send.ts';

const connectTimeoutMs = 5_000;

/** Connections to one origin: merchants can share one. The deliveries in flight have bounds of their own. */
const connections = maxDeliveriesInFlight.total;

export type NotifyFetchOptions = {
  livemode: boolean;
  /** Returns the networks that are not public and that notifications of a merchant may reach. */
  allowPrivate(merchantId: string): readonly string[];
};

/**
 * Creates the HTTP client of notifications. It is separate from that of payments and of lookups, so that a slow system blocks
 * neither. Requests go to public addresses and to the networks of `allowPrivate`; those of test keys also to this machine.
 */
export function createNotifyFetch({ livemode, allowPrivate }: NotifyFetchOptions) {
  const limits = { connectTimeoutMs, responseTimeoutMs: sendTimeoutMs, connections };
  const { routeFor, close } = createNetworkRoutes(livemode, limits);
  return {
    close,
    /** Returns the client for the notifications of a merchant. */
    fetchFor(merchantId: string): WebhookFetch {
      const { send } = routeFor(allowPrivate(merchantId));
      return (url, request) => send(url, request);
    },
    /** True when an endpoint of a merchant may have the URL: https, or http to a network that is not public. */
    isUrlAllowed(url: URL, merchantId: string): boolean {
      const { isAllowed, isListed } = routeFor(allowPrivate(merchantId));
      const address = addressOfHost(url);
      if (address !== undefined && !isAllowed(address)) return false;
      if (url.protocol === 'https:') return true;
      if (url.protocol !== 'http:') return false;
      return !livemode || (address !== undefined && isListed(address));
    },
  };
}
