import { type Command, Option } from 'commander';
import { type ExportTime, exportTimes } from '../../../gateway/support/export/export-times.ts';
import { parseHead, parsePublicKey } from '../../chain.ts';
import {
  addDatabaseOptions,
  addGatewayOptions,
  addPageOptions,
  fullHelp,
  helpExamples,
} from '../../command-options.ts';
import { personHelp } from '../../staff/person-help.ts';
import { addFilterOptions } from './filter-options.ts';
import type {
  AuditOptions,
  BalancesOptions,
  CollectionCommandDeps,
  CommandHelp,
  ExportOptions,
  LedgerDeps,
  ListOptions,
  PagedOptions,
  SealKeyOptions,
  ShowOptions,
  StaffFlags,
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
    addDatabaseOptions(
      ledger.command(usage).description(description).option('--json', 'print JSON'),
    ).addHelpText('after', `${helpExamples('ledger', examples)}${exitCodes}`);

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
      (await import('./show/show.ts')).showCollectionCommand(deps, words.join(' '), options),
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

const exportHelp = `
Examples:
  $ dialtill ledger export --from 2026-03-01 > opened.csv
  $ dialtill ledger export --by booked --from 2026-03-06 --to 2026-03-06 > received.csv

The received amounts of an export by booking time add up to ledger balances of the same day. Unplaced payments have lines of their own.`;

/** Adds `dialtill ledger export`. */
function registerExport(ledger: Command, deps: LedgerDeps): void {
  const command = ledger
    .command('export')
    .description(
      "write the collections that ledger list selects as CSV, with the payers' full phone numbers; times are UTC",
    )
    .option(
      '--csv',
      'CSV in UTF-8 (RFC 4180): the only format; a cell that starts with a single quote is text',
    )
    .addOption(
      new Option(
        '--by <time>',
        'what --from and --to mean: when a collection was opened, or when money was booked (one line per booking)',
      )
        .choices(exportTimes)
        .default('opened' satisfies ExportTime),
    );

  addFilterOptions(addDatabaseOptions(command).addHelpText('after', exportHelp)).action(
    async (options: ExportOptions) => (await import('./export-csv.ts')).exportCommand(deps, options),
  );
}

/** Adds the commands that print lists with pages: `find`, `list`, `reviews` and `audit`. */
function registerLists(addCommand: (help: CommandHelp) => Command, deps: LedgerDeps): void {
  const addList = (help: CommandHelp) => addPageOptions(addCommand(help)).option('--full', fullHelp);

  addList({
    usage: 'find <term...>',
    description:
      'find collections by phone number or its last digits, reference or a part of it, short reference, amount, collection id or payment session id, and unplaced payments by phone number, reference or id; the start of an id is enough',
    examples: [
      'find 0244123456',
      'find 3456',
      'find KA1024',
      'find 4821 7362',
      'find 20.50',
      'find pay_01k8n2rm',
    ],
  }).action(async (words: string[], options: PagedOptions) =>
    (await import('./print-collections.ts')).findCommand(deps, words.join(' '), options),
  );

  addFilterOptions(
    addList({
      usage: 'list',
      description:
        'list the collections that match every filter, newest first, with their count and the sum of their prices',
      examples: [
        'list --status review --from 2026-03-01',
        'list --from 2026-03-06T09:00 --to 2026-03-06T10:30 --min 20 --max 25',
        'list --status failed --reason declined --network mtn --limit 20',
        'list --merchant demo-shop --last4 3456 --json',
      ],
    }),
  ).action(async (options: ListOptions) =>
    (await import('./print-collections.ts')).listCollectionsCommand(deps, options),
  );

  addList({
    usage: 'reviews',
    description: 'list the collections in review, newest first: a person must decide about them',
    examples: ['reviews', 'reviews --limit 20'],
  }).action(async (options: PagedOptions) =>
    (await import('./print-collections.ts')).reviewsCommand(deps, options),
  );

  addList({
    usage: 'audit',
    description: 'list what support staff did, newest first: who, what, to what, why and when',
    examples: ['audit', 'audit --actor ama --from 2026-03-01', 'audit --subject col_01k… --json'],
  })
    .option('--actor <name>', 'only actions of this person')
    .option('--action <name>', 'only actions of this kind, such as note, assign, check or block')
    .option('--subject <id>', 'only actions about this collection or number')
    .option('--merchant <id>', 'only actions about this merchant')
    .option('--from <time>', 'only actions from this day or minute on')
    .option('--to <time>', 'only actions up to the end of this day or minute')
    .action(async (options: AuditOptions) => (await import('./audit.ts')).auditCommand(deps, options));
}

/** Adds the commands that a running gateway carries out for a named person. */
function registerStaffCommands(ledger: Command, deps: CollectionCommandDeps): void {
  const addCommand = (usage: string, description: string, example: string) =>
    addGatewayOptions(
      ledger.command(usage).description(description).option('--json', 'print JSON'),
    ).addHelpText('after', `${helpExamples('ledger', [example])}\n${personHelp}`);

  addCommand(
    'check-now <id>',
    'poll the service about a collection now, instead of at the next time of its plan',
    'check-now col_01k…',
  ).action(async (id: string, options: StaffFlags) =>
    (await import('./act-on-collection.ts')).checkNowCommand(deps, id, options),
  );

  addCommand(
    'assign <id> <name>',
    'hand a collection over to a person of support staff; the name none ends the assignment',
    'assign col_01k… kofi',
  ).action(async (id: string, name: string, options: StaffFlags) =>
    (await import('./act-on-collection.ts')).assignCollectionCommand(deps, { id, name }, options),
  );

  addCommand(
    'note <id> <text>',
    'record a note about a collection; notes are never deleted, so do not write personal data',
    'note col_01k… "the payer called, and sends the receipt"',
  ).action(async (id: string, text: string, options: StaffFlags) =>
    (await import('./act-on-collection.ts')).noteCommand(deps, { id, text }, options),
  );
}
