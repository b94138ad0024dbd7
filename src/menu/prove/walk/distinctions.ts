import { maxAmountMinor, parseCedis } from '../../../shared/money.ts';
import { conditionsOf } from '../../check/names.ts';
import {
  type AmountOrName,
  type AmountScreen,
  type Condition,
  isMerchantScreen,
  type Menu,
  type Screen,
} from '../../schema.ts';
import { isList, type Value } from '../../state/value.ts';
import { placeholdersOf } from '../../text/render.ts';

/** What a menu distinguishes in the values of one name. Fields of lists have names such as `fees.due`. */
export type Distinction = {
  /** Thresholds in pesewas: the smallest amounts for which a condition has another result. Ascending. */
  readonly amounts: readonly number[];
  /** The same for whole numbers. */
  readonly numbers: readonly number[];
  /** Texts that a condition names, in lower case. */
  readonly texts: readonly string[];
  /** The value decides more than texts: a condition, a price or the address of a lookup depends on it. */
  readonly isDecisive: boolean;
};

const noDistinction: Distinction = { amounts: [], numbers: [], texts: [], isDecisive: false };

/**
 * Creates the function that returns what a menu distinguishes in the values of a name, directly or through values that
 * are derived from it.
 */
export function distinctionsOf(menu: Menu): (name: string) => Distinction {
  const found = new Map<string, Distinction>();
  const add = (name: string, more: Partial<Distinction>): boolean => {
    const known = found.get(name) ?? noDistinction;
    const merged = {
      amounts: mergeThresholds(known.amounts, more.amounts),
      numbers: mergeThresholds(known.numbers, more.numbers),
      texts: [...new Set([...known.texts, ...(more.texts ?? [])])],
      isDecisive: known.isDecisive || more.isDecisive === true,
    };
    found.set(name, merged);
    return sizeOf(merged) > sizeOf(known);
  };
  for (const screen of Object.values(menu.screens)) {
    for (const { when, item } of conditionsOf(screen)) {
      if (when.value === undefined) continue;
      add(qualified(when.value, item), { ...thresholdsOf(when), isDecisive: true });
    }
    if (screen.kind === 'ask' && screen.answer === 'amount') {
      for (const [name, amounts] of thresholdsOfBounds(screen)) add(name, { amounts, isDecisive: true });
    }
    if (!isMerchantScreen(screen)) continue;
    for (const name of placeholdersOf(screen.url ?? '')) add(name, { isDecisive: true });
  }
  const flows = Object.values(menu.screens).flatMap(flowsOf);
  // An amount that is multiplied into itself is followed once: each further round would add thresholds.
  for (const { from, to, count } of flows) {
    if (from === to) add(from, throughAmount(found.get(to) ?? noDistinction, count, found));
  }
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const { from, to, count } of flows) {
      if (from === to) continue;
      const known = found.get(to) ?? noDistinction;
      const more = to === 'amount' ? throughAmount(known, count, found) : throughText(known);
      if (add(from, more)) isChanged = true;
    }
  }
  return (name) => found.get(name) ?? noDistinction;
}

function sizeOf({ amounts, numbers, texts, isDecisive }: Distinction): number {
  return amounts.length + numbers.length + texts.length + Number(isDecisive);
}

/** Returns the names in the bounds of a question, each with the smallest values for which the question has an answer, or none. */
function thresholdsOfBounds({ min, max }: AmountScreen): [name: string, amounts: number[]][] {
  const found: [string, number[]][] = [];
  if (typeof max === 'object') {
    const least = typeof min === 'number' ? min : 1;
    found.push([max.from, [max.divisor, least * max.divisor]]);
  }
  if (typeof min === 'object') {
    found.push([min.from, typeof max === 'number' ? [max * min.divisor + 1] : []]);
  }
  return found;
}

const maxThresholds = 64;

function mergeThresholds(some: readonly number[], others: readonly number[] = []): readonly number[] {
  return [...new Set([...some, ...others])].sort((a, b) => a - b).slice(0, maxThresholds);
}

/** Returns the name as it is outside its list: `item.due` of an option for each of `fees` is `fees.due`. */
export function qualified(name: string, list: string | undefined): string {
  return name.startsWith('item.') ? `${list}.${name.slice('item.'.length)}` : name;
}

/** The thresholds of a condition. Above 5.00 starts at the next pesewa, above 5 at the next number. */
function thresholdsOf({ above, below, atLeast, atMost, is = [], not = [] }: Condition): Partial<Distinction> {
  const amounts: number[] = [];
  const numbers: number[] = [];
  for (const { bound, offset } of [
    { bound: above, offset: 1 },
    { bound: atMost, offset: 1 },
    { bound: below, offset: 0 },
    { bound: atLeast, offset: 0 },
  ]) {
    if (bound === undefined) continue;
    if (bound.number === undefined) amounts.push(bound.amountMinor + offset);
    else numbers.push(bound.number + offset);
  }
  const texts = [...is, ...not].map((one) => String(one).toLowerCase());
  return { amounts, numbers: [...numbers, ...texts.flatMap(numberThresholds)], texts };
}

function numberThresholds(text: string): number[] {
  return /^(0|[1-9]\d{0,9})$/.test(text) ? [Number(text), Number(text) + 1] : [];
}

/** A value that becomes part of another one. */
type Flow = {
  from: string;
  to: string;
  /** The question whose answer multiplies the value. */
  count?: { name: string; min: number; max: number };
};

function flowsOf(screen: Screen): Flow[] {
  if (screen.kind === 'ask' && screen.answer === 'number') {
    return nameOf(screen.each).map((from) => ({ from, to: 'amount', count: screen }));
  }
  if (screen.kind !== 'choose') return [];
  return screen.options.flatMap(({ set = {}, each }) => [
    ...nameOf(set.amount).map((from) => ({ from: qualified(from, each), to: 'amount' })),
    ...[['reference', set.reference ?? ''] as const, ...Object.entries(set.values ?? {})].flatMap(
      ([to, text]) => placeholdersOf(text).map((name) => ({ from: qualified(name, each), to })),
    ),
  ]);
}

/** Returns the name in an amount that is given by name, as an array of at most one. */
export function nameOf(amount: AmountOrName | undefined): string[] {
  return typeof amount === 'object' ? [amount.from] : [];
}

/** What a value must distinguish to become an amount: 0 and more than the largest collection are invalid. */
function throughAmount(
  { amounts }: Distinction,
  count: Flow['count'],
  found: ReadonlyMap<string, Distinction>,
): Partial<Distinction> {
  const thresholds = [1, ...amounts];
  if (count === undefined) return { amounts: thresholds, isDecisive: true };
  const own = found.get(count.name) ?? noDistinction;
  const powers = [...Array(10).keys()].flatMap((power) => [10 ** power - 1, 10 ** power]);
  const counts = [count.min, count.max, ...powers, ...own.numbers.flatMap((at) => [at - 1, at])].filter(
    (one) => one > 0 && one >= count.min && one <= count.max,
  );
  const perItem = [...thresholds, maxAmountMinor + 1].flatMap((threshold) =>
    counts.map((one) => Math.ceil(threshold / one)),
  );
  return { amounts: perItem, isDecisive: true };
}

function throughText({ texts, isDecisive }: Distinction): Partial<Distinction> {
  const amounts = texts.flatMap((text) => parseCedis(text) ?? []).flatMap((at) => [at, at + 1]);
  return { texts, amounts, numbers: texts.flatMap(numberThresholds), isDecisive };
}

/** Returns a key that is equal for values of one name that no condition distinguishes. */
export function valueClass(value: Value | undefined, { amounts, numbers, texts }: Distinction): string {
  if (value === undefined || value === '') return '-';
  if (typeof value === 'string') return `t${texts.indexOf(value.toLowerCase())}`;
  if (isList(value)) return `l${value.length}`;
  if ('number' in value) return `n${numbers.filter((threshold) => threshold <= value.number).length}`;
  return `a${amounts.filter((threshold) => threshold <= value.amountMinor).length}`;
}

/** Whole numbers from `min` to `max`, both included. */
export type Range = { readonly min: number; readonly max: number };

/** Splits a range at thresholds. */
export function splitRange({ min, max }: Range, thresholds: readonly number[]): Range[] {
  if (min > max) return [];
  const inside = thresholds.filter((threshold) => threshold > min && threshold <= max);
  return [min, ...inside].map((from, i) => ({ min: from, max: (inside[i] ?? max + 1) - 1 }));
}
