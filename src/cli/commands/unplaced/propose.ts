import { proposalView } from '../../../contract/review.ts';
import { unplacedDetail } from '../../../contract/unplaced.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { printJson } from '../../terminal/output.ts';
import { describeProposal } from '../review/read.ts';
import type { DecideOptions, UnplacedDeps } from './types.ts';

/** Proposes a decision about an unplaced payment. Without a version, the one of this moment is meant. */
export async function proposeCommand(
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
