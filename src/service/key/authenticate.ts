import { z } from 'zod';
import type { KeyScope } from '../../contract/service/admin.ts';
import type { FoundCaller } from '../../kit/admission.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { ServiceContext } from '../context.ts';
import { bearerToken, sameDigest, sha256 } from '../http/access.ts';
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

/**
 * Authenticates the secret key of an `Authorization` header. A missing or malformed key has an error of its own, which
 * needs no lookup. Unknown, revoked and expired keys get the same error.
 */
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

/** Returns an error when the key lacks a scope. */
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
