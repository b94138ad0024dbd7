import type { z } from 'zod';
import {
  maxProposals,
  type ProposalPreview,
  type ProposalView,
  type proposalList,
  proposalQuery,
  refuseInput,
} from '../../../contract/staff/review.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { formatCedis } from '../../../shared/money.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import type { Write } from '../../../sqlite/store.ts';
import { type StaffAction, staffActionWrite } from '../../access/action-store.ts';
import type { Actor } from '../../access/permissions.ts';
import { newDeciderRefusal } from '../deciders.ts';
import { decisionSubjects, describeDecision, type PreparedDecision } from '../decision-subjects.ts';
import {
  type CheckedCall,
  defineOperation,
  type OperationRefusal,
  refuse,
  type StaffAnswer,
  type StaffDeps,
  type Subject,
} from '../operation.ts';
import {
  closeProposalWrite,
  getProposalState,
  type Proposal,
  viewPostings,
  viewProposal,
} from '../proposal-store.ts';

const proposalSubject: Subject<StaffDeps, Proposal> = {
  find: ({ proposals }, { id }) => proposals.find(id),
  unknown: ({ id }) => refuse('not_found', `no proposal ${id}: list them with "dialtill review proposals"`),
};

/** Returns a proposal, the postings of its approval, and why this person cannot approve it. */
export const showProposal = defineOperation({
  route: 'GET /proposals/:id',
  permission: 'cases.read',
  subject: proposalSubject,
  async run(deps: StaffDeps, { actor, subject: proposal }): Promise<StaffAnswer<ProposalPreview>> {
    const reasons = await deps.proposals.refusalReasons(proposal.state === 'refused' ? [proposal] : []);
    return { ok: true, value: await previewProposal(deps, proposal, actor, reasons) };
  },
});

/** Lists the open proposals, or those that have ended, each as `showProposal` does. */
export const listProposals = defineOperation({
  route: 'GET /proposals',
  permission: 'cases.read',
  input: proposalQuery,
  async run(deps: StaffDeps, { actor, input }): Promise<StaffAnswer<z.infer<typeof proposalList>>> {
    const { proposals, livemode, clock } = deps;
    const limit = maxProposals + 1;
    const found =
      input.state === 'waiting'
        ? await proposals.listWaiting(livemode, clock.now(), limit)
        : await proposals.listEnded(livemode, clock.now(), limit);
    const shown = found.slice(0, maxProposals);
    const reasons = await proposals.refusalReasons(shown.filter(({ state }) => state === 'refused'));
    const data = await Promise.all(shown.map((one) => previewProposal(deps, one, actor, reasons)));
    return { ok: true, value: { data, isCut: found.length > maxProposals } };
  },
});

async function previewProposal(
  deps: StaffDeps,
  proposal: Proposal,
  actor: Actor,
  reasons: Readonly<Record<string, string>>,
): Promise<ProposalPreview> {
  const prepared = await prepareDecision(deps, proposal, actor);
  const obstacle = (await findObstacle(deps, proposal, actor, prepared)) ?? prepared.refused;
  const isOpen = getProposalState(proposal, deps.clock.now()) === 'open';
  return {
    proposal: viewProposal(proposal, deps.clock.now()),
    sentence: await describeDecision(deps, proposal),
    amountMinor: Number.isFinite(prepared.amountMinor) ? prepared.amountMinor : null,
    postings: viewPostings(prepared.bookings),
    obstacle: obstacle?.message ?? null,
    stale: (isOpen && prepared.refused?.message) || null,
    subjectVersion: prepared.version,
    refusal: reasons[proposal.id] ?? null,
  };
}

/** Approves a proposal: decision, action and end of the proposal are one batch. A refused attempt is recorded, too. */
export const approveProposal = defineOperation({
  route: 'POST /proposals/:id/approve',
  permission: 'proposals.decide',
  confirm: true,
  subject: proposalSubject,
  async run(deps: StaffDeps, { actor, id, subject: proposal }): Promise<StaffAnswer<ProposalView>> {
    const prepared = await prepareDecision(deps, proposal, actor);
    const obstacle = await findObstacle(deps, proposal, actor, prepared);
    if (obstacle) return recordRefusal(deps, proposal, actor, obstacle);
    if (prepared.refused) return recordRefusal(deps, proposal, actor, prepared.refused);
    const now = deps.clock.now();
    const action = proposalAction(actor, 'approve', proposal, { proposedBy: proposal.proposedBy });
    const writes = [closeProposalWrite(id, 'approved', actor.name, now), staffActionWrite(action, now)];
    const refused = await prepared.apply(
      writes,
      async () => (await deps.proposals.find(id))?.state === 'open',
    );
    if (refused) return recordRefusal(deps, proposal, actor, refused);
    const decided: Proposal = { ...proposal, state: 'approved', decidedBy: actor.name, decidedAt: now };
    return { ok: true, value: viewProposal(decided, now) };
  },
});

/** Ends an open proposal without a decision: its author withdraws it. */
export const withdrawProposal = defineOperation({
  route: 'POST /proposals/:id/withdraw',
  permission: 'proposals.make',
  subject: proposalSubject,
  run: (deps: StaffDeps, call) => endProposal(deps, call, { state: 'withdrawn' }),
});

/** Ends an open proposal without a decision: another person refuses it, and the author is mentioned with the reason. */
export const refuseProposal = defineOperation({
  route: 'POST /proposals/:id/refuse',
  permission: 'proposals.decide',
  input: refuseInput,
  subject: proposalSubject,
  async run(deps: StaffDeps, call) {
    // The audit keeps its rows for ever: a number that a person types does not get into it.
    const reason = maskNumbers(call.input.reason);
    const { id, proposedBy, subjectId, subjectKind, livemode } = call.subject;
    const author = await deps.accounts.findByName(proposedBy);
    const detail = { name: proposedBy, [subjectKind]: subjectId, proposal: id, reason };
    const subject = { kind: 'account', id: author?.id ?? '', merchantId: null, livemode } as const;
    const mention = staffActionWrite(
      { actor: call.actor, action: 'mention', subject, detail },
      deps.clock.now(),
    );
    return endProposal(deps, call, { state: 'refused', reason, writes: author ? [mention] : [] });
  },
});

type ProposalEnd = {
  state: 'withdrawn' | 'refused';
  reason?: string;
  /** Further writes of the batch. */
  writes?: readonly Write[];
};

async function endProposal(
  { collections, clock }: StaffDeps,
  { actor, id, subject: proposal }: CheckedCall<unknown, Proposal>,
  { state, reason, writes: more = [] }: ProposalEnd,
): Promise<StaffAnswer<ProposalView>> {
  const now = clock.now();
  const refused = closedRefusal(proposal, now) ?? endRefusal(proposal, state, actor.name);
  if (refused) return refused;
  const verb = state === 'withdrawn' ? 'withdraw' : 'refuse';
  const action = proposalAction(actor, verb, proposal, reason === undefined ? {} : { reason });
  const writes = [closeProposalWrite(id, state, actor.name, now), staffActionWrite(action, now), ...more];
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

/** Returns why this person cannot approve a proposal, even if its subject allows the decision. */
async function findObstacle(
  deps: StaffDeps,
  proposal: Proposal,
  actor: Actor,
  { amountMinor }: PreparedDecision,
): Promise<OperationRefusal | undefined> {
  return (
    closedRefusal(proposal, deps.clock.now()) ??
    (await newDeciderRefusal(deps, actor)) ??
    ownProposalRefusal(deps, proposal, actor, amountMinor)
  );
}

function closedRefusal(proposal: Proposal, now: EpochMs): OperationRefusal | undefined {
  const state = getProposalState(proposal, now);
  if (state === 'open') return undefined;
  const by = proposal.decidedBy === null ? '' : ` by ${proposal.decidedBy}`;
  const next = state === 'approved' ? 'the decision is made' : 'propose again if it is still right';
  return refuse('conflict', `the proposal ${proposal.id} is ${state}${by}: ${next}`);
}

/** Returns the refusal of an approval by the author, where a second person is required; undefined otherwise. */
function ownProposalRefusal(
  { secondPersonAboveMinor }: Pick<StaffDeps, 'secondPersonAboveMinor'>,
  { id, proposedBy }: Proposal,
  actor: Actor,
  amountMinor: number,
): OperationRefusal | undefined {
  if (actor.name !== proposedBy || amountMinor <= secondPersonAboveMinor) return undefined;
  const limit =
    secondPersonAboveMinor === 0 || !Number.isFinite(amountMinor)
      ? ''
      : ` above ${formatCedis(secondPersonAboveMinor)}`;
  return refuse('conflict', `you proposed ${id}: another person must approve a decision${limit}`);
}

/** Records an attempt that was refused. An expired proposal is closed with it. */
async function recordRefusal(
  { collections, clock }: StaffDeps,
  proposal: Proposal,
  actor: Actor,
  refused: OperationRefusal,
): Promise<OperationRefusal> {
  const now = clock.now();
  const approval = proposalAction(actor, 'approve', proposal, { why: refused.message });
  const action = { ...approval, result: 'refused' } as const;
  const isExpired = proposal.state === 'open' && getProposalState(proposal, now) === 'expired';
  const closed = isExpired ? [closeProposalWrite(proposal.id, 'expired', null, now)] : [];
  const isWritten = await collections.apply([...closed, staffActionWrite(action, now)]);
  if (!isWritten) await collections.apply([staffActionWrite(action, now)]);
  return refused;
}

type Terms = Parameters<(typeof decisionSubjects)['collection']>[1] & Pick<Proposal, 'subjectKind'>;

/** Prepares the decision of a proposal. Reads only. */
export function prepareDecision(
  deps: StaffDeps,
  terms: Terms,
  { name: approvedBy }: Pick<Actor, 'name'>,
): Promise<PreparedDecision> {
  return decisionSubjects[terms.subjectKind](deps, terms, approvedBy);
}

/** Returns the action of a person on a proposal. Its detail repeats the terms, so that the hash chain covers them. */
export function proposalAction(
  actor: Actor,
  action: 'propose' | 'approve' | 'withdraw' | 'refuse',
  proposal: Proposal,
  more: Readonly<Record<string, unknown>> = {},
): StaffAction {
  const { id, subjectKind, subjectId, merchantId, livemode, outcome, evidence, reference, versionSeen } =
    proposal;
  const { targetId: target, targetVersion } = proposal;
  const terms = {
    outcome,
    evidence,
    reference,
    versionSeen,
    ...(target === null ? {} : { target, targetVersion }),
  };
  return {
    ...{ actor, action },
    subject: { kind: subjectKind, id: subjectId, merchantId, livemode },
    detail: { proposal: id, ...terms, ...more },
  };
}
