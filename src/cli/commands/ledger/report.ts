import { describeAnswer, toAnswers } from '../../../gateway/collection/answers.ts';
import { type CollectionRow, isUnconfirmed } from '../../../gateway/collection/collection.ts';
import type { ChargeBeside, PostingRow } from '../../../gateway/support/collection-query.ts';
import type { Explanation } from '../../../gateway/support/explain.ts';
import type { CollectionView } from '../../../gateway/support/reads.ts';
import type { TimelineEntry } from '../../../gateway/support/timeline.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { showShortReference } from '../../../shared/short-reference.ts';
import { oneLine, type Paint, showTime } from '../../terminal/output.ts';

type Field = readonly [name: string, value: string];

/** Formats everything about one collection, the explanation first. */
export function collectionReport(paint: Paint, view: CollectionView): string {
  const { postings, playbook } = view;
  return [
    paint('bold', view.summary),
    view.nextStep.text,
    '',
    ...fieldLines(fields(paint, view)),
    '',
    paint('bold', `${'amounts'.padEnd(16)} ${'expected'.padStart(14)} ${'received'.padStart(14)}`),
    ...amountLines(view),
    '',
    paint('bold', 'what to do'),
    ...fieldLines([
      ['tell the payer', playbook.tellPayer.en],
      ['in Twi', playbook.tellPayer.tw],
      ['do', playbook.action],
      ['never', playbook.never],
    ]),
    '',
    paint('bold', 'postings'),
    ...(postings.length > 0 ? postings.map(postingLine) : ['  none']),
    '',
    paint('bold', 'timeline (UTC)'),
    ...view.timeline.map((entry) => timelineLines(paint, entry)),
    '',
  ].join('\n');
}

function fieldLines(lines: readonly Field[]): string[] {
  return lines.map(([name, value]) => `${name.padEnd(16)} ${oneLine(value)}`);
}

function fields(
  paint: Paint,
  { collection, retriedAs, charges, assignedTo, playbook, received }: CollectionView,
): Field[] {
  const { merchantId, livemode, channel, payer, network, dialler, shortReference } = collection;
  return [
    ['collection', collection.id],
    ['outcome', playbook.code],
    ['status', statusLine(paint, collection)],
    ['merchant', `${merchantId} (${livemode ? 'live' : 'test'}, channel ${channel})`],
    ['payer', `${localForm(payer)} on ${network}, dialled by ${localForm(dialler)}`],
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
    ['confirmed at', collection.confirmedAt === null ? '-' : showTime(collection.confirmedAt)],
  ];
}

function answerFields(collection: CollectionRow): Field[] {
  return toAnswers(collection, 'whole').map((one, at) => [at === 0 ? 'answers' : '', describeAnswer(one)]);
}

function chargeLine({ id, state, amountMinor }: ChargeBeside): string {
  return `${amount(amountMinor)}, ${state}: dialtill unplaced show ${id}`;
}

/** One line per amount: what was expected, and what was received. */
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
export function timelineLines(paint: Paint, { at, kind, text, ms }: TimelineEntry): string {
  const [first = '', ...more] = text.split('\n');
  const duration = (ms === null ? '' : `${ms} ms`).padStart(durationWidth);
  const head = `  ${paint('dim', showTime(at))} ${duration}  ${kind.padEnd(kindWidth)} ${first}`;
  const indent = ' '.repeat(2 + timeWidth + 1 + durationWidth + 2 + kindWidth + 1);
  return [head, ...more.map((line) => indent + line)].join('\n');
}
