import { scopes } from '../../contract/admin.ts';
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
  /** The merchant's first platform when left out. */
  platformId?: string | undefined;
  livemode: boolean;
  /** Every scope when left out. */
  scopes?: readonly string[] | undefined;
};

export type CreatedKey = { kind: 'key'; id: string; key: string };

/** Draws a secret key and makes its row, which holds the digest alone. */
export function generateKey(
  { ids, clock }: { ids: Ids; clock: Clock },
  of: Pick<ApiKey, 'merchantId' | 'platformId' | 'livemode' | 'scopes'>,
): { key: string; row: ApiKey } {
  const key = `sk_${of.livemode ? 'live' : 'test'}_${ids.secret()}`;
  const digest = sha256(key);
  const row = {
    ...of,
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

/** Creates a secret key. The answer is the only place where the key itself is ever seen. */
export function createKey(deps: {
  store: Store;
  merchants: MerchantStore;
  keys: KeyStore;
  clock: Clock;
  ids: Ids;
  sandbox: boolean;
}) {
  return async (
    asked: NewKey,
    extraWrites: ExtraWrites<CreatedKey> = noExtraWrites,
  ): Promise<CreatedKey | ApiError> => {
    if (asked.livemode && deps.sandbox) return apiError('live_mode_off', { param: 'livemode' });
    const stray = asked.scopes?.find((scope) => !scopes.some((known) => known === scope));
    if (stray !== undefined)
      return apiError('invalid_scope', { param: 'scopes', detail: `Known: ${scopes.join(', ')}.` });
    const platform = await resolvePlatform(deps.merchants, asked);
    if (isApiError(platform)) return platform;
    const { key, row } = generateKey(deps, {
      merchantId: asked.merchantId,
      platformId: platform.id,
      livemode: (asked.livemode ? 1 : 0) satisfies Livemode,
      scopes: JSON.stringify(asked.scopes ?? scopes),
    });
    const made: CreatedKey = { kind: 'key', id: row.id, key };
    if (!(await deps.store.apply([deps.keys.insert(row), ...extraWrites(made)]))) {
      throw new Error('a new key found its identifier taken');
    }
    return made;
  };
}
