import { noteAnswer } from '../../../../contract/staff.ts';
import { pathSegment } from '../../../service/admin-client.ts';
import { printJson } from '../../../terminal/output.ts';
import { printable } from '../../../terminal/protected-output.ts';
import type { StaffCommandDeps, StaffFlags } from '../types.ts';

/** A note for a collection. */
export type Note = { id: string; text: string };

/** Records a note about a collection. @throws UserError when the gateway refuses or cannot be reached. */
export async function noteCommand(
  deps: StaffCommandDeps,
  { id, text }: Note,
  options: StaffFlags,
): Promise<void> {
  const client = await deps.staffClient(options);
  const answer = await client.post(`/collections/${pathSegment(id)}/notes`, noteAnswer, { text });
  if (options.json) printJson(deps.stdout, answer);
  else deps.stdout.write(printable(`noted on ${answer.collectionId} by ${answer.actor}\n`));
}
