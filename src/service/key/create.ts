import { defaultScopes, scopes } from '../../contract/admin.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { sha256 } from '../http/bearer.ts';
import { type MerchantStore, resolvePlatform } from '../merchant/merchant-store.ts';
import type { Livemode } from '../schema.ts';
import { keyHandle } from './authenticate.ts';
import type { ApiKey, KeyStore } from './key-store.ts';

export type NewKey = {
  merchantId: string;
  /** The merchant's first platform by default. */
  platformId?: string | undefined;
  livemode: boolean;
  /** By default `collections:offline`, the scope that the interface names, and in test mode `collections:web`. */
  scopes?: readonly string[] | undefined;
};

export type CreatedKey = { kind: 'key'; id: string; key: string };

/** Generates a secret key and its row, which contains only the digest. */
export function generateKey(
  { ids, clock }: { ids: Ids; clock: Clock },
  rights: Pick<ApiKey, 'merchantId' | 'platformId' | 'livemode' | 'scopes'>,
): { key: string; row: ApiKey } {
  const key = `sk_${rights.livemode ? 'live' : 'test'}_${ids.secret()}`;
  const digest = sha256(key);
  const row = {
    ...rights,
    id: ids.next('key'),
    handle: keyHandle(digest),
    digest,
    ending: key.slice(-4),
    createdAt: clock.now(),
    revokedAt: null,
    expiresAt: null,
    lastUsedAt: null,
  };
  return { key, row };
}

/** Creates a secret key. Only the result contains the key itself. */
export function createKey(deps: {
  store: Store;
  merchants: MerchantStore;
  keys: KeyStore;
  clock: Clock;
  ids: Ids;
  sandbox: boolean;
}) {
  return async (
    request: NewKey,
    extraWrites: ExtraWrites<CreatedKey> = noExtraWrites,
  ): Promise<CreatedKey | ApiError> => {
    if (request.livemode && deps.sandbox) return apiError('live_mode_off', { param: 'livemode' });
    const unknownScope = request.scopes?.find((scope) => !scopes.some((known) => known === scope));
    if (unknownScope !== undefined)
      return apiError('invalid_scope', { param: 'scopes', detail: `The scopes are ${scopes.join(', ')}.` });
    const platform = await resolvePlatform(deps.merchants, request);
    if (isApiError(platform)) return platform;
    const { key, row } = generateKey(deps, {
      merchantId: request.merchantId,
      platformId: platform.id,
      livemode: (request.livemode ? 1 : 0) satisfies Livemode,
      scopes: JSON.stringify(request.scopes ?? defaultScopes(request.livemode)),
    });
    const created: CreatedKey = { kind: 'key', id: row.id, key };
    if (!(await deps.store.apply([deps.keys.insert(row), ...extraWrites(created)]))) {
      throw new Error(`the identifier ${row.id} of a new key is already in use`);
    }
    return created;
  };
}
