import { unreachable } from '../../../shared/errors.ts';
import { amountMinor, formatCedis } from '../../../shared/money.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { maxProxyText } from '../../effects/proxy.ts';
import {
  type ItemField,
  isMerchantScreen,
  type Menu,
  type MerchantScreen,
  type Taken,
} from '../../schema.ts';
import type { Effect, EffectResult, MenuContext, Quote } from '../../state/state.ts';
import { type Distinction, distinctionsOf } from '../walk/distinctions.ts';
import { createUsesAhead, spellsAmounts } from '../walk/uses.ts';
import { amountsBetween, numbersBetween, twoSeptetTexts } from './candidates.ts';
import { createDuplicateOf, longestFee, longestTotal, paymentsOf } from './payments.ts';

/** An effect result with its description. That no result arrives in time is the step that requests the effect. */
export type LabelledResult = { readonly result: EffectResult; readonly label: string };

/** The results of one lookup that a walk can cover. */
const maxResults = 3_000;

/**
 * Creates the function that returns the results of an effect: one for each result that the menu can distinguish, with the
 * longest values. The function returns `undefined` where there are too many results.
 */
export function createEffectResults(
  menu: Menu,
  payers: readonly Msisdn[],
  context: MenuContext,
): (effect: Effect) => readonly LabelledResult[] | undefined {
  const answers = new Map(
    Object.entries(menu.screens).flatMap(([name, screen]) =>
      isMerchantScreen(screen) ? [[name, foundAnswers(menu, name, screen)] as const] : [],
    ),
  );
  const duplicateOf = createDuplicateOf(menu, context);
  return (effect) => {
    switch (effect.kind) {
      case 'lookup':
        return lookupResults(effect.state.screen, answers.get(effect.state.screen));
      case 'proxy':
        return proxyResults(effect, answers.get(effect.state.screen), context);
      case 'quote':
        return [{ result: { kind: 'quote', quote: longestQuote(effect) }, label: 'fee: known' }];
      case 'status': {
        const { shortReference } = effect;
        const found = paymentsOf(menu, payers, context).map(
          (payment): LabelledResult => ({
            result: { kind: 'status', found: { ...payment, shortReference } },
            label: `payment: ${payment.state}`,
          }),
        );
        return [...found, { result: { kind: 'status', found: undefined }, label: 'payment: not found' }];
      }
      case 'duplicate': {
        const found = duplicateOf(effect.intent);
        return [{ result: { kind: 'duplicate', found }, label: 'duplicate: found' }];
      }
      default:
        return unreachable(effect);
    }
  };
}

function longestQuote({ request }: Extract<Effect, { kind: 'quote' }>): Quote {
  const { amountMinor: goods, reference, shortReference } = request;
  return {
    id: 'quo_0',
    reference: reference ?? shortReference,
    feeMinor: longestFee(goods),
    totalMinor: longestTotal(goods),
  };
}

/** A value as a merchant's system sends it; `undefined` for an absent field. */
type RawValue = string | number | undefined | readonly Readonly<Record<string, RawValue>>[];
type FieldValues = { readonly name: string; readonly values: readonly RawValue[] };

/** What decides the values of a field. */
type ValueRules = {
  readonly distinctions: (name: string) => Distinction;
  /** The menu spells amounts in words. */
  readonly withWords: boolean;
};

/** The fields of an answer, with their description. */
type FoundAnswer = { readonly fields: Readonly<Record<string, RawValue>>; readonly label: string };

function lookupResults(
  screen: string,
  answers: readonly FoundAnswer[] | undefined,
): LabelledResult[] | undefined {
  const found = answers?.map(
    ({ fields, label }): LabelledResult => ({
      result: { kind: 'lookup', answer: { kind: 'found', fields } },
      label: `${screen}: found${label}`,
    }),
  );
  const notFound = { kind: 'lookup', answer: { kind: 'not_found' } } as const;
  return found && [...found, { result: notFound, label: `${screen}: not found` }];
}

/**
 * Returns the results of one request of a proxy screen. The longest text of the first two turns stands for those of later
 * ones, whose screens differ from it in nothing but the number of turns that are left.
 */
function proxyResults(
  { state: { screen }, request: { turn } }: Extract<Effect, { kind: 'proxy' }>,
  answers: readonly FoundAnswer[] | undefined,
  { alphabet }: MenuContext,
): LabelledResult[] | undefined {
  const longest = alphabet === 'gsm' ? `A${'['.repeat(maxProxyText - 1)}` : 'ɛ'.repeat(maxProxyText);
  const text = turn > 2 ? 'A' : longest;
  const shown: LabelledResult = {
    result: { kind: 'proxy', answer: { kind: 'found', fields: { text } } },
    label: `${screen}: a screen`,
  };
  const done = answers?.map(
    ({ fields, label }): LabelledResult => ({
      result: { kind: 'proxy', answer: { kind: 'found', fields: { ...fields, done: true } } },
      label: `${screen}: done${label}`,
    }),
  );
  return done && [shown, ...done];
}

/** Returns what the answers of the merchant's system can distinguish, with the longest values. */
function foundAnswers(menu: Menu, screen: string, { take }: MerchantScreen): FoundAnswer[] | undefined {
  const distinctions = distinctionsOf(menu);
  const rules = { distinctions, withWords: spellsAmounts(menu) };
  const { lists } = createUsesAhead(menu)(screen);
  const fields = Object.entries(take).map(([name, taken]) => ({ name, key: taken.from ?? name, taken }));
  const valuesOf = (isFull: boolean): FieldValues[] | undefined => {
    const all: FieldValues[] = [];
    for (const { name, key, taken } of fields) {
      const isUsed = lists.includes(name) || distinctions(name).isDecisive;
      const values =
        taken.list === undefined
          ? fieldValues(rules, name, taken, isFull)
          : listValues(rules, name, taken, isUsed);
      if (values === undefined) return undefined;
      all.push({ name: key, values });
    }
    return all;
  };
  const [full, bare] = [valuesOf(true), valuesOf(false)].map((values) => values && combine(values));
  if (full === undefined || bare === undefined) return undefined;
  const described = new Map(
    fields.flatMap(({ name, key, taken }) =>
      distinctions(name).isDecisive || taken.list !== undefined ? [[key, taken] as const] : [],
    ),
  );
  return distinct([...full, ...bare]).map((fields) => ({ fields, label: describeAnswer(fields, described) }));
}

/**
 * Returns the values of a field. A field that decides nothing has its longest value in full answers, and is absent from
 * bare ones together with all fields of its kind: the more fields are absent, the more lines disappear.
 */
function fieldValues(
  { distinctions, withWords }: ValueRules,
  name: string,
  { text, amount, number }: ItemField,
  isFull: boolean,
): RawValue[] {
  const { isDecisive, amounts, numbers, texts } = distinctions(name);
  const values: RawValue[] = [];
  if (text !== undefined) {
    const named = texts.filter((one) => one !== '' && one.length <= text);
    const other = twoSeptetTexts(text).find((one) => !texts.includes(one));
    values.push(...(other === undefined ? [] : [other]), ...named);
  } else if (amount !== undefined) {
    const range = { min: 0, max: amount };
    values.push(...amountsBetween(range, isDecisive ? amounts : [], withWords).map(amountMinor));
  } else {
    values.push(...numbersBetween({ min: 0, max: number ?? 0 }, isDecisive ? numbers : []));
  }
  if (isDecisive) return [...values, undefined];
  return isFull ? values : [undefined];
}

/** Returns full lists of equal items, and an empty list; `undefined` where there are too many. */
function listValues(
  rules: ValueRules,
  list: string,
  { list: length = 0, of = {} }: Taken,
  isUsed: boolean,
): RawValue[] | undefined {
  if (!isUsed) return [[]];
  // An item without one of its fields makes the whole answer unusable.
  const items = combine(
    Object.entries(of).map(([field, taken]) => ({
      name: taken.from ?? field,
      values: fieldValues(rules, `${list}.${field}`, taken, true).filter((value) => value !== undefined),
    })),
  );
  return items && [...items.map((item) => Array(length).fill(item)), []];
}

/** Describes the decisive fields of an answer, and the absent ones. */
function describeAnswer(
  answer: Readonly<Record<string, RawValue>>,
  described: ReadonlyMap<string, ItemField>,
): string {
  const entries = Object.entries(answer);
  const present = entries.flatMap(([name, value]) => {
    const field = described.get(name);
    if (field === undefined || value === undefined) return [];
    // This text stands for every text that no condition names.
    if (twoSeptetTexts(field.text ?? 0).some((text) => text === value)) return [];
    return `${name} ${describeValue(field, value)}`;
  });
  const absent = entries.flatMap(([name, value]) => (value === undefined ? name : []));
  const parts = [
    ...(present.length === 0 ? [] : [`with ${present.join(', ')}`]),
    ...(absent.length === 0 ? [] : [`without ${absent.join(', ')}`]),
  ];
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`;
}

function describeValue({ amount }: ItemField, value: RawValue): string {
  if (typeof value === 'object') return value.length === 0 ? 'empty' : `of ${value.length}`;
  return amount !== undefined && typeof value === 'number' ? formatCedis(value) : String(value);
}

function distinct<T>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one] as const)).values()];
}

/** Returns every combination of one value of each field; `undefined` where there are too many. */
function combine(fields: readonly FieldValues[]): Record<string, RawValue>[] | undefined {
  if (fields.reduce((count, { values }) => count * values.length, 1) > maxResults) return undefined;
  return fields.reduce<Record<string, RawValue>[]>(
    (some, { name, values }) => some.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}
