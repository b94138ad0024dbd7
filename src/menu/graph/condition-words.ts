import { formatCedis } from '../../shared/money.ts';
import type { Condition } from '../schema.ts';

/** A condition as a person would say it: `due above GHS 0.00`. */
export function conditionWords(condition: Condition): string {
  const { value, known, is, not, above, below, atLeast, atMost } = condition;
  const { operator, payer, dialler, language } = condition;
  const said = (words: string, part: string | undefined) => (part === undefined ? [] : [`${words} ${part}`]);
  const words = [
    ...(known === undefined ? [] : [`${value} ${known ? 'is known' : 'is not known'}`]),
    ...said(`${value} is`, listed(is)),
    ...said(`${value} is not`, listed(not)),
    ...said(`${value} above`, bound(above)),
    ...said(`${value} below`, bound(below)),
    ...said(`${value} at least`, bound(atLeast)),
    ...said(`${value} at most`, bound(atMost)),
    ...said('operator', listed(operator)),
    ...said('payer', payer),
    ...(dialler === undefined ? [] : [dialler]),
    ...said('language', listed(language)),
  ];
  return words.join(' and ');
}

function listed(all: readonly (string | number)[] | undefined): string | undefined {
  return all?.join(' or ');
}

function bound(at: Condition['above']): string | undefined {
  if (at === undefined) return undefined;
  return at.number === undefined ? formatCedis(at.amountMinor) : String(at.number);
}
