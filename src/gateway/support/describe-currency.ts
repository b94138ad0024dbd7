import type { CurrencyAmount } from '../../contract/service/currency.ts';

/** Describes money in another currency, in its smallest unit: the number of its decimals is not known here. */
export function describeCurrencyAmount({ currency, amountMinor }: CurrencyAmount): string {
  const unit = amountMinor === null ? '' : `, ${amountMinor} of its smallest unit`;
  return `money in another currency (${currency}${unit})`;
}
