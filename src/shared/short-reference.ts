import type { Ids } from './ids.ts';

/** A short reference: seven random digits and a check digit. */
const form = /^\d{8}$/;

/** The quasigroup of order ten of the Damm algorithm. It detects every wrong digit and every swap of two neighbouring digits. */
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

/** Returns the check digit of `digits`; `0` for digits that end with a valid check digit. */
function checkDigit(digits: string): number {
  return [...digits].reduce((interim, digit) => quasigroup[interim]?.[Number(digit)] ?? 0, 0);
}

/** Creates a random short reference. Two are equal once in ten million; a unique index of the database rejects those. */
export function createShortReference(ids: Pick<Ids, 'digits'>): string {
  const digits = ids.digits(7);
  return `${digits}${checkDigit(digits)}`;
}

/**
 * Parses a typed short reference and ignores blanks and dashes.
 *
 * @returns the eight digits; `undefined` when the text is not a short reference or its check digit is wrong.
 */
export function readShortReference(typed: string): string | undefined {
  const digits = typed.replace(/[\s\u2010-\u2015-]/g, '');
  return form.test(digits) && checkDigit(digits) === 0 ? digits : undefined;
}

/** Formats a short reference for a screen: `4821 7362`. */
export function showShortReference(shortReference: string): string {
  return `${shortReference.slice(0, 4)} ${shortReference.slice(4)}`;
}
