import { type FilterTexts, readFilter } from './filter.ts';
import { isPrivateFilter, isPrivateTerm } from './private-term.ts';

/** What a person typed into the search box: filters as `status:paid amount:20..50`, or one term. */
export type SearchBox =
  | { kind: 'empty' }
  | { kind: 'filters'; texts: FilterTexts }
  | { kind: 'term'; term: string }
  | { kind: 'invalid'; message: string };

const maxLength = 200;

const same = ['status', 'merchant', 'channel', 'network', 'reason', 'assigned'] as const;
const dated = ['from', 'to', 'last4'] as const;
const operators: readonly string[] = [...same, ...dated, 'on', 'amount'];

/** Reads the search box. Words beside operators are refused: a search for words covers all filters. */
export function readSearchBox(text: string): SearchBox {
  const words = text.trim().slice(0, maxLength).split(/\s+/).filter(Boolean);
  if (words.length === 0) return { kind: 'empty' };
  const pairs = words.map((word) => /^([a-z0-9]+):(.+)$/.exec(word));
  if (pairs.every((pair) => pair === null)) return { kind: 'term', term: words.join(' ') };
  const texts: FilterTexts = {};
  for (const [index, pair] of pairs.entries()) {
    const [, name = '', value = ''] = pair ?? [];
    const isPrivate = pair === null ? isPrivateTerm(words[index] ?? '') : isPrivateFilter(name, value);
    if (isPrivate) return { kind: 'invalid', message: 'Search for a phone number without a filter.' };
    if (!operators.includes(name)) {
      return {
        kind: 'invalid',
        message: `${words[index]} is no filter. Filters are ${operators.map((one) => `${one}:`).join(' ')}.`,
      };
    }
    Object.assign(texts, filterOf(name, value));
  }
  const read = readFilter(texts);
  return read.ok ? { kind: 'filters', texts } : { kind: 'invalid', message: read.message };
}

function filterOf(name: string, value: string): FilterTexts {
  if (name === 'on') return { from: value, to: value };
  if (name !== 'amount') return { [name]: value };
  const [min, max = min] = value.split('..');
  return { ...(min && { min }), ...(max && { max }) };
}
