import { checkNowAnswer } from '../../../../contract/staff.ts';
import { pathSegment } from '../../../service/admin-client.ts';
import { printJson } from '../../../terminal/output.ts';
import { printable } from '../../../terminal/protected-output.ts';
import type { StaffCommandDeps, StaffFlags } from '../types.ts';

/** Asks the gateway to poll a collection now. @throws UserError when the gateway refuses or cannot be reached. */
export async function checkNowCommand(
  deps: StaffCommandDeps,
  id: string,
  options: StaffFlags,
): Promise<void> {
  const client = await deps.staffClient(options);
  const answer = await client.post(`/collections/${pathSegment(id)}/check`, checkNowAnswer);
  if (options.json) printJson(deps.stdout, answer);
  else
    deps.stdout.write(
      printable(
        `${answer.collectionId} is ${answer.status}; the gateway polls it now. Read the result with "dialtill ledger show ${answer.collectionId}"\n`,
      ),
    );
}
