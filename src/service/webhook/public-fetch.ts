import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Agent, fetch } from 'undici';
import { isPublicAddress, mayBePublic } from './public-address.ts';
import { AddressRejectedError, type WebhookFetch } from './webhook-fetch.ts';

/** The part of Node's `dns.lookup` that is used here. */
export type Lookup = (
  name: string,
  options: LookupOptions & { all: true },
  done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type LookupDone = (
  fault: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * Returns a lookup for sockets that fails with `AddressRejectedError` when an address of the name is not public. The
 * socket connects to the checked address, so a name that resolves differently the next time bypasses nothing.
 */
export function publicLookup(resolve: Lookup = lookup) {
  return (name: string, options: LookupOptions, done: LookupDone): void => {
    resolve(name, { ...options, all: true }, (fault, addresses) => {
      const [first] = addresses ?? [];
      if (fault || !first) return done(fault ?? new Error('the name has no address'), []);
      if (!addresses.every(({ address }) => isPublicAddress(address))) {
        return done(new AddressRejectedError('the name has an address that is not public'), []);
      }
      if (options.all) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}

/**
 * Creates a fetch that sends over https to public addresses only. It keeps no connection: each request resolves and
 * checks its name again.
 */
export function createPublicFetch(resolve?: Lookup): WebhookFetch {
  const dispatcher = new Agent({ pipelining: 0, connect: { lookup: publicLookup(resolve) } });
  return async (url, request) => {
    // A host that is an IP address is never looked up.
    if (!mayBePublic(new URL(url))) throw new AddressRejectedError('the URL has no public address');
    return fetch(url, { ...request, dispatcher });
  };
}
