import { UserError } from '../shared/errors.ts';
import { isLoopbackHost } from '../shared/http/addresses.ts';

/** No gateway with an API for support staff answers at an address. */
export class NoGatewayError extends UserError {}

/**
 * Checks that nobody on a network can read a secret that is sent to an address.
 *
 * @param secret such as `the password`, for the message.
 * @throws UserError unless the address is https, or of this machine.
 */
export function checkTransport(address: Address, secret: string): void {
  const fault = transportFault(address, secret);
  if (fault !== undefined) throw new UserError(fault);
}

type Address = { url: string; urlFrom: string };

/** Returns why a secret is not sent to an address, as `checkTransport` does; undefined when it may be. */
export function transportFault({ url, urlFrom }: Address, secret: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined;
  const option = urlFrom.startsWith('--') ? urlFrom : '--url';
  return `${url} (from ${urlFrom}) is neither https nor this machine, and ${secret} would cross the network unencrypted. Name the https address with ${option}.`;
}
