import { type AmountMinor, formatCedis, spellCedis } from '../../shared/money.ts';

/** A text, an amount of money, or a whole number. */
export type Scalar = string | { readonly amountMinor: AmountMinor } | { readonly number: number };

/** One entry of a list that was looked up, by field name. */
export type Item = Readonly<Record<string, Scalar>>;

/** The value of a name in a menu. */
export type Value = Scalar | readonly Item[];

export type Values = Readonly<Record<string, Value>>;

/** True for a list that was looked up. */
export function isList(value: Value): value is readonly Item[] {
  return Array.isArray(value);
}

/** The formats of a placeholder, such as `{due:words}`. */
const formats = {
  /** `20.00`: an amount without the currency. */
  plain: (value) => (isAmount(value) ? formatCedis(value.amountMinor).replace(/^GHS /, '') : basic(value)),
  /** `twenty cedis`: an amount in words. */
  words: (value) => (isAmount(value) ? spellCedis(value.amountMinor) : basic(value)),
  /** `Ama Mensah`: a name with capitals. */
  name: (value) =>
    mapLetters(basic(value), (letter) => letter.toLowerCase()).replace(/(^|[\s'-])(\p{Ll})/gu, (word) =>
      mapLetters(word, (letter) => letter.toUpperCase()),
    ),
  upper: (value) => mapLetters(basic(value), (letter) => letter.toUpperCase()),
  /** `1,234`: a number with separators. */
  number: (value) => basic(value).replace(/\B(?=(\d{3})+$)/g, ','),
} as const satisfies Record<string, (value: Scalar) => string>;

/** Changes the case of letters, except where the other one is longer: the proven length of a text holds in every format. */
function mapLetters(text: string, change: (letter: string) => string): string {
  return Array.from(text, (letter) => (change(letter).length > letter.length ? letter : change(letter))).join(
    '',
  );
}

export const formatNames = Object.keys(formats);

/** True for the name of a format. */
export function isFormat(name: string): name is keyof typeof formats {
  return Object.hasOwn(formats, name);
}

/** A value as text; empty for an unknown value and for a list, which only options can show. */
export function showValue(value: Value | undefined, format?: string): string {
  if (value === undefined || isList(value)) return '';
  return format !== undefined && isFormat(format) ? formats[format](value) : basic(value);
}

function basic(value: Scalar): string {
  if (typeof value === 'string') return value;
  return isAmount(value) ? formatCedis(value.amountMinor) : String(value.number);
}

function isAmount(value: Scalar): value is Extract<Scalar, { amountMinor: unknown }> {
  return typeof value === 'object' && 'amountMinor' in value;
}
