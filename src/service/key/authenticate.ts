import { hash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { z } from 'zod';
import type { KeyScope } from '../../contract/service/admin.ts';
import type { FoundCaller } from '../../kit/admission.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { AccessPolicy } from '../../shared/http/access.ts';
import { findClientAddress, getClientNetwork } from '../../shared/http/addresses.ts';
import { splitPath } from '../../shared/http/request-url.ts';
import { Lockout } from '../../shared/limits/per-key.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import type { ServiceContext } from '../context.ts';
import { type ApiError, apiError } from '../http/response.ts';
import type { SessionOwner } from '../session/session-store.ts';
import type { UsableKey } from './key-store.ts';

/** The scope for creating and initiating offline sessions. */
const offlineScope: KeyScope = 'collections:offline';

/** The scope for creating and initiating sessions, by mode. */
export const modeScopes = { offline: offlineScope, web: 'collections:web' } as const;

/** The merchant that a key belongs to, and what the key and the merchant allow. */
export type Caller = Readonly<SessionOwner> & {
  kind: 'caller';
  readonly keyId: string;
  readonly platformId: string;
  readonly merchantName: string;
  readonly scopes: readonly string[];
  readonly offlineApproved: boolean;
};

/** A key that is not revoked. `caller` is the same object for each of its calls. */
type KnownKey = Pick<UsableKey, 'digest' | 'expiresAt' | 'lastUsedAt'> & { caller: Caller };

export type Authenticate = (header: string | undefined) => Promise<FoundCaller<Caller, ApiError>>;

const handleLength = 16;

/** The last use of a key is stored at most once in this time. */
const recordUseEveryMs = 60_000;

/** Returns the part of a key's digest that indexes its row. */
export function keyHandle(digest: string): string {
  return digest.slice(0, handleLength);
}

const scopeNames = z.array(z.string());

/** Authenticates an `Authorization` header. A missing or malformed key needs no lookup; unknown, revoked and expired get one error. */
export function authenticate(
  deps: Pick<ServiceContext, 'store' | 'keys' | 'keep' | 'clock' | 'log' | 'sandbox'>,
): Authenticate {
  const { store, keys, clock, log } = deps;

  const findKnown = deps.keep(['api_key', 'merchant'], async (handle) => {
    const found = (await keys.findUsable(handle)).map(toKnownKey);
    return found.length > 0 ? found : undefined;
  });

  function recordUse({ caller: { keyId }, lastUsedAt }: KnownKey, now: EpochMs): void {
    if (lastUsedAt !== null && now - lastUsedAt < recordUseEveryMs) return;
    store
      .apply([keys.recordUse({ id: keyId, at: now })])
      .catch((fault) =>
        log.warn({ key: keyId, fault: errorMessage(fault) }, 'the last use of a key was not stored'),
      );
  }

  return async (header) => {
    if (header === undefined || header.trim() === '') return { refused: apiError('missing_api_key') };
    const token = bearerToken(header);
    const livemode = /^sk_(test|live)_./.exec(token ?? '')?.[1] === 'live';
    if (token === undefined || !/^sk_(test|live)_./.test(token))
      return { refused: apiError('malformed_api_key') };
    if (livemode && deps.sandbox) return { refused: apiError('live_mode_off') };
    const digest = sha256(token);
    const now = clock.now();
    for (const key of (await findKnown(keyHandle(digest))) ?? []) {
      if (!sameDigest(key.digest, digest)) continue;
      if (key.expiresAt !== null && key.expiresAt <= now) continue;
      recordUse(key, now);
      return { caller: key.caller };
    }
    return { refused: apiError('invalid_api_key') };
  };
}

function toKnownKey({
  digest,
  expiresAt,
  lastUsedAt,
  scopes,
  offlineApprovedAt,
  ...owner
}: UsableKey): KnownKey {
  const offlineApproved = offlineApprovedAt !== null;
  const caller: Caller = {
    kind: 'caller',
    ...owner,
    scopes: scopeNames.parse(JSON.parse(scopes)),
    offlineApproved,
  };
  return { digest, expiresAt, lastUsedAt, caller };
}

export function checkScope(caller: Caller, scope: KeyScope): ApiError | undefined {
  return caller.scopes.includes(scope)
    ? undefined
    : apiError('scope_required', { detail: [`The scope is ${scope}.`, ...keyHint(caller, scope)].join(' ') });
}

/** Returns an error when the key or the merchant is not approved for offline sessions. */
export function checkOffline(caller: Caller): ApiError | undefined {
  const error = (code: 'offline_scope_required' | 'offline_mode_not_enabled', [detail]: string[]) =>
    apiError(code, detail === undefined ? {} : { detail });
  if (!caller.scopes.includes(offlineScope))
    return error('offline_scope_required', keyHint(caller, offlineScope));
  if (caller.offlineApproved) return undefined;
  const command = `dialtill service merchants approve ${caller.merchantId}`;
  return error('offline_mode_not_enabled', isTest(caller) ? [`Approve it: ${command}`] : []);
}

/** A developer reads the errors of test mode, and has the commands of the service. */
const isTest = ({ livemode }: Caller) => livemode === 0;

/** Returns how to create a key that has a scope as well. */
function keyHint(caller: Caller, scope: KeyScope): string[] {
  const command = `dialtill service keys create --scopes ${[...caller.scopes, scope].join(',')}`;
  return isTest(caller) ? [`Create a key with it: ${command}`] : [];
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,256})$/i.exec(header ?? '')?.[1];
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

/** Compares two SHA-256 digests in constant time. */
function sameDigest(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

const publicAreas: ReadonlySet<string | undefined> = new Set(['', 'docs', 'openapi.json']);

/** Paths without a key that programs call often: the health check, and the simulated phone of test sessions. */
const openAreas: ReadonlySet<string | undefined> = new Set(['healthz', 'handset']);

/** Creates the policy of the service: which requests the server serves without a limit. */
export function createServiceAccess(
  clock: AccessPolicy['clock'],
  trustedProxies: AccessPolicy['trustedProxies'],
): AccessPolicy {
  return {
    clock,
    trustedProxies,
    isPublic: ({ url }) => publicAreas.has(splitPath(url)[0]),
    mayBeAuthenticated: ({ url, headers }) =>
      openAreas.has(splitPath(url)[0]) || bearerToken(headers.authorization) !== undefined,
  };
}

/** Wrong admin tokens that lock a network out for a minute, also for the right one: otherwise an attacker would only be slower. */
const failureLimit = { limit: 10, lockoutMs: 60_000, maxKeys: 20_000 };

/** Creates the check of the admin token, for every request, also of unknown paths. `wallClock`: the machine's, also in a sandbox. */
export function checkAdminToken(deps: {
  adminToken: string;
  wallClock: Pick<Clock, 'now'>;
  trustedProxies: AccessPolicy['trustedProxies'];
  /** Requests with a wrong token. */
  wrongTokens: LogSummary;
}): (c: Context) => Promise<FoundCaller<undefined, ApiError>> {
  const adminDigest = sha256(deps.adminToken);
  const failures = new Lockout(failureLimit);

  return async (c) => {
    const { incoming }: Partial<HttpBindings> = c.env ?? {};
    // A call within the process has no address.
    const address = findClientAddress(incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
    const network = address === undefined ? undefined : getClientNetwork(address);
    const waitMs = network === undefined ? 0 : failures.waitMs(network, deps.wallClock.now());
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      return { refused: apiError('too_many_guesses', { retryAfterSeconds }) };
    }
    const token = bearerToken(c.req.header('authorization'));
    if (token !== undefined && sameDigest(sha256(token), adminDigest)) return { caller: undefined };
    if (network !== undefined) failures.record(network, deps.wallClock.now());
    deps.wrongTokens.record(token === undefined ? 'no_token' : 'wrong_token', { caller: address });
    return { refused: apiError('invalid_admin_token') };
  };
}
