import { and, desc, eq, gte, ne, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection } from '../database/schema.ts';
import { type Block, type BlockKey, blockQuery, listBlocksOf } from '../staff/block-query.ts';

/** The mode, since when, and now. */
type AbuseSpan = { livemode: 0 | 1; since: EpochMs; now: EpochMs };

/** The declined requests that are read. */
const maxDeclined = 20_000;
/** The requests of one phone that are read. An attendant can have many. */
const maxRequests = 5_000;
const maxListed = 50;

const isOther = ne(collection.requestedBy, 'payer');

/** Lists the phones whose requests were declined since a time, those with the most victims first. */
async function readRefusedDiallers(store: Store, { livemode, since, now }: AbuseSpan) {
  const recent = store.read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.reason, 'declined'),
        gte(collection.openedAt, since),
        eq(collection.livemode, livemode),
        isOther,
      ),
    )
    .orderBy(desc(collection.openedAt))
    .limit(maxDeclined)
    .as('recent');
  const declined = sql<number>`count(*)`;
  const victims = sql<number>`count(DISTINCT ${recent.payer})`;
  const rows = await store.read
    .select({
      /** The newest of its declined requests. */
      paymentId: sql<string>`max(${recent.id})`,
      dialler: recent.dialler,
      requestedBy: sql<CollectionRow['requestedBy']>`max(${recent.requestedBy})`,
      declined,
      victims,
      lastAt: sql<EpochMs>`max(${recent.openedAt})`,
    })
    .from(recent)
    .groupBy(recent.dialler)
    .orderBy(desc(victims), desc(declined), desc(sql`max(${recent.openedAt})`))
    .limit(maxListed);
  const diallers = rows.map(({ dialler }) => dialler);
  const blocks = await listBlocksOf(store, diallers, { now });
  const blocked = new Set(blocks.flatMap(({ role, msisdn }) => (role === 'dialler' ? [msisdn] : [])));
  const data = rows.map((row) => ({ ...row, isBlocked: blocked.has(row.dialler) }));
  return { data, isCut: rows.reduce((sum, one) => sum + one.declined, 0) >= maxDeclined };
}

/** Reads the history of the phone that requested a payment; `undefined` for a payment that does not exist. */
async function readDialler(store: Store, id: string, { livemode, since, now }: AbuseSpan) {
  const payment = await findParties(store, id);
  if (!payment) return undefined;
  return {
    payment,
    victims: await readVictims(store, payment.dialler, { livemode, since, now }),
    blocks: await listBlocksOf(store, [payment.dialler, payment.payer], { now }),
  };
}

/** Returns the phones that a dialler asked, those with the most declined requests first. */
async function readVictims({ read }: Store, dialler: Msisdn, { livemode, since }: AbuseSpan) {
  const recent = read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.dialler, dialler),
        eq(collection.livemode, livemode),
        gte(collection.openedAt, since),
        isOther,
      ),
    )
    .orderBy(desc(collection.openedAt))
    .limit(maxRequests)
    .as('recent');
  const declined: SQL<number> = sql`sum(CASE WHEN ${recent.reason} = 'declined' THEN 1 ELSE 0 END)`;
  const rows = await read
    .select({
      paymentId: sql<string>`max(${recent.id})`,
      payer: recent.payer,
      requests: sql<number>`count(*)`,
      declined,
      lastAt: sql<EpochMs>`max(${recent.openedAt})`,
    })
    .from(recent)
    .groupBy(recent.payer)
    .orderBy(desc(declined), desc(sql`max(${recent.openedAt})`))
    .limit(maxListed);
  return rows.map((row) => ({ ...row, payer: row.payer as Msisdn }));
}

/** Finds the phones of a payment, so that a page names them by its id. */
async function findParties({ read }: Store, id: string) {
  const { merchantId, payer, dialler, requestedBy } = collection;
  const [row] = await read
    .select({ id: collection.id, merchantId, payer, dialler, requestedBy })
    .from(collection)
    .where(eq(collection.id, id))
    .limit(1);
  return row && { ...row, payer: row.payer as Msisdn, dialler: row.dialler as Msisdn };
}

/** Lists the blocks that hold, newest first. */
async function readBlocks(
  store: Store,
  page: { now: EpochMs; limit: number; before?: number | undefined },
): Promise<{ data: Block[]; total: number; next: number | null }> {
  const query = blockQuery(store);
  const { limit } = page;
  const rows = await query.list({ ...page, limit: limit + 1 });
  const data = rows.slice(0, limit);
  const next = rows.length > limit ? (data.at(-1)?.seq ?? null) : null;
  return { data, total: await query.count({ now: page.now }), next };
}

/** Finds the number and the place of a block that holds, by the action that made it. */
async function findBlock(store: Store, seq: number, now: EpochMs): Promise<BlockKey | undefined> {
  const [block] = await blockQuery(store).list({ now, limit: 1, before: seq + 1 });
  if (block?.seq !== seq) return undefined;
  const { msisdn, role, merchantId, livemode } = block;
  return { msisdn, role, merchantId, livemode };
}

export const abuseReads = {
  refusedDiallers: readRefusedDiallers,
  dialler: readDialler,
  parties: findParties,
  blocks: readBlocks,
  block: findBlock,
};
