import { proposalPreview, proposalView, reviewView } from '../../../contract/staff/review.ts';
import { UserError } from '../../../shared/errors.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { printJson } from '../../terminal/output.ts';
import { confirm } from '../../terminal/terminal.ts';
import type { StaffFlags } from '../ledger/types.ts';
import { describePostings, describeProposal } from './read.ts';
import type { ApproveOptions, DecisionDeps, ProposeOptions } from './types.ts';

/** Proposes a decision about a review. Without a version, the one of this moment is meant. */
export async function proposeOutcomeCommand(
  deps: DecisionDeps,
  id: string,
  options: ProposeOptions,
): Promise<void> {
  const client = await deps.staffClient(options);
  const path = `/reviews/${pathSegment(id)}`;
  const version = options.version ?? (await client.get(path, reviewView)).version;
  const { outcome, evidence, reference } = options;
  const terms = { outcome, evidence, version, ...(reference === undefined ? {} : { reference }) };
  const proposal = await client.post(`${path}/proposals`, proposalView, terms);
  if (options.json) return printJson(deps.stdout, proposal);
  deps.stdout.write(
    `proposed ${describeProposal(proposal)}\nAnother person approves it: dialtill review approve ${proposal.id}\n`,
  );
}

/** Prints what a proposal would write, asks, and approves it. @throws UserError when it cannot be approved. */
export async function approveCommand(deps: DecisionDeps, id: string, options: ApproveOptions): Promise<void> {
  const { stdout } = deps;
  const client = await deps.staffClient(options);
  const path = `/proposals/${pathSegment(id)}`;
  const preview = await client.get(path, proposalPreview);
  if (!options.json) {
    stdout.write(`${describeProposal(preview.proposal)}\n`);
    stdout.write(`postings: ${describePostings(preview.postings)}\n`);
  }
  // The gateway refuses the attempt, too, and records it.
  if (preview.obstacle === null && !options.yes && !(await confirm(deps, 'Approve?')))
    throw new UserError('not approved. To approve without a question, add --yes.');
  const approved = await client.post(`${path}/approve`, proposalView);
  if (options.json) printJson(stdout, { ...approved, postings: preview.postings });
  else stdout.write(`approved ${approved.id} on ${approved.subjectId}\n`);
}

/** Withdraws or refuses a proposal. */
export async function endCommand(
  deps: DecisionDeps,
  { id, verb }: { id: string; verb: 'withdraw' | 'refuse' },
  options: StaffFlags,
): Promise<void> {
  const client = await deps.staffClient(options);
  const ended = await client.post(`/proposals/${pathSegment(id)}/${verb}`, proposalView);
  if (options.json) printJson(deps.stdout, ended);
  else deps.stdout.write(`${ended.state} ${ended.id}\n`);
}
