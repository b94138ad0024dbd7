import type { CollectionRow, Status } from '../gateway/collection/collection.ts';
import { localForm } from '../shared/msisdn.ts';

/** A collection, as a test asks about it. Amounts are pesewas; those of the service are null until it has quoted them. */
export type Collected = {
  id: string;
  status: Status;
  /** Why it ended, or why a person must look. */
  reason: string | null;
  /** `0244123456` */
  payer: string;
  dialler: string;
  reference: string;
  /** Eight digits; screens show them as `4821 7362`. */
  shortReference: string;
  /** The collection that this one asked for again; null where it is the first. */
  retryOf: string | null;
  /** What the payer agreed to on the screen. */
  goodsMinor: number;
  feeMinor: number | null;
  /** What is taken from the wallet: goods and fee. */
  amountMinor: number | null;
  openedAt: number;
};

export function collectedOf(row: CollectionRow): Collected {
  const { id, status, reason, payer, dialler, reference, retryOf } = row;
  const { goodsMinor, feeMinor, amountMinor, openedAt } = row;
  return {
    ...{ id, status, reason, reference, retryOf, goodsMinor, feeMinor, amountMinor, openedAt },
    shortReference: row.shortReference ?? reference,
    payer: localForm(payer),
    dialler: localForm(dialler),
  };
}
