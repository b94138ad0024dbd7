import type { LedgerReport } from '../gateway/ledger/report.ts';
import { plural } from './terminal/output.ts';

/** Describes the signatures of the blocks in one phrase. */
export function describeSignatures({ checked, signed, unsigned }: LedgerReport['signatures']): string {
  const counts = `${plural(signed, 'block')} signed, ${unsigned} not signed`;
  return checked ? counts : `not checked, because no public key is known (${counts})`;
}

/** Describes where the noted head is in the chain. */
export function describeNotedHead({ block, rowsAfter }: NonNullable<LedgerReport['notedHead']>): string {
  return `block ${block}, ${plural(rowsAfter, 'row')} written since`;
}
