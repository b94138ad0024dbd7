import { createHmac } from 'node:crypto';
import { eventIdHeader } from '../../contract/service/event.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { createDeadlines, type Deadline } from '../../shared/deadlines.ts';
import { isAddressRejected } from '../../shared/http/checked-fetch.ts';
import { createExcerptReader, type WebhookFetch } from '../../shared/http/webhook-fetch.ts';
import type { Event } from '../event/event-store.ts';

/**
 * Returns the signature header of a delivery: `t=<unix seconds>,v1=<hex>`. v1 is the HMAC-SHA256 of `t`, a dot and the
 * raw body, keyed with the bytes of the secret. During the rotation of a secret, each of the two has a v1.
 */
export function signPayload(secrets: readonly string[], at: EpochMs, body: string): string {
  const t = Math.floor(at / 1000);
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  );
  return [`t=${t}`, ...signatures].join(',');
}

/** How an attempt ended: with an HTTP status, or without a response. */
export type DeliveryResult = { durationMs: number } & (
  | {
      status: number;
      error: null;
      /** The beginning of the body. A promise if it arrives after the status: it never delays or fails the attempt. */
      excerpt: string | null | Promise<string | null>;
    }
  | { status: null; error: 'timeout' | 'connection' | 'address_refused' }
);

export type SendEvent = (
  event: Event,
  target: { url: string; secrets: readonly string[] },
  signal: AbortSignal,
) => Promise<DeliveryResult>;

/**
 * Sends an event once. Never rejects, follows no redirect, needs only the status of the response, and waits at most
 * `timeoutMs`. Live events are sent to public addresses over https alone.
 */
export function sendEvent(deps: {
  config: { timeoutMs: number; headerName: string };
  /** The service's time, which dates the signatures for receivers that are on the test clock. */
  clock: Clock;
  /** The real time, also in a sandbox: all other receivers check the age of the signature against it. */
  wallClock: Clock;
  isOnTestClock?: ((url: string) => boolean) | undefined;
  fetch: WebhookFetch;
  fetchPublic: WebhookFetch;
}): SendEvent {
  const { config, wallClock } = deps;
  const within = createDeadlines(wallClock);
  const readExcerpt = createExcerptReader(wallClock);
  return async (event, { url, secrets }, signal) => {
    const startedAt = wallClock.now();
    const signedAt = deps.isOnTestClock?.(url) ? deps.clock.now() : startedAt;
    const duration = () => ({ durationMs: wallClock.now() - startedAt });
    const send = event.livemode === 1 ? deps.fetchPublic : deps.fetch;
    const ending = new AbortController();
    const stop = () => ending.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    let deadline: Deadline | undefined;
    try {
      const { status, body } = await within(config.timeoutMs, (limit) => {
        deadline = limit;
        return send(url, {
          method: 'POST',
          redirect: 'manual',
          signal: ending.signal,
          headers: {
            'content-type': 'application/json',
            [eventIdHeader]: event.id,
            [config.headerName]: signPayload(secrets, signedAt, event.body),
          },
          body: event.body,
        });
      });
      return { ...duration(), status, error: null, excerpt: readExcerpt(body, signal) };
    } catch (fault) {
      ending.abort(fault);
      const error = deadline?.aborted
        ? 'timeout'
        : isAddressRejected(fault)
          ? 'address_refused'
          : 'connection';
      return { ...duration(), status: null, error };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}
