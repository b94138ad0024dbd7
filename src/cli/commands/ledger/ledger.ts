import type { Command } from 'commander';
import { addGroup } from '../../command-options.ts';
import type { ReadDeps } from '../../open-reads.ts';
import type { ConnectStaff } from '../../staff/staff-client.ts';
import { registerActions, registerAudit } from './actions.ts';
import { registerBalances } from './balances.ts';
import { registerCollections } from './collections.ts';
import { registerExport } from './export-csv.ts';
import { registerShow, type ShowDeps } from './show.ts';
import { registerSealKey, registerVerify, type SealKeyDeps, type VerifyDeps } from './verify.ts';

export type LedgerDeps = ReadDeps &
  ShowDeps &
  VerifyDeps &
  SealKeyDeps & {
    /** Without it, the group has no command that a running gateway carries out. */
    staffClient?: ConnectStaff;
  };

/**
 * Adds `dialtill ledger` and its commands. They read, also beside a running gateway; a gateway carries out the others for a named
 * person. Each command imports what it works with when it runs: a search does not load the audit or the transcripts.
 */
export function registerLedger(program: Command, { staffClient, ...deps }: LedgerDeps): void {
  const ledger = addGroup(program, { path: 'ledger', examples: ['find 0244123456'] });
  registerCollections(ledger, deps);
  registerAudit(ledger, deps);
  registerShow(ledger, deps);
  registerBalances(ledger, deps);
  registerVerify(ledger, deps);
  registerSealKey(ledger, deps);
  registerExport(ledger, deps);
  if (staffClient) registerActions(ledger, { stdout: deps.stdout, staffClient });
}
