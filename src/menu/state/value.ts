import type { AmountMinor } from '../../shared/money.ts';

/** A text, an amount of money, or a whole number. */
export type Scalar = string | { readonly amountMinor: AmountMinor } | { readonly number: number };

/** One entry of a list that was looked up. */
export type Item = Readonly<Record<string, Scalar>>;

/** What a name of the menu stands for. */
export type Value = Scalar | readonly Item[];

export type Values = Readonly<Record<string, Value>>;

export function isList(value: Value): value is readonly Item[] {
  return Array.isArray(value);
}
