import type { z } from 'zod';
import { type ProposalView, proposeInput } from '../../../contract/staff/review.ts';
import { conflict, retryConflict } from '../../../sqlite/retry-conflict.ts';
import type { Write } from '../../../sqlite/store.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { getState, proposalAction, viewProposal } from '../proposal.ts';
import { closeProposalWrite, type Proposal, proposalWrite } from '../proposal-store.ts';
import { describeChanges, describeRefusal } from '../reviews/describe.ts';
import { collectionSubject, unknownCollection } from '../subjects.ts';

type Input = z.infer<typeof proposeInput>;

/** Proposes a decision about a review, for another person to approve. One proposal per collection is open. */
export const propose = defineOperation({
  route: 'POST /reviews/:id/proposals',
  permission: 'proposals.make',
  input: proposeInput,
  subject: collectionSubject,
  async run(deps: StaffDeps, { actor, id, input }): Promise<StaffAnswer<ProposalView>> {
    const { collections, clock, ids } = deps;
    return retryConflict(
      `proposals of ${id}`,
      async (): Promise<StaffAnswer<ProposalView> | typeof conflict> => {
        const row = await collections.find(id);
        if (!row) return unknownCollection(id);
        if (row.version !== input.version)
          return refuse('conflict', describeChanges(await deps.ledger.factsOf(id), input.version));
        const { refused } = await deps.reconciliation.preview(row, toEvidence(input, actor.name));
        if (refused) return refuse('conflict', describeRefusal(refused, row, input.outcome));
        const now = clock.now();
        const previous = await deps.proposals.findOpen(id);
        if (previous && isValid(previous, row, now))
          return refuse(
            'conflict',
            `${previous.id} by ${previous.proposedBy} is open: approve, refuse or withdraw it`,
          );
        const proposal = getProposal(row, { by: actor.name, input, id: ids.next('prp'), now });
        // A proposal that can no longer be approved gives way.
        const closed: Write[] = previous ? [closeProposalWrite(previous.id, 'expired', null, now)] : [];
        const action = staffActionWrite(proposalAction(actor, 'propose', proposal), now);
        if (!(await collections.apply([...closed, proposalWrite(proposal), action]))) return conflict;
        return { ok: true, value: viewProposal(proposal, now) };
      },
    );
  },
});

function isValid(proposal: Proposal, row: CollectionRow, now: number): boolean {
  return getState(proposal, now) === 'open' && proposal.versionSeen === row.version;
}

function toEvidence({ outcome, evidence, reference, version }: Input, by: string) {
  const grounds = { by, approvedBy: by, evidence, ...(reference === undefined ? {} : { reference }) };
  return { kind: 'decision', outcome, versionSeen: version, grounds } as const;
}

function getProposal(
  { id: subjectId, merchantId, livemode, version }: CollectionRow,
  { by, input, id, now }: { by: string; input: Input; id: string; now: number },
): Proposal {
  const { outcome, evidence, reference = null } = input;
  return {
    ...{ id, subjectKind: 'collection', subjectId, merchantId, livemode },
    ...{ outcome, evidence, reference, versionSeen: version, targetId: null, targetVersion: null },
    ...{ proposedBy: by, proposedAt: now, state: 'open', decidedBy: null, decidedAt: null },
  };
}
