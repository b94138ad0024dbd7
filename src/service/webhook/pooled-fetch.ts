import { Agent } from 'undici';
import type { Clock } from '../../shared/clock.ts';
import { createDeadlines } from '../../shared/deadlines.ts';
import { ResponseBody } from './response-body.ts';
import type { WebhookFetch } from './webhook-fetch.ts';

/** Connections to one endpoint. The deliveries in flight have a bound of their own. */
const maxConnections = 64;

/**
 * Creates a fetch for test sessions that keeps its connections open and sends to any address. It follows no redirect. A
 * response body that is too long or too slow closes its connection and has no other effect.
 *
 * It uses undici's handlers, because a stream and its listeners cost more than the rest of a delivery.
 */
export function createPooledFetch(clock: Clock): WebhookFetch {
  const agent = new Agent({ connections: maxConnections });
  const within = createDeadlines(clock);
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { origin, pathname, search } = new URL(url);
      const abort = (reason: unknown) => (reason instanceof Error ? reason : new Error('aborted'));
      let close = (_: Error) => {};
      const onAbort = () => {
        reject(signal.reason);
        close(abort(signal.reason));
      };
      const response = new ResponseBody(within, () => close(new Error('the body is too long or too slow')));
      const end = () => {
        signal.removeEventListener('abort', onAbort);
        response.end();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      agent.dispatch(
        { origin, path: `${pathname}${search}`, method, headers, body },
        {
          onRequestStart(controller) {
            close = (reason) => controller.abort(reason);
            if (signal.aborted) onAbort();
          },
          onResponseStart(_controller, status) {
            if (status >= 200) resolve({ status, body: response });
          },
          onResponseData: (_controller, chunk) => response.push(chunk),
          onResponseEnd: end,
          onResponseError(_controller, fault) {
            reject(fault);
            end();
          },
        },
      );
    });
}
