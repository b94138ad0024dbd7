import type { CollectionRow } from './collection.ts';

/** The times of a payment between which its payer answered. `paidAt` is the service's time: a late event changes nothing. */
export type AnsweredPayment = Pick<CollectionRow, 'initiateSentAt' | 'paidAt'>;

/** Returns the median time from the prompt to the approval, in milliseconds; `undefined` with fewer than `min` approvals. */
export function findMedianAnswer(payments: readonly AnsweredPayment[], min: number): number | undefined {
  const times = payments
    .flatMap(({ initiateSentAt, paidAt }) =>
      initiateSentAt === null || paidAt === null ? [] : [Date.parse(paidAt) - initiateSentAt],
    )
    .filter((ms) => ms >= 0)
    .toSorted((one, other) => one - other);
  return times.length < min ? undefined : times[Math.floor(times.length / 2)];
}
