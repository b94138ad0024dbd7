import type { CollectionRow } from '../../../gateway/collection/collection.ts';
import type { CollectionPage } from '../../../gateway/support/page.ts';
import type { CollectionView } from '../../../gateway/support/reads.ts';
import type { TranscriptHead } from '../../../gateway/support/transcript/transcript.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { readShortReference } from '../../../shared/short-reference.ts';
import { type CommandGroup, fullHelp } from '../../command-options.ts';
import {
  type DatabaseOptions,
  fromDatabase,
  openReads,
  printLedgerJson,
  type ReadDeps,
  type ReadOptions,
  readLedger,
} from '../../open-reads.ts';
import { oneLine, paintFor, showTime } from '../../terminal/output.ts';

export type ShowDeps = ReadDeps & {
  /** Returns the settings of a channel that a transcript needs; empty when there is no configuration. */
  loadTranscriptHead?(options: DatabaseOptions, channel: string): Promise<TranscriptHead>;
};

type ShowOptions = ReadOptions & { asTranscript?: boolean; masked?: boolean };

export function registerShow({ addRead }: CommandGroup, deps: ShowDeps): void {
  addRead({
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
    .option('--as-transcript', 'print the dialogue as a transcript for dialtill rehearse; reads the database')
    .option('--masked', 'in the transcript, replace personal data of payers with pseudonyms')
    .action((words: string[], options: ShowOptions) => show(deps, words.join(' '), options));
}

/**
 * Prints one collection: as text, as JSON, or as a transcript.
 *
 * @throws UserError when the options contradict each other, or when the name does not identify
 * exactly one collection.
 */
async function show(deps: ShowDeps, name: string, options: ShowOptions): Promise<void> {
  const { json, asTranscript, masked, full } = options;
  if (full && !json) throw new UserError('--full needs --json');
  if (masked && !asTranscript) throw new UserError('--masked needs --as-transcript');
  if (json && asTranscript) throw new UserError('choose one of --json and --as-transcript');
  if (asTranscript) return printTranscript(deps, name, options);
  const { stdout, noColor } = deps;
  const view = await openReads(deps, options, async (read) =>
    knownView(await read('collection', { name }), name),
  );
  if (json) return printLedgerJson(stdout, view, options);
  const { collectionReport } = await import('./report.ts');
  stdout.write(collectionReport(paintFor(stdout, noColor), view));
}

/** Prints the dialogue of a collection as a transcript. @throws UserError when retention has deleted the dialogue. */
async function printTranscript(deps: ShowDeps, name: string, options: ShowOptions): Promise<void> {
  const location = deps.database(fromDatabase(options, '--as-transcript'));
  const [{ supportReads }, { loadDialogueHistory }, { toTranscript: transcriptOf }] = await Promise.all([
    import('../../../gateway/support/reads.ts'),
    import('../../../gateway/support/transcript/history-query.ts'),
    import('../../../gateway/support/transcript/transcript.ts'),
  ]);
  await readLedger(location, async (store) => {
    const record = knownView(await supportReads.collection(store, {}, { name }), name);
    const { id, channel } = record.collection;
    if (record.turns.length === 0)
      throw new UserError(`the dialogue of ${id} was deleted by retention (retention.dialoguesDays)`);
    const head = (await deps.loadTranscriptHead?.(options, channel)) ?? {};
    const history = await loadDialogueHistory(store, record);
    deps.stdout.data.write(transcriptOf(history, head, options.masked === true));
  });
}

/** Returns the only collection that the name identifies. @throws UserError when there is none, or there are several. */
function knownView(found: { view: CollectionView } | CollectionPage, name: string): CollectionView {
  if ('view' in found) return found.view;
  const { data, total, next } = found;
  if (total > 1) {
    throw new UserError(
      [
        `${total} collections match ${name}${next === null ? '' : `. The newest ${data.length}`}:`,
        ...data.map((row) => `  ${describe(row)}`),
        `Show one by its id: dialtill ledger show ${data[0]?.id}`,
        ...(next === null ? [] : [`To list all of them, run: dialtill ledger find ${name}`]),
      ].join('\n'),
    );
  }
  if (readShortReference(name) === undefined && /^(?:[\s-]*\d){8}[\s-]*$/.test(name)) {
    throw new UserError(
      `${name} is not a valid short reference: one digit is wrong, or two neighbouring digits are swapped`,
    );
  }
  throw new UserError(`no collection ${name}. To find it, run: dialtill ledger find <number>`);
}

/** Returns what distinguishes a collection, in one line. */
function describe({
  id,
  merchantId,
  livemode,
  status,
  goodsMinor,
  reference,
  openedAt,
}: CollectionRow): string {
  const parts = [status, formatCedis(goodsMinor), oneLine(reference), `${showTime(openedAt)} UTC`];
  return `${id} (${merchantId}, ${livemode ? 'live' : 'test'})  ${parts.join('  ')}`;
}
