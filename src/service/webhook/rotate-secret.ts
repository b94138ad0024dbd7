import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { weaknessOf } from '../../shared/secret-strength.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { ExtraWrites } from '../extra-writes.ts';
import type { EndpointKey, EndpointStore } from './endpoint-store.ts';

/** The secret that signs a platform's events from now on. */
export type Secret = { kind: 'secret'; platformId: string; secret: string };

export type RotateSecret = (
  key: EndpointKey & { merchantId: string },
  secret: string | undefined,
  extraWrites: ExtraWrites<Secret>,
) => Promise<Secret | ApiError>;

/**
 * Replaces a signing secret. For `overlapMs`, deliveries carry a signature of each. At most two secrets sign: another
 * rotation ends the oldest one at once.
 */
export function rotateSecret(deps: {
  store: Store;
  endpoints: EndpointStore;
  clock: Clock;
  ids: Ids;
  overlapMs: number;
}): RotateSecret {
  return async (key, requested, extraWrites) => {
    if (requested !== undefined && !/^[\x21-\x7e]{16,128}$/.test(requested)) {
      return apiError('invalid_secret', { param: 'secret' });
    }
    const weakness = requested !== undefined && key.livemode === 1 ? weaknessOf(requested) : undefined;
    if (weakness !== undefined) {
      const detail = `A live secret must be random: this one ${weakness}. Generate one with "openssl rand -base64 32".`;
      return apiError('invalid_secret', { param: 'secret', detail });
    }
    const { merchantId, platformId, livemode } = key;
    const rotated: Secret = { kind: 'secret', platformId, secret: requested ?? `whsec_${deps.ids.secret()}` };
    const now = deps.clock.now();
    const row = {
      id: deps.ids.next('whs'),
      merchantId,
      platformId,
      livemode,
      secret: rotated.secret,
      createdAt: now,
      retiresAt: null,
    };
    const replace = deps.endpoints.replaceSecret(row, now + deps.overlapMs);
    if (!(await deps.store.apply([...replace, ...extraWrites(rotated)]))) {
      throw new Error(`the identifier ${row.id} of a new signing secret is already in use`);
    }
    return rotated;
  };
}
