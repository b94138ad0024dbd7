import type { Command } from 'commander';
import { parseHead, parsePublicKey } from '../../chain-options.ts';
import { registerExport } from './export.ts';
import { helpExamples } from './help.ts';
import { fullHelp, registerLists } from './lists.ts';
import { registerStaffCommands } from './staff/commands.ts';
import type {
  BalancesOptions,
  CommandHelp,
  LedgerDeps,
  SealKeyOptions,
  ShowOptions,
  VerifyFlags,
} from './types.ts';

/**
 * Adds `dialtill ledger` and its commands. They only read, and may run beside a gateway; `check-now` and `note` ask a
 * running gateway. Each command imports its work when it runs: a search does not load the audit or the transcripts.
 */
export function registerLedger(program: Command, deps: LedgerDeps): void {
  const ledger = program
    .command('ledger')
    .addHelpText('after', '\nExample:\n  $ dialtill ledger find 0244123456');

  const addCommand = ({ usage, description, examples, exitCodes = '' }: CommandHelp) =>
    ledger
      .command(usage)
      .description(description)
      .option('--json', 'print JSON')
      .option('--config <file>', 'configuration file that names the database')
      .option('--db <database>', 'a file, a postgres:// URL, or $NAME for the URL in a variable')
      .addHelpText('after', `${helpExamples(examples)}${exitCodes}`);

  registerLists(addCommand, deps);

  addCommand({
    usage: 'show <id...>',
    description:
      'show one collection, by its id, short reference, payment session id, reference or phone number: status, amounts, postings and timeline',
    examples: [
      'show col_01k…',
      'show 4821 7362',
      'show 0244123456',
      'show col_01k… --as-transcript --masked > payment.yaml',
    ],
  })
    .option('--full', fullHelp)
    .option('--as-transcript', 'print the dialogue as a transcript for dialtill rehearse')
    .option('--masked', 'in the transcript, replace personal data of payers with pseudonyms')
    .action(async (words: string[], options: ShowOptions) =>
      (await import('./show/show.ts')).showCommand(deps, words.join(' '), options),
    );

  addCommand({
    usage: 'balances',
    description: 'print the balance of every account',
    examples: ['balances', 'balances --day 2026-03-06'],
  })
    .option('--day <date>', 'only the postings of this day in Accra, from midnight to midnight')
    .action(async (options: BalancesOptions) =>
      (await import('./balances.ts')).balancesCommand(deps, options),
    );

  addCommand({
    usage: 'verify',
    description: 'audit the schema, the hash chain, its signatures, the sums and every collection',
    examples: ['verify', 'verify --head 9771f8e4…', 'verify --from 9771f8e4…'],
    exitCodes:
      '\n\nExit codes:\n  0  the ledger is consistent\n  1  the audit found a fault\n  2  wrong usage',
  })
    .option(
      '--head <hash>',
      'a head of the chain that was noted elsewhere: it must still be on the chain',
      parseHead,
    )
    .option(
      '--from <hash>',
      'a head that was noted elsewhere after an audit: verify only its block and what follows',
      parseHead,
    )
    .option(
      '--public-key <key>',
      'a key that blocks may be signed with, in addition to those of the configuration; <key>:<block> for a key that signed up to a block; can be repeated',
      parsePublicKey,
    )
    .action(async (options: VerifyFlags) => (await import('./verify.ts')).verifyCommand(deps, options));

  addCommand({
    usage: 'seal-key',
    description: 'print the id and the public key of ledger.sealKey',
    examples: ['seal-key', 'seal-key --new'],
  })
    .option('--new', 'generate a key, and print its secret too')
    .action(async (options: SealKeyOptions) => (await import('./seal-key.ts')).sealKeyCommand(deps, options));

  registerExport(ledger, deps);
  const { stdout, staffClient } = deps;
  if (staffClient) registerStaffCommands(ledger, { stdout, staffClient });
}
