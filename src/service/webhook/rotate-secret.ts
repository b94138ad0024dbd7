import type { Store, Write } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { EndpointStore, Place } from './endpoint-store.ts';

/** How long the secret before goes on signing beside the new one. */
const overlapMs = 24 * 3_600_000;

export type RotateSecret = (
  place: Place & { merchantId: string },
  secret?: string,
  along?: readonly Write[],
) => Promise<{ kind: 'secret'; secret: string } | Refused>;

/**
 * Puts a new signing secret in the current one's place; for 24 hours deliveries carry a signature of each. Never
 * more than two sign: rotating again ends the oldest at once.
 */
export function rotateSecret(deps: {
  store: Store;
  endpoints: EndpointStore;
  clock: Clock;
  ids: Ids;
}): RotateSecret {
  return async (place, given, along = []) => {
    if (given !== undefined && !/^[\x21-\x7e]{16,128}$/.test(given)) {
      return refuse('invalid_secret', { param: 'secret' });
    }
    const secret = given ?? `whsec_${deps.ids.secret()}`;
    const now = deps.clock.now();
    const row = { ...place, id: deps.ids.next('whs'), secret, createdAt: now, retiresAt: null };
    const replace = deps.endpoints.replaceSecret(row, now + overlapMs);
    if (!(await deps.store.apply([...replace, ...along]))) {
      throw new Error('a new secret found its identifier taken');
    }
    return { kind: 'secret', secret };
  };
}
