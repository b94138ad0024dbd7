import { formatCedis } from '../../shared/money.ts';
import type { Condition } from '../schema.ts';

/** Describes a condition in words, such as `due above GHS 0.00`. */
export function describeCondition(condition: Condition): string {
  const { value, known, is, not, above, below, atLeast, atMost } = condition;
  const { operator, payer, dialler, language, time, weekday, from, until } = condition;
  const clause = (subject: string, object: string | undefined) =>
    object === undefined ? [] : [`${subject} ${object}`];
  const clauses = [
    ...(known === undefined ? [] : [`${value} ${known ? 'is known' : 'is not known'}`]),
    ...clause(`${value} is`, listed(is)),
    ...clause(`${value} is not`, listed(not)),
    ...clause(`${value} above`, bound(above)),
    ...clause(`${value} below`, bound(below)),
    ...clause(`${value} at least`, bound(atLeast)),
    ...clause(`${value} at most`, bound(atMost)),
    ...clause('operator', listed(operator)),
    ...clause('payer', payer),
    ...(dialler === undefined ? [] : [dialler]),
    ...clause('language', listed(language)),
    ...clause('time', listed(time)),
    ...clause('weekday', listed(weekday)),
    ...clause('from', from),
    ...clause('until', until),
  ];
  return clauses.join(' and ');
}

function listed(all: readonly (string | number)[] | undefined): string | undefined {
  return all?.join(' or ');
}

function bound(at: Condition['above']): string | undefined {
  if (at === undefined) return undefined;
  return at.number === undefined ? formatCedis(at.amountMinor) : String(at.number);
}
