import type { Clock } from '../../shared/clock.ts';
import type { Reconciliation } from './apply.ts';
import type { CollectionStore } from './store/collection-store.ts';

/** Collections that are corrected at once, and so share a commit. */
const batchSize = 256;

/**
 * Corrects the open collections that a system clock far in the future wrote. Run it before the worker starts, so that
 * none of them is prompted first. Changes nothing when no such collection exists.
 *
 * @param toleranceMs how far ahead a collection may be.
 */
export async function correctClock(
  deps: {
    collections: Pick<CollectionStore, 'listAhead' | 'find'>;
    clock: Pick<Clock, 'now'>;
    reconciliation: Reconciliation;
  },
  toleranceMs = 0,
): Promise<void> {
  const ids = await deps.collections.listAhead(deps.clock.now() + toleranceMs);
  const correct = async (id: string) => {
    const row = await deps.collections.find(id);
    if (row) await deps.reconciliation.apply(row, { kind: 'clock_corrected' });
  };
  while (ids.length > 0) await Promise.all(ids.splice(-batchSize).map(correct));
}
