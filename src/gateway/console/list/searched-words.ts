import { formatCedis, parseCedis } from '../../../shared/money.ts';
import { parseMsisdn } from '../../../shared/msisdn.ts';
import { showShortReference } from '../../../shared/short-reference.ts';
import type { Scope } from '../../support/scope.ts';
import { readSearchTerm } from '../../support/search-term.ts';
import { statusWords } from '../pages/format.ts';
import { type FilterName, type FilterTexts, filterNames, readFilter } from './filter.ts';

/** What an amount is compared with, in searches and in filters. */
export const amountMeaning = 'the price, or the total that the payer is charged';

/** Returns as what a search has looked for a term, in words. @param shown the term with masked numbers */
export function searchedAs(term: string, shown: string, scope: Pick<Scope, 'lastFour'>): string[] {
  const { msisdn, isId, shortReference, lastDigits, amountMinor, isPart } = readSearchTerm(term, scope);
  if (scope.lastFour && parseMsisdn(term) !== undefined)
    return [`a phone number that ends with ${lastDigits}`];
  if (msisdn !== undefined) return [`the phone number ${shown}, of the payer or of the phone that dialled`];
  if (isId) return [`an id that is ${shown} or starts with it`];
  return [
    ...(shortReference === undefined ? [] : [`the short reference ${showShortReference(shortReference)}`]),
    ...(lastDigits === undefined ? [] : [`a phone number that ends with ${shown}`]),
    ...(amountMinor === undefined ? [] : [`the amount ${formatCedis(amountMinor)}: ${amountMeaning}`]),
    isPart ? `a reference that contains ${shown}` : `the reference ${shown}`,
  ];
}

const labels: Readonly<Record<Exclude<FilterName, 'min' | 'max' | 'from' | 'to' | 'status'>, string>> = {
  merchant: 'merchant',
  channel: 'channel',
  network: 'network',
  reason: 'reason',
  assigned: 'assigned to',
  last4: 'phone number that ends with',
};

/** Returns the filters of a list in words; none for a list without a filter. */
export function filteredBy(texts: FilterTexts): string[] {
  const read = readFilter(texts);
  const status = read.ok ? read.filter.status : undefined;
  const plain = filterNames.flatMap((name) => {
    const text = texts[name];
    return text !== undefined && name in labels ? [`${labels[name as keyof typeof labels]} ${text}`] : [];
  });
  return [
    ...(status === undefined ? [] : [`status “${statusWords[status]}”`]),
    ...plain,
    ...rangeOf('opened on days', texts.from, texts.to),
    ...rangeOf('amount', cedis(texts.min), cedis(texts.max), ` (${amountMeaning})`),
  ];
}

function cedis(text: string | undefined): string | undefined {
  const minor = text === undefined ? undefined : parseCedis(text);
  return minor === undefined ? undefined : formatCedis(minor);
}

function rangeOf(what: string, from: string | undefined, to: string | undefined, note = ''): string[] {
  if (from === undefined && to === undefined) return [];
  if (from === to) return [`${what} ${from}${note}`];
  const parts = [...(from === undefined ? [] : [`from ${from}`]), ...(to === undefined ? [] : [`to ${to}`])];
  return [`${what} ${parts.join(' ')}${note}`];
}
