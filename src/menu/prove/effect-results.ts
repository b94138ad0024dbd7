import { unreachable } from '../../shared/errors.ts';
import { amountMinor, formatCedis } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { ItemField, LookupScreen, Menu, Taken } from '../schema.ts';
import type { Effect, EffectResult, MenuContext, Quote } from '../state/state.ts';
import { amountsBetween, bracketsOf, numbersBetween } from './candidates.ts';
import { type Distinction, distinctionsOf } from './distinctions.ts';
import { longestFee, longestTotal, paymentsOf } from './payments.ts';
import { isSpoken, usesAheadOf } from './uses.ts';

/** What may come of a want, and how a person would say it; that nothing came is the step that has the want. */
export type Answered = { readonly got: EffectResult; readonly said: string };

/** Nobody would read, or wait for, what more differences come to. */
const maxAnswers = 3_000;

/**
 * What may come of the wants of a menu, one answer for each kind of thing that can be told apart, with the values that
 * take the most room. `undefined` where there are too many.
 */
export function effectResultsOf(
  menu: Menu,
  payers: readonly Msisdn[],
  context: MenuContext,
): (want: Effect) => readonly Answered[] | undefined {
  const lookups = new Map(
    Object.entries(menu.screens).flatMap(([name, screen]) =>
      screen.kind === 'lookup' ? [[name, answersOf(menu, name, screen)] as const] : [],
    ),
  );
  return (want) => {
    switch (want.kind) {
      case 'lookup':
        return lookups.get(want.at.screen);
      case 'quote':
        return [{ got: { kind: 'quote', quote: longestQuote(want) }, said: 'fee: known' }];
      case 'status': {
        const { shortReference } = want;
        const found = paymentsOf(menu, payers, context).map((standing) => ({
          got: { kind: 'status' as const, found: { ...standing, shortReference } },
          said: standing.state,
        }));
        return [...found, { got: { kind: 'status', found: undefined }, said: 'no such reference' }];
      }
      default:
        return unreachable(want);
    }
  };
}

function longestQuote({ asked }: Extract<Effect, { kind: 'quote' }>): Quote {
  const { amountMinor: goods, reference, shortReference } = asked;
  return {
    id: 'quo_0',
    reference: reference ?? shortReference,
    feeMinor: longestFee(goods),
    totalMinor: longestTotal(goods),
  };
}

type Raw = string | number | undefined | readonly Readonly<Record<string, Raw>>[];
type Candidates = { readonly name: string; readonly raws: readonly Raw[] };

/** What a merchant's system may answer. */
function answersOf(menu: Menu, name: string, { take }: LookupScreen): Answered[] | undefined {
  const distinctions = distinctionsOf(menu);
  const spoken = isSpoken(menu);
  const { lists } = usesAheadOf(menu)(name);
  const fields = Object.entries(take).map(([field, taken]) => ({ name: field, taken }));
  const candidates = (isFull: boolean): Candidates[] | undefined => {
    const all: Candidates[] = [];
    for (const { name: field, taken } of fields) {
      const raws =
        taken.list === undefined
          ? rawsOf(taken, distinctions(field), spoken, isFull)
          : listsOf(field, taken, lists.includes(field));
      if (raws === undefined) return undefined;
      all.push({ name: taken.from ?? field, raws });
    }
    return all;
  };
  const listsOf = (
    list: string,
    { list: length = 0, of = {} }: Taken,
    isOffered: boolean,
  ): Raw[] | undefined => {
    if (!isOffered && !distinctions(list).isAsked) return [[]];
    // An item that lacks a field makes the whole answer unusable.
    const items = combined(
      Object.entries(of).map(([field, taken]) => ({
        name: taken.from ?? field,
        raws: rawsOf(taken, distinctions(`${list}.${field}`), spoken, true).filter(
          (raw) => raw !== undefined,
        ),
      })),
    );
    return items && [...items.map((item) => Array(length).fill(item)), []];
  };
  const [full, bare] = [candidates(true), candidates(false)].map((one) => one && combined(one));
  if (full === undefined || bare === undefined) return undefined;
  const asked = new Map(
    fields.flatMap(({ name: field, taken }) =>
      distinctions(field).isAsked || taken.list !== undefined ? [[taken.from ?? field, taken] as const] : [],
    ),
  );
  const found = distinct([...full, ...bare]).map(
    (answer): Answered => ({
      got: { kind: 'lookup', answer: { kind: 'found', fields: answer } },
      said: `${name}: found${wordsOf(answer, asked)}`,
    }),
  );
  return [...found, { got: { kind: 'lookup', answer: { kind: 'not_found' } }, said: `${name}: not found` }];
}

/** What of an answer matters: fields that are absent, and those that something depends on. */
function wordsOf(answer: Readonly<Record<string, Raw>>, asked: ReadonlyMap<string, ItemField>): string {
  const entries = Object.entries(answer);
  const there = entries.flatMap(([name, raw]) => {
    const field = asked.get(name);
    // Brackets stand for any other text.
    if (field === undefined || raw === undefined || bracketsOf(field.text ?? 0).some((one) => one === raw))
      return [];
    return `${name} ${rawWords(field, raw)}`;
  });
  const absent = entries.flatMap(([name, raw]) => (raw === undefined ? name : []));
  const parts = [
    ...(there.length === 0 ? [] : [`with ${there.join(', ')}`]),
    ...(absent.length === 0 ? [] : [`without ${absent.join(', ')}`]),
  ];
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`;
}

function rawWords({ amount }: ItemField, raw: Raw): string {
  if (typeof raw === 'object') return raw.length === 0 ? 'empty' : `of ${raw.length}`;
  return amount !== undefined && typeof raw === 'number' ? formatCedis(raw) : String(raw);
}

function distinct<T>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one] as const)).values()];
}

/**
 * What a field may hold. Where only texts show it, it is there with the most room, or absent with all of its kind: the
 * more is absent, the more lines go.
 */
function rawsOf(
  { text, amount, number }: ItemField,
  distinction: Distinction,
  isSpokenMenu: boolean,
  isFull: boolean,
): Raw[] {
  const { isAsked, amounts, numbers, texts } = distinction;
  const there: Raw[] = [];
  if (text !== undefined) {
    const named = texts.filter((one) => one !== '' && one.length <= text);
    const other = bracketsOf(text).find((one) => !texts.includes(one));
    there.push(...(other === undefined ? [] : [other]), ...named);
  } else if (amount !== undefined) {
    there.push(...amountsBetween(0, amount, isAsked ? amounts : [], isSpokenMenu).map(amountMinor));
  } else {
    there.push(...numbersBetween(0, number ?? 0, isAsked ? numbers : []));
  }
  if (isAsked) return [...there, undefined];
  return isFull ? there : [undefined];
}

/** One of every candidate with one of every other. */
function combined(all: readonly Candidates[]): Record<string, Raw>[] | undefined {
  if (all.reduce((count, { raws }) => count * raws.length, 1) > maxAnswers) return undefined;
  return all.reduce<Record<string, Raw>[]>(
    (some, { name, raws }) => some.flatMap((one) => raws.map((raw) => ({ ...one, [name]: raw }))),
    [{}],
  );
}
