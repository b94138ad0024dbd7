import type { AnswerView } from '../contract/merchant/notification.ts';
import { toAnswers } from '../gateway/collection/answers.ts';
import type { CollectionRow, Status } from '../gateway/collection/collection.ts';
import { localForm } from '../shared/msisdn.ts';

/** A collection as tests see it. Amounts are pesewas. The fee and the total are null before the quote. */
export type Collected = {
  id: string;
  status: Status;
  /** The reason for the final status or the review. */
  reason: string | null;
  /** `0244123456` */
  payer: string;
  dialler: string;
  reference: string;
  /** Eight digits; screens show them as `4821 7362`. */
  shortReference: string;
  /** The answers of the payer, under names of the menu. */
  answers: readonly AnswerView[];
  /** The collection that this one repeats. */
  retryOf: string | null;
  /** The price, without the fee. */
  goodsMinor: number;
  feeMinor: number | null;
  /** The total charged: price and fee. */
  amountMinor: number | null;
  openedAt: number;
};

/** Returns a row of the ledger as tests see it. */
export function toCollected(row: CollectionRow): Collected {
  const { id, status, reason, payer, dialler, reference, retryOf } = row;
  const { goodsMinor, feeMinor, amountMinor, openedAt } = row;
  return {
    ...{ id, status, reason, reference, retryOf, goodsMinor, feeMinor, amountMinor, openedAt },
    shortReference: row.shortReference ?? reference,
    answers: toAnswers(row, 'whole'),
    payer: localForm(payer),
    dialler: localForm(dialler),
  };
}
