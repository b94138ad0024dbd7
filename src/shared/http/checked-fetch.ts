import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { Agent, fetch, type RequestInit } from 'undici';
import { addressOfHost, createAddressList, isLoopbackAddress, isPublicAddress } from './addresses.ts';

/** The part of Node's `dns.lookup` that is used here. */
export type NameLookup = (
  name: string,
  options: LookupOptions & { all: true },
  done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** How long a name server may take to answer. It is asked twice. */
const answerTimeoutMs = 2_000;

/** Names that wait for the system at the same time. */
const maxWaiting = 64;

/** The faults of a name that no name server has. The system can add a domain to it, or ask the local network. */
const unknownNameFaults = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Creates the lookup of names that merchants and people choose. It asks the name servers without a thread: `dns.lookup` has two
 * for all names of the process, and a name whose server does not answer holds one of them for many seconds.
 *
 * The system looks up what only this machine can know: names without a dot, those of its hosts file, and, one at a time, those that no
 * name server has.
 *
 * @param servers the name servers; those of the system by default.
 */
export function createNameLookup(servers?: readonly string[]): NameLookup {
  let waiting = 0;
  let last = Promise.resolve();

  function askSystem(...[name, options, done]: Parameters<NameLookup>): void {
    waiting += 1;
    const ask = () =>
      new Promise<void>((resolve) => lookup(name, options, (...found) => resolve(done(...found))));
    last = last.then(ask).finally(() => {
      waiting -= 1;
    });
  }

  return async (name, options, done) => {
    if (isLocal(name)) return lookup(name, options, done);
    // A new one reads the present name servers of the system.
    const resolver = new Resolver({ timeout: answerTimeoutMs, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...listAddresses(v4, 4), ...listAddresses(v6, 6)];
    if (found.length > 0 || v4.status === 'fulfilled') return done(null, found);
    if (unknownNameFaults.has(v4.reason.code) && waiting < maxWaiting) return askSystem(name, options, done);
    done(v4.reason, []);
  };
}

function listAddresses(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

const hostsFile = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

function isLocal(name: string): boolean {
  if (!name.includes('.')) return true;
  try {
    return readFileSync(hostsFile, 'utf8').toLowerCase().split(/\s+/).includes(name.toLowerCase());
  } catch {
    return false;
  }
}

type LookupDone = (
  fault: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** Requests to this address are not allowed. No request was sent. */
export class AddressRejectedError extends Error {
  override readonly name = 'AddressRejectedError';
  readonly code = 'ADDRESS_REJECTED';
}

/** True when a request failed because its address was rejected. */
export function isAddressRejected(fault: unknown): boolean {
  if (fault instanceof AddressRejectedError) return true;
  return fault instanceof Error && fault.cause !== undefined && isAddressRejected(fault.cause);
}

const lookupName = createNameLookup();

/**
 * Returns a lookup for sockets that fails with `AddressRejectedError` when an address of the name is not allowed. The
 * socket connects to the checked address, so a name that resolves differently the next time bypasses nothing. A host that
 * is an IP address is never looked up: check it before the request.
 */
export function checkedLookup(isAllowed: (address: string) => boolean, resolve: NameLookup = lookupName) {
  return (name: string, options: LookupOptions, done: LookupDone): void => {
    resolve(name, { ...options, all: true }, (fault, addresses) => {
      const [first] = addresses ?? [];
      if (fault || !first) return done(fault ?? new Error('the name has no address'), []);
      if (!addresses.every(({ address }) => isAllowed(address))) {
        return done(new AddressRejectedError('the name has an address that is not allowed'), []);
      }
      if (options.all) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}

/** The other end may close a connection that is idle for longer, at the moment when a request is sent. */
const keepAliveMs = 1_000;

type CheckedFetchLimits = {
  connectTimeoutMs: number;
  responseTimeoutMs: number;
  /** Connections to one origin. */
  connections: number;
  /** Resolves names, in place of the system. */
  resolve?: NameLookup | undefined;
};

/** Creates clients for public addresses and the allowed networks; in test mode, also for this machine. Equal networks share connections. */
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
