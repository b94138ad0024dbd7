import { Agent } from 'undici';
import type { Clock } from '../../shared/clock.ts';
import { createDeadlines } from '../../shared/deadlines.ts';
import { dispatchRequest } from '../../shared/http/dispatch.ts';
import type { WebhookFetch } from '../../shared/http/webhook-fetch.ts';
import { ResponseBody } from './response-body.ts';

/** Connections to one endpoint. The deliveries in flight have a bound of their own. */
const maxConnections = 64;

/**
 * Creates a fetch for test sessions that keeps its connections open and sends to any address. It follows no redirect. A
 * response body that is too long or too slow closes its connection and has no other effect.
 */
export function createPooledFetch(clock: Clock): WebhookFetch {
  const agent = new Agent({ connections: maxConnections });
  const within = createDeadlines(clock);
  return (url, request) =>
    new Promise((resolve, reject) => {
      let body: ResponseBody | undefined;
      dispatchRequest(agent, url, request, {
        onStart(status, _headers, close) {
          body = new ResponseBody(within, () => close(new Error('the body is too long or too slow')));
          resolve({ status, body });
        },
        onData: (chunk) => body?.push(chunk),
        onEnd: () => body?.end(),
        onError(fault) {
          reject(fault);
          body?.end();
        },
      });
    });
}
