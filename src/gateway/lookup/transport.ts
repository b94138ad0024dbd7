import { Agent, fetch } from 'undici';
import { createAddressList } from '../../shared/http/address-list.ts';
import { AddressRejectedError, checkedLookup, type NameLookup } from '../../shared/http/checked-lookup.ts';
import { addressOfHost, isLoopbackAddress, isPublicAddress } from '../../shared/http/public-address.ts';
import type { LookupFetch } from './call-url.ts';

/** A lookup waits for at most 1.5 s; these limits end requests whose result is no longer used. */
const connectTimeoutMs = 1_500;
const responseTimeoutMs = 3_000;

/** The other end may close a connection that is idle for longer, at the moment when a request is sent. */
const keepAliveMs = 1_000;

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
  const routes = new Map<string, ReturnType<typeof createRoute>>();

  /** Merchants share connections only if they may reach the same networks. */
  function routeFor(networks: readonly string[]) {
    const key = [...networks].sort().join(' ');
    const known = routes.get(key);
    if (known) return known;
    const allowed = createAddressList(networks);
    const route = createRoute(
      (address) =>
        isPublicAddress(address) || (!livemode && isLoopbackAddress(address)) || allowed.has(address),
      resolve,
    );
    routes.set(key, route);
    return route;
  }

  return {
    fetch: (url, { allowNetworks, ...init }) => routeFor(allowNetworks).send(url, init),
    async close() {
      await Promise.all([...routes.values()].map((route) => route.close()));
    },
  };
}

type Init = Omit<Parameters<LookupFetch>[1], 'allowNetworks'>;

/** Creates a client that connects to the allowed addresses only. */
function createRoute(isAllowed: (address: string) => boolean, resolve?: NameLookup) {
  const dispatcher = new Agent({
    connect: { timeout: connectTimeoutMs, lookup: checkedLookup(isAllowed, resolve) },
    connections: 64,
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    pipelining: 1,
  });
  return {
    async send(url: string, init: Init) {
      // A host that is an IP address is never looked up.
      const address = addressOfHost(new URL(url));
      if (address !== undefined && !isAllowed(address)) {
        throw new AddressRejectedError('the address is not allowed');
      }
      return fetch(url, { ...init, dispatcher });
    },
    close: () => dispatcher.destroy(),
  };
}
