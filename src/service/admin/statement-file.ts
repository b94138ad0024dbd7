import { isoTimeOrNull } from '../http/response.ts';
import type { StatementCharge } from './day-statement-query.ts';

const columns = ['session_id', 'paid_at', 'status', 'price', 'fee', 'total', 'refunded_at'] as const;

/** Writes the statement of a day as CSV (RFC 4180). Amounts are decimals in cedis. No cell needs quotes. */
export function writeStatement(charges: readonly StatementCharge[]): string {
  const rows = charges.map(({ sessionId, paidAt, status, feeMinor, totalMinor, refundedAt }) => [
    ...[sessionId, isoTimeOrNull(paidAt), status],
    ...[
      decimal(totalMinor - feeMinor),
      decimal(feeMinor),
      decimal(totalMinor),
      isoTimeOrNull(refundedAt) ?? '',
    ],
  ]);
  return [columns, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Formats pesewas as `20.20`. A charge below the fee has a price below zero. */
function decimal(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
