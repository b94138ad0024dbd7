import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { EndpointKey, EndpointStore } from './endpoint-store.ts';

/** What signs a platform's events from now on. */
export type Secret = { kind: 'secret'; platformId: string; secret: string };

export type RotateSecret = (
  place: EndpointKey & { merchantId: string },
  secret: string | undefined,
  extraWrites: (made: Secret) => readonly Write[],
) => Promise<Secret | ApiError>;

/**
 * Puts a new signing secret in the current one's place; for `overlapMs` deliveries carry a signature of each. Never
 * more than two sign: rotating again ends the oldest at once.
 */
export function rotateSecret(deps: {
  store: Store;
  endpoints: EndpointStore;
  clock: Clock;
  ids: Ids;
  overlapMs: number;
}): RotateSecret {
  return async (place, given, extraWrites) => {
    if (given !== undefined && !/^[\x21-\x7e]{16,128}$/.test(given)) {
      return apiError('invalid_secret', { param: 'secret' });
    }
    const { merchantId, platformId, livemode } = place;
    const made: Secret = { kind: 'secret', platformId, secret: given ?? `whsec_${deps.ids.secret()}` };
    const now = deps.clock.now();
    const row = {
      id: deps.ids.next('whs'),
      merchantId,
      platformId,
      livemode,
      secret: made.secret,
      createdAt: now,
      retiresAt: null,
    };
    const replace = deps.endpoints.replaceSecret(row, now + deps.overlapMs);
    if (!(await deps.store.apply([...replace, ...extraWrites(made)]))) {
      throw new Error('a new secret found its identifier taken');
    }
    return made;
  };
}
