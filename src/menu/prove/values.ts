import { maxAmountMinor } from '../../shared/money.ts';
import {
  type AmountBound,
  type AmountOrName,
  type AskScreen,
  getMinCount,
  type ItemField,
  type Menu,
  type MerchantScreen,
  type Option,
  type Preset,
} from '../schema.ts';
import { maxReferenceLength } from '../state/reference.ts';
import type { Item, Scalar } from '../state/value.ts';
import { listPlaceholders, placeholdersIn } from '../text/render.ts';
import {
  amountDomain,
  type Domain,
  type Domains,
  join,
  joinDomains,
  listDomain,
  longestForm,
  numberDomain,
  optional,
  type Situation,
  textDomain,
} from './domain.ts';
import { textOfSize } from './longest.ts';

/** All dialogues that are on a screen with values in the same domains. */
export type State = Situation & {
  readonly screen: string;
  /** The network that the payer chose for another number. */
  readonly network?: Preset['operator'];
};

/** The longest texts of values that a menu does not set. */
export type CommonTexts = { readonly merchant: string; readonly approvals: string };

/** A menu, and the longest texts that it does not set. */
export type MenuRules = { readonly menu: Menu; readonly texts: CommonTexts };

export function without(values: Domains, names: readonly string[]): Domains {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

export function takenDomains(take: MerchantScreen['take']): Domains {
  return Object.fromEntries(
    Object.entries(take).flatMap(([name, { list, of = {}, ...field }]) => {
      const items = Object.entries(of).map(([key, one]) => [key, fieldDomain(one)] as const);
      const domain = list === undefined ? fieldDomain(field) : listDomain(list, Object.fromEntries(items));
      const known = optional(domain);
      return known ? [[name, known] as const] : [];
    }),
  );
}

function fieldDomain({ text, amount, number = 0 }: ItemField): Domain {
  if (text !== undefined) return textDomain(textOfSize(text, 2 * text, false));
  return amount === undefined ? numberDomain(0, number) : amountDomain(0, Math.min(amount, maxAmountMinor));
}
/** The list of an option: its own one, or the one that was looked up. */
export function findItems(
  values: Domains,
  { list, each = '' }: { list?: Option['list'] | undefined; each?: string | undefined },
): Domain | undefined {
  if (list === undefined) return values[each]?.kind === 'list' ? values[each] : undefined;
  const items = list.map((item: Item) =>
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

export function presetReference(rules: MenuRules, before: State, text: string): Domain | undefined {
  const domain = filled(rules, before, text);
  const { length } = domain?.longest ?? '';
  const kept = listPlaceholders(text).includes('reference') ? before.values.reference : undefined;
  if (domain === undefined) return kept;
  const isExact = listPlaceholders(text).length === 0;
  const longest = isExact ? domain.longest : textOfSize(Math.min(length, maxReferenceLength), 0);
  const reference = textDomain(longest, isExact ? [text] : undefined);
  return domain.isOptional ? join(reference, kept) : reference;
}

/** More than a screen can show: a longer text is cut nowhere, and reported. */
const maxTextLength = 1_000;

/** Returns the domain of a preset text; `undefined` when one of its names never has a value. */
export function filled(rules: MenuRules, state: State, text: string): Domain | undefined {
  const parts = placeholdersIn(text).map((one) => ({
    ...one,
    domain: shownDomain(rules.texts, state, one.name),
  }));
  if (parts.some(({ domain }) => domain === undefined)) return undefined;
  let literal = text;
  for (const { name, format, domain } of parts) {
    const whole = format === undefined ? `{${name}}` : `{${name}:${format}}`;
    if (domain) literal = literal.replace(whole, () => longestForm(domain, format).replace(/[{}]/g, '['));
  }
  const result = textDomain(literal.slice(0, maxTextLength), parts.length === 0 ? [text] : undefined);
  return parts.some(({ domain }) => domain?.isOptional) ? optional(result) : result;
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
      return amount && { ...textDomain(longestForm(amount, 'words')), isOptional: amount.isOptional };
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
    const [low, high] = [round(domain.min / bound.divisor), round(domain.max / bound.divisor)];
    return domain.isOptional
      ? { min: Math.min(low, otherwise), max: Math.max(high, otherwise) }
      : { min: low, max: high };
  };
  const lowest = getRange(min, Math.ceil, 1);
  const highest = getRange(max, Math.floor, maxAmountMinor);
  return {
    min: Math.max(1, lowest.min),
    max: Math.min(maxAmountMinor, highest.max),
    highestMin: Math.max(1, lowest.max),
    /** For some values, no amount is valid. */
    isImpossible: Math.max(1, lowest.max) > Math.min(maxAmountMinor, highest.min),
  };
}

/** True when no count is valid for some values: the price is unknown, or too high. */
export function lacksPrice({ values }: State, screen: Extract<AskScreen, { answer: 'number' }>): boolean {
  if (screen.each === undefined) return false;
  const least = getMinCount(screen);
  return priceDomain(values, screen.each, { min: least, max: least })?.isOptional !== false;
}
