import type { CurrencyAmount } from '../../../contract/service/currency.ts';
import { unreachable } from '../../../shared/errors.ts';
import { awaitsService, type Collection } from '../collection.ts';
import { type Fact, otherCurrencyReason as reason } from '../fact.ts';
import { type Decision, flag, openReview, record } from './decision.ts';
import { suspendUnproven } from './suspend.ts';

/**
 * Handles money that the service reports in another currency. No amount of it is booked, and a person decides. A payment
 * that is booked at the quote, or that only an event reports when a poll states the currency, leaves the account of the
 * merchant.
 *
 * @param before the fact of the event or of the poll.
 */
export function otherCurrencyReported(
  collection: Collection,
  { currency, amountMinor, isPoll }: CurrencyAmount & { isPoll: boolean },
  before: Fact,
): Decision {
  const facts: Fact[] = [before, { kind: 'other_currency_reported', data: { currency, amountMinor } }];
  switch (collection.status) {
    case 'paid': {
      const { booked, unplacedId, amountSource, reason: decided } = collection;
      // People decided about it, or matched other money with it.
      const isOwn = booked === 'paid' && unplacedId === null && decided === null;
      if (isOwn && (isPoll || amountSource === 'quote')) return suspendUnproven(collection, reason, facts);
      return flag(collection, reason, ...facts);
    }
    case 'review':
      if (awaitsService(collection))
        facts.push({ kind: 'service_undecided', data: { reason: 'contradiction' } });
      return { ...record(...facts), alarm: reason };
    case 'accepted':
    case 'created':
    case 'initiating':
    case 'initiated':
    case 'failed':
    case 'expired':
    case 'abandoned':
      return openReview(reason, facts);
    default:
      return unreachable(collection.status);
  }
}

/** Returns whether the review is about money in another currency: a poll then proves no amount. */
export function isOfOtherCurrency({ status, reason: opened, booked }: Collection): boolean {
  return status === 'review' && opened === reason && booked === null;
}
