import type { Ids } from './ids.ts';

/** Eight digits that a payer can read out and an attendant can type: seven at random, and one that checks them. */
const form = /^\d{8}$/;

/**
 * Damm's quasigroup of order ten: no two entries of a row or a column are equal, so that every wrong digit shows, and
 * it is totally anti-symmetric, so that every swap of two neighbours does.
 */
const quasigroup = [
  [0, 3, 1, 7, 5, 9, 8, 6, 4, 2],
  [7, 0, 9, 2, 1, 5, 4, 8, 6, 3],
  [4, 2, 0, 6, 8, 7, 1, 3, 5, 9],
  [1, 7, 5, 0, 9, 8, 3, 4, 2, 6],
  [6, 1, 2, 3, 0, 4, 5, 9, 7, 8],
  [3, 6, 7, 4, 2, 0, 9, 5, 8, 1],
  [5, 8, 6, 9, 7, 2, 0, 1, 3, 4],
  [8, 9, 4, 5, 3, 6, 2, 0, 1, 7],
  [9, 4, 3, 8, 6, 1, 7, 2, 0, 5],
  [2, 5, 8, 1, 4, 3, 6, 7, 9, 0],
] as const;

/** The digit that makes `digits` whole; `0` for digits that end in theirs. */
function checkDigit(digits: string): number {
  return [...digits].reduce((interim, digit) => quasigroup[interim]?.[Number(digit)] ?? 0, 0);
}

/** A new short reference. Nobody can guess one, and two are alike once in ten million: the store has the last word. */
export function createShortReference(ids: Pick<Ids, 'digits'>): string {
  const digits = ids.digits(7);
  return `${digits}${checkDigit(digits)}`;
}

/**
 * Reads what somebody typed for a short reference: blanks and dashes do not count. `undefined` when it is none, or has
 * one digit wrong or two neighbours swapped.
 */
export function readShortReference(typed: string): string | undefined {
  const digits = typed.replace(/[\s\u2010-\u2015-]/g, '');
  return form.test(digits) && checkDigit(digits) === 0 ? digits : undefined;
}

/** As screens show it: `4821 7362`. What is no short reference (of an older collection) stays as it is. */
export function showShortReference(shortReference: string): string {
  return form.test(shortReference)
    ? `${shortReference.slice(0, 4)} ${shortReference.slice(4)}`
    : shortReference;
}
