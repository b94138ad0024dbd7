import { createNetworkRoutes, type NameLookup } from '../../shared/http/checked-fetch.ts';
import type { LookupFetch } from './call-url.ts';
import { maxInFlight } from './lookup.ts';

/** A lookup waits for at most 1.5 s; these limits end requests whose result is no longer used. */
const connectTimeoutMs = 1_500;
const responseTimeoutMs = 3_000;

/** Connections to one origin: merchants can share one. The requests in flight have bounds of their own. */
const connections = maxInFlight.total;

export type LookupTransportOptions = {
  /** Lookups of test keys may also go to this machine. */
  livemode: boolean;
  /** Resolves names, in place of the system. */
  resolve?: NameLookup;
};

/**
 * Creates the HTTP client for lookups. It is separate from that of payments, so that slow merchants block no payment.
 * Requests go to public addresses, and to the networks that the configuration allows for the merchant.
 */
export function createLookupTransport({ livemode, resolve }: LookupTransportOptions): {
  fetch: LookupFetch;
  close(): Promise<void>;
} {
  const limits = { connectTimeoutMs, responseTimeoutMs, connections, resolve };
  const { routeFor, close } = createNetworkRoutes(livemode, limits);
  return { fetch: (url, { allowNetworks, ...init }) => routeFor(allowNetworks).send(url, init), close };
}
