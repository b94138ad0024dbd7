import { amountMinor } from '../../shared/money.ts';
import type { Operator } from '../../shared/msisdn.ts';
import type { LocalTime } from '../../shared/time-text.ts';
import type { Condition } from '../schema.ts';
import { timeHolds } from '../state/time-condition.ts';
import { showValue } from '../text/format.ts';
import { joinTexts, longestWords } from './longest.ts';

/** What the search knows about the value of one name: a superset of the values that payers can have there. */
export type Domain = {
  readonly kind: 'text' | 'amount' | 'number' | 'list';
  /** The value can be unknown. */
  readonly isOptional: boolean;
  /** Of an amount in pesewas, a whole number, or the items of a list. */
  readonly min: number;
  readonly max: number;
  /** At least as long as each text, in every alphabet. */
  readonly longest: string;
  /** The only texts that are possible, in lower case; absent for any text. */
  readonly among?: readonly string[];
  /** Texts that are not possible, in lower case. */
  readonly except: readonly string[];
  /** The fields of each item of a list. */
  readonly fields?: Domains;
};

/** The domains by name. An absent one never has a value there. Fields of the chosen item have names such as `item.due`. */
export type Domains = Readonly<Record<string, Domain>>;

const any = { isOptional: false, min: 0, max: 0, longest: '', except: [] } as const;

export const amountDomain = (min: number, max: number): Domain => ({ ...any, kind: 'amount', min, max });
export const numberDomain = (min: number, max: number): Domain => ({ ...any, kind: 'number', min, max });
/** A line break counts as the longest one of any channel. */
export const textDomain = (longest: string, among?: readonly string[]): Domain => ({
  ...any,
  kind: 'text',
  longest: longest.replaceAll('\n', '<br/>'),
  ...(among && { among: among.map((one) => one.toLowerCase()) }),
});
export const listDomain = (max: number, fields: Domains): Domain => ({
  ...any,
  kind: 'list',
  min: 1,
  max,
  fields,
});

export function optional(domain: Domain | undefined): Domain | undefined {
  return domain && { ...domain, isOptional: true };
}

/** Returns a text that is at least as long as every value of a domain in a format; empty for a list. */
export function longestForm({ kind, max, longest }: Domain, format?: string): string {
  switch (kind) {
    case 'amount':
      return format === 'words' ? longestWords(max) : showValue({ amountMinor: amountMinor(max) }, format);
    case 'number':
      return showValue({ number: max }, format);
    case 'text':
      // The format inserts a comma before each group of three digits.
      return format === 'number' ? longest + ','.repeat(longest.length / 3) : showValue(longest, format);
    case 'list':
      return '';
    default:
      return kind satisfies never;
  }
}

/** True when a name can be without a value. */
export function isOptional(domains: Domains, name: string): boolean {
  return domains[name]?.isOptional ?? true;
}

/** Returns a domain of the values of both. Two kinds become a text that is as long as any form of both. */
export function join(some: Domain | undefined, other: Domain | undefined): Domain | undefined {
  if (!some || !other) return optional(some ?? other);
  if (some.kind !== other.kind) {
    const forms = [some, other].flatMap((one) => [longestForm(one), longestForm(one, 'words')]);
    return { ...textDomain(forms.reduce(joinTexts)), isOptional: some.isOptional || other.isOptional };
  }
  const { among, ...rest } = some;
  const both = among && other.among && [...new Set([...among, ...other.among])];
  return {
    ...rest,
    isOptional: some.isOptional || other.isOptional,
    min: Math.min(some.min, other.min),
    max: Math.max(some.max, other.max),
    longest: joinTexts(some.longest, other.longest),
    except: some.except.filter((one) => other.except.includes(one)),
    ...(both && { among: both }),
    ...(some.fields && { fields: joinDomains(some.fields, other.fields ?? {}) }),
  };
}

export function joinDomains(some: Domains, others: Domains): Domains {
  const names = new Set([...Object.keys(some), ...Object.keys(others)]);
  return Object.fromEntries([...names].flatMap((name) => entry(name, join(some[name], others[name]))));
}

export function withDomain(domains: Domains, name: string, domain: Domain | undefined): Domains {
  const { [name]: _, ...rest } = domains;
  return { ...rest, ...Object.fromEntries(entry(name, domain)) };
}

function entry(name: string, domain: Domain | undefined): [string, Domain][] {
  return domain === undefined ? [] : [[name, domain]];
}

/** What conditions can distinguish in a dialogue. */
export type Situation = {
  readonly language: string;
  readonly localTime: LocalTime;
  readonly isAttendant: boolean;
  readonly isOtherPayer: boolean;
  /** The networks that the payer can have. */
  readonly operators: readonly Operator[];
  readonly values: Domains;
};

/** A part of a condition; both parts of a situation where it can hold, and where it can fail. */
type Split<S> = { readonly holds: readonly S[]; readonly fails: readonly S[] };

/** Splits a situation in those where a condition can hold and those where it can fail. The results can share dialogues. */
export function split<S extends Situation>(situation: S, when: Condition | undefined): Split<S> {
  let holds: readonly S[] = [situation];
  const fails: S[] = [];
  for (const part of when ? splitParts(when) : []) {
    const parts = holds.map((one) => part(one) as Split<S>);
    holds = parts.flatMap((one) => one.holds);
    fails.push(...parts.flatMap((one) => one.fails));
  }
  return { holds, fails };
}

type Part = <S extends Situation>(situation: S) => Split<S>;

function decided<S>(situation: S, isTrue: boolean): Split<S> {
  return isTrue ? { holds: [situation], fails: [] } : { holds: [], fails: [situation] };
}

function splitParts(when: Condition): Part[] {
  const { operator, payer, dialler, language, time, weekday, from, until, value } = when;
  const parts: Part[] = [];
  if (payer) parts.push((one) => decided(one, one.isOtherPayer === (payer === 'other')));
  if (dialler) parts.push((one) => decided(one, one.isAttendant));
  if (language) parts.push((one) => decided(one, language.includes(one.language)));
  if ([time, weekday, from, until].some((one) => one !== undefined))
    parts.push((one) => decided(one, timeHolds(when, one.localTime)));
  if (operator) {
    parts.push((one) => {
      const within = (isNamed: boolean) => {
        const left = one.operators.filter((name) => operator.includes(name) === isNamed);
        return left.length === 0 ? [] : [{ ...one, operators: left }];
      };
      return { holds: within(true), fails: within(false) };
    });
  }
  if (value === undefined) return parts;
  const onValue = (splitDomain: (domain: Domain | undefined) => Split<Domain | undefined>): Part => {
    return (one) => {
      const { holds, fails } = splitDomain(one.values[value]);
      const withEach = (all: readonly (Domain | undefined)[]) =>
        all.map((domain) => ({ ...one, values: withDomain(one.values, value, domain) }));
      return { holds: withEach(holds), fails: withEach(fails) };
    };
  };
  return [...parts, ...valueParts(when).map(onValue)];
}

function valueParts(when: Condition): ((domain: Domain | undefined) => Split<Domain | undefined>)[] {
  const { known, is, not, above, below, atLeast, atMost } = when;
  const bound = (at: NonNullable<Condition['above']>) => at.number ?? at.amountMinor;
  const ranges = [
    ...(above ? [[bound(above) + 1, infinite] as const] : []),
    ...(below ? [[-infinite, bound(below) - 1] as const] : []),
    ...(atLeast ? [[bound(atLeast), infinite] as const] : []),
    ...(atMost ? [[-infinite, bound(atMost)] as const] : []),
  ];
  return [
    ...(known === undefined ? [] : [(one: Domain | undefined) => flipUnless(known, splitKnown(one))]),
    ...(not === undefined ? [] : [(one: Domain | undefined) => flipUnless(false, splitEqual(one, not))]),
    ...(is === undefined ? [] : [(one: Domain | undefined) => splitEqual(one, is)]),
    ...ranges.map(
      ([low, high]) =>
        (one: Domain | undefined) =>
          splitRange(one, low, high),
    ),
  ];
}

function flipUnless<S>(isKept: boolean, { holds, fails }: Split<S>): Split<S> {
  return isKept ? { holds, fails } : { holds: fails, fails: holds };
}

const infinite = Number.POSITIVE_INFINITY;
const unknown = [undefined] as const;

function splitKnown(domain: Domain | undefined): Split<Domain | undefined> {
  if (domain === undefined) return { holds: [], fails: unknown };
  return { holds: [{ ...domain, isOptional: false }], fails: domain.isOptional ? unknown : [] };
}

/** One of `low` and `high` is infinite. */
function splitRange(domain: Domain | undefined, low: number, high: number): Split<Domain | undefined> {
  if (domain === undefined) return { holds: [], fails: unknown };
  const within = (from: number, to: number, isOptional: boolean) => {
    const part = { ...domain, isOptional, min: Math.max(from, domain.min), max: Math.min(to, domain.max) };
    if (part.min <= part.max) return [part];
    return isOptional ? unknown : [];
  };
  const [from, to] = high === infinite ? [-infinite, low - 1] : [high + 1, infinite];
  return { holds: within(low, high, false), fails: within(from, to, domain.isOptional) };
}

/** Equality compares the texts of values. No amount equals a text. */
function splitEqual(domain: Domain | undefined, to: readonly (string | number)[]): Split<Domain | undefined> {
  if (domain === undefined || domain.kind === 'amount' || domain.kind === 'list') {
    return { holds: [], fails: [domain] };
  }
  const named = to.map((one) => String(one).toLowerCase());
  const { among, except, ...rest } = domain;
  const certain = { ...rest, isOptional: false };
  if (domain.kind === 'number') {
    const numbers = named.map(Number).filter((one) => one >= domain.min && one <= domain.max);
    const holds = numbers.map((one) => ({ ...certain, except, min: one, max: one }));
    const isOnly = domain.min === domain.max && numbers.length > 0;
    if (isOnly) return { holds, fails: domain.isOptional ? unknown : [] };
    return { holds, fails: [domain] };
  }
  const possible = named.filter((one) => (among?.includes(one) ?? true) && !except.includes(one));
  const left = among?.filter((one) => !named.includes(one));
  const fails = { ...rest, except: [...new Set([...except, ...named])].sort(), ...(left && { among: left }) };
  return {
    holds: possible.length === 0 ? [] : [{ ...certain, except, among: possible }],
    fails: left?.length === 0 ? (domain.isOptional ? unknown : []) : [fails],
  };
}
