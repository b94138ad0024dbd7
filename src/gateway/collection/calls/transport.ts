import type { IncomingHttpHeaders } from 'node:http';
import { Agent } from 'undici';
import { dispatchRequest } from '../../../shared/http/dispatch.ts';
import { maxQuotesInFlight } from '../quote/quote-gate.ts';
import { type Fetch, maxAnswerBytes, type ServiceAnswer } from './client.ts';

export type TransportOptions = { connectTimeoutMs: number; callTimeoutMs: number; callsInFlight: number };

/** Without `identity`, a server may compress its answer. */
const fixedHeaders = { 'accept-encoding': 'identity', 'user-agent': 'dialtill' };

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Creates the HTTP transport: kept-alive connections with timeouts, one for each call and quote that may be in flight, so that none
 * waits for another one to end. An answer resolves with its whole body; a redirect and a body of more than `maxAnswerBytes` reject.
 */
export function createTransport(options: TransportOptions): { fetch: Fetch; close(): Promise<void> } {
  const agent = new Agent({
    connect: { timeout: options.connectTimeoutMs },
    connections: options.callsInFlight + maxQuotesInFlight(options.callsInFlight),
    headersTimeout: options.callTimeoutMs,
    bodyTimeout: options.callTimeoutMs,
    pipelining: 1,
  });
  return {
    fetch: (url, { redirect: _redirect, headers, ...request }) =>
      new Promise((resolve, reject) => {
        let answer: Omit<ServiceAnswer, 'body'> | undefined;
        let size = 0;
        const body: Buffer[] = [];
        let cut = (_: Error) => {};
        dispatchRequest(
          agent,
          url,
          { ...request, headers: { ...fixedHeaders, ...headers } },
          {
            onStart(status, answerHeaders, close) {
              cut = close;
              answer = { ok: status < 300, status, headers: toHeaders(answerHeaders) };
              if (redirects.has(status)) close(new Error('unexpected redirect'));
            },
            onData(chunk) {
              size += chunk.byteLength;
              body.push(chunk);
              if (size > maxAnswerBytes) cut(new Error(`the answer is larger than ${maxAnswerBytes} bytes`));
            },
            onEnd: () => answer && resolve({ ...answer, body }),
            onError: reject,
          },
        );
      }),
    close: () => agent.destroy(),
  };
}

function toHeaders(headers: IncomingHttpHeaders): ServiceAnswer['headers'] {
  return { get: (name) => headers[name]?.toString() ?? null };
}
