import { collectNames } from '../../../menu/check/names.ts';
import type { Menu } from '../../../menu/schema.ts';
import { readAnswer } from '../../../menu/state/answer.ts';
import type { Answers } from '../../../menu/state/state.ts';
import type { Scalar } from '../../../menu/text/format.ts';
import { listPlaceholders } from '../../../menu/text/render.ts';
import { UsageError } from '../../../shared/errors.ts';

/** Reads `name=value` options. A whole number is a number. @throws UsageError for a name that the menu does not have. */
export function readValues(menu: Menu, given: readonly string[]): Record<string, Scalar> {
  // A request contains no list.
  const known = [...collectNames(menu).values].flatMap(([name, kinds]) => (kinds.has('list') ? [] : name));
  const values: Record<string, Scalar> = {};
  for (const one of given) {
    const [, name, text = ''] = /^([a-z][a-z0-9_-]{0,31})=(.*)$/s.exec(one) ?? [];
    if (name === undefined)
      throw new UsageError(`--value: expected a name and a value, such as class=JHS1, found ${one}`);
    if (!known.includes(name))
      throw new UsageError(`--value: no value ${name}; the menu has: ${known.join(', ') || 'none'}`);
    values[name] = /^\d{1,9}$/.test(text) ? { number: Number(text) } : text;
  }
  return values;
}

/**
 * Returns a reference in the spelling that a question of the menu accepts. A menu without such a question accepts each.
 *
 * @throws UsageError that has the patterns.
 */
export function readReference(menu: Menu, typed: string): string {
  const questions = Object.values(menu.screens).flatMap((screen) =>
    screen.kind === 'ask' && screen.answer === 'reference' ? screen : [],
  );
  if (questions.length === 0) return typed;
  for (const question of questions) {
    const read = readAnswer(question, typed, {});
    if (read.ok && read.answers.reference !== undefined) return read.answers.reference;
  }
  const accepted = questions.map(({ pattern, example }) => `${pattern}, such as ${example}`).join('; or ');
  throw new UsageError(`--reference: a payer cannot type ${typed}: the pattern is ${accepted}`);
}

/** Validates that the address of a request has its values. @throws UsageError that names the option of one without a usable value. */
export function checkAddress(
  url: string,
  { reference, amountMinor, values = {} }: Answers,
  { values: known }: Pick<ReturnType<typeof collectNames>, 'values'>,
): void {
  for (const name of listPlaceholders(url)) {
    const value = name === 'reference' ? reference : values[name];
    const option = known.has(name) ? `--value ${name}` : `--${name}`;
    if (value === '.' || value === '..')
      throw new UsageError(`${option}: the address ${url} accepts each value except . and ..`);
    const isMissing = name === 'amount' ? amountMinor === undefined : value === undefined || value === '';
    const isOption = known.has(name) || name === 'reference' || name === 'amount';
    if (isOption && isMissing) throw new UsageError(`${option}: expected a value for the address ${url}`);
  }
}
