/** The currency of every amount of the interface, which names none. */
const currency = 'GHS';

/** The code of ISO 4217 for an amount without a currency. It stands for every text that is no code. */
const unreadable = 'XXX';

/** Money in another currency. It is compared with no amount of the ledger, and is never added to one. */
export type CurrencyAmount = {
  /** The code of ISO 4217; `XXX` when the stated one is not readable. */
  currency: string;
  /** In the smallest unit of that currency; null when it is not stated. */
  amountMinor: number | null;
};

/**
 * Returns the code of the currency that a body states, if it is another one than that of the interface. A body that
 * states none is in the currency of the interface. Upper and lower case are equal.
 */
export function otherCurrency(stated: unknown): string | undefined {
  if (stated === undefined || stated === null) return undefined;
  const text = typeof stated === 'string' ? stated.trim().toUpperCase() : unreadable;
  if (text === '' || text === currency) return undefined;
  return /^[A-Z]{3}$/.test(text) ? text : unreadable;
}
