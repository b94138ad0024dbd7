import { proposalView } from '../../../contract/staff/review.ts';
import { assignUnplacedAnswer } from '../../../contract/staff/staff.ts';
import { unplacedDetail } from '../../../contract/staff/unplaced.ts';
import { UserError } from '../../../shared/errors.ts';
import type { CommandGroup, CommandHelp } from '../../command-options.ts';
import { pathSegment } from '../../service/admin-client.ts';
import type { ConnectStaff, StaffFlags } from '../../staff/staff-client.ts';
import { type Output, printAnswer } from '../../terminal/output.ts';
import { describeProposal } from '../review.ts';

export type DecideDeps = { stdout: Output; staffClient: ConnectStaff };

/** The terms of a decision, and the gateway that records the proposal. */
type DecideOptions = StaffFlags & { evidence: string; reference?: string; version?: number };

const approvalHelp =
  '\n\nAnother person approves the proposal within 24 hours: dialtill review approve prp_01k…';

/** Adds the commands that a gateway carries out for a person: proposals and assignments. */
export function registerDecisions({ addAction }: CommandGroup, deps: DecideDeps): void {
  const addDecision = (help: CommandHelp) =>
    addAction({ ...help, more: approvalHelp })
      .requiredOption('--evidence <text>', 'why: what you saw, and where')
      .option('--version <number>', 'the version of the payment that you saw (default: the latest)', Number);

  addDecision({
    usage: 'match <id> <collection>',
    description:
      'propose that the payment belongs to a collection, which must be unpaid and of the same amount',
    examples: ['match unp_01k… col_01k… --evidence "the payer showed the SMS of the network"'],
  }).action((id: string, collectionId: string, options: DecideOptions) =>
    propose(deps, id, options, { outcome: 'match', collectionId }),
  );
  addDecision({
    usage: 'return <id>',
    description: 'propose to record that the money was returned to the payer',
    examples: ['return unp_01k… --reference MTN-77 --evidence "transfer of 6 March"'],
  })
    .requiredOption('--reference <text>', 'the reference of the transfer that returned the money')
    .action((id: string, options: DecideOptions) =>
      propose(deps, id, options, { outcome: 'return', reference: options.reference }),
    );
  addDecision({
    usage: 'foreign <id>',
    description: 'propose that the money belongs to another channel of the merchant, such as a web shop',
    examples: ['foreign unp_01k… --evidence "order 1042 of the web shop"'],
  }).action((id: string, options: DecideOptions) => propose(deps, id, options, { outcome: 'foreign' }));

  addAction({
    usage: 'take <id>',
    description: 'record that you resolve an unplaced payment, also when another person has it',
    examples: ['take unp_01k…', 'take unp_01k… --json'],
  }).action((id: string, options: StaffFlags) => assign(deps, { id, assignee: 'caller' }, options));
  addAction({
    usage: 'leave <id>',
    description: 'end the assignment of an unplaced payment, whoever has it',
    examples: ['leave unp_01k…'],
  }).action((id: string, options: StaffFlags) => assign(deps, { id, assignee: 'no_one' }, options));
  addAction({
    usage: 'assign <id> <name>',
    description: 'hand an unplaced payment over to a person of support staff',
    examples: ['assign unp_01k… kofi'],
  }).action((id: string, name: string, options: StaffFlags) =>
    assign(deps, { id, assignee: { name } }, options),
  );
}

/** What becomes of an assignment: the caller has the payment, a named person has it, or no one has it. */
type Assignee = 'caller' | { name: string } | 'no_one';

/** Records who resolves an unplaced payment. @throws UserError when the gateway refuses or cannot be reached. */
async function assign(
  { stdout, staffClient }: DecideDeps,
  { id, assignee }: { id: string; assignee: Assignee },
  options: StaffFlags,
): Promise<void> {
  const client = await staffClient(options);
  const body = { to: assigneeName(assignee, client.name) };
  const answer = await client.post(`/unplaced/${pathSegment(id)}/assign`, assignUnplacedAnswer, body);
  const { unplacedId, actor, to } = answer;
  const done = to === null ? `unassigned ${unplacedId}` : `assigned ${unplacedId} to ${to}`;
  printAnswer(stdout, options, answer, `${done} by ${actor}`);
}

function assigneeName(assignee: Assignee, caller: string | undefined): string | null {
  if (assignee === 'no_one') return null;
  if (assignee !== 'caller') return assignee.name;
  if (caller === undefined)
    throw new UserError('only a person takes a payment: sign in with "dialtill staff sign-in"');
  return caller;
}

/** Proposes a decision about an unplaced payment. Without a version, the one of this moment is meant. */
async function propose(
  { stdout, staffClient }: DecideDeps,
  id: string,
  options: DecideOptions,
  terms: object,
): Promise<void> {
  const client = await staffClient(options);
  const path = `/unplaced/${pathSegment(id)}`;
  const version = options.version ?? (await client.get(path, unplacedDetail)).version;
  const { evidence } = options;
  const proposal = await client.post(`${path}/proposals`, proposalView, { ...terms, evidence, version });
  const target = proposal.targetId === null ? '' : ` with ${proposal.targetId}`;
  const text =
    `proposed for ${proposal.subjectId}${target}: ${describeProposal(proposal)}\n` +
    `Another person approves it: dialtill review approve ${proposal.id}`;
  printAnswer(stdout, options, proposal, text);
}
