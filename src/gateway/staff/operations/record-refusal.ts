import { staffActionWrite } from '../../access/action-store.ts';
import type { Actor } from '../../access/actor.ts';
import type { StaffAnswer, StaffDeps } from '../operation.ts';
import { getState, proposalAction } from '../proposal.ts';
import { closeProposalWrite, type Proposal } from '../proposal-store.ts';

/** Records an attempt that was refused. An expired proposal is closed with it. */
export async function recordRefusal(
  { collections, clock }: Pick<StaffDeps, 'collections' | 'clock'>,
  proposal: Proposal,
  actor: Actor,
  refused: StaffAnswer<never>,
): Promise<StaffAnswer<never>> {
  const now = clock.now();
  const why = refused.ok ? '' : refused.message;
  const action = { ...proposalAction(actor, 'approve', proposal, { why }), result: 'refused' } as const;
  const isExpired = proposal.state === 'open' && getState(proposal, now) === 'expired';
  const closed = isExpired ? [closeProposalWrite(proposal.id, 'expired', null, now)] : [];
  const isWritten = await collections.apply([...closed, staffActionWrite(action, now)]);
  if (!isWritten) await collections.apply([staffActionWrite(action, now)]);
  return refused;
}
