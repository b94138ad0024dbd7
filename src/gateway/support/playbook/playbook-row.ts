import type { PayerText } from './payer-texts.ts';

/**
 * Where the payer's money is: `not_taken` is proven; `unknown` is not; `reported` by an event that no poll has confirmed;
 * `received` by the merchant; `suspended` until a person decides; `returned` to the payer by a decision.
 */
export type MoneyState = 'not_taken' | 'unknown' | 'reported' | 'received' | 'suspended' | 'returned';

/** What support staff say and do about one outcome. */
export type PlaybookRow = {
  /** What happened: one sentence. */
  happened: string;
  /** Where the money of such a payment is. `null` when it depends on the payment. */
  money: MoneyState | null;
  tellPayer: PayerText;
  /** What support staff do. */
  action: string;
  /** What support staff must not do. */
  never: string;
};
