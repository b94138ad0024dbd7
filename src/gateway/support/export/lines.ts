import { type CollectionRow, isUnconfirmed } from '../../collection/collection.ts';
import type { ReceivedAmounts } from '../explain/amounts.ts';
import { csvLine, plainCell, textCell } from './csv.ts';
import type { ExportRow } from './export-query.ts';

type Column = readonly [name: string, cell: (row: CollectionRow, line: ExportRow) => string];

const text = (value: string | null) => textCell(value ?? '');
const count = (value: number | null) => plainCell(value ?? '');
const time = (at: number | null) => plainCell(at === null ? '' : new Date(at).toISOString());

/** Formats a time that the service returned; another text than a UTC time is a text cell. */
function stamp(value: string | null): string {
  return value !== null && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? plainCell(value) : text(value);
}

/** Formats pesewas as cedis without rounding: `20.20`, `-20.20`. */
function cedis(minor: number | null): string {
  if (minor === null) return plainCell('');
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return plainCell(`${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

/** Columns of an amount that was booked. They are empty unless money arrived. */
function receivedColumns(name: string, amountOf: (received: ReceivedAmounts) => number): Column[] {
  const minor = ({ received }: ExportRow) => (received === null ? null : amountOf(received));
  return [
    [`received_${name}_pesewas`, (_, line) => count(minor(line))],
    [`received_${name}_cedis`, (_, line) => cedis(minor(line))],
  ];
}

/** A booking into suspense replaces the quoted total by the amount that arrived. */
function quotedTotal({ goodsMinor, feeMinor, amountMinor, booked }: CollectionRow): number | null {
  if (booked === null) return amountMinor;
  return feeMinor === null ? null : goodsMinor + feeMinor;
}

const columns: readonly Column[] = [
  ['collection', (row) => text(row.id)],
  ['short_reference', (row) => text(row.shortReference)],
  ['reference', (row) => text(row.reference)],
  ['merchant', (row) => text(row.merchantId)],
  ['mode', (row) => plainCell(row.livemode ? 'live' : 'test')],
  ['channel', (row) => text(row.channel)],
  ['payer', (row) => text(row.payer)],
  ['dialler', (row) => text(row.dialler)],
  ['network', (row) => text(row.network)],
  // A sum over all rows that are `paid` must not count a payment that is not proven.
  ['status', (row) => text(isUnconfirmed(row) ? 'unconfirmed' : row.status)],
  ['reason', (row) => text(row.reason)],
  ['review', (row) => text(row.review)],
  ['late', (row) => plainCell(row.late)],
  ['goods_pesewas', (row) => count(row.goodsMinor)],
  ['goods_cedis', (row) => cedis(row.goodsMinor)],
  ['quoted_fee_pesewas', (row) => count(row.feeMinor)],
  ['quoted_fee_cedis', (row) => cedis(row.feeMinor)],
  ['quoted_total_pesewas', (row) => count(quotedTotal(row))],
  ['quoted_total_cedis', (row) => cedis(quotedTotal(row))],
  ...receivedColumns('amount', (received) => received.amountMinor),
  ...receivedColumns('fee', (received) => received.feeMinor),
  ...receivedColumns('net', (received) => received.netMinor),
  ...receivedColumns('suspended', (received) => received.suspendedMinor),
  ['bookings', (_, { bookings }) => text(bookings.join(' '))],
  ['booked_at', (_, { bookedAt }) => time(bookedAt)],
  ['amount_source', (row) => text(row.amountSource)],
  ['session', (row) => text(row.sessionId)],
  ['opened_at', (row) => time(row.openedAt)],
  ['closed_at', (row) => time(row.closedAt)],
  ['paid_at', (row) => stamp(row.paidAt)],
  ['confirmed_at', (row) => time(row.confirmedAt)],
];

/** Returns the first line of an export: the names of the columns. */
export function exportHead(): string {
  return csvLine(columns.map(([name]) => plainCell(name)));
}

/** Formats one line: amounts in pesewas and cedis, times in UTC, phone numbers as 233XXXXXXXXX. */
export function exportLine(line: ExportRow): string {
  return csvLine(columns.map(([, cell]) => cell(line.collection, line)));
}
