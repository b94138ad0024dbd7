import type { EpochMs } from '../../../shared/clock.ts';
import type { CollectionIntent } from '../collection.ts';
import type { CollectionStore } from '../collection-store.ts';
import type { Limits } from './limits.ts';

/** Why a collection was not opened. */
export type Refusal =
  /** The payer has one at this merchant that is open, and not lapsed. */
  | 'open'
  /** What is asked for again is not final and unpaid, is another payment, or was asked for again before. */
  | 'again'
  /** The payer takes no requests from other phones. */
  | 'closed'
  /** Too many requests from another phone were declined a short while ago: this payer's, or this dialler's. */
  | 'cool_down'
  | 'dialler_limit'
  | 'payer_limit'
  | 'merchant_limit'
  /** The short reference is another collection's: it can be opened with a new one. */
  | 'reference';

/**
 * Reads why an opening was refused, the weightiest reason first. `undefined` when nothing stands in the way any more,
 * so that it can be tried anew.
 */
export function refusalOf(
  collections: Pick<CollectionStore, 'findRefusal'>,
  opening: CollectionIntent,
  limits: Limits,
  now: EpochMs,
): Promise<Refusal | undefined> {
  return collections.findRefusal(opening, limits, now);
}
