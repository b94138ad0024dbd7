import { proposalView } from '../../../contract/staff/review.ts';
import { assignUnplacedAnswer } from '../../../contract/staff/staff.ts';
import { unplacedDetail } from '../../../contract/staff/unplaced.ts';
import { UserError } from '../../../shared/errors.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { printAnswer, printJson } from '../../terminal/output.ts';
import type { StaffFlags } from '../ledger/types.ts';
import { describeProposal } from '../review/read.ts';
import type { DecideOptions, UnplacedDeps } from './types.ts';

/** What becomes of an assignment: the caller has the payment, a named person has it, or no one has it. */
export type Assignee = 'caller' | { name: string } | 'no_one';

/** Records who resolves an unplaced payment. @throws UserError when the gateway refuses or cannot be reached. */
export async function assignUnplacedCommand(
  deps: Pick<UnplacedDeps, 'stdout' | 'staffClient'>,
  { id, assignee }: { id: string; assignee: Assignee },
  options: StaffFlags,
): Promise<void> {
  const client = await deps.staffClient(options);
  const body = { to: assigneeName(assignee, client.name) };
  const answer = await client.post(`/unplaced/${pathSegment(id)}/assign`, assignUnplacedAnswer, body);
  const { unplacedId, actor, to } = answer;
  const done = to === null ? `unassigned ${unplacedId}` : `assigned ${unplacedId} to ${to}`;
  printAnswer(deps.stdout, options, answer, `${done} by ${actor}`);
}

function assigneeName(assignee: Assignee, caller: string | undefined): string | null {
  if (assignee === 'no_one') return null;
  if (assignee !== 'caller') return assignee.name;
  if (caller === undefined)
    throw new UserError('only a person takes a payment: sign in with "dialtill staff sign-in"');
  return caller;
}

/** Proposes a decision about an unplaced payment. Without a version, the one of this moment is meant. */
export async function proposePlacementCommand(
  deps: Pick<UnplacedDeps, 'stdout' | 'staffClient'>,
  id: string,
  options: DecideOptions,
  terms: object,
): Promise<void> {
  const client = await deps.staffClient(options);
  const path = `/unplaced/${pathSegment(id)}`;
  const version = options.version ?? (await client.get(path, unplacedDetail)).version;
  const { evidence } = options;
  const proposal = await client.post(`${path}/proposals`, proposalView, { ...terms, evidence, version });
  if (options.json) return printJson(deps.stdout, proposal);
  const target = proposal.targetId === null ? '' : ` with ${proposal.targetId}`;
  deps.stdout.write(
    `proposed for ${proposal.subjectId}${target}: ${describeProposal(proposal)}\n` +
      `Another person approves it: dialtill review approve ${proposal.id}\n`,
  );
}
