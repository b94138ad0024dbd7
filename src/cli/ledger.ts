import type { Command } from 'commander';
import { auditCollection } from '../collection/audit.ts';
import { openSqliteReader } from '../db/sqlite.ts';
import type { Store } from '../db/store.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { verifyLedger } from '../ledger/verify.ts';
import { UserError } from '../shared/errors.ts';
import { formatCedis } from '../shared/money.ts';
import { findCollections, findReviews, findUnmatched, openFile } from '../support/collection-query.ts';
import { openStory } from '../support/story-query.ts';
import { timeline } from '../support/timeline.ts';
import { type TranscriptHead, transcriptOf } from '../support/transcript.ts';
import { listCollections, listEvents, showFile } from './collection-view.ts';
import { printJson, table } from './output.ts';
import { type Output, paintFor } from './terminal.ts';

export type LedgerCliDeps = {
  stdout: Output;
  noColor: boolean;
  /** The database file: the one named, or the one of the configuration. */
  databaseFile(options: { config?: string; db?: string }): string;
  /** What the configuration says of a channel; empty when none is at hand. */
  channelOf?(options: { config?: string; db?: string }, channel: string): TranscriptHead;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

type Options = { config?: string; db?: string; json?: boolean };
type ShowOptions = Options & { asTranscript?: boolean; masked?: boolean };

const asTranscript = 'print its dialogue as a transcript for dialtill rehearse';

/** `dialtill ledger …`: what support staff ask. Reads only; safe beside a running gateway. */
export function registerLedger(program: Command, deps: LedgerCliDeps): void {
  const output = deps.stdout;
  const paint = paintFor(output, deps.noColor);
  const ledger = program
    .command('ledger')
    .description('look at collections, balances and the audit; reads only');

  const command = (usage: string, description: string, example: string) =>
    ledger
      .command(usage)
      .description(description)
      .option('--json', 'print JSON')
      .option('--config <file>', 'configuration file whose database to read')
      .option('--db <file>', 'database file to read')
      .addHelpText('after', `\nExample:\n  $ dialtill ledger ${example}`);

  const reading = async (options: Options, work: (store: Store) => Promise<void>) => {
    const store = openSqliteReader(deps.databaseFile(options));
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };

  const print = (options: Options, rows: readonly unknown[], list: string, none: string) => {
    if (options.json) printJson(output, rows);
    else output.write(rows.length > 0 ? list : `${none}\n`);
  };

  command(
    'find <term...>',
    'find collections by number, reference (the short one too), collection id or session id',
    'find 0244123456',
  ).action((words: string[], options: Options) =>
    reading(options, async (store) => {
      const term = words.join(' ');
      const rows = await findCollections(store, term);
      print(options, rows, listCollections(paint, rows), `no collection found for ${term}`);
    }),
  );

  command('reviews', 'list the collections that wait for a person', 'reviews').action((options: Options) =>
    reading(options, async (store) => {
      const rows = await findReviews(store);
      print(options, rows, listCollections(paint, rows), 'nothing waits for a person');
    }),
  );

  command('unmatched', 'list the events that no collection answers for', 'unmatched').action(
    (options: Options) =>
      reading(options, async (store) => {
        const rows = await findUnmatched(store);
        print(options, rows, listEvents(paint, rows), 'every event has its collection');
      }),
  );

  command('show <id>', 'show one collection: status, amounts, postings and timeline', 'show col_01k…')
    .option('--as-transcript', asTranscript)
    .option('--masked', "in the transcript, put others in the place of payers' numbers, names and references")
    .action((id: string, options: ShowOptions) =>
      reading(options, async (store) => {
        if (options.masked && !options.asTranscript) throw new UserError('--masked needs --as-transcript');
        if (options.json && options.asTranscript)
          throw new UserError('choose one of --json and --as-transcript');
        const file = await openFile(store, id);
        if (!file)
          throw new UserError(`no collection ${id}. Look for it with: dialtill ledger find <number>`);
        if (options.asTranscript) {
          const head = deps.channelOf?.(options, file.collection.channel) ?? {};
          output.write(transcriptOf(await openStory(store, file), head, options.masked === true));
        } else if (options.json) printJson(output, { ...file, timeline: timeline(file) });
        else output.write(showFile(paint, file));
      }),
    );

  command('balances', 'print the balance of every account', 'balances --json').action((options: Options) =>
    reading(options, async (store) => {
      const balances = await ledgerStore(store).balances();
      if (options.json) return printJson(output, balances);
      const rows = balances.map((one) => [
        one.account,
        one.livemode ? 'live' : 'test',
        formatCedis(one.amountMinor).padStart(16),
        String(one.postings),
      ]);
      const sum = balances.reduce((total, one) => total + one.amountMinor, 0);
      output.write(table(paint, [['account', 'mode', '         balance', 'postings'], ...rows]));
      output.write(`all accounts together: ${formatCedis(sum)}\n`);
    }),
  );

  command(
    'verify',
    'audit the chain, the sums and every collection; exits with 1 when anything is off',
    'verify',
  ).action((options: Options) =>
    reading(options, async (store) => {
      const report = await verifyLedger(ledgerStore(store), auditCollection);
      if (!report.ok) deps.exit(1);
      if (options.json) return printJson(output, report);
      for (const { row, fault } of report.faults) output.write(`${paint('red', row)}: ${fault}\n`);
      const { collections, facts, postings, blocks, unsealed, head } = report;
      output.write(
        `${collections} collections, ${facts} facts, ${postings} postings, ${blocks} blocks sealed, ${unsealed} rows to be sealed\n` +
          `head of the chain: ${head}\n`,
      );
      const verdict = report.ok ? paint('green', 'ok') : paint('red', `${report.faults.length} faults`);
      output.write(`ledger: ${verdict}\n`);
    }),
  );
}
