import { InvalidArgumentError } from 'commander';
import { parseMsisdn } from '../../shared/msisdn.ts';

/* Parsers of options and arguments, for commander. */

/** One of the given words. */
export function oneOf<Word extends string>(words: readonly Word[]) {
  return (text: string): Word => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new InvalidArgumentError(`Choose one of: ${words.join(', ')}.`);
    return found;
  };
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d{1,12}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** A phone number in any common spelling; returns `233XXXXXXXXX`. */
export function msisdn(text: string): string {
  const number = parseMsisdn(text) ?? (/^233\d{9}$/.test(text) ? text : undefined);
  if (number !== undefined) return number;
  throw new InvalidArgumentError(
    'Expected a Ghanaian number: 0244123456, 233244123456 or "+233 24 412 3456".',
  );
}
