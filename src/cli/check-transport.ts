import { UserError } from '../shared/errors.ts';
import { isLoopbackHost } from '../shared/http/public-address.ts';

/**
 * Checks that nobody on a network can read a secret that is sent to an address.
 *
 * @param secret such as `the password`, for the message.
 * @throws UserError unless the address is https, or of this machine.
 */
export function checkTransport({ url, urlFrom }: { url: string; urlFrom: string }, secret: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopbackHost(hostname)) return;
  throw new UserError(
    `${url} (from ${urlFrom}) is neither https nor this machine, and ${secret} would cross the network unencrypted. Name the https address with --url.`,
  );
}
