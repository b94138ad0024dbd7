import { Agent, fetch, type RequestInit } from 'undici';
import { createAddressList } from './address-list.ts';
import { AddressRejectedError, checkedLookup, type NameLookup } from './checked-lookup.ts';
import { addressOfHost, isLoopbackAddress, isPublicAddress } from './public-address.ts';

/** The other end may close a connection that is idle for longer, at the moment when a request is sent. */
const keepAliveMs = 1_000;

export type CheckedFetchLimits = {
  connectTimeoutMs: number;
  responseTimeoutMs: number;
  /** Connections to one origin. */
  connections: number;
  /** Resolves names, in place of the system. */
  resolve?: NameLookup | undefined;
};

/**
 * Creates clients that connect to public addresses and to the networks that are named for a request; with test keys, also to this machine.
 * Requests share connections only if they may reach the same networks.
 */
export function createNetworkRoutes(livemode: boolean, limits: CheckedFetchLimits) {
  const routes = new Map<string, ReturnType<typeof createRoute>>();

  function createRoute(networks: readonly string[]) {
    const allowed = createAddressList(networks);
    const isAllowed = (address: string) =>
      isPublicAddress(address) || (!livemode && isLoopbackAddress(address)) || allowed.has(address);
    return {
      ...createCheckedFetch(isAllowed, limits),
      isAllowed,
      isListed: (address: string) => allowed.has(address),
    };
  }

  return {
    routeFor(networks: readonly string[]) {
      const key = [...networks].sort().join(' ');
      const route = routes.get(key) ?? createRoute(networks);
      routes.set(key, route);
      return route;
    },
    async close(): Promise<void> {
      await Promise.all([...routes.values()].map((route) => route.close()));
    },
  };
}

/**
 * Creates a client that connects to the allowed addresses only, and keeps its connections for a short time.
 *
 * @throws AddressRejectedError at a request to another address.
 */
function createCheckedFetch(
  isAllowed: (address: string) => boolean,
  { connectTimeoutMs, responseTimeoutMs, connections, resolve }: CheckedFetchLimits,
) {
  const dispatcher = new Agent({
    connect: { timeout: connectTimeoutMs, lookup: checkedLookup(isAllowed, resolve) },
    connections,
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    pipelining: 1,
  });
  return {
    async send(url: string, init: RequestInit) {
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
