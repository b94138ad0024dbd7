import { proposalView, reviewView } from '../../../contract/review.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { printJson } from '../../terminal/output.ts';
import { describeProposal } from './read.ts';
import type { DecisionDeps, ProposeOptions } from './types.ts';

/** Proposes a decision about a review. Without a version, the one of this moment is meant. */
export async function proposeCommand(deps: DecisionDeps, id: string, options: ProposeOptions): Promise<void> {
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
