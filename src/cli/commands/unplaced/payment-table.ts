import type { UnplacedView } from '../../../contract/staff/unplaced.ts';
import { formatCedis } from '../../../shared/money.ts';
import { showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/** Formats unplaced payments, one per line. */
export function paymentTable(paint: Paint, rows: readonly UnplacedView[]): string {
  const lines = rows.map((row) => [
    row.id,
    row.merchantId,
    row.state,
    row.amountMinor === null ? 'not stated' : formatCedis(row.amountMinor),
    showTime(Date.parse(row.receivedAt)),
    printable(row.payer ?? row.reference ?? row.clientTransId ?? '-'),
    nextOf(row),
  ]);
  const head = ['payment', 'merchant', 'state', 'amount', 'received (UTC)', 'payer or reference', 'next'];
  return table(paint, [head, ...lines]);
}

/** Describes where the payment is, or what can be done. */
function nextOf({ collectionId, proposal, suggestions }: UnplacedView): string {
  if (collectionId !== null) return `placed on ${collectionId}`;
  if (proposal?.state === 'open')
    return `approve ${proposal.id} (${proposal.outcome} by ${proposal.proposedBy})`;
  const [best] = suggestions;
  return best ? `fits ${best.collectionId} (${best.agrees.join(', ')})` : '-';
}
