import type { AmountSource } from '../../collection/collection.ts';
import type { RecordedFact } from '../../collection/fact.ts';
import { readFact } from '../../collection/fact-row.ts';
import type { CollectionRecord, PostingRow } from '../collection-query.ts';

/** What the payer confirmed and the service quoted, in pesewas. Null until the service has quoted it. */
export type ExpectedAmounts = {
  priceMinor: number;
  /** Price and fee on the confirm screen; null when it showed no fee. */
  shownTotalMinor: number | null;
  feeMinor: number | null;
  totalMinor: number | null;
  netMinor: number | null;
};

/** Where the money of a payment is now, in pesewas: the sums of its postings. */
export type ReceivedAmounts = {
  /** What payers paid, less what was booked back to them. */
  amountMinor: number;
  feeMinor: number;
  /** The merchant's part. */
  netMinor: number;
  suspendedMinor: number;
};

/** Returns the quote of a collection. A person compares it with what arrived, so it is read from the create answer. */
export function expectedAmounts({ collection, facts }: CollectionRecord): ExpectedAmounts {
  const created = facts.map(readFact).find((fact) => fact.kind === 'created') as
    | Extract<RecordedFact, { kind: 'created' }>
    | undefined;
  const { amountMinor = null, feeMinor = null, netMinor = null } = created?.data ?? {};
  const { goodsMinor: priceMinor, shownTotalMinor } = collection;
  return { priceMinor, shownTotalMinor, feeMinor, totalMinor: amountMinor, netMinor };
}

/** Returns the sums of postings; null when no money was booked. */
export function receivedAmounts(
  postings: readonly Pick<PostingRow, 'account' | 'amountMinor'>[],
): ReceivedAmounts | null {
  if (postings.length === 0) return null;
  const computeSum = (isCounted: (account: string) => boolean) =>
    postings.reduce((sum, { account, amountMinor }) => (isCounted(account) ? sum + amountMinor : sum), 0);
  return {
    // The balance of `payers` is minus the total that they paid.
    amountMinor: 0 - computeSum((account) => account === 'payers'),
    feeMinor: computeSum((account) => account === 'service_fees'),
    netMinor: computeSum((account) => account.startsWith('merchant:')),
    suspendedMinor: computeSum((account) => account === 'suspense'),
  };
}

/** Received amounts with the source of the amount that arrived. */
export type SourcedAmounts = ReceivedAmounts & { source: AmountSource | null };
