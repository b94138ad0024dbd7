import { and, asc, eq, gt, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import { paymentReasons } from '../../contract/merchant/payment-reason.ts';
import { operators } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { account, collection } from '../database/schema.ts';
import type { ReadFilter } from './filter-text.ts';
import { allMerchants, type Scope } from './page.ts';
import { findNewest, findNewestInScope, isInScope, maxNewest } from './page-query.ts';
import type { CollectionFilter } from './selection-query.ts';

/** The usual codes of networks. The configuration can name others. */
const networks = operators.filter((one) => one !== 'unknown');

/** The values that the configuration has. Without it, those of the ledger count alone. */
export type ConfiguredValues = { merchantIds?: readonly string[]; channelIds?: readonly string[] };

/** The values that a message lists. */
const maxListed = 20;
const maxAccounts = 1_000;

type Property = 'merchantId' | 'channel' | 'network' | 'reason' | 'assigned';

/**
 * Replaces the values of a filter by those that the ledger has: a value stays, and a unique beginning of one is completed.
 *
 * @returns the message about the first value that no payment can have.
 */
export async function resolveFilter(
  store: Store,
  filter: CollectionFilter,
  { merchantIds = [], channelIds = [] }: ConfiguredValues = {},
  scope: Scope = allMerchants,
): Promise<ReadFilter> {
  const known: Readonly<Record<Property, readonly string[]>> = {
    ...{
      merchantId: merchantIds,
      channel: channelIds,
      network: networks,
      reason: paymentReasons,
      assigned: [],
    },
  };
  const resolved = { ...filter };
  for (const property of Object.keys(known) as Property[]) {
    const value = filter[property];
    if (value === undefined || known[property].includes(value)) continue;
    const found = await readValues(store, property, value, { scope, filter });
    const all = [...new Set([...known[property], ...found])].sort();
    const starting = all.filter((one) => one.startsWith(value));
    if (all.length === 0) continue;
    const [only, other] = all.includes(value) ? [value] : starting;
    if (only === undefined || other !== undefined)
      return { ok: false, message: describeUnknown(property, value, starting.length > 0 ? starting : all) };
    resolved[property] = only;
  }
  return { ok: true, filter: resolved };
}

function describeUnknown(property: Property, value: string, all: readonly string[]): string {
  const name = property === 'merchantId' ? 'merchant' : property;
  const listed = all.slice(0, maxListed).join(', ');
  return `${name}: expected one of ${listed}${all.length > maxListed ? ' …' : ''}, found “${value}”.`;
}

type Within = { scope: Scope; filter: Pick<CollectionFilter, 'from' | 'before'> };

/** Reads values of the ledger: all of a property, or those that start with the wanted one, where they can be many. */
async function readValues(
  store: Store,
  property: Property,
  value: string,
  within: Within,
): Promise<readonly string[]> {
  switch (property) {
    case 'merchantId': {
      const starting = await listMerchants(store, gte(collection.merchantId, value), `${value}\u{10ffff}`);
      return starting.length > 0 ? starting : listMerchants(store, undefined);
    }
    case 'channel':
    case 'network':
      return readRecent(store, collection[property], value, within);
    case 'reason': {
      const hasReason = or(eq(collection.reason, value), eq(collection.review, value));
      const [found] = await store.read
        .select({ row: sql`1` })
        .from(collection)
        .where(and(isInScope(within.scope, { isTested: true }), hasReason))
        .limit(1);
      return found ? [value] : [];
    }
    case 'assigned':
      return (
        await store.read
          .select({ name: account.name })
          .from(account)
          .orderBy(asc(account.name))
          .limit(maxAccounts)
      ).map(({ name }) => name);
  }
}

/** Lists merchants with payments by steps in their index, which has a row for each payment. */
async function listMerchants(
  { read }: Store,
  from: SQL | undefined,
  before = '\u{10ffff}',
): Promise<string[]> {
  const { merchantId } = collection;
  const found: string[] = [];
  for (let start = from; found.length <= maxListed; ) {
    const [next] = await read
      .select({ merchantId })
      .from(collection)
      .where(and(start, lt(merchantId, before)))
      .orderBy(asc(merchantId))
      .limit(1);
    if (!next) break;
    found.push(next.merchantId);
    start = gt(merchantId, next.merchantId);
  }
  return found;
}

/** Lists what the newest payments have, from an index alone; the wanted value alone when one has it. */
async function readRecent(
  store: Store,
  column: typeof collection.channel | typeof collection.network,
  value: string,
  { scope, filter: { from, before } }: Within,
): Promise<string[]> {
  const { read } = store;
  const newest =
    from === undefined
      ? await (scope.merchantId === null
          ? findNewest(store, maxNewest)
          : findNewestInScope(store, maxNewest, scope))
      : { from };
  const isWithin = and(
    isInScope(scope, { isTested: false }),
    gte(collection.openedAt, newest.from),
    before === undefined ? undefined : lt(collection.openedAt, before),
  );
  const [found] = await read
    .select({ value: column })
    .from(collection)
    .where(and(isWithin, eq(column, value)))
    .limit(1);
  if (found) return [value];
  const rows = await read
    .selectDistinct({ value: column })
    .from(collection)
    .where(isWithin)
    .limit(maxListed + 1);
  return rows.map((row) => row.value);
}
