import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';

/** The part of Node's `dns.lookup` that is used here. */
export type NameLookup = (
  name: string,
  options: LookupOptions & { all: true },
  done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

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

/**
 * Returns a lookup for sockets that fails with `AddressRejectedError` when an address of the name is not allowed. The
 * socket connects to the checked address, so a name that resolves differently the next time bypasses nothing. A host that
 * is an IP address is never looked up: check it before the request.
 */
export function checkedLookup(isAllowed: (address: string) => boolean, resolve: NameLookup = lookup) {
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
