import type { UnplacedView } from '../../../contract/staff/unplaced.ts';
import { viewProposal } from '../../../gateway/staff/proposal.ts';
import { proposalStore } from '../../../gateway/staff/proposal-store.ts';
import { isPlaceable } from '../../../gateway/unplaced/decide.ts';
import { suggestMatches } from '../../../gateway/unplaced/suggestions-query.ts';
import type { UnplacedPayment } from '../../../gateway/unplaced/unplaced.ts';
import { unplacedStore } from '../../../gateway/unplaced/unplaced-store.ts';
import { viewUnplaced } from '../../../gateway/unplaced/view.ts';
import type { Store } from '../../../sqlite/store.ts';

/** Returns payments as the staff API returns them, each with its open proposal and its best suggestions. */
export async function readViews(
  store: Store,
  payments: readonly UnplacedPayment[],
  { now, suggestions }: { now: number; suggestions: number },
): Promise<UnplacedView[]> {
  const proposals = proposalStore(store);
  const unplaced = unplacedStore(store);
  return Promise.all(
    payments.map(async (payment) => {
      const proposal = await proposals.findOpen(payment.id);
      const found = isPlaceable(payment) ? await suggestMatches(store, payment, suggestions) : [];
      return viewUnplaced(payment, {
        suggestions: found,
        proposal: proposal ? viewProposal(proposal, now) : null,
        sessionCollectionId: await unplaced.findCollection(payment),
      });
    }),
  );
}
