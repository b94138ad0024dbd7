import type { CollectionRow } from '../../../gateway/collection/collection.ts';
import type { CollectionRecord } from '../../../gateway/support/collection-query.ts';
import { timeline } from '../../../gateway/support/timeline.ts';
import type { UnmatchedEvent } from '../../../gateway/support/unmatched-query.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { showShortReference } from '../../../shared/short-reference.ts';
import { showTime, table } from '../../terminal/output.ts';
import { type Paint, printable } from '../../terminal/terminal.ts';

function statusColour(status: string): 'green' | 'red' | 'yellow' | 'bold' {
  if (status === 'paid') return 'green';
  if (status === 'review') return 'yellow';
  return status === 'failed' || status === 'expired' || status === 'abandoned' ? 'red' : 'bold';
}

/** Collections as a table, one a line. */
export function listCollections(paint: Paint, rows: readonly CollectionRow[]): string {
  const lines = rows.map((row) => [
    row.id,
    row.status,
    formatCedis(row.goodsMinor),
    localForm(row.payer),
    row.reference,
    showTime(row.openedAt),
    row.review ?? row.reason ?? '',
  ]);
  return table(paint, [
    ['collection', 'status', 'goods', 'payer', 'reference', 'opened (UTC)', ''],
    ...lines,
  ]);
}

/** Events without a collection as a table, one a line. */
export function listEvents(paint: Paint, rows: readonly UnmatchedEvent[]): string {
  const lines = rows.map((row) => [
    printable(row.eventId),
    printable(row.type),
    row.amountMinor === null ? '-' : formatCedis(row.amountMinor),
    printable(row.sessionId ?? '-'),
    row.merchantId,
    row.state,
    showTime(row.receivedAt),
  ]);
  return table(paint, [
    ['event', 'type', 'amount', 'session', 'merchant', 'state', 'received (UTC)'],
    ...lines,
  ]);
}

/** Everything about one collection: status, amounts, postings and timeline. */
export function showFile(paint: Paint, file: CollectionRecord): string {
  const { collection, postings } = file;
  const money = (amount: number | null) => (amount === null ? '-' : formatCedis(amount));
  const notes = [
    collection.late ? 'late' : '',
    collection.lapsedAt !== null ? 'unanswered in time' : '',
    collection.review ? `needs a person: ${collection.review}` : '',
  ].filter(Boolean);
  const head: [string, string][] = [
    ['collection', collection.id],
    [
      'status',
      paint(statusColour(collection.status), collection.status) +
        (notes.length ? ` (${notes.join(', ')})` : ''),
    ],
    ['reason', collection.reason ?? '-'],
    [
      'merchant',
      `${collection.merchantId} (${collection.livemode ? 'live' : 'test'}, channel ${collection.channel})`,
    ],
    [
      'payer',
      `${localForm(collection.payer)} on ${collection.network}, dialled by ${localForm(collection.dialler)}`,
    ],
    ['reference', collection.reference],
    ['short', collection.shortReference === null ? '-' : showShortReference(collection.shortReference)],
    ['again of', collection.retryOf ?? '-'],
    ['asked again', file.askedAgainAs ?? '-'],
    ['goods', money(collection.goodsMinor)],
    ['agreed to', money(collection.shownTotalMinor)],
    ['fee', money(collection.feeMinor)],
    [
      'amount',
      `${money(collection.amountMinor)}${collection.amountSource ? ` (source: ${collection.amountSource})` : ''}`,
    ],
    ['to merchant', money(collection.netMinor)],
    ['session', collection.sessionId ?? '-'],
    ['paid at', collection.paidAt ?? '-'],
  ];
  const lines = head.map(([name, value]) => `${name.padEnd(12)} ${value}`);
  const booked = postings.map(
    (one) =>
      `  ${one.booking.padEnd(9)} ${one.account.padEnd(28)} ${formatCedis(one.amountMinor).padStart(14)}`,
  );
  const story = timeline(file).map((entry) => {
    const [first = '', ...more] = entry.text.split('\n');
    const indent = ' '.repeat(36);
    const when = paint('dim', showTime(entry.at));
    return [`  ${when}  ${entry.kind.padEnd(8)} ${first}`, ...more.map((line) => indent + line)].join('\n');
  });
  return [
    ...lines,
    '',
    paint('bold', 'postings'),
    ...(booked.length ? booked : ['  none']),
    '',
    paint('bold', 'timeline (UTC)'),
    ...story,
    '',
  ].join('\n');
}
