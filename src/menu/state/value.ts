import type { AmountMinor } from '../../shared/money.ts';

/** A text, an amount of money, or a whole number. */
export type Scalar = string | { readonly amountMinor: AmountMinor } | { readonly number: number };

/** One entry of a list that was looked up, by field name. */
export type Item = Readonly<Record<string, Scalar>>;

/** The value of a name in a menu. */
export type Value = Scalar | readonly Item[];

export type Values = Readonly<Record<string, Value>>;

export function isList(value: Value): value is readonly Item[] {
  return Array.isArray(value);
}
