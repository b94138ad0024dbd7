import type { Command } from 'commander';
import { auditCollection } from '../../../gateway/collection/audit.ts';
import { readDay } from '../../../gateway/ledger/day.ts';
import { ledgerStore } from '../../../gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../gateway/ledger/verify.ts';
import {
  type CollectionRecord,
  findByShortReference,
  findCollections,
  findReviews,
  loadCollectionRecord,
} from '../../../gateway/support/collection-query.ts';
import { loadDialogueHistory } from '../../../gateway/support/dialogue-query.ts';
import { timeline } from '../../../gateway/support/timeline.ts';
import { type TranscriptHead, transcriptOf } from '../../../gateway/support/transcript.ts';
import { findUnmatched } from '../../../gateway/support/unmatched-query.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { readShortReference } from '../../../shared/short-reference.ts';
import { createSqliteReader, damageOf } from '../../../sqlite/sqlite.ts';
import type { Store } from '../../../sqlite/store.ts';
import { printJson, table } from '../../terminal/output.ts';
import { type Output, paintFor } from '../../terminal/terminal.ts';
import { listCollections, listEvents, showFile } from './collection-view.ts';
import { registerExport } from './export.ts';

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
    const file = deps.databaseFile(options);
    const store = createSqliteReader(file);
    try {
      await work(store);
    } catch (fault) {
      throw damageOf(file, fault) ?? fault;
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
    'find collections by number, reference (the short one too; its beginning, or words of it), collection id or session id (or its beginning)',
    'find 0244123456\n  $ dialtill ledger find KA1024\n  $ dialtill ledger find 4821 7362\n  $ dialtill ledger find pay_01k8n2rm',
  ).action((words: string[], options: Options) =>
    reading(options, async (store) => {
      const term = words.join(' ');
      const rows = await findCollections(store, term);
      const none = `no collection found for ${term}`;
      const more = /^pay_/.test(term)
        ? '. Events of sessions that are not known here: dialtill ledger unmatched'
        : '';
      print(options, rows, listCollections(paint, rows), none + more);
    }),
  );

  command('reviews', 'list the collections that wait for a person', 'reviews').action((options: Options) =>
    reading(options, async (store) => {
      const rows = await findReviews(store);
      print(options, rows, listCollections(paint, rows), 'nothing waits for a person');
    }),
  );

  command(
    'unmatched',
    'list the newest events that no collection answers for, with what each says was taken',
    'unmatched',
  ).action((options: Options) =>
    reading(options, async (store) => {
      const rows = await findUnmatched(store);
      print(options, rows, listEvents(paint, rows), 'every event has its collection');
    }),
  );

  command(
    'show <id...>',
    'show one collection, by its id or its short reference: status, amounts, postings and timeline',
    'show col_01k…\n  $ dialtill ledger show 4821 7362',
  )
    .option('--as-transcript', asTranscript)
    .option('--masked', "in the transcript, put others in the place of payers' numbers, names and references")
    .action((words: string[], options: ShowOptions) =>
      reading(options, async (store) => {
        if (options.masked && !options.asTranscript) throw new UserError('--masked needs --as-transcript');
        if (options.json && options.asTranscript)
          throw new UserError('choose one of --json and --as-transcript');
        const file = await openNamed(store, words.join(' '));
        if (options.asTranscript && file.turns.length === 0)
          throw new UserError(
            `the dialogue of ${file.collection.id} is not kept any more (retention.dialoguesDays)`,
          );
        if (options.asTranscript) {
          const head = deps.channelOf?.(options, file.collection.channel) ?? {};
          output.write(transcriptOf(await loadDialogueHistory(store, file), head, options.masked === true));
        } else if (options.json) printJson(output, { ...file, timeline: timeline(file) });
        else output.write(showFile(paint, file));
      }),
    );

  command('balances', 'print the balance of every account', 'balances --day 2026-03-06')
    .option('--day <date>', 'only what was booked on this day in Accra, from midnight to midnight')
    .action((options: Options & { day?: string }) =>
      reading(options, async (store) => {
        const day = options.day === undefined ? undefined : readDay(options.day);
        if (options.day !== undefined && !day)
          throw new UserError('--day: expected a date such as 2026-03-06');
        const balances = await ledgerStore(store).balances(day);
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

  registerExport(ledger, output, reading);
}

/** The file of the collection with that id, or with that short reference as it is read out. @throws UserError */
async function openNamed(store: Store, name: string): Promise<CollectionRecord> {
  const file = await loadCollectionRecord(store, name);
  if (file) return file;
  const short = readShortReference(name);
  if (short === undefined && /^(?:[\s-]*\d){8}[\s-]*$/.test(name)) {
    throw new UserError(`${name} is no short reference: a digit is wrong, or two are swapped`);
  }
  const found = short === undefined ? [] : await findByShortReference(store, short);
  const [one, ...others] = found;
  if (others.length > 0) {
    const all = found.map(
      ({ id, merchantId, livemode }) => `${id} (${merchantId}, ${livemode ? 'live' : 'test'})`,
    );
    throw new UserError(
      `${found.length} collections have the short reference ${name}: ${all.join(', ')}. Name the id`,
    );
  }
  const opened = one && (await loadCollectionRecord(store, one.id));
  if (opened) return opened;
  throw new UserError(`no collection ${name}. Look for it with: dialtill ledger find <number>`);
}
