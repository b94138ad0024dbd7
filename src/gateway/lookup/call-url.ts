import type { LookupRequest } from '../../menu/state/state.ts';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import { errorCode } from '../../shared/errors.ts';
import { readBounded } from '../../shared/http/body.ts';
import { createNetworkRoutes, type NameLookup } from '../../shared/http/checked-fetch.ts';
import { isMap } from '../../shared/json.ts';

/** The result of a lookup that was sent. `detail` is an error code or a status for the log, without response content. */
export type LookupResult =
  | { outcome: 'found'; fields: object }
  | { outcome: 'not_found' }
  | { outcome: 'timeout' | 'unreachable' | 'invalid_response'; detail?: string };

/**
 * Returns the address of a lookup: its path under the merchant's `base`.
 *
 * @returns `undefined` when `path` is not a path, or leaves `base`, also after a server has decoded it.
 */
export function resolveAddress(base: string, path: string): URL | undefined {
  if (!path.startsWith('/') || !URL.canParse(base + path)) return undefined;
  const address = new URL(base + path);
  const under = new URL(base.endsWith('/') ? base : `${base}/`);
  const isUnderBase = address.origin === under.origin && `${address.pathname}/`.startsWith(under.pathname);
  return isUnderBase && !hasParent(address.pathname) ? address : undefined;
}

/** Servers and the proxies before them decode a path once each. */
const maxDecodings = 3;

/** True when a decoded form of a path has a segment `..`, which servers resolve to the folder above. */
function hasParent(path: string): boolean {
  let decoded = path;
  for (let count = 0; count <= maxDecodings; count++) {
    // Some servers separate segments with backslashes, and ignore parameters after a semicolon.
    const segments = decoded.split(/[/\\]/).map((segment) => segment.replace(/;.*$/s, ''));
    if (segments.includes('..') || decoded.includes('\0')) return true;
    // Without an error for a lone percent sign, as lenient servers do.
    decoded = decoded.replace(/%([0-7][\da-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return false;
}

/** The part of a `Response` that is read. */
type LookupResponse = { status: number; body: AsyncIterable<Uint8Array> | null };

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
export function toLookupBody({ amountMinor, ...asked }: LookupRequest): string {
  return JSON.stringify({ ...asked, amount_minor: amountMinor });
}

type SignedRequest = { body: string; signature: Record<string, string>; allowNetworks: readonly string[] };

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

/** A lookup waits for at most 1.5 s; these limits end requests whose result is no longer used. */
const connectTimeoutMs = 1_500;
const responseTimeoutMs = 3_000;

/** Requests in flight at the same time, of one merchant and of all. */
export const maxLookupsInFlight = { perKey: 64, total: 256 };

/** Connections to one origin: merchants can share one. The requests in flight have bounds of their own. */
const connections = maxLookupsInFlight.total;

export type LookupTransportOptions = {
  /** Lookups of test keys may also go to this machine. */
  livemode: boolean;
  /** Resolves names, in place of the system. */
  resolve?: NameLookup;
};

/**
 * Creates the HTTP client for lookups. It is separate from that of payments, so that slow merchants block no payment.
 * Requests go to public addresses, and to the networks that the configuration allows for the merchant.
 */
export function createLookupTransport({ livemode, resolve }: LookupTransportOptions): {
  fetch: LookupFetch;
  close(): Promise<void>;
} {
  const limits = { connectTimeoutMs, responseTimeoutMs, connections, resolve };
  const { routeFor, close } = createNetworkRoutes(livemode, limits);
  return { fetch: (url, { allowNetworks, ...init }) => routeFor(allowNetworks).send(url, init), close };
}
