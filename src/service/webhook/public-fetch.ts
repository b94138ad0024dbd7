import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Agent, fetch } from 'undici';
import { isPublicAddress, mayBePublic } from './public-address.ts';
import type { WebhookFetch } from './send.ts';

/** As much of Node's `dns.lookup` as is used here. */
export type Lookup = (
  name: string,
  options: LookupOptions & { all: true },
  done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Found = (
  fault: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** Nothing was sent: the address is not a public one. */
export class AddressRejectedError extends Error {
  override readonly name = 'AddressRefused';
}

/** Whether a failed request failed because its address was refused. */
export function isAddressRejected(fault: unknown): boolean {
  if (fault instanceof AddressRejectedError) return true;
  return fault instanceof Error && fault.cause !== undefined && isAddressRejected(fault.cause);
}

/**
 * A lookup for sockets that fails with `AddressRefused` when any address of the name is not public. The socket
 * connects to what was checked here, so a name that changes between two lookups gains nothing.
 */
export function publicLookup(resolve: Lookup = lookup) {
  return (name: string, options: LookupOptions, found: Found): void => {
    resolve(name, { ...options, all: true }, (fault, addresses) => {
      const [first] = addresses ?? [];
      if (fault || !first) return found(fault ?? new Error('the name has no address'), []);
      if (!addresses.every(({ address }) => isPublicAddress(address))) {
        return found(new AddressRejectedError('the name leads to an address that is not public'), []);
      }
      if (options.all) return found(null, addresses);
      found(null, first.address, first.family);
    });
  };
}

/**
 * Sends over https to public addresses alone, whatever the URL or its name says. No connection is kept: each
 * request looks its name up, and checks it, anew.
 */
export function createPublicFetch(resolve?: Lookup): WebhookFetch {
  const dispatcher = new Agent({ pipelining: 0, connect: { lookup: publicLookup(resolve) } });
  return async (url, request) => {
    // A host that is an address is never looked up.
    if (!mayBePublic(new URL(url))) throw new AddressRejectedError('the URL is not a public one');
    return fetch(url, { ...request, dispatcher });
  };
}
