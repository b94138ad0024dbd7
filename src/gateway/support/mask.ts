import { formatCedis, parseCedis, spellCedis, amountMinor as toAmount } from '../../shared/money.ts';
import { localForm, type Msisdn, parseMsisdn } from '../../shared/msisdn.ts';
import { asShown } from './shown.ts';

/** Puts stand-ins in the place of what belongs to payers, the same one for the same each time. */
export type Mask = {
  number(msisdn: Msisdn): string;
  /**
   * What was typed below a screen: keys and amounts that were taken stay, numbers become others, and anything else gets a
   * stand-in. Where the screen names an example of the same form, that is the stand-in: it is taken as well.
   */
  input(typed: string, screen: string): string;
  /** A text that may repeat numbers, what was typed and what was looked up. */
  text(said: string): string;
  /** What a look-up has told: screens from here on may repeat it. */
  learn(told: { texts: readonly string[]; amounts: readonly number[]; counts: readonly number[] }): void;
  /** A text by itself that was typed or looked up. Any other is the menu's, and stays. */
  value(text: string): string;
  /** An amount in pesewas that was looked up. */
  amount(minor: number): number;
  /** A whole number that was looked up or typed. */
  count(count: number): number;
};

export const noMask: Mask = {
  number: localForm,
  input: (typed) => typed,
  text: (said) => said,
  learn: () => {},
  value: (text) => text,
  amount: (minor) => minor,
  count: (count) => count,
};

/** What is known of a dialogue, so that the menu's own words can be told from the payers'. */
export type Private = {
  /** The numbers of payers. Others, such as an example on a screen, are the menu's. */
  numbers: ReadonlySet<string>;
  /** What the menu took for references, names and other texts. */
  texts: ReadonlySet<string>;
  /** What it took for amounts, in pesewas: digits that are none of them may be anything, also a PIN. */
  amounts: ReadonlySet<number>;
  /** What it took for whole numbers. */
  counts: ReadonlySet<number>;
};

const anyNumber = /(?<!\d)(?:(?:\+|00)?233|0)[25]\d{8}(?!\d)/g;
const word = 'MASKED';
/** A looked-up text that is shorter says nothing of a person, and is a part of too many words. */
const minToldLength = 3;
/** Numbers that are shorter are choices, years and counts. */
const maxCountLength = 4;
const maxTries = 100;

/** A mask for one transcript. Inputs must be masked before the texts that repeat them. */
export function createMask(known: Private): Mask {
  const numbers = new Map<string, string>();
  const own = new Set<string>(known.numbers);
  const words = new Map<string, string>();
  const amounts = new Map<number, number>();
  const counts = new Map<number, number>();
  const taken = new Set([...known.texts].map((one) => one.toLowerCase()));

  function mayStay(text: string, screen: string): boolean {
    if (text === '' || isKey(text, screen)) return true;
    if (taken.has(text.toLowerCase())) return false;
    if (/^[\d#*]{1,2}$/.test(text)) return true;
    const amount = parseCedis(text);
    if (amount !== undefined && known.amounts.has(amount)) return true;
    return text.length <= maxCountLength && /^\d+$/.test(text) && known.counts.has(Number(text));
  }

  /** A number of the same network's block, so that the screens that name the network stay. */
  function number(msisdn: Msisdn): string {
    const before = numbers.get(msisdn);
    if (before !== undefined) return before;
    const stand = `${localForm(msisdn).slice(0, 3)}${4_000_000 + numbers.size}`;
    numbers.set(msisdn, stand);
    return stand;
  }

  /** Two texts have two stand-ins: what they decide is decided alike. */
  function standInFor(text: string, makers: readonly ((attempt: number) => string)[]): string {
    const key = keyOf(text);
    const before = words.get(key);
    if (before !== undefined) return likeCase(before, text);
    const used = new Set([...words.values()].map((one) => one.toLowerCase()));
    let stand = '';
    for (let i = 0; i < maxTries * makers.length; i++) {
      stand = makers[Math.trunc(i / maxTries)]?.(i % maxTries) ?? '';
      if (stand.toLowerCase() !== key && !used.has(stand.toLowerCase())) break;
    }
    words.set(key, stand);
    return likeCase(stand, text);
  }

  function standInForTyped(text: string, screen: string): string {
    const example = taken.has(text.toLowerCase()) ? exampleLike(text, screen) : undefined;
    const count = /^\d{1,10}$/.test(text) && known.counts.has(Number(text)) ? Number(text) : undefined;
    if (count !== undefined) return String(changedCount(count));
    const plain = (attempt: number) => standIn(text, attempt);
    return standInFor(text, example === undefined ? [plain] : [(n) => countedUp(example, n), plain]);
  }

  function changedCount(count: number): number {
    return changed(count, counts);
  }

  function entries(): Entry[] {
    return [
      ...[...words].map(([text, stand]): Entry => [wholeWord(text), (found) => likeCase(stand, found)]),
      ...[...amounts].flatMap(([from, to]): Entry[] => [
        [wholeNumber(plain(from)), () => plain(to)],
        [wholeWord(spellCedis(toAmount(from))), () => spellCedis(toAmount(to))],
      ]),
      ...[...counts].flatMap(([from, to]): Entry[] => [
        [wholeNumber(String(from)), () => String(to)],
        [wholeNumber(grouped(from)), () => grouped(to)],
      ]),
      // Screens show other payers' numbers in part.
      ...[...numbers].map(([msisdn, stand]): Entry => {
        return [escaped(inPart(localForm(msisdn as Msisdn))), () => inPart(stand)];
      }),
    ];
  }

  return {
    number,
    input(typed, screen) {
      const text = typed.trim();
      const msisdn = parseMsisdn(text);
      if (msisdn) {
        own.add(msisdn);
        return number(msisdn);
      }
      return mayStay(text, screen) ? typed : standInForTyped(text, screen);
    },
    text(said) {
      for (const msisdn of own) number(msisdn as Msisdn);
      return replaced(said, entries()).replace(anyNumber, (found) => {
        const msisdn = parseMsisdn(found);
        return msisdn && own.has(msisdn) ? number(msisdn) : found;
      });
    },
    learn(told) {
      for (const raw of told.texts) {
        const text = asShown(raw);
        const msisdn = parseMsisdn(text);
        if (msisdn) own.add(msisdn);
        else if (text.length >= minToldLength) standInFor(text, [(attempt) => standIn(text, attempt)]);
      }
      for (const minor of told.amounts) if (!known.amounts.has(minor)) changed(minor, amounts);
      for (const count of told.counts) {
        if (!known.counts.has(count) && count > 99) changedCount(count);
      }
    },
    value(text) {
      const msisdn = parseMsisdn(text);
      if (msisdn && own.has(msisdn)) return number(msisdn);
      const stand = words.get(keyOf(text));
      return stand === undefined ? text : likeCase(stand, asShown(text));
    },
    amount: (minor) => amounts.get(minor) ?? minor,
    count: (count) => counts.get(count) ?? count,
  };
}

/** Texts are alike that screens show alike, in whatever letters. */
function keyOf(text: string): string {
  return asShown(text).toLowerCase();
}

type Entry = [pattern: string, by: (found: string) => string];

/** All at once, the longest first: what was put in is not replaced again. */
function replaced(text: string, entries: readonly Entry[]): string {
  if (entries.length === 0) return text;
  const longestFirst = entries.toSorted(([a], [b]) => b.length - a.length);
  const all = new RegExp(longestFirst.map(([pattern]) => `(${pattern})`).join('|'), 'gi');
  return text.replace(all, (found, ...groups) => {
    const at = groups.slice(0, longestFirst.length).findIndex((group) => group !== undefined);
    return longestFirst[at]?.[1](found) ?? found;
  });
}

/** Whether the screen offers it, as in `1. Yes`. */
function isKey(text: string, screen: string): boolean {
  return /^[\d#*]{1,2}$/.test(text) && screen.split('\n').some((line) => line.startsWith(`${text}. `));
}

/**
 * A text of the same length and form: letters become those of `MASKED`, digits zeros, and the rest stays, so that screens
 * are divided as they were, what was a mistake stays one, and a code can still be dialled.
 */
function standIn(text: string, attempt: number): string {
  const masked = text.replace(/\p{L}+/gu, (letters) => {
    const shifted = word.slice(attempt % word.length) + word.slice(0, attempt % word.length);
    return likeCase(
      shifted.repeat(Math.ceil(letters.length / word.length)).slice(0, letters.length),
      letters,
    );
  });
  return countedUp(masked.replace(/\d/g, '0'), attempt);
}

/** The same text with its last digits counted up, as many as there are. */
function countedUp(text: string, by: number): string {
  return text.replace(/(\d+)(\D*)$/, (_, digits: string, rest: string) => {
    const next = String((Number(digits.slice(-9)) + by) % 10 ** Math.min(digits.length, 9));
    return `${digits.slice(0, Math.max(0, digits.length - 9))}${next.padStart(Math.min(digits.length, 9), '0')}${rest}`;
  });
}

/** What the screen says in the form of the text, such as `INV-1234` for `inv-2047`. */
function exampleLike(text: string, screen: string): string | undefined {
  const form = formOf(text);
  if (!form.includes('0')) return undefined;
  return screen.match(/[A-Za-z0-9][A-Za-z0-9./-]*[A-Za-z0-9]/g)?.find((one) => formOf(one) === form);
}

function formOf(text: string): string {
  return text.replace(/[A-Za-z]/g, 'a').replace(/\d/g, '0');
}

/** Letters in capitals where the other text has them, letter by letter. */
function likeCase(text: string, other: string): string {
  if (text.length !== other.length) return text;
  return Array.from(text, (letter, i) => {
    const model = other[i] ?? '';
    if (model === model.toLowerCase() && model !== model.toUpperCase()) return letter.toLowerCase();
    return model === model.toUpperCase() && model !== model.toLowerCase() ? letter.toUpperCase() : letter;
  }).join('');
}

/** Another number of as many digits, the first of them the same: what was nothing stays nothing, much stays much. */
function changed(number: number, before: Map<number, number>): number {
  const known = before.get(number);
  if (known !== undefined) return known;
  const [first = '', ...rest] = String(number);
  const used = new Set(before.values());
  let other = number;
  for (let count = 1; rest.length > 0 && count < 10 ** rest.length; count++) {
    other = Number(`${first}${String(count).padStart(rest.length, '0')}`);
    if (other !== number && !used.has(other)) break;
  }
  before.set(number, other);
  return other;
}

/** `20.00` */
function plain(minor: number): string {
  return formatCedis(minor).replace(/^GHS /, '');
}

/** `1,234` */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** As screens show another payer's number. */
function inPart(local: string): string {
  return `${local.slice(0, 4)}***${local.slice(-3)}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function wholeWord(text: string): string {
  return `(?<![A-Za-z0-9])${escaped(text)}(?![A-Za-z0-9])`;
}

function wholeNumber(digits: string): string {
  return `(?<![A-Za-z0-9.,-])${escaped(digits)}(?![A-Za-z0-9]|[.,-]\\d)`;
}
