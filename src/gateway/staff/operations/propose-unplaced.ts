import type { ProposalView } from '../../../contract/staff/review.ts';
import { proposeUnplacedInput } from '../../../contract/staff/unplaced.ts';
import { conflict, retryConflict } from '../../../sqlite/retry-conflict.ts';
import type { Write } from '../../../sqlite/store.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { getState, proposalAction, viewProposal } from '../proposal.ts';
import { closeProposalWrite, type Proposal, proposalWrite } from '../proposal-store.ts';
import { unplacedSubject } from '../subjects.ts';
import { prepareApproval, previewApproval } from './decide-unplaced.ts';

/** Proposes a decision about an unplaced payment, for another person to approve. One proposal per payment is open. */
export const proposeUnplaced = defineOperation({
  route: 'POST /unplaced/:id/proposals',
  permission: 'proposals.make',
  input: proposeUnplacedInput,
  subject: unplacedSubject,
  async run(deps: StaffDeps, { actor, id, input }): Promise<StaffAnswer<ProposalView>> {
    const {
      outcome,
      evidence,
      reference = null,
      collectionId: targetId = null,
      version: versionSeen,
    } = input;
    const terms = { outcome, evidence, reference, targetId, versionSeen, proposedBy: actor.name };
    return retryConflict(
      `proposals of ${id}`,
      async (): Promise<StaffAnswer<ProposalView> | typeof conflict> => {
        const prepared = await prepareApproval(deps, id, { ...terms, targetVersion: null }, actor.name);
        if (!prepared.ok) return prepared;
        const possible = await previewApproval(deps, prepared.value);
        if (!possible.ok) return possible;
        const { payment, match } = prepared.value;
        const now = deps.clock.now();
        const previous = await deps.proposals.findOpen(id);
        if (previous && (await isValid(deps, previous, payment)))
          return refuse(
            'conflict',
            `${previous.id} by ${previous.proposedBy} is open: approve, refuse or withdraw it`,
          );
        const { merchantId, livemode } = payment;
        const proposal: Proposal = {
          ...{ id: deps.ids.next('prp'), subjectKind: 'unplaced', subjectId: id, merchantId, livemode },
          ...{ ...terms, targetVersion: match?.row.version ?? null },
          ...{ proposedAt: now, state: 'open', decidedBy: null, decidedAt: null },
        };
        // A proposal that can no longer be approved gives way.
        const closed: Write[] = previous ? [closeProposalWrite(previous.id, 'expired', null, now)] : [];
        const action = staffActionWrite(proposalAction(actor, 'propose', proposal), now);
        if (!(await deps.collections.apply([...closed, proposalWrite(proposal), action]))) return conflict;
        return { ok: true, value: viewProposal(proposal, now) };
      },
    );
  },
});

/** Returns whether an open proposal can still be approved. */
async function isValid(deps: StaffDeps, proposal: Proposal, payment: UnplacedPayment): Promise<boolean> {
  const isOpen = getState(proposal, deps.clock.now()) === 'open' && proposal.versionSeen === payment.version;
  if (!isOpen) return false;
  const prepared = await prepareApproval(deps, payment.id, proposal, proposal.proposedBy);
  return prepared.ok && (await previewApproval(deps, prepared.value)).ok;
}
