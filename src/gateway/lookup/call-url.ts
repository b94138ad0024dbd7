import type { LookupRequest } from '../../menu/state/state.ts';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import { errorCode } from '../../shared/errors.ts';
import { readBounded } from '../../shared/http/body.ts';
import { isMap } from '../../shared/json.ts';
import type { LookupResult } from './result.ts';

/** The part of a `Response` that is read. */
export type LookupResponse = { status: number; body: AsyncIterable<Uint8Array> | null };

/** The part of `fetch` that is used. Redirects are not followed. */
export type LookupFetch = (
  url: string,
  init: {
    method: 'POST';
    headers: Record<string, string>;
    body: string;
    redirect: 'manual';
    signal: AbortSignal;
    /** Networks that are not public and may be reached. */
    allowNetworks: readonly string[];
  },
) => Promise<LookupResponse>;

/** The lists of an answer have at most 600 values; screens show far less. */
const maxBodyBytes = 64 * 1024;

/** Time limit of reading the body of a response whose status is sufficient. */
const maxDrainMs = 1_000;

/** Error codes of the network's own timeouts. */
const timeoutCode = /TIMEOUT|TIMEDOUT/;

/** Returns the request body, which is sent and signed. */
export function toBody({ amountMinor, ...asked }: LookupRequest): string {
  return JSON.stringify({ ...asked, amount_minor: amountMinor });
}

type SignedRequest = {
  body: string;
  signature: Record<string, string>;
  allowNetworks: readonly string[];
};

/** Calls a merchant's system over HTTP once. `signal` aborts when the result is no longer used. Never throws. */
export async function callUrl(
  { fetch, networkClock }: { fetch: LookupFetch; networkClock: Clock },
  address: URL,
  { body, signature, allowNetworks }: SignedRequest,
  signal: AbortSignal,
): Promise<LookupResult> {
  const abort = new AbortController();
  try {
    const response = await fetch(address.href, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        // A compressed body can expand beyond the limit.
        'accept-encoding': 'identity',
        'user-agent': 'dialtill',
        ...signature,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, abort.signal]),
      allowNetworks,
    });
    if (response.status === 200) return readFields(await readBounded(response, maxBodyBytes));
    // Not awaited: the result does not depend on the rest of the body.
    drainBody(networkClock, response, abort);
    if (response.status === 404) return { outcome: 'not_found' };
    return { outcome: 'invalid_response', detail: `http_${response.status}` };
  } catch (fault) {
    const code = errorCode(fault) ?? 'network_error';
    return signal.aborted || timeoutCode.test(code)
      ? { outcome: 'timeout', detail: code }
      : { outcome: 'unreachable', detail: code };
  }
}

/**
 * Reads a response to its end, so that its connection can be reused. Aborts the connection when the body is too slow or
 * too large. Never rejects.
 */
async function drainBody(
  networkClock: Clock,
  response: LookupResponse,
  abort: AbortController,
): Promise<void> {
  const whole = await withTimeout(networkClock, maxDrainMs, () => readBounded(response, maxBodyBytes)).catch(
    () => {},
  );
  if (!whole) abort.abort('unread');
}

/** Parses the body regardless of its content type: many systems leave the default. */
function readFields(bytes: Uint8Array | undefined): LookupResult {
  if (!bytes) return { outcome: 'invalid_response', detail: 'too_large' };
  try {
    const fields: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isMap(fields)
      ? { outcome: 'found', fields }
      : { outcome: 'invalid_response', detail: 'no_object' };
  } catch {
    return { outcome: 'invalid_response', detail: 'not_json' };
  }
}
