import { type CollectionRow, isUnconfirmed } from '../../../gateway/collection/collection.ts';
import type { CollectionRecord, PostingRow } from '../../../gateway/support/collection-query.ts';
import { type TimelineEntry, timeline } from '../../../gateway/support/timeline.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { showShortReference } from '../../../shared/short-reference.ts';
import { oneLine, showTime } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/** Formats everything about one collection: status, amounts, postings and timeline. */
export function collectionReport(paint: Paint, record: CollectionRecord): string {
  const { postings } = record;
  return [
    ...fields(paint, record).map(([name, value]) => `${name.padEnd(16)} ${oneLine(value)}`),
    '',
    paint('bold', 'postings'),
    ...(postings.length > 0 ? postings.map(postingLine) : ['  none']),
    '',
    paint('bold', 'timeline (UTC)'),
    ...timeline(record).map((entry) => timelineLines(paint, entry)),
    '',
  ].join('\n');
}

function fields(paint: Paint, { collection, retriedAs }: CollectionRecord): [name: string, value: string][] {
  const { merchantId, livemode, channel, payer, network, dialler, shortReference, amountSource } = collection;
  const source = amountSource === null ? '' : ` (source: ${amountSource})`;
  return [
    ['collection', collection.id],
    ['status', statusLine(paint, collection)],
    ['reason', collection.reason ?? '-'],
    ['merchant', `${merchantId} (${livemode ? 'live' : 'test'}, channel ${channel})`],
    ['payer', `${localForm(payer)} on ${network}, dialled by ${localForm(dialler)}`],
    ['reference', collection.reference],
    ['short reference', showShortReference(shortReference)],
    ['retry of', collection.retryOf ?? '-'],
    ['retried as', retriedAs ?? '-'],
    ['price', amount(collection.goodsMinor)],
    ['total shown', amount(collection.shownTotalMinor)],
    ['fee', amount(collection.feeMinor)],
    ['total charged', `${amount(collection.amountMinor)}${source}`],
    ['to merchant', amount(collection.netMinor)],
    ['payment session', collection.sessionId ?? '-'],
    ['paid at', collection.paidAt ?? '-'],
    ['confirmed at', collection.confirmedAt === null ? '-' : showTime(collection.confirmedAt)],
  ];
}

function amount(minor: number | null): string {
  return minor === null ? '-' : formatCedis(minor);
}

function statusLine(paint: Paint, collection: CollectionRow): string {
  const { status, late, lapsedAt, review } = collection;
  const notes = [
    isUnconfirmed(collection) ? 'unconfirmed: no poll agrees yet' : '',
    late ? 'late' : '',
    lapsedAt !== null ? 'lapsed: no result in time' : '',
    review ? `in review: ${review}` : '',
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

/** The lines of a screen after its first one are indented to the column of the texts. */
function timelineLines(paint: Paint, { at, kind, text }: TimelineEntry): string {
  const [first = '', ...more] = text.split('\n');
  const head = `  ${paint('dim', showTime(at))}  ${kind.padEnd(8)} ${first}`;
  return [head, ...more.map((line) => ' '.repeat(36) + line)].join('\n');
}
