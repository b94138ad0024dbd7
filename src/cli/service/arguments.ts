import { type Command, InvalidArgumentError } from 'commander';
import { parseCedis } from '../../shared/money.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { parseDuration } from '../../shared/time-text.ts';

/* Parsers of options and arguments, for commander. */

export function oneOf<Word extends string>(words: readonly Word[]) {
  return (text: string): Word => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new InvalidArgumentError(`Choose one of: ${words.join(', ')}.`);
    return found;
  };
}

export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d{1,12}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** Returns a parser of durations in whole seconds, longer than zero and up to `max`; the parser returns milliseconds. */
export function durationUpTo(max: string): (text: string) => number {
  const maxMs = parseDuration(max) ?? 0;
  return (text) => {
    const ms = parseDuration(text) ?? 0;
    if (ms <= 0 || ms % 1_000 !== 0) {
      throw new InvalidArgumentError('Expected a time such as 90s, 10m, 2h, 3d or 1h30m.');
    }
    if (ms > maxMs) throw new InvalidArgumentError(`At most ${max}.`);
    return ms;
  };
}

/** A phone number in any common spelling; returns `233XXXXXXXXX`. */
export function parseMsisdnArgument(text: string): string {
  const number = parseMsisdn(text) ?? (/^233\d{9}$/.test(text) ? text : undefined);
  if (number !== undefined) return number;
  throw new InvalidArgumentError(
    'Expected a Ghanaian number: 0244123456, 233244123456 or "+233 24 412 3456".',
  );
}

/** An amount in cedis above zero; returns pesewas. */
export function parseCedisArgument(text: string): number {
  const amount = parseCedis(text);
  if (amount !== undefined && amount > 0) return amount;
  throw new InvalidArgumentError('Expected an amount in cedis such as 20 or 20.50.');
}

/** Adds the options of a page: its size and its cursor. */
export function addServicePageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'rows of the page, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--cursor <cursor>', 'start after the page that printed this cursor');
}
