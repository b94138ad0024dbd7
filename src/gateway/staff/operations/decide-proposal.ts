import { noInput, type ProposalPreview, type ProposalView } from '../../../contract/staff/review.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import type { Actor } from '../../access/actor.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import type { EvidenceOf } from '../../collection/evidence.ts';
import { type DecisionRefusal, decisionOutcomes } from '../../collection/reason.ts';
import { newDeciderRefusal } from '../deciders.ts';
import { type CheckedCall, defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import {
  closedRefusal,
  ownProposalRefusal,
  proposalAction,
  viewPostings,
  viewProposal,
} from '../proposal.ts';
import { closeProposalWrite, type Proposal } from '../proposal-store.ts';
import { describeChanges, describeRefusal } from '../reviews/describe.ts';
import { proposalSubject, unknownCollection } from '../subjects.ts';
import { approveUnplaced, showUnplacedProposal } from './approve-unplaced.ts';
import { recordRefusal } from './record-refusal.ts';

type Refused = Extract<StaffAnswer<never>, { ok: false }>;

/** Returns a proposal, the postings of its approval, and why this person cannot approve it. */
export const showProposal = defineOperation({
  route: 'GET /proposals/:id',
  permission: 'cases.read',
  input: noInput,
  subject: proposalSubject,
  async run(deps: StaffDeps, { actor, subject: proposal }): Promise<StaffAnswer<ProposalPreview>> {
    if (proposal.subjectKind === 'unplaced') return showUnplacedProposal(deps, proposal, actor);
    const row = await deps.collections.find(proposal.subjectId);
    // The postings are those of now. An approval is refused when facts arrived that its author has not seen.
    const decided =
      row && (await deps.reconciliation.preview(row, toEvidence(proposal, actor.name, row.version)));
    const isChanged = row !== undefined && row.version !== proposal.versionSeen;
    const refusal = isChanged ? 'changed' : decided?.refused;
    const obstacle =
      (await readObstacle(deps, proposal, actor, row)) ??
      (row && refusal && failed(await readRefusal(deps, proposal, row, refusal)));
    const value = {
      proposal: viewProposal(proposal, deps.clock.now()),
      postings: viewPostings(decided?.bookings ?? []),
      obstacle: obstacle?.message ?? null,
    };
    return { ok: true, value };
  },
});

/**
 * Approves a proposal: the facts and postings of the decision, the action and the end of the proposal are one batch. A
 * refused attempt is recorded, too.
 */
export const approveProposal = defineOperation({
  route: 'POST /proposals/:id/approve',
  permission: 'proposals.decide',
  confirm: true,
  input: noInput,
  subject: proposalSubject,
  async run(deps: StaffDeps, { actor, id, subject: proposal }): Promise<StaffAnswer<ProposalView>> {
    const { proposals, clock } = deps;
    if (proposal.subjectKind === 'unplaced') return approveUnplaced(deps, proposal, actor);
    const row = await deps.collections.find(proposal.subjectId);
    const refused = await readObstacle(deps, proposal, actor, row);
    if (refused || !row) return recordRefusal(deps, proposal, actor, refused ?? unknownCollection(id));
    const now = clock.now();
    const action = proposalAction(actor, 'approve', proposal, { proposedBy: proposal.proposedBy });
    const applied = await deps.reconciliation.apply(
      row,
      toEvidence(proposal, actor.name, proposal.versionSeen),
      {
        with: [closeProposalWrite(id, 'approved', actor.name, now), staffActionWrite(action, now)],
        mayApply: async () => (await proposals.find(id))?.state === 'open',
      },
    );
    if (applied.refused)
      return recordRefusal(
        deps,
        proposal,
        actor,
        await readRefusal(deps, proposal, applied.row, applied.refused),
      );
    const decided: Proposal = { ...proposal, state: 'approved', decidedBy: actor.name, decidedAt: now };
    return { ok: true, value: viewProposal(decided, now) };
  },
});

/** Ends an open proposal without a decision: its author withdraws it. */
export const withdrawProposal = defineOperation({
  route: 'POST /proposals/:id/withdraw',
  permission: 'proposals.make',
  input: noInput,
  subject: proposalSubject,
  run: (deps: StaffDeps, call) => endProposal(deps, call, 'withdrawn'),
});

/** Ends an open proposal without a decision: another person refuses it. */
export const refuseProposal = defineOperation({
  route: 'POST /proposals/:id/refuse',
  permission: 'proposals.decide',
  input: noInput,
  subject: proposalSubject,
  run: (deps: StaffDeps, call) => endProposal(deps, call, 'refused'),
});

async function endProposal(
  { collections, clock }: StaffDeps,
  { actor, id, subject: proposal }: CheckedCall<unknown, Proposal>,
  state: 'withdrawn' | 'refused',
): Promise<StaffAnswer<ProposalView>> {
  const now = clock.now();
  const refused = closedRefusal(proposal, now) ?? endRefusal(proposal, state, actor.name);
  if (refused) return refused;
  const action = proposalAction(actor, state === 'withdrawn' ? 'withdraw' : 'refuse', proposal);
  const writes = [closeProposalWrite(id, state, actor.name, now), staffActionWrite(action, now)];
  if (!(await collections.apply(writes))) return refuse('conflict', `the proposal ${id} is no longer open`);
  return {
    ok: true,
    value: viewProposal({ ...proposal, state, decidedBy: actor.name, decidedAt: now }, now),
  };
}

function endRefusal({ proposedBy }: Proposal, state: 'withdrawn' | 'refused', actor: string) {
  if (state === 'withdrawn' && actor !== proposedBy)
    return refuse('conflict', `only ${proposedBy}, who proposed it, can withdraw it: refuse it instead`);
  if (state === 'refused' && actor === proposedBy)
    return refuse('conflict', 'you proposed it: withdraw it instead');
  return undefined;
}

/** Returns why this person cannot approve a proposal, whatever the approval would do; undefined when the person can. */
async function readObstacle(
  deps: StaffDeps,
  proposal: Proposal,
  actor: Actor,
  row: CollectionRow | undefined,
): Promise<Refused | undefined> {
  if (!row) return failed(unknownCollection(proposal.subjectId));
  const closed = closedRefusal(proposal, deps.clock.now());
  if (closed) return failed(closed);
  const own =
    (await newDeciderRefusal(deps, actor)) ?? ownProposalRefusal(deps, proposal, actor, amountToDecide(row));
  return own && failed(own);
}

/** Returns why the collection as it is now does not allow the decision. */
async function readRefusal(
  { ledger }: StaffDeps,
  { versionSeen, outcome }: Proposal,
  row: CollectionRow,
  refused: DecisionRefusal,
): Promise<StaffAnswer<never>> {
  const isChanged = refused === 'changed' && row.version !== versionSeen;
  const message = isChanged
    ? describeChanges(await ledger.factsOf(row.id), versionSeen)
    : describeRefusal(refused, row, outcome);
  return refuse('conflict', message);
}

/** The larger of the price and the money that arrived. Money in another currency can be of any size. */
function amountToDecide({ review, amountMinor, goodsMinor }: CollectionRow): number {
  return review === 'other_currency' ? Number.POSITIVE_INFINITY : Math.max(amountMinor ?? 0, goodsMinor);
}

function failed(answer: StaffAnswer<never>): Refused | undefined {
  return answer.ok ? undefined : answer;
}

function toEvidence(
  { subjectId, outcome: name, evidence, reference, proposedBy }: Proposal,
  approvedBy: string,
  versionSeen: number,
): EvidenceOf<'decision'> {
  const outcome = decisionOutcomes.find((known) => known === name);
  if (outcome === undefined) throw new Error(`a proposal about ${subjectId} has the unknown outcome ${name}`);
  const grounds = { by: proposedBy, approvedBy, evidence, ...(reference === null ? {} : { reference }) };
  return { kind: 'decision', outcome, versionSeen, grounds };
}
