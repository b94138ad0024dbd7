import { type ReconcileDeps, reconcile } from './reconcile.ts';

/** Collections that are reconciled at once, and so share a commit. */
const batchSize = 256;

/**
 * Corrects the open collections that a system clock far in the future wrote. Run it before the worker starts, so that
 * none of them is prompted first. Changes nothing when no such collection exists.
 *
 * @param toleranceMs how far ahead a collection may be.
 */
export async function correctClock(deps: ReconcileDeps, toleranceMs = 0): Promise<void> {
  const ids = await deps.collections.listAhead(deps.clock.now() + toleranceMs);
  while (ids.length > 0) {
    const batch = ids.splice(-batchSize);
    await Promise.all(batch.map((id) => reconcile(deps, id, { kind: 'clock_corrected' })));
  }
}
