import type { EpochMs } from '../../../shared/clock.ts';
import { toAnswers } from '../../collection/answers.ts';
import { type CollectionRow, isUnconfirmed } from '../../collection/collection.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import type { PostingRow } from '../collection-query.ts';
import { type ReceivedAmounts, receivedAmounts } from '../explain.ts';
import { answerCells, answerColumns, cedisCell, csvLine, plainCell, textCell } from './csv.ts';

/** The payment that the money of a line belongs to. */
type ExportSubject = { kind: 'collection'; row: CollectionRow } | { kind: 'unplaced'; row: UnplacedPayment };

/** One line of an export. */
export type ExportRow = {
  subject: ExportSubject;
  /** The sums of the postings of this line; null when no money was booked. */
  received: ReceivedAmounts | null;
  /** The bookings of this line, in order, with the time of the last one. */
  bookings: readonly string[];
  bookedAt: EpochMs | null;
};

/** Returns the line of a subject with these postings. */
export function exportRow(subject: ExportSubject, postings: readonly PostingRow[]): ExportRow {
  return {
    subject,
    received: receivedAmounts(postings),
    bookings: [...new Set(postings.map(({ booking }) => booking))],
    bookedAt: postings.at(-1)?.at ?? null,
  };
}

type Column = readonly [name: string, cell: (line: ExportRow) => string];

/** Returns the cell of a column that differs by the kind of subject. Unplaced payments lack most columns. */
function of(
  ofCollection: (row: CollectionRow) => string,
  ofUnplaced: (row: UnplacedPayment) => string = () => plainCell(''),
): Column[1] {
  return ({ subject }) =>
    subject.kind === 'collection' ? ofCollection(subject.row) : ofUnplaced(subject.row);
}

/** Returns the cell of a column that both kinds of subject have. */
function both(cell: (row: CollectionRow | UnplacedPayment) => string): Column[1] {
  return ({ subject }) => cell(subject.row);
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
  ['collection', both((row) => text(row.id))],
  ['short_reference', of((row) => text(row.shortReference))],
  ['reference', both((row) => text(row.reference))],
  ['merchant', both((row) => text(row.merchantId))],
  ['mode', both((row) => plainCell(row.livemode ? 'live' : 'test'))],
  ['channel', both((row) => text(row.channel))],
  ['payer', both((row) => phone(row.payer))],
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
  ['reason', both((row) => text(row.reason))],
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
  ['session', both((row) => text(row.sessionId))],
  ['opened_at', of((row) => time(row.openedAt))],
  ['closed_at', both((row) => time(row.closedAt))],
  ['paid_at', both((row) => stamp(row.paidAt))],
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
