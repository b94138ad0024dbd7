import { UsageError, UserError } from '../shared/errors.ts';
import { isLoopbackHost } from '../shared/http/addresses.ts';

/** No gateway with an API for support staff answers at an address. */
export class NoGatewayError extends UserError {}

/**
 * Checks that a secret crosses no network unencrypted on its way to an address.
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
function transportFault({ url, urlFrom }: Address, secret: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined;
  const option = urlFrom.startsWith('--') ? urlFrom : '--url';
  return `${url} (from ${urlFrom}) is neither https nor this machine, and ${secret} would cross the network unencrypted. Name the https address with ${option}.`;
}

/** Returns an http or https URL without trailing slashes; `undefined` for another text. */
export function readUrl(text: string): string | undefined {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined;
}

/** Reads the option `--gateway`: the gateway to which the secret of a channel is sent. @throws UsageError */
export function readGateway(text: string): string {
  const url = readUrl(text);
  if (url === undefined)
    throw new UsageError(`--gateway: expected a URL such as http://127.0.0.1:8080, found ${text}`);
  const fault = transportFault({ url, urlFrom: '--gateway' }, 'the secret of the channel');
  if (fault !== undefined) throw new UsageError(fault);
  return url;
}

export function pathSegment(text: string): string {
  // URL parsers resolve "." and ".." as folders.
  return encodeURIComponent(text).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
}
