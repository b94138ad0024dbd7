import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import type { FactRow } from '../ledger/chain.ts';
import { readUnplacedFact } from '../unplaced/audit.ts';
import type { RecordedUnplacedFact, UnplacedGrounds } from '../unplaced/fact.ts';
import { describeCurrencyAmount } from './timeline.ts';

/** Returns the history of an unplaced payment, oldest first. */
export function unplacedHistory(rows: readonly FactRow[]): { at: string; text: string }[] {
  return rows.map(readUnplacedFact).map((fact) => ({
    at: new Date(fact.at).toISOString(),
    text: describe(fact),
  }));
}

function describe(fact: RecordedUnplacedFact): string {
  switch (fact.kind) {
    case 'reported':
    case 'reported_again': {
      const { eventId, eventType, chargedMinor, other } = fact.data.stated;
      const cedis = chargedMinor === null ? 'no amount stated' : formatCedis(chargedMinor);
      const amount = other ? describeCurrencyAmount(other) : cedis;
      const failed = fact.kind === 'reported' ? fact.data.failedBefore : undefined;
      const before = failed === undefined ? '' : `, after ${failed} reported a failure`;
      return `${[eventType, eventId].filter(Boolean).join(' ')}: ${amount}${before}`;
    }
    case 'placed': {
      const { collectionId, by, approvedBy, evidence } = fact.data;
      if (by === undefined) return `placed: ${collectionId} has the payment session`;
      return `matched with ${collectionId} by ${by}, approved by ${approvedBy}: ${evidence}`;
    }
    case 'returned':
      return `returned (reference ${fact.data.reference}) ${people(fact.data)}`;
    case 'refunded': {
      const { amountMinor, reference, by } = fact.data;
      return `returned by the service: ${formatCedis(amountMinor)}, reference ${reference}, by ${by}`;
    }
    case 'declared_foreign':
      return `declared foreign ${people(fact.data)}`;
    default:
      return unreachable(fact);
  }
}

function people({ by, approvedBy, evidence }: UnplacedGrounds): string {
  return `by ${by}, approved by ${approvedBy}: ${evidence}`;
}
