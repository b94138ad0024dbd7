import { type AmountMinor, parseCedis } from '../../shared/money.ts';
import { findMsisdn, type Msisdn, maskedText, maskNumbers, parseMsisdn } from '../../shared/msisdn.ts';
import { readShortReference } from '../../shared/short-reference.ts';
import { normalizeTyped } from '../../shared/typed-text.ts';
import type { Scope } from './page.ts';

/** A shorter part of a reference matches too many collections. */
const minPartLength = 3;
/** Fewer digits find too much to say something about a number. */
const minSearchedDigits = 3;
/** Fewer last digits of a phone match too many collections. */
const minLastDigits = 4;
const maxLastDigits = 12;
/** The characters after the prefix of an id by which it is found. Ids with fewer equal characters share the same time. */
export const minIdCharacters = 8;
/** An id or its start. */
const startOfId = new RegExp(`^(?:col|pay|unp)_[\\w-]{${minIdCharacters},}$`, 'i');
const maxWords = 8;

/** The possible meanings of a search term. A meaning that it cannot have is undefined. */
export type SearchTerm = {
  text: string;
  msisdn: Msisdn | undefined;
  /** True when it is an id or the start of one. */
  isId: boolean;
  shortReference: string | undefined;
  /** The last digits of a phone number. */
  lastDigits: string | undefined;
  amountMinor: AmountMinor | undefined;
  /** True when a whole reference, or another text of a payment, can be equal to it. */
  isWhole: boolean;
  /** True when it can be a part of a reference, and the words that the reference then contains. */
  isPart: boolean;
  /** True when references are searched as they are shown, with masked numbers, because a word can be of a number, or is of a masked one. */
  isMasked: boolean;
  words: readonly string[];
};

/**
 * Reads a term that a payer reads out, or that a person copies in any spelling. A whole phone number, and an id, is nothing else. The only
 * number in a sentence is searched, too.
 *
 * @param lastFour see `Scope`.
 */
export function readSearchTerm(
  typed: string,
  { lastFour = false }: Pick<Scope, 'lastFour'> = {},
): SearchTerm {
  const text = normalizeTyped(typed);
  const whole = parseMsisdn(text);
  const number = whole ?? findMsisdn(text);
  const msisdn = lastFour ? undefined : number;
  const isId = startOfId.test(text);
  const known = {
    text,
    msisdn,
    isId,
    shortReference: readShortReference(text.replace(/[/_]/g, '-')),
    isWhole: !lastFour || maskNumbers(text) === text,
    isMasked: lastFour ? /\d/.test(text) : text.includes('•'),
  };
  const shownDigits = msisdn === undefined ? number?.slice(-minLastDigits) : undefined;
  if (whole !== undefined || isId)
    return {
      ...known,
      lastDigits: shownDigits,
      amountMinor: undefined,
      isPart: false,
      words: [],
    };
  const words = text.split(/[\s/_-]+/).filter((word) => word !== '');
  return {
    ...known,
    lastDigits: shownDigits ?? findMaskedDigits(text, lastFour) ?? findLastDigits(text, lastFour),
    amountMinor: parseCedis(text),
    isPart: text.trim().length >= minPartLength,
    words: words.length <= maxWords ? words : [],
  };
}

/** Returns whether a term is the start of an id, and too short to find it. */
export function isShortId(term: string): boolean {
  const text = normalizeTyped(term);
  return /^(?:col|pay|unp)_/i.test(text) && text.length < 'col_'.length + minIdCharacters;
}

/** A shorter reference has no phone number. */
export const minMaskedLength = 9;

/**
 * Returns whether a reference contains every word, regardless of case and separators, as pages show it or as commands and files do:
 * with numbers as `024 ••• 3456` or as `23324****456`.
 */
export function containsShown(reference: string | null, words: readonly string[]): boolean {
  return [maskedText, maskNumbers].some((mask) => {
    const shown = mask(reference ?? '').toLowerCase();
    return words.every((word) => shown.includes(word.toLowerCase()));
  });
}

/**
 * Returns the digits by which a search can find a part of a phone number, also one inside a reference: all digits of the text, whatever
 * stands between them. Empty for an id, and for fewer than three.
 */
export function searchedDigits(typed: string): string {
  const text = normalizeTyped(typed);
  const digits = startOfId.test(text) ? '' : text.replace(/\D/g, '');
  return digits.length < minSearchedDigits ? '' : digits;
}

/** A number whose middle is masked, as pages, commands or people write it: `024 ••• 3456`, `23324****456`, `***3456`. */
const maskedMiddle = /^\+?[\d ]{0,8}[•*]{2,}\s*(\d+)$/;
/** The digits that stand after the mask of commands and files. */
const minMaskedDigits = 3;

/** Returns the digits after the mask of a number. A reader who may not see whole numbers has the last four, and no others. */
function findMaskedDigits(text: string, lastFour: boolean): string | undefined {
  const [, digits = ''] = maskedMiddle.exec(text) ?? [];
  const isEnough = lastFour
    ? digits.length === minLastDigits
    : digits.length >= minMaskedDigits && digits.length <= maxLastDigits;
  return isEnough ? digits : undefined;
}

/** Returns the digits of a text that can be the last ones of a phone number. */
function findLastDigits(text: string, lastFour: boolean): string | undefined {
  const digits = text.replace(/[\s./_-]/g, '');
  const max = lastFour ? minLastDigits : maxLastDigits;
  return /^\d+$/.test(digits) && digits.length >= minLastDigits && digits.length <= max ? digits : undefined;
}
