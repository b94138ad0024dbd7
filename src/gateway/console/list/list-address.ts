import type { CollectionFilter } from '../../support/collection-filter.ts';
import { type FilterName, type FilterTexts, filterTexts, readFilter } from './filter.ts';
import { isPrivateFilter, isPrivateTerm } from './private-term.ts';

/** What the query string of a list selects. */
export type ListAddress =
  | { kind: 'filter'; texts: FilterTexts; filter: CollectionFilter }
  | { kind: 'term'; term: string }
  | { kind: 'invalid'; texts: FilterTexts; message: string };

const privateMessage =
  'The address has a number, which does not belong there. Enter it in the search box instead.';

/** Reads a query string. A number in it is refused, and not part of the result: addresses are logged and shared. */
export function readListAddress(query: Readonly<Record<string, string>>): ListAddress {
  const { q = '' } = query;
  const texts = filterTexts(query);
  const names = Object.keys(texts) as FilterName[];
  const shown = names.filter((name) => !isPrivateFilter(name, texts[name] ?? ''));
  if (isPrivateTerm(q) || shown.length < names.length) {
    const rest = Object.fromEntries(shown.map((name) => [name, texts[name]]));
    return { kind: 'invalid', texts: rest, message: privateMessage };
  }
  if (q !== '') return { kind: 'term', term: q };
  const read = readFilter(texts);
  return read.ok
    ? { kind: 'filter', texts, filter: read.filter }
    : { kind: 'invalid', texts, message: read.message };
}
