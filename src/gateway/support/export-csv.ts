import type { CollectionRow } from '../collection/collection.ts';
import { csvLine, plainCell, textCell } from './csv.ts';

type Column = readonly [name: string, cell: (row: CollectionRow) => string];

const text = (value: string | null) => textCell(value ?? '');
const count = (value: number | null) => plainCell(value ?? '');
const time = (at: number | null) => plainCell(at === null ? '' : new Date(at).toISOString());

/** Formats a time that the service returned; another text than a UTC time is a text cell. */
function stamp(value: string | null): string {
  return value !== null && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? plainCell(value) : text(value);
}

/** Formats pesewas as cedis without rounding: `20.20`. */
function cedis(minor: number | null): string {
  if (minor === null) return plainCell('');
  const digits = String(minor).padStart(3, '0');
  return plainCell(`${digits.slice(0, -2)}.${digits.slice(-2)}`);
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
  ['status', (row) => text(row.status)],
  ['reason', (row) => text(row.reason)],
  ['review', (row) => text(row.review)],
  ['late', (row) => plainCell(row.late)],
  ['goods_pesewas', (row) => count(row.goodsMinor)],
  ['goods_cedis', (row) => cedis(row.goodsMinor)],
  ['fee_pesewas', (row) => count(row.feeMinor)],
  ['fee_cedis', (row) => cedis(row.feeMinor)],
  ['amount_pesewas', (row) => count(row.amountMinor)],
  ['amount_cedis', (row) => cedis(row.amountMinor)],
  ['net_pesewas', (row) => count(row.netMinor)],
  ['net_cedis', (row) => cedis(row.netMinor)],
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

/** Formats one collection: amounts in pesewas and cedis, times in UTC, phone numbers as 233XXXXXXXXX. */
export function exportLine(row: CollectionRow): string {
  return csvLine(columns.map(([, cell]) => cell(row)));
}
