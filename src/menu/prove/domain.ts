import { amountMinor } from '../../shared/money.ts';
import type { Condition, Preset } from '../schema.ts';
import { timeHolds } from '../state/condition.ts';
import type { MenuContext } from '../state/state.ts';
import { showValue } from '../text/format.ts';
import { joinTexts, maxWords } from './sizes.ts';

/** A superset of the values that payers can have under one name. */
export type Domain = {
  readonly kind: 'text' | 'amount' | 'number' | 'list';
  /** The value can be unknown. */
  readonly isOptional: boolean;
  /** Of an amount in pesewas, a whole number, or the items of a list. */
  readonly min: number;
  readonly max: number;
  /** At least as long as each text, in every alphabet. */
  readonly maxText: string;
  /** The only texts that are possible, in lower case; absent for any text. */
  readonly among?: readonly string[];
  /** Texts that are not possible, in lower case. */
  readonly except: readonly string[];
  /** The fields of each item of a list. */
  readonly fields?: Domains;
};

/** The domains by name. An absent one never has a value there. Fields of the chosen item have names such as `item.due`. */
export type Domains = Readonly<Record<string, Domain>>;

/** A domain, or `undefined` for a value that is unknown. */
type Known = Domain | undefined;

const any = { isOptional: false, min: 0, max: 0, maxText: '', except: [] } as const;

export const amountDomain = (min: number, max: number): Domain => ({ ...any, kind: 'amount', min, max });
export const numberDomain = (min: number, max: number): Domain => ({ ...any, kind: 'number', min, max });
/** A line break counts as the longest one of any channel. */
export const textDomain = (maxText: string, among?: readonly string[]): Domain => ({
  ...any,
  kind: 'text',
  maxText: maxText.replaceAll('\n', '<br/>'),
  ...(among && { among: among.map((one) => one.toLowerCase()) }),
});
export const listDomain = (max: number, fields: Domains): Domain => {
  return { ...any, kind: 'list', min: 1, max, fields };
};

/** Returns the same values, and unknown. */
export function optional(domain: Known): Known {
  return domain && { ...domain, isOptional: true };
}

/** True when a name can be without a value. */
export function isOptional(domains: Domains, name: string): boolean {
  return domains[name]?.isOptional ?? true;
}

/** Returns a text that is at least as long as every value of a domain in a format; empty for a list. */
export function maxForm({ kind, max, maxText }: Domain, format?: string): string {
  if (kind === 'number') return showValue({ number: max }, format);
  if (kind === 'amount')
    return format === 'words' ? maxWords(max) : showValue({ amountMinor: amountMinor(max) }, format);
  // The format inserts a comma before each group of three digits.
  return format === 'number' ? maxText + ','.repeat(maxText.length / 3) : showValue(maxText, format);
}

/** Returns a domain of the values of both. Two kinds become a text that is as long as any form of both. */
export function join(some: Known, other: Known): Known {
  if (!some || !other) return optional(some ?? other);
  const isEitherOptional = some.isOptional || other.isOptional;
  if (some.kind !== other.kind) {
    const forms = [some, other].flatMap((one) => [maxForm(one), maxForm(one, 'words')]);
    return { ...textDomain(forms.reduce(joinTexts)), isOptional: isEitherOptional };
  }
  const { among, ...rest } = some;
  return {
    ...rest,
    isOptional: isEitherOptional,
    min: Math.min(some.min, other.min),
    max: Math.max(some.max, other.max),
    maxText: joinTexts(some.maxText, other.maxText),
    except: some.except.filter((one) => other.except.includes(one)),
    ...(among && other.among && { among: [...new Set([...among, ...other.among])] }),
    ...(some.fields && { fields: joinDomains(some.fields, other.fields ?? {}) }),
  };
}

export function joinDomains(some: Domains, others: Domains): Domains {
  return Object.keys({ ...some, ...others }).reduce(
    (all: Domains, name) => withDomain(all, name, join(some[name], others[name])),
    {},
  );
}

/** Replaces the domain of a name; removes it for a value that is unknown. */
export function withDomain(domains: Domains, name: string, domain: Known): Domains {
  const { [name]: _, ...rest } = domains;
  return domain === undefined ? rest : { ...rest, [name]: domain };
}

/** All dialogues that are on a screen with values in the same domains. */
export type State = {
  readonly screen: string;
  readonly language: string;
  readonly isOtherPayer: boolean;
  /** The network that the payer chose for another number. */
  readonly network?: Preset['operator'];
  /** The networks that the payer can have. */
  readonly operators: readonly MenuContext['operator'][];
  readonly values: Domains;
} & Pick<MenuContext, 'localTime' | 'isAttendant'>;

/** The parts in which a condition can hold, and in which it can fail. They can share dialogues. */
type Split<S> = { readonly holds: readonly S[]; readonly fails: readonly S[] };

/** Splits a state in those where a condition can hold and those where it can fail. */
export function split(state: State, when: Condition | undefined): Split<State> {
  let holds: readonly State[] = [state];
  const fails: State[] = [];
  for (const part of when ? splitParts(when) : []) {
    const parts = holds.map(part);
    holds = parts.flatMap((one) => one.holds);
    fails.push(...parts.flatMap((one) => one.fails));
  }
  return { holds, fails };
}

function decided<S>(state: S, isTrue: boolean): Split<S> {
  return isTrue ? { holds: [state], fails: [] } : { holds: [], fails: [state] };
}

function splitParts(when: Condition): ((state: State) => Split<State>)[] {
  const { operator, payer, dialler, language, value } = when;
  return [
    (one) =>
      decided(
        one,
        (payer === undefined || one.isOtherPayer === (payer === 'other')) &&
          (dialler === undefined || one.isAttendant) &&
          (language === undefined || language.includes(one.language)) &&
          timeHolds(when, one.localTime),
      ),
    (one) => {
      const within = (isNamed: boolean) => {
        const left = one.operators.filter((name) => !operator || operator.includes(name) === isNamed);
        return left.length === 0 ? [] : [{ ...one, operators: left }];
      };
      return operator ? { holds: within(true), fails: within(false) } : decided(one, true);
    },
    ...(value === undefined ? [] : valueParts(when)).map((splitDomain) => (one: State) => {
      const { holds, fails } = splitDomain(one.values[value ?? '']);
      const withEach = (all: readonly Known[]) =>
        all.map((domain) => ({ ...one, values: withDomain(one.values, value ?? '', domain) }));
      return { holds: withEach(holds), fails: withEach(fails) };
    }),
  ];
}

function valueParts({ known, is, not, above, below, atLeast, atMost }: Condition) {
  const parts: ((domain: Known) => Split<Known>)[] = [];
  const flip = ({ holds, fails }: Split<Known>) => ({ holds: fails, fails: holds });
  const addRange = (bound: Condition['above'], getRange: (at: number) => [low: number, high: number]) => {
    if (bound === undefined) return;
    const [low, high] = getRange(bound.number ?? bound.amountMinor);
    const kind = bound.number === undefined ? 'amount' : 'number';
    // A value of another kind is neither above nor below.
    parts.push((one) => (one?.kind === kind ? splitRange(one, low, high) : decided(one, false)));
  };
  if (known !== undefined) parts.push((one) => (known ? splitKnown(one) : flip(splitKnown(one))));
  if (not !== undefined) parts.push((one) => flip(splitEqual(one, not)));
  if (is !== undefined) parts.push((one) => splitEqual(one, is));
  addRange(above, (at) => [at + 1, infinite]);
  addRange(below, (at) => [-infinite, at - 1]);
  addRange(atLeast, (at) => [at, infinite]);
  addRange(atMost, (at) => [-infinite, at]);
  return parts;
}

const infinite = Number.POSITIVE_INFINITY;

/** The unknown value, where it is possible. */
const unknownOf = (domain: Domain): Known[] => (domain.isOptional ? [undefined] : []);

function splitKnown(domain: Known): Split<Known> {
  if (domain === undefined) return decided(domain, false);
  return { holds: [{ ...domain, isOptional: false }], fails: unknownOf(domain) };
}

/** One of `low` and `high` is infinite. */
function splitRange(domain: Domain, low: number, high: number): Split<Known> {
  const within = (from: number, to: number, isOpen: boolean): Known[] => {
    const part = {
      ...domain,
      isOptional: isOpen,
      min: Math.max(from, domain.min),
      max: Math.min(to, domain.max),
    };
    return part.min <= part.max ? [part] : isOpen ? [undefined] : [];
  };
  const [from, to] = high === infinite ? [-infinite, low - 1] : [high + 1, infinite];
  return { holds: within(low, high, false), fails: within(from, to, domain.isOptional) };
}

/** Equality compares the texts of values. No amount equals a text. */
function splitEqual(domain: Known, to: readonly (string | number)[]): Split<Known> {
  if (domain === undefined || domain.kind === 'amount' || domain.kind === 'list')
    return decided(domain, false);
  const named = to.map((one) => String(one).toLowerCase());
  const { among, except, ...rest } = domain;
  const certain = { ...rest, except, isOptional: false };
  if (domain.kind === 'number') {
    const numbers = named.map(Number).filter((one) => one >= domain.min && one <= domain.max);
    const isOnly = domain.min === domain.max && numbers.length > 0;
    const holds = numbers.map((one) => ({ ...certain, min: one, max: one }));
    return { holds, fails: isOnly ? unknownOf(domain) : [domain] };
  }
  const possible = named.filter((one) => (among?.includes(one) ?? true) && !except.includes(one));
  const left = among?.filter((one) => !named.includes(one));
  const others = {
    ...rest,
    except: [...new Set([...except, ...named])].sort(),
    ...(left && { among: left }),
  };
  return {
    holds: possible.length === 0 ? [] : [{ ...certain, among: possible }],
    fails: left?.length === 0 ? unknownOf(domain) : [others],
  };
}
