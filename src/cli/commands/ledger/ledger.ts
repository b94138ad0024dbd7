import type { Command } from 'commander';
import { addGroup } from '../../command-options.ts';
import type { ReadDeps } from '../../open-reads.ts';
import type { ConnectStaff, StaffFlags } from '../../staff/staff-client.ts';
import { registerAudit } from './audit.ts';
import { registerBalances } from './balances.ts';
import { registerCollections } from './collections.ts';
import { registerExport } from './export-csv.ts';
import { registerSealKey, type SealKeyDeps } from './seal-key.ts';
import { registerShow, type ShowDeps } from './show.ts';
import { registerVerify, type VerifyDeps } from './verify.ts';

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
  if (!staffClient) return;

  const load = () => import('./act-on-collection.ts');
  const act = { stdout: deps.stdout, staffClient };
  ledger
    .addAction({
      usage: 'check-now <id>',
      description: 'poll the service about a collection now, instead of at the next time of its plan',
      examples: ['check-now col_01k…'],
    })
    .action(async (id: string, options: StaffFlags) => (await load()).checkNow(act, id, options));
  ledger
    .addAction({
      usage: 'assign <id> <name>',
      description: 'hand a collection over to a person of support staff; the name none ends the assignment',
      examples: ['assign col_01k… kofi'],
    })
    .action(async (id: string, name: string, options: StaffFlags) =>
      (await load()).assign(act, { id, name }, options),
    );
  ledger
    .addAction({
      usage: 'note <id> <text>',
      description: 'record a note about a collection; notes are never deleted, so do not write personal data',
      examples: ['note col_01k… "the payer called, and sends the receipt"'],
    })
    .action(async (id: string, text: string, options: StaffFlags) =>
      (await load()).note(act, { id, text }, options),
    );
  ledger
    .addAction({
      usage: 'reveal <id>',
      description: 'show the whole numbers of a collection, and record who saw them and why',
      examples: ['reveal col_01k… --reason "the payer never asked for it"'],
    })
    .requiredOption('--reason <text>', 'why; it is recorded and never deleted')
    .action(async (id: string, options: StaffFlags & { reason: string }) =>
      (await load()).reveal(act, id, options),
    );
}
