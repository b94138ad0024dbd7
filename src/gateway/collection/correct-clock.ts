import { type ReconcileDeps, reconcile } from './reconcile.ts';

/** Collections that share a commit. */
const atOnce = 256;

/**
 * Puts right what is open and was written by a clock that was far ahead: the times of such a ledger are not followed, and
 * would be reached long after. Before the worker starts: nothing of it is prompted then. Changes nothing where no such
 * collection is.
 */
export async function correctClock(deps: ReconcileDeps): Promise<void> {
  const ids = await deps.collections.listAhead(deps.clock.now());
  while (ids.length > 0) {
    const some = ids.splice(-atOnce);
    await Promise.all(some.map((id) => reconcile(deps, id, { kind: 'clock_corrected' })));
  }
}
