import { toAnswers } from '../../collection/answers.ts';
import { type CollectionRow, isUnconfirmed } from '../../collection/collection.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import type { ReceivedAmounts } from '../explain/amounts.ts';
import { answerCells, answerColumns, cedisCell, csvLine, plainCell, textCell } from './csv.ts';
import type { ExportRow } from './export-row.ts';

type Column = readonly [name: string, cell: (line: ExportRow) => string];

/** Returns the cell of a column that has its own value for each kind of subject; unplaced payments lack most of them. */
function of(
  ofCollection: (row: CollectionRow) => string,
  ofUnplaced: (row: UnplacedPayment) => string = () => plainCell(''),
): Column[1] {
  return ({ subject }) =>
    subject.kind === 'collection' ? ofCollection(subject.row) : ofUnplaced(subject.row);
}

const text = (value: string | null) => textCell(value ?? '');
/** A phone number stays a number, without a quote. */
const phone = (value: string | null) =>
  /^233\d{9}$/.test(value ?? '') ? plainCell(value ?? '') : text(value);
const count = (value: number | null) => plainCell(value ?? '');
const time = (at: number | null) => plainCell(at === null ? '' : new Date(at).toISOString());

/** Formats a time that the service returned; another text than a UTC time is a text cell. */
function stamp(value: string | null): string {
  return value !== null && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? plainCell(value) : text(value);
}

/** Columns of an amount that was booked. They are empty unless money arrived. */
function receivedColumns(name: string, amountOf: (received: ReceivedAmounts) => number): Column[] {
  const minor = ({ received }: ExportRow) => (received === null ? null : amountOf(received));
  return [
    [`received_${name}_pesewas`, (line) => count(minor(line))],
    [`received_${name}_cedis`, (line) => cedisCell(minor(line))],
  ];
}

/** A booking into suspense replaces the quoted total by the amount that arrived. */
function quotedTotal({ goodsMinor, feeMinor, amountMinor, booked }: CollectionRow): number | null {
  if (booked === null) return amountMinor;
  return feeMinor === null ? null : goodsMinor + feeMinor;
}

const columns: readonly Column[] = [
  [
    'collection',
    of(
      (row) => text(row.id),
      (row) => text(row.id),
    ),
  ],
  ['short_reference', of((row) => text(row.shortReference))],
  [
    'reference',
    of(
      (row) => text(row.reference),
      (row) => text(row.reference),
    ),
  ],
  [
    'merchant',
    of(
      (row) => text(row.merchantId),
      (row) => text(row.merchantId),
    ),
  ],
  [
    'mode',
    of(
      (row) => plainCell(row.livemode ? 'live' : 'test'),
      (row) => plainCell(row.livemode ? 'live' : 'test'),
    ),
  ],
  [
    'channel',
    of(
      (row) => text(row.channel),
      (row) => text(row.channel),
    ),
  ],
  [
    'payer',
    of(
      (row) => phone(row.payer),
      (row) => phone(row.payer),
    ),
  ],
  ['dialler', of((row) => phone(row.dialler))],
  ['network', of((row) => text(row.network))],
  // A sum over all rows that are `paid` must not count a payment that is not proven.
  [
    'status',
    of(
      (row) => text(isUnconfirmed(row) ? 'unconfirmed' : row.status),
      (row) => text(`unplaced ${row.state}`),
    ),
  ],
  [
    'reason',
    of(
      (row) => text(row.reason),
      (row) => text(row.reason),
    ),
  ],
  [
    'review',
    of(
      (row) => text(row.review),
      (row) => text(row.note),
    ),
  ],
  ['late', of((row) => plainCell(row.late))],
  ['goods_pesewas', of((row) => count(row.goodsMinor))],
  ['goods_cedis', of((row) => cedisCell(row.goodsMinor))],
  ['quoted_fee_pesewas', of((row) => count(row.feeMinor))],
  ['quoted_fee_cedis', of((row) => cedisCell(row.feeMinor))],
  ['quoted_total_pesewas', of((row) => count(quotedTotal(row)))],
  ['quoted_total_cedis', of((row) => cedisCell(quotedTotal(row)))],
  ...receivedColumns('amount', (received) => received.amountMinor),
  ...receivedColumns('fee', (received) => received.feeMinor),
  ...receivedColumns('net', (received) => received.netMinor),
  ...receivedColumns('suspended', (received) => received.suspendedMinor),
  ['bookings', ({ bookings }) => text(bookings.join(' '))],
  ['booked_at', ({ bookedAt }) => time(bookedAt)],
  ['amount_source', of((row) => text(row.amountSource))],
  [
    'session',
    of(
      (row) => text(row.sessionId),
      (row) => text(row.sessionId),
    ),
  ],
  ['opened_at', of((row) => time(row.openedAt))],
  [
    'closed_at',
    of(
      (row) => time(row.closedAt),
      (row) => time(row.closedAt),
    ),
  ],
  [
    'paid_at',
    of(
      (row) => stamp(row.paidAt),
      (row) => stamp(row.paidAt),
    ),
  ],
  ['confirmed_at', of((row) => time(row.confirmedAt))],
  ...answerColumns.map(
    (name, at): Column => [name, of((row) => answerCells(toAnswers(row, 'whole'))[at] ?? '')],
  ),
];

/** Returns the first line of an export: the names of the columns. */
export function exportHead(): string {
  return csvLine(columns.map(([name]) => plainCell(name)));
}

/** Formats one line: amounts in pesewas and cedis, times in UTC, phone numbers as 233XXXXXXXXX. */
export function exportLine(line: ExportRow): string {
  return csvLine(columns.map(([, cell]) => cell(line)));
}
