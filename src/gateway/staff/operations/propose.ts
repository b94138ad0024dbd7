import type { z } from 'zod';
import { type ProposalView, proposeInput } from '../../../contract/staff/review.ts';
import { proposeUnplacedInput } from '../../../contract/staff/unplaced.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { conflict, retryConflict, type Write } from '../../../sqlite/store.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { type CheckedCall, defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import {
  closeProposalWrite,
  getProposalState,
  type Proposal,
  proposalWrite,
  viewProposal,
} from '../proposal-store.ts';
import { collectionSubject, unplacedSubject } from '../subjects.ts';
import { prepareDecision, proposalAction } from './proposals.ts';

/** Proposes a decision about a review, for another person to approve. One proposal per collection is open. */
export const propose = defineOperation({
  route: 'POST /reviews/:id/proposals',
  permission: 'proposals.make',
  input: proposeInput,
  subject: collectionSubject,
  run: (deps: StaffDeps, call) => proposeDecision(deps, 'collection', call),
});

/** Proposes a decision about an unplaced payment, for another person to approve. One proposal per payment is open. */
export const proposeUnplaced = defineOperation({
  route: 'POST /unplaced/:id/proposals',
  permission: 'proposals.make',
  input: proposeUnplacedInput,
  subject: unplacedSubject,
  run: (deps: StaffDeps, call) => proposeDecision(deps, 'unplaced', call),
});

type ProposeCall = CheckedCall<
  z.infer<typeof proposeInput> | z.infer<typeof proposeUnplacedInput>,
  Pick<Proposal, 'merchantId' | 'livemode'>
>;

function proposeDecision(
  deps: StaffDeps,
  subjectKind: Proposal['subjectKind'],
  { actor, id: subjectId, input, subject: { merchantId, livemode } }: ProposeCall,
): Promise<StaffAnswer<ProposalView>> {
  const { proposals, collections, clock, ids } = deps;
  const { outcome, evidence, reference = null, version: versionSeen } = input;
  const targetId = 'collectionId' in input ? (input.collectionId ?? null) : null;
  const terms = { outcome, evidence, reference, targetId, versionSeen, proposedBy: actor.name };
  return retryConflict(`proposals of ${subjectId}`, async () => {
    const prepared = await prepareDecision(
      deps,
      { subjectKind, subjectId, ...terms, targetVersion: null },
      actor,
    );
    if (prepared.refused) return prepared.refused;
    const { targetVersion } = prepared;
    const now = clock.now();
    const previous = await proposals.findOpen(subjectId);
    if (previous && (await isValid(deps, previous, now)))
      return refuse(
        'conflict',
        `${previous.id} by ${previous.proposedBy} is open: approve, refuse or withdraw it`,
      );
    const proposal: Proposal = {
      ...{ id: ids.next('prp'), subjectKind, subjectId, merchantId, livemode, ...terms, targetVersion },
      ...{ proposedAt: now, state: 'open', decidedBy: null, decidedAt: null },
    };
    // A proposal that can no longer be approved gives way.
    const closed: Write[] = previous ? [closeProposalWrite(previous.id, 'expired', null, now)] : [];
    const action = staffActionWrite(proposalAction(actor, 'propose', proposal), now);
    if (!(await collections.apply([...closed, proposalWrite(proposal), action]))) return conflict;
    return { ok: true, value: viewProposal(proposal, now) };
  });
}

/** Returns whether an open proposal can still be approved. */
async function isValid(deps: StaffDeps, proposal: Proposal, now: EpochMs): Promise<boolean> {
  if (getProposalState(proposal, now) !== 'open') return false;
  return (await prepareDecision(deps, proposal, { name: proposal.proposedBy })).refused === undefined;
}
