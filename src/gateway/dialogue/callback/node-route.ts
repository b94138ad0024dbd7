import type { IncomingMessage, ServerResponse } from 'node:http';
import { getQueryParam } from 'hono/utils/url';
import { errorMessage } from '../../../shared/errors.ts';
import { findClientAddress } from '../../../shared/http/addresses.ts';
import { hasBoundedBody, readWhole } from '../../../shared/http/body.ts';
import { createDirectSender } from '../../../shared/http/headers.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import { authorize, isPlainBody, maxRequestBytes, type UssdRouteDeps } from './route.ts';

export type NodeRouteDeps = Omit<UssdRouteDeps, 'clock' | 'forbiddenAddresses'> & {
  ids: Pick<Ids, 'next'>;
  log: Log;
};

/** The usual callback URL. No part of its path is encoded, so a router would find the same parts. */
const callbackUrl = /^\/ussd\/([\w-]+)\/([\w-]+)((?:\/[\w-]+)*)\/?(?:\?([^#]*))?$/;

const methods: ReadonlySet<string | undefined> = new Set(['GET', 'POST', 'PUT']);

const decoder = new TextDecoder();

type Answer = { status: number; contentType: string; body: string };

const fault: Answer = {
  status: 503,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'internal_error', message: 'try again later' } }),
};

/**
 * Creates a function that answers the usual requests of aggregators on Node's own request and response: the web-standard
 * wrapping of a request costs more than its turn.
 *
 * @returns a function that returns false, and does nothing, for a request that `ussdRoute` must answer: with
 *   another path or method, without the secret, from a forbidden address, or with an unusual body.
 */
export function createCallbackRoute(deps: NodeRouteDeps) {
  const sendDirectly = createDirectSender();
  const send = (outgoing: ServerResponse, requestId: string, { status, contentType, body }: Answer): void => {
    const headers = ['x-request-id', requestId, 'content-type', contentType];
    sendDirectly(outgoing, { status, headers, body });
  };
  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const { method, url = '', headers } = incoming;
    const { 'content-type': type, 'content-encoding': encoding } = headers;
    const isUsual =
      methods.has(method) &&
      hasBoundedBody(incoming, maxRequestBytes) &&
      isPlainBody({ type, encoding: encoding?.toString() });
    const match = isUsual ? callbackUrl.exec(url) : null;
    if (!match) return false;
    const [, id = '', given = '', path = '', query] = match;
    const forwardedFor = headers['x-forwarded-for']?.toString();
    const caller = () => findClientAddress(incoming, forwardedFor, deps.trustedProxies);
    const found = authorize(deps.channel(id), given, caller);
    if (found === undefined || !('channel' in found)) return false;
    const requestId = deps.ids.next('req');
    const raw = { query: query === undefined ? {} : toQuery(url), path: path.slice(1) };
    readWhole(incoming, async (bytes) => {
      const body = bytes.length === 0 ? '' : decoder.decode(bytes);
      try {
        const reply = await deps.answer({ ...found, raw: { ...raw, body }, requestId, outgoing });
        send(outgoing, requestId, { status: 200, ...reply });
      } catch (thrown) {
        deps.log.error({ request: requestId, fault: errorMessage(thrown) }, 'a request failed');
        if (!outgoing.headersSent) send(outgoing, requestId, fault);
      }
    });
    return true;
  };
}

/** Reads the query as the router does. */
function toQuery(url: string): Record<string, string> {
  const found = getQueryParam(url);
  return typeof found === 'object' ? found : {};
}
