import { parseCedis } from '../../../shared/money.ts';
import { closedStatuses, openStatuses, type Status } from '../../collection/collection.ts';
import { readDay } from '../../ledger/day.ts';
import type { CollectionFilter } from '../../support/collection-filter.ts';

/** The properties by which the list of payments can be filtered, as they stand in the URL. None contains a phone number. */
export const filterNames = [
  ...(['status', 'merchant', 'channel', 'network', 'reason', 'assigned'] as const),
  ...(['from', 'to', 'min', 'max', 'last4'] as const),
] as const;

export type FilterName = (typeof filterNames)[number];

/** The filters of a URL, without empty ones. */
export type FilterTexts = Partial<Record<FilterName, string>>;

export type ReadFilter = { ok: true; filter: CollectionFilter } | { ok: false; message: string };

export const statuses: readonly Status[] = [...openStatuses, ...closedStatuses];

/** Returns the filters that a query string sets. */
export function filterTexts(query: Readonly<Record<string, string>>): FilterTexts {
  const set = filterNames.map((name) => [name, query[name]?.trim()] as const).filter(([, text]) => text);
  return Object.fromEntries(set);
}

/** Returns the filter of its texts; the message of the first invalid one. */
export function readFilter(texts: FilterTexts): ReadFilter {
  const { merchant, channel, network, reason, assigned, last4 } = texts;
  const status = statuses.find((one) => one === texts.status);
  const [first, last] = [texts.from, texts.to].map((text) =>
    text === undefined ? undefined : readDay(text),
  );
  const [min, max] = [texts.min, texts.max].map((text) =>
    text === undefined ? undefined : parseCedis(text),
  );
  const fault = faultOf([
    ['status', texts.status, status, `one of ${statuses.join(', ')}`],
    ['from', texts.from, first, 'a day such as 2026-03-06'],
    ['to', texts.to, last, 'a day such as 2026-03-06'],
    ['min', texts.min, min, 'an amount in cedis such as 20.50'],
    ['max', texts.max, max, 'an amount in cedis such as 20.50'],
    ['last4', last4, /^\d{4}$/.test(last4 ?? ''), 'four digits'],
  ]);
  if (fault !== undefined) return { ok: false, message: fault };
  if (first && last && last.to <= first.from)
    return { ok: false, message: 'The last day is before the first one.' };
  if (min !== undefined && max !== undefined && max < min)
    return { ok: false, message: 'The highest amount is less than the lowest one.' };
  const span = { from: first?.from, before: last?.to, minMinor: min, maxMinor: max };
  return {
    ok: true,
    filter: { status, merchantId: merchant, channel, network, reason, assigned, last4, ...span },
  };
}

type Check = readonly [name: FilterName, text: string | undefined, value: unknown, expected: string];

function faultOf(checks: readonly Check[]): string | undefined {
  const wrong = checks.find(
    ([, text, value]) => text !== undefined && (value === undefined || value === false),
  );
  return wrong && `${wrong[0]}: expected ${wrong[3]}.`;
}

/** Returns the path of the list with filters, a search term, and the cursor of a page. */
export function listPath(texts: FilterTexts, more: { q?: string | undefined; after?: string } = {}): string {
  return `/console/payments${queryOf({ ...texts, ...more })}`;
}

/** Returns a query string with its question mark; empty without a text. */
export function queryOf(texts: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries(texts)) if (text) query.set(name, text);
  return query.size === 0 ? '' : `?${query}`;
}
