import { Agent, request } from 'undici';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import type { WebhookFetch } from './send.ts';

/** Connections to one endpoint; deliveries under way are bounded besides. */
const connections = 64;

/** What is read of an answer, and for how long, so that its connection can serve the next delivery. */
const maxBodyBytes = 16 * 1024;
const maxBodyMs = 1_000;

/**
 * Sends over connections that are kept, to any address: for test sessions. Follows no redirect. An answer whose body
 * is too long or too slow costs its connection and nothing else.
 */
export function createPooledFetch(clock: Clock): WebhookFetch {
  const dispatcher = new Agent({ connections });
  return async (url, { method, headers, body, signal }) => {
    const answer = await request(url, { method, headers, body, signal, dispatcher });
    const cancel = async () => {
      try {
        await withTimeout(clock, maxBodyMs, (late) =>
          answer.body.dump({ limit: maxBodyBytes, signal: late }),
        );
      } catch {
        answer.body.destroy();
      }
    };
    return { status: answer.statusCode, body: { cancel } };
  };
}
