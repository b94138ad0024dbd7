import type { IncomingMessage, ServerResponse } from 'node:http';
import { renderResponseHeaders } from './headers.ts';

/*
 * Parts of a route on Node's own request and response. The web-standard wrapping of a request costs more than the rest of a
 * short one.
 */

/** Returns whether the body is absent, or its length is known and within the bound. A GET has no body. */
export function hasBoundedBody({ method, headers }: IncomingMessage, maxBytes: number): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return false;
  if (length === undefined) return true;
  return method !== 'GET' && Number(length) <= maxBytes;
}

/** Reads the body, and calls `done` once it is complete. A request that breaks off is dropped. */
export function readWhole(incoming: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    const [first] = chunks;
    done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
  });
}

/** Returns whether a header occurs at most once. Node shows only the first of several, and Hono all of them. */
export function occursOnce({ rawHeaders }: IncomingMessage, name: string): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) found++;
  }
  return found <= 1;
}

/** A response with its final bytes. `headers` are names and values in turn, without those of every response. */
export type DirectResponse = { status: number; headers: readonly string[]; body: string };

/** Creates a function that writes a response with the headers of every response. */
export function createDirectSender(): (outgoing: ServerResponse, response: DirectResponse) => void {
  let fixedHeaders: readonly string[] | undefined;
  const rendered = renderResponseHeaders().then((headers) => {
    fixedHeaders = headers;
    return headers;
  });
  const write = (outgoing: ServerResponse, fixed: readonly string[], response: DirectResponse) => {
    const { status, headers, body } = response;
    outgoing.writeHead(status, [...fixed, ...headers, 'content-length', String(Buffer.byteLength(body))]);
    outgoing.end(body);
  };
  return (outgoing, response) => {
    if (fixedHeaders) write(outgoing, fixedHeaders, response);
    else void rendered.then((fixed) => write(outgoing, fixed, response));
  };
}
