import { localForm, type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { asDisplayed } from './steps.ts';

/** Pseudonyms of the same length and form as the texts that they replace. Equal texts have equal pseudonyms. */
export type Pseudonyms = {
  addNumber(msisdn: Msisdn): void;
  /** @param example a text of the same form that the menu accepts; preferred as the pseudonym. */
  addText(text: string, example?: string): void;
  /** Adds a whole number, which screens show with or without separators. Its first digit stays. */
  addNumeral(number: number): void;
  /** Replaces all texts in one pass, the longest first, and keeps upper and lower case. */
  replace(text: string): string;
};

const maxTries = 100;

/** Creates an empty set of pseudonyms. */
export function createPseudonyms(): Pseudonyms {
  /** By the lower-case text that is replaced. */
  const pseudonyms = new Map<string, string>();
  const used = new Set<string>();
  const numbers = new Map<Msisdn, string>();
  let pattern: RegExp | undefined;

  function add(text: string, pseudonym: string): string {
    if (text !== '') pseudonyms.set(text, pseudonym);
    pattern = undefined;
    return pseudonym;
  }

  function addNumber(msisdn: Msisdn): string {
    const known = numbers.get(msisdn);
    if (known !== undefined) return known;
    const local = localForm(msisdn);
    // The prefix stays, because screens name the operator.
    const pseudonym = `${local.slice(0, 3)}${4_000_000 + numbers.size}`;
    numbers.set(msisdn, pseudonym);
    add(msisdn, `233${pseudonym.slice(1)}`);
    add(halfHidden(local), halfHidden(pseudonym));
    return add(local, pseudonym);
  }

  function addText(text: string, example?: string): string {
    const displayed = asDisplayed(text).toLowerCase();
    const msisdn = parseMsisdn(displayed);
    const pseudonym =
      pseudonyms.get(displayed) ?? (msisdn ? addNumber(msisdn) : unusedPseudonym(displayed, example));
    add(text.toLowerCase(), pseudonym);
    return add(displayed, pseudonym);
  }

  function unusedPseudonym(text: string, example?: string): string {
    const scrambled = (count: number) => scramble(text, count);
    const likeExample = (count: number) => countUp(example ?? text, count);
    for (const create of example === undefined ? [scrambled] : [likeExample, scrambled]) {
      for (let count = 0; count < maxTries; count++) {
        const pseudonym = create(count).toLowerCase();
        if (pseudonym === text || used.has(pseudonym)) continue;
        used.add(pseudonym);
        return pseudonym;
      }
    }
    return scramble(text, 0);
  }

  return {
    addNumber,
    addText,
    addNumeral(number) {
      const digits = String(number);
      const pseudonym = addText(digits, digits.slice(0, 1).padEnd(digits.length, '0'));
      add(grouped(digits), grouped(pseudonym));
    },
    replace(text) {
      if (pseudonyms.size === 0) return text;
      pattern ??= toPattern([...pseudonyms.keys()]);
      return text.replace(pattern, (found) => likeCase(pseudonyms.get(found.toLowerCase()) ?? found, found));
    },
  };
}

const minUnboundedLength = 8;

/** Short texts match only as whole words or numbers. */
function toPattern(texts: readonly string[]): RegExp {
  const byLength = texts.toSorted((a, b) => b.length - a.length);
  const patterns = byLength.map((text) => {
    const escaped = text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    if (text.length >= minUnboundedLength) return escaped;
    return `(?<![\\p{L}\\d]|\\d[.,])${escaped}(?![\\p{L}\\d]|[.,]\\d)`;
  });
  return new RegExp(patterns.join('|'), 'giu');
}

/** Replaces letters with those of `masked`, and digits with zeros plus `count`. Length and signs stay. */
function scramble(text: string, count: number): string {
  const word = 'masked';
  const letters = text.replace(/\p{L}+/gu, (run) =>
    Array.from(run, (_, i) => word[(i + count) % word.length]).join(''),
  );
  return countUp(letters.replace(/\d/g, '0'), count);
}

/** Adds `count` to the last digits of a text, at most nine of them; the number of digits stays. */
function countUp(text: string, count: number): string {
  return text.replace(/(\d{1,9})(\D*)$/, (_, digits: string, rest: string) => {
    const sum = (Number(digits) + count) % 10 ** digits.length;
    return `${String(sum).padStart(digits.length, '0')}${rest}`;
  });
}

/** Returns the text in the case of another text of the same length, letter by letter. */
function likeCase(text: string, other: string): string {
  if (text.length !== other.length) return text;
  return Array.from(text, (letter, i) => {
    const model = other[i] ?? '';
    return model === model.toLowerCase() ? letter : letter.toUpperCase();
  }).join('');
}

/** `1,234` */
function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A phone number as screens show it to other payers and to attendants. */
function halfHidden(local: string): string {
  return `${local.slice(0, 4)}***${local.slice(-3)}`;
}
