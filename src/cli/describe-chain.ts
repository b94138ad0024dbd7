import type { LedgerReport } from '../gateway/ledger/report.ts';
import { plural, showTime } from './terminal/output.ts';

/** Describes the signatures of the blocks in one phrase. */
export function describeSignatures({ checked, signed, unsigned }: LedgerReport['signatures']): string {
  const counts = `${plural(signed, 'block')} signed, ${unsigned} not signed`;
  return checked ? counts : `not checked, because no public key is known (${counts})`;
}

/** Describes where the noted head is in the chain. */
export function describeNotedHead({ block, rowsAfter }: NonNullable<LedgerReport['notedHead']>): string {
  return `block ${block}, ${plural(rowsAfter, 'row')} written since`;
}

/** Describes each run of blocks that sealed rows long after they were written, in one phrase. */
export function describeLateBlocks(runs: LedgerReport['lateBlocks']): string[] {
  return runs.map(({ from, to, oldestRowAt, sealedAt }) => {
    const blocks = from === to ? `block ${from}` : `blocks ${from} to ${to}`;
    return `${blocks} sealed rows since ${showTime(oldestRowAt)} only at ${showTime(sealedAt)}: compare with a noted head (--head)`;
  });
}
