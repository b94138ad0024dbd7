import { describeAnswer, toAnswers } from '../../../gateway/collection/answers.ts';
import { type CollectionRow, isUnconfirmed } from '../../../gateway/collection/collection.ts';
import type { ChargeBeside, PostingRow } from '../../../gateway/support/collection-query.ts';
import type { Explanation } from '../../../gateway/support/explain.ts';
import type { CollectionPage } from '../../../gateway/support/page.ts';
import type { CollectionView } from '../../../gateway/support/reads.ts';
import type { TimelineEntry } from '../../../gateway/support/timeline.ts';
import type { TranscriptHead } from '../../../gateway/support/transcript/transcript.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm, parseMsisdn } from '../../../shared/msisdn.ts';
import { readShortReference, showShortReference } from '../../../shared/short-reference.ts';
import { showTime } from '../../../shared/time-text.ts';
import { type CommandGroup, fullHelp } from '../../command-options.ts';
import {
  type DatabaseOptions,
  fromDatabase,
  printLedgerJson,
  type ReadDeps,
  type ReadOptions,
  readByName,
  readLedger,
  readTimeZone,
} from '../../open-reads.ts';
import { labelledLines, oneLine, type Paint } from '../../terminal/output.ts';
import { shortIdHint } from './collections.ts';

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
  const { stdout } = deps;
  const view = knownView(await readByName(deps, options, 'collection', { name }), name);
  if (json) return printLedgerJson(stdout, view, options);
  const timeZone = await readTimeZone(deps, options, [view.collection.merchantId]);
  stdout.write(collectionReport(stdout.paint, { ...view, ...(await inZone(view, timeZone, deps.now?.())) }));
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
  throw new UserError(
    `no collection ${name}${shortIdHint(name)}. To find it, run: dialtill ledger find <number>`,
  );
}

/** Returns what distinguishes a collection, in one line. */
function describe(row: CollectionRow): string {
  const { id, merchantId, livemode, status, goodsMinor, reference, openedAt } = row;
  const parts = [status, formatCedis(goodsMinor), oneLine(reference), `${showTime(openedAt)} UTC`];
  return `${id} (${merchantId}, ${livemode ? 'live' : 'test'})  ${parts.join('  ')}`;
}

type ZonedView = CollectionView & { timeZone: string | undefined };

/** Returns the time zone of the times of a view, and its next step with times of this zone. */
async function inZone(
  { nextStep, collection }: CollectionView,
  timeZone: string | undefined,
  now = collection.updatedAt,
): Promise<Pick<ZonedView, 'timeZone' | 'nextStep'>> {
  if (timeZone === undefined) return { timeZone, nextStep };
  const { describeNextStep } = await import('../../../gateway/support/explain.ts');
  return { timeZone, nextStep: { ...nextStep, text: describeNextStep(nextStep, now, timeZone, true) } };
}

type Field = readonly [name: string, value: string];

function collectionReport(paint: Paint, view: ZonedView): string {
  const { postings, playbook, timeZone } = view;
  return [
    paint('bold', view.summary),
    view.nextStep.text,
    '',
    ...labelledLines(fields(paint, view)),
    '',
    paint('bold', `${'amounts'.padEnd(16)} ${'expected'.padStart(14)} ${'received'.padStart(14)}`),
    ...amountLines(view),
    '',
    paint('bold', 'what to do'),
    ...labelledLines([
      ['tell the payer', playbook.tellPayer.en],
      ['in Twi', playbook.tellPayer.tw],
      ['do', playbook.action],
      ['never', playbook.never],
    ]),
    '',
    paint('bold', 'postings'),
    ...(postings.length > 0 ? postings.map(postingLine) : ['  none']),
    '',
    paint('bold', `timeline (${timeZone ?? 'UTC'})`),
    ...view.timeline.map((entry) => timelineLines(paint, entry, timeZone)),
    '',
  ].join('\n');
}

function fields(
  paint: Paint,
  { collection, retriedAs, charges, assignedTo, playbook, received, timeZone }: ZonedView,
): Field[] {
  const { merchantId, livemode, channel, payer, network, dialler, shortReference } = collection;
  return [
    ['collection', collection.id],
    ['outcome', playbook.code],
    ['status', statusLine(paint, collection)],
    ['merchant', `${merchantId} (${livemode ? 'live' : 'test'}, channel ${channel})`],
    ['payer', `${localForm(payer)} on ${network}, dialled by ${localForm(dialler)}`],
    ...(payer === dialler ? [] : [['its requests', requestsOf(collection)] as const]),
    ['reference', collection.reference],
    ...answerFields(collection),
    ['short reference', showShortReference(shortReference)],
    ['assigned to', assignedTo ?? '-'],
    ['retry of', collection.retryOf ?? '-'],
    ['retried as', retriedAs ?? '-'],
    ['payment session', collection.sessionId ?? '-'],
    ...charges.map((one): Field => ['charged again', chargeLine(one)]),
    ['amounts from', received?.source ?? '-'],
    ['paid at', collection.paidAt ?? '-'],
    ['confirmed at', showZoned(collection.confirmedAt, timeZone)],
  ];
}

function showZoned(at: number | null, timeZone?: string): string {
  return at === null ? '-' : `${showTime(at, timeZone)} ${timeZone ?? 'UTC'}`;
}

/** Returns the command that lists what the phone requested. Its number is masked until a person reveals it. */
function requestsOf({ id, dialler }: CollectionRow): string {
  return parseMsisdn(dialler) === undefined
    ? `dialtill ledger reveal ${id} --reason …, then dialtill ledger list --dialler <number>`
    : `dialtill ledger list --dialler ${localForm(dialler)}`;
}

function answerFields(collection: CollectionRow): Field[] {
  return toAnswers(collection, 'whole').map((one, at) => [at === 0 ? 'answers' : '', describeAnswer(one)]);
}

function chargeLine({ id, state, amountMinor }: ChargeBeside): string {
  return `${amount(amountMinor)}, ${state}: dialtill unplaced show ${id}`;
}

function amountLines({ expected, received }: Explanation): string[] {
  const lines: [name: string, expected: string, received: string][] = [
    ['price', amount(expected.priceMinor), ''],
    ['total shown', amount(expected.shownTotalMinor), ''],
    ['total charged', amount(expected.totalMinor), amount(received?.amountMinor)],
    ['fee', amount(expected.feeMinor), amount(received?.feeMinor)],
    ['to merchant', amount(expected.netMinor), amount(received?.netMinor)],
    ['in suspense', '', amount(received?.suspendedMinor)],
  ];
  return lines.map(([name, left, right]) =>
    `${name.padEnd(16)} ${left.padStart(14)} ${right.padStart(14)}`.trimEnd(),
  );
}

function amount(minor: number | null | undefined): string {
  return minor == null ? '-' : formatCedis(minor);
}

function statusLine(paint: Paint, collection: CollectionRow): string {
  const { status, late, lapsedAt, review } = collection;
  const notes = [
    isUnconfirmed(collection) ? 'unconfirmed: no poll agrees yet' : '',
    late ? 'late' : '',
    lapsedAt !== null ? 'lapsed: no result in time' : '',
    review !== null && status !== 'review' ? 'in review' : '',
  ].filter(Boolean);
  return (
    paint(isUnconfirmed(collection) ? 'yellow' : statusColour(status), status) +
    (notes.length > 0 ? ` (${notes.join(', ')})` : '')
  );
}

function statusColour(status: string): 'green' | 'red' | 'yellow' | 'bold' {
  if (status === 'paid') return 'green';
  if (status === 'review') return 'yellow';
  return status === 'failed' || status === 'expired' || status === 'abandoned' ? 'red' : 'bold';
}

function postingLine({ booking, account, amountMinor }: PostingRow): string {
  return `  ${booking.padEnd(9)} ${account.padEnd(28)} ${formatCedis(amountMinor).padStart(14)}`;
}

const timeWidth = 23;
const durationWidth = 9;
const kindWidth = 8;

/** Formats an entry of a timeline. The lines of a screen after its first one are indented to the column of the texts. */
export function timelineLines(
  paint: Paint,
  { at, kind, text, ms }: TimelineEntry,
  timeZone?: string,
): string {
  const [first = '', ...more] = text.split('\n');
  const duration = (ms === null ? '' : `${ms} ms`).padStart(durationWidth);
  const head = `  ${paint('dim', showTime(at, timeZone))} ${duration}  ${kind.padEnd(kindWidth)} ${first}`;
  const indent = ' '.repeat(2 + timeWidth + 1 + durationWidth + 2 + kindWidth + 1);
  return [head, ...more.map((line) => indent + line)].join('\n');
}
