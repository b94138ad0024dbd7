import { Agent, fetch } from 'undici';
import { AddressRejectedError, checkedLookup, type NameLookup } from '../../shared/http/checked-lookup.ts';
import { isPublicAddress, mayBePublic } from '../../shared/http/public-address.ts';
import type { WebhookFetch } from '../../shared/http/webhook-fetch.ts';

/**
 * Creates a fetch that sends over https to public addresses only. It keeps no connection: each request resolves and
 * checks its name again.
 */
export function createPublicFetch(resolve?: NameLookup): WebhookFetch {
  const dispatcher = new Agent({
    pipelining: 0,
    connect: { lookup: checkedLookup(isPublicAddress, resolve) },
  });
  return async (url, request) => {
    // A host that is an IP address is never looked up.
    if (!mayBePublic(new URL(url))) throw new AddressRejectedError('the URL has no public address');
    return fetch(url, { ...request, dispatcher });
  };
}
