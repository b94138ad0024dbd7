import type { IncomingMessage, ServerResponse } from 'node:http';
import { getQueryParam } from 'hono/utils/url';
import { messageOf } from '../../../shared/errors.ts';
import { callerOf } from '../../../shared/http/caller.ts';
import { renderResponseHeaders } from '../../../shared/http/headers.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import { authorize } from './authorize.ts';
import { maxRequestBytes, type UssdRouteDeps } from './route.ts';

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
 * @returns a function that returns false, and does nothing, for every request that `ussdRoute` must answer: of another
 *   path, method or form, without the secret, from a forbidden address, or with a body of unknown or too great length.
 */
export function createNodeRoute(deps: NodeRouteDeps) {
  const fixedHeaders = renderResponseHeaders();
  const send = async (outgoing: ServerResponse, requestId: string, answer: Answer): Promise<void> => {
    const { status, contentType, body } = answer;
    outgoing.writeHead(status, [
      ...(await fixedHeaders),
      ...['x-request-id', requestId],
      ...['content-type', contentType],
      ...['content-length', String(Buffer.byteLength(body))],
    ]);
    outgoing.end(body);
  };
  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const { method, url = '', headers } = incoming;
    const match = methods.has(method) && hasUsualBody(incoming) ? callbackUrl.exec(url) : null;
    if (!match) return false;
    const [, id = '', given = '', path = '', query] = match;
    const forwardedFor = headers['x-forwarded-for']?.toString();
    const caller = () => callerOf(incoming, forwardedFor, deps.trustedProxies);
    const found = authorize(deps.channel(id), given, caller);
    if (found === undefined || !('channel' in found)) return false;
    const requestId = deps.ids.next('req');
    const raw = { query: query === undefined ? {} : queryOf(url), path: path.slice(1) };
    readBody(incoming, async (body) => {
      try {
        const reply = await deps.answer({ ...found, raw: { ...raw, body }, requestId, outgoing });
        await send(outgoing, requestId, { status: 200, ...reply });
      } catch (thrown) {
        deps.log.error({ request: requestId, fault: messageOf(thrown) }, 'a request failed');
        if (!outgoing.headersSent) await send(outgoing, requestId, fault);
      }
    });
    return true;
  };
}

/** Returns whether the body is absent, or its length is known and within the bound. A GET has no body. */
function hasUsualBody({ method, headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return false;
  if (length === undefined) return true;
  return method !== 'GET' && Number(length) <= maxRequestBytes;
}

/** Reads the body, and calls `done` once it is complete. A request that breaks off is dropped. */
function readBody(incoming: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    const [first] = chunks;
    const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    done(whole.length === 0 ? '' : decoder.decode(whole));
  });
}

/** Reads the query as the router does. */
function queryOf(url: string): Record<string, string> {
  const found = getQueryParam(url);
  return typeof found === 'object' ? found : {};
}
