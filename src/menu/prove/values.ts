import { maxAmountMinor } from '../../shared/money.ts';
import {
  type AmountBound,
  type AmountOrName,
  type CountScreen,
  getMinCount,
  type ItemField,
  listValues,
  type Menu,
  type MerchantScreen,
  type Option,
} from '../schema.ts';
import { maxReferenceLength } from '../state/pattern.ts';
import type { Scalar } from '../text/format.ts';
import { listPlaceholders, placeholdersIn } from '../text/render.ts';
import {
  amountDomain,
  type Domain,
  type Domains,
  join,
  joinDomains,
  listDomain,
  maxForm,
  numberDomain,
  optional,
  type State,
  textDomain,
  withDomain,
} from './domain.ts';
import { textOfSize } from './sizes.ts';

/** The largest texts of values that a menu does not set. */
export type CommonTexts = { readonly merchant: string; readonly approvals: string };

/** A menu, and the largest texts that it does not set. */
export type MenuRules = { readonly menu: Menu; readonly texts: CommonTexts };

/** Returns the values after an answer of the merchant's system, or without one. */
export function afterLookup(values: Domains, take: MerchantScreen['take'], isFound: boolean): Domains {
  return listValues(take).reduce((all, [name, { list, of = {}, ...field }]) => {
    const items = Object.entries(of).map(([key, one]) => [key, fieldDomain(one)] as const);
    const domain = list === undefined ? fieldDomain(field) : listDomain(list, Object.fromEntries(items));
    return withDomain(all, name, isFound ? optional(domain) : undefined);
  }, values);
}

function fieldDomain({ text, amount, number = 0 }: ItemField): Domain {
  if (text !== undefined) return textDomain(textOfSize(text, 2 * text, false));
  return amount === undefined ? numberDomain(0, number) : amountDomain(0, Math.min(amount, maxAmountMinor));
}

/** The list of an option: its own one, or the one that was looked up. */
export function findItems(
  values: Domains,
  { list, each = '' }: Pick<Option, 'list' | 'each'>,
): Domain | undefined {
  if (list === undefined) return values[each]?.kind === 'list' ? values[each] : undefined;
  const items = list.map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, value]) => [name, scalarDomain(value)])),
  );
  return listDomain(list.length, items.reduce(joinDomains));
}

function scalarDomain(value: Scalar): Domain {
  if (typeof value === 'string') return textDomain(value, [value]);
  return 'number' in value
    ? numberDomain(value.number, value.number)
    : amountDomain(value.amountMinor, value.amountMinor);
}

/** Returns the domain of a reference that an option sets. */
export function presetReference(rules: MenuRules, before: State, text: string): Domain | undefined {
  const names = listPlaceholders(text);
  const kept = names.includes('reference') ? before.values.reference : undefined;
  const domain = filled(rules, before, text);
  if (domain === undefined || names.length === 0) return domain ?? kept;
  const reference = textDomain(textOfSize(Math.min(domain.maxText.length, maxReferenceLength), 0));
  return domain.isOptional ? join(reference, kept) : reference;
}

/** More than a screen can show: a longer text is cut nowhere, and reported. */
const maxTextLength = 1_000;

/** Returns the domain of a preset text; `undefined` when one of its names never has a value. */
export function filled({ texts }: MenuRules, state: State, text: string): Domain | undefined {
  let whole = text;
  let isOptional = false;
  const parts = placeholdersIn(text);
  for (const { name, format } of parts) {
    const domain = shownDomain(texts, state, name);
    if (domain === undefined) return undefined;
    isOptional ||= domain.isOptional;
    const placeholder = format === undefined ? `{${name}}` : `{${name}:${format}}`;
    whole = whole.replace(placeholder, () => maxForm(domain, format).replace(/[{}]/g, '['));
  }
  return {
    ...textDomain(whole.slice(0, maxTextLength), parts.length === 0 ? [text] : undefined),
    isOptional,
  };
}

/** Returns the domain of a placeholder in a state; `undefined` for one that never has a value there. */
export function shownDomain(
  { merchant, approvals }: CommonTexts,
  state: State,
  name: string,
): Domain | undefined {
  const { amount } = state.values;
  switch (name) {
    case 'merchant':
      return textDomain(merchant);
    case 'approvals':
      return textDomain(approvals);
    case 'payer':
    case 'short_reference':
      return textDomain('0240000000');
    case 'network':
      return state.isOtherPayer && state.network ? textDomain('another operator') : undefined;
    case 'fee':
    case 'total':
      return optional(amount && amountDomain(0, maxAmountMinor));
    case 'charge':
      return amount && { ...amount, max: maxAmountMinor };
    case 'amount_words':
      return amount && { ...textDomain(maxForm(amount, 'words')), isOptional: amount.isOptional };
    default:
      return state.values[name];
  }
}

/** Returns the domain of a price times a count; `undefined` when there is none. An amount of 0, or above the maximum, is unknown. */
export function priceDomain(
  values: Domains,
  price: AmountOrName,
  count: { readonly min: number; readonly max: number },
): Domain | undefined {
  const one = typeof price === 'number' ? amountDomain(price, price) : values[price.from];
  if (one?.kind !== 'amount') return undefined;
  const [min, max] = [one.min * count.min, one.max * count.max];
  if (max <= 0 || min > maxAmountMinor) return undefined;
  const domain = amountDomain(Math.max(1, min), Math.min(maxAmountMinor, max));
  return one.isOptional || min <= 0 || max > maxAmountMinor ? optional(domain) : domain;
}

/** The bounds of a question for an amount in a state. */
export function amountBoundsIn({ values }: State, { min, max }: { min: AmountBound; max: AmountBound }) {
  const getRange = (bound: AmountBound, round: (amount: number) => number, otherwise: number) => {
    if (typeof bound === 'number') return { min: bound, max: bound };
    const domain = values[bound.from];
    if (domain?.kind !== 'amount') return { min: otherwise, max: otherwise };
    const all = [domain.min, domain.max].map((amount) => round(amount / bound.divisor));
    if (domain.isOptional) all.push(otherwise);
    return { min: Math.min(...all), max: Math.max(...all) };
  };
  const [lowest, highest] = [getRange(min, Math.ceil, 1), getRange(max, Math.floor, maxAmountMinor)];
  const [maxMin, minMax] = [Math.max(1, lowest.max), Math.min(maxAmountMinor, highest.min)];
  return {
    min: Math.max(1, lowest.min),
    max: Math.min(maxAmountMinor, highest.max),
    maxMin,
    /** For some values, no amount is valid. */
    isImpossible: maxMin > minMax,
  };
}

/** True when no count is valid for some values: the price is unknown, or too high. */
export function lacksPrice({ values }: State, screen: CountScreen): boolean {
  if (screen.each === undefined) return false;
  const least = getMinCount(screen);
  return priceDomain(values, screen.each, { min: least, max: least })?.isOptional !== false;
}
