import { maxAmountMinor, parseCedis } from '../../shared/money.ts';
import { conditionsOf } from '../check/names.ts';
import type { AmountOrName, Condition, Menu, Screen } from '../schema.ts';
import { isList, type Value } from '../state/value.ts';
import { placeholdersOf } from '../text/render.ts';

/** What a menu can tell apart in the values of one name. The fields of lists are names such as `fees.due`. */
export type Distinction = {
  /** The least amounts from which on some condition turns, in order. */
  readonly amounts: readonly number[];
  /** The same for whole numbers. */
  readonly numbers: readonly number[];
  /** Texts that some condition names, in small letters. */
  readonly texts: readonly string[];
  /** Whether anything but a text of the menu depends on it: a condition, a price, an address. */
  readonly isAsked: boolean;
};

const nothing: Distinction = { amounts: [], numbers: [], texts: [], isAsked: false };

/** The distinctions that the conditions of a menu make, also through what is made of a value later. */
export function distinctionsOf(menu: Menu): (name: string) => Distinction {
  const found = new Map<string, Distinction>();
  const add = (name: string, more: Partial<Distinction>): boolean => {
    const known = found.get(name) ?? nothing;
    const next = {
      amounts: merged(known.amounts, more.amounts),
      numbers: merged(known.numbers, more.numbers),
      texts: [...new Set([...known.texts, ...(more.texts ?? [])])],
      isAsked: known.isAsked || more.isAsked === true,
    };
    found.set(name, next);
    return sizeOf(next) > sizeOf(known);
  };
  const all = Object.values(menu.screens).flatMap(flowsOf);
  for (const screen of Object.values(menu.screens)) {
    for (const { when, item } of conditionsOf(screen)) {
      if (when.value !== undefined) add(qualified(when.value, item), { ...turnsOf(when), isAsked: true });
    }
    if (screen.kind !== 'lookup') continue;
    for (const name of placeholdersOf(screen.url ?? '')) add(name, { isAsked: true });
  }
  // An amount that is multiplied with a number: once, or every round would turn at more amounts.
  for (const { from, to, counts } of all) {
    if (from === to) add(from, throughAmount(found.get(to) ?? nothing, counts, found));
  }
  const flows = all.filter(({ from, to }) => from !== to);
  // What turns a value turns whatever that value is made of.
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const { from, to, counts } of flows) {
      const known = found.get(to) ?? nothing;
      const more = to === 'amount' ? throughAmount(known, counts, found) : throughText(known);
      if (add(from, more)) isMore = true;
    }
  }
  return (name) => found.get(name) ?? nothing;
}

function sizeOf({ amounts, numbers, texts, isAsked }: Distinction): number {
  return amounts.length + numbers.length + texts.length + Number(isAsked);
}

const most = 64;

function merged(some: readonly number[], others: readonly number[] = []): readonly number[] {
  return [...new Set([...some, ...others])].sort((a, b) => a - b).slice(0, most);
}

/** A name as it is known outside of its list. */
export function qualified(name: string, list: string | undefined): string {
  return name.startsWith('item.') ? `${list}.${name.slice('item.'.length)}` : name;
}

/** Where a condition turns. What is above 5 begins with the next pesewa, or the next number. */
function turnsOf({ above, below, atLeast, atMost, is = [], not = [] }: Condition): Partial<Distinction> {
  const amounts: number[] = [];
  const numbers: number[] = [];
  for (const { bound, more } of [
    { bound: above, more: 1 },
    { bound: atMost, more: 1 },
    { bound: below, more: 0 },
    { bound: atLeast, more: 0 },
  ]) {
    if (bound === undefined) continue;
    if (bound.number === undefined) amounts.push(bound.amountMinor + more);
    else numbers.push(bound.number + more);
  }
  const texts = [...is, ...not].map((one) => String(one).toLowerCase());
  return { amounts, numbers: [...numbers, ...texts.flatMap(aroundNumber)], texts };
}

function aroundNumber(text: string): number[] {
  return /^(0|[1-9]\d{0,9})$/.test(text) ? [Number(text), Number(text) + 1] : [];
}

/** `counts`: the name of a question, whose answer the amount is multiplied with. */
type Flow = { from: string; to: string; counts?: { name: string; min: number; max: number } };

/** What becomes part of another value. */
function flowsOf(screen: Screen): Flow[] {
  if (screen.kind === 'ask' && screen.answer === 'number') {
    return nameOf(screen.each).map((from) => ({ from, to: 'amount', counts: screen }));
  }
  if (screen.kind !== 'choose') return [];
  return screen.options.flatMap(({ set = {}, each }) => [
    ...nameOf(set.amount).map((from) => ({ from: qualified(from, each), to: 'amount' })),
    ...[['reference', set.reference ?? ''] as const, ...Object.entries(set.values ?? {})].flatMap(
      ([to, text]) => placeholdersOf(text).map((name) => ({ from: qualified(name, each), to })),
    ),
  ]);
}

/** The name that stands for an amount, where one does. */
export function nameOf(amount: AmountOrName | undefined): string[] {
  return typeof amount === 'object' ? [amount.from] : [];
}

/** No amount of money is 0, and none is larger than what can be collected. */
function throughAmount(
  { amounts }: Distinction,
  counts: Flow['counts'],
  found: ReadonlyMap<string, Distinction>,
): Partial<Distinction> {
  const turns = [1, ...amounts];
  if (counts === undefined) return { amounts: turns, isAsked: true };
  const own = found.get(counts.name) ?? nothing;
  const powers = [...Array(10).keys()].flatMap((power) => [10 ** power - 1, 10 ** power]);
  const times = [counts.min, counts.max, ...powers, ...own.numbers.flatMap((at) => [at - 1, at])].filter(
    (count) => count > 0 && count >= counts.min && count <= counts.max,
  );
  const each = [...turns, maxAmountMinor + 1].flatMap((turn) =>
    times.map((count) => Math.ceil(turn / count)),
  );
  return { amounts: each, isAsked: true };
}

function throughText({ texts, isAsked }: Distinction): Partial<Distinction> {
  const amounts = texts.flatMap((text) => parseCedis(text) ?? []).flatMap((at) => [at, at + 1]);
  return { texts, amounts, numbers: texts.flatMap(aroundNumber), isAsked };
}

/** Equal for values of one name that no condition tells apart. */
export function cellOf(value: Value | undefined, { amounts, numbers, texts }: Distinction): string {
  if (value === undefined || value === '') return '-';
  if (typeof value === 'string') return `t${texts.indexOf(value.toLowerCase())}`;
  if (isList(value)) return `l${value.length}`;
  if ('number' in value) return `n${numbers.filter((turn) => turn <= value.number).length}`;
  return `a${amounts.filter((turn) => turn <= value.amountMinor).length}`;
}

/** The parts between two bounds, both included, on which no condition turns. */
export function partsBetween(
  min: number,
  max: number,
  turns: readonly number[],
): { min: number; max: number }[] {
  if (min > max) return [];
  const inside = turns.filter((turn) => turn > min && turn <= max);
  return [min, ...inside].map((from, i) => ({ min: from, max: (inside[i] ?? max + 1) - 1 }));
}
