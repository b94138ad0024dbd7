import { unreachable } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import type { DecisionRefusal } from '../../collection/reason.ts';
import type { FactRow } from '../../ledger/chain.ts';
import type { UnplacedRefusal } from '../../unplaced/decide.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';

/** Kinds of facts that a message lists. */
const maxKinds = 5;

/** Returns what happened to a collection since a person saw it, and what to do. */
export function describeChanges(facts: readonly FactRow[], versionSeen: number): string {
  const since = facts.filter(({ version }) => version > versionSeen);
  if (since.length === 0) return `the collection has no version ${versionSeen}: look at it again`;
  const kinds = since.slice(0, maxKinds).map(({ kind }) => kind);
  const more = since.length > maxKinds ? ', …' : '';
  return (
    `facts arrived since version ${versionSeen} (${kinds.join(', ')}${more}): ` +
    'look at the collection again, and propose again if it is still right'
  );
}

/** Returns why a decision is not possible, and what to do. */
export function describeRefusal(refused: DecisionRefusal, row: CollectionRow, outcome: string): string {
  switch (refused) {
    case 'changed':
      return 'facts arrived meanwhile: look at the collection again';
    case 'no_review':
      return `the collection is ${row.status} and not in review: nothing is to be decided`;
    case 'still_polled':
      return `the collection is ${row.status}, and the gateway still polls it: wait for the result`;
    case 'impossible':
      return row.booked === null
        ? `${outcome}: no money of this collection is recorded. If it was paid, propose paid; if not, not_paid`
        : `${outcome}: the money of this collection is recorded (${row.booked}). Propose accept or returned`;
    case 'already_booked':
      return `${outcome}: ${row.id} has its money already (${row.booked}): it cannot take another payment`;
    case 'other_amount':
      return (
        `${outcome}: another amount arrived than ${row.id} asked for (${formatCedis(row.amountMinor ?? row.goodsMinor)}): ` +
        'choose another collection, or return the money'
      );
    case 'given_away':
      return (
        `${outcome}: another decision gave the money of ${row.sessionId} away: find it with ` +
        `"dialtill unplaced list --state all". If the payer has not paid again, propose not_paid`
      );
    default:
      return unreachable(refused);
  }
}

/** Returns why a decision about an unplaced payment is not possible, and what to do. */
export function describeUnplacedRefusal(refused: UnplacedRefusal, payment: UnplacedPayment): string {
  const { id, state, version, collectionId } = payment;
  switch (refused) {
    case 'changed':
      return `${id} changed and has version ${version} now: look at it again, and propose again if it is still right`;
    case 'closed':
      return state === 'placed'
        ? `${id} is placed: ${collectionId} has the money`
        : `${id} is returned: nothing is left to decide`;
    case 'foreign':
      return `${id} is foreign and not in suspense: it can only be matched with a collection`;
    case 'no_amount':
      return `${id}: no event states its amount. Look it up at the service, and return it or declare it foreign`;
    case 'incomplete':
      return `${id}: the proposal names no collection or no transfer`;
    default:
      return unreachable(refused);
  }
}
