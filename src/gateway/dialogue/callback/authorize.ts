import type { UssdChannel } from '../channel.ts';
import { matchSecret } from '../channel-secret.ts';

/** The channel of a request with its secret. */
export type Authorized = { readonly channel: UssdChannel; readonly secret: 'current' | 'previous' };

/** A request with a channel's secret from an address that the channel does not list. */
export type ForbiddenAddress = { readonly forbidden: { channel: string; caller: string | undefined } };

/**
 * Returns the channel of a request whose secret and address are right; `undefined` without the secret.
 *
 * @param callerOf returns the address of the caller. Not called for a channel that lists no addresses.
 */
export function authorize(
  channel: UssdChannel | undefined,
  given: string,
  callerOf: () => string | undefined,
): Authorized | ForbiddenAddress | undefined {
  const secret = matchSecret(channel, given);
  if (!channel || !secret) return undefined;
  if (!channel.allowFrom) return { channel, secret };
  const caller = callerOf();
  if (caller !== undefined && channel.allowFrom.has(caller)) return { channel, secret };
  return { forbidden: { channel: channel.id, caller } };
}
