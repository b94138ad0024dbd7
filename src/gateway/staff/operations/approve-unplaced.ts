import type { ProposalPreview, ProposalView } from '../../../contract/staff/review.ts';
import type { Write } from '../../../sqlite/store.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import type { Actor } from '../../access/actor.ts';
import { changeUnplaced } from '../../unplaced/fact.ts';
import { unplacedWrites } from '../../unplaced/unplaced-store.ts';
import { newDeciderRefusal } from '../deciders.ts';
import { refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import {
  closedRefusal,
  ownProposalRefusal,
  proposalAction,
  viewPostings,
  viewProposal,
} from '../proposal.ts';
import { closeProposalWrite, type Proposal } from '../proposal-store.ts';
import { matchRefusal, prepareApproval, previewApproval, type UnplacedApproval } from './decide-unplaced.ts';
import { recordRefusal } from './record-refusal.ts';

/** Returns a proposal about an unplaced payment, the postings of its approval, and why this person cannot approve it. */
export async function showUnplacedProposal(
  deps: StaffDeps,
  proposal: Proposal,
  actor: Actor,
): Promise<StaffAnswer<ProposalPreview>> {
  const prepared = await prepare(deps, proposal, actor);
  const possible = prepared.ok ? await previewApproval(deps, prepared.value) : prepared;
  const value = {
    proposal: viewProposal(proposal, deps.clock.now()),
    postings: possible.ok ? viewPostings(possible.value) : [],
    obstacle: possible.ok ? null : possible.message,
  };
  return { ok: true, value };
}

/**
 * Approves a proposal about an unplaced payment: the facts and postings of the payment and of its collection, the action and
 * the end of the proposal are one batch. A refused attempt is recorded, too.
 */
export async function approveUnplaced(
  deps: StaffDeps,
  proposal: Proposal,
  actor: Actor,
): Promise<StaffAnswer<ProposalView>> {
  const prepared = await prepare(deps, proposal, actor);
  if (!prepared.ok) return recordRefusal(deps, proposal, actor, prepared);
  const now = deps.clock.now();
  const { payment, fact } = prepared.value;
  const action = proposalAction(actor, 'approve', proposal, { proposedBy: proposal.proposedBy });
  const refused = await apply(deps, proposal.id, prepared.value, [
    ...unplacedWrites(changeUnplaced(payment, [fact], now)),
    closeProposalWrite(proposal.id, 'approved', actor.name, now),
    staffActionWrite(action, now),
  ]);
  if (refused !== undefined) return recordRefusal(deps, proposal, actor, refused);
  const decided: Proposal = { ...proposal, state: 'approved', decidedBy: actor.name, decidedAt: now };
  return { ok: true, value: viewProposal(decided, now) };
}

async function prepare(
  deps: StaffDeps,
  proposal: Proposal,
  actor: Actor,
): Promise<StaffAnswer<UnplacedApproval>> {
  const closed = closedRefusal(proposal, deps.clock.now());
  const refused = closed ?? (await newDeciderRefusal(deps, actor));
  if (refused) return refused;
  const prepared = await prepareApproval(deps, proposal.subjectId, proposal, actor.name);
  if (!prepared.ok) return prepared;
  // Money of an unknown amount can be of any size.
  const { payment, match } = prepared.value;
  const amountMinor = Math.max(payment.amountMinor || Number.POSITIVE_INFINITY, match?.row.goodsMinor ?? 0);
  return ownProposalRefusal(deps, proposal, actor, amountMinor) ?? prepared;
}

/** Applies the writes, with those of the collection of a match. Returns why they were refused. */
async function apply(
  deps: StaffDeps,
  proposalId: string,
  { payment, match }: UnplacedApproval,
  writes: readonly Write[],
): Promise<StaffAnswer<never> | undefined> {
  const changed = refuse('conflict', `${payment.id} or its proposal changed meanwhile: look at it again`);
  if (!match) return (await deps.collections.apply(writes)) ? undefined : changed;
  const applied = await deps.reconciliation.apply(match.row, match.evidence, {
    with: writes,
    // Only the payment and the proposal can lose, and neither comes back.
    mayApply: async () =>
      (await deps.unplaced.find(payment.id))?.version === payment.version &&
      (await deps.proposals.find(proposalId))?.state === 'open',
  });
  const { refused, row } = applied;
  if (refused === undefined) return undefined;
  const isOfPayment = refused === 'changed' && row.version === match.evidence.versionSeen;
  return isOfPayment ? changed : matchRefusal(match, row, refused);
}
