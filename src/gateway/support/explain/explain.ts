import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import type { CollectionRecord } from '../collection-query.ts';
import { getOutcome, type Outcome } from '../playbook/playbook.ts';
import { type ExpectedAmounts, expectedAmounts, receivedAmounts, type SourcedAmounts } from './amounts.ts';
import { describeNextStep, getNextStep, type NextStep } from './next-step.ts';

/** What support staff read first about a collection. */
export type Explanation = {
  /** One sentence: what happened, and whether money moved. */
  summary: string;
  nextStep: NextStep & { text: string };
  expected: ExpectedAmounts;
  /** Null when no money was booked. */
  received: SourcedAmounts | null;
  /** The outcome's code, and what to say and do. */
  playbook: Outcome;
};

/** Explains a collection as it is at `now`. */
export function explain(record: CollectionRecord, now: EpochMs): Explanation {
  const { collection, postings } = record;
  const received = receivedAmounts(postings);
  const outcome = getOutcome(collection);
  const step = getNextStep(collection);
  return {
    summary: `${outcome.happened.replace(/\.$/, '')}; ${describeMoney(outcome, collection.amountMinor ?? 0)}.`,
    nextStep: { ...step, text: describeNextStep(step, now) },
    expected: expectedAmounts(record),
    received: received && { ...received, source: collection.amountSource },
    playbook: outcome,
  };
}

function describeMoney({ money }: Outcome, amountMinor: number): string {
  switch (money) {
    case 'not_taken':
      return 'no money was taken';
    case 'unknown':
      return 'whether money was taken is not known';
    case 'reported':
      return `${formatCedis(amountMinor)} is reported, and not confirmed`;
    case 'received':
      return `${formatCedis(amountMinor)} was received`;
    case 'suspended':
      return `${formatCedis(amountMinor)} arrived and is in suspense`;
    case 'returned':
      return `${formatCedis(amountMinor)} was booked back to the payer`;
    default:
      return unreachable(money);
  }
}
