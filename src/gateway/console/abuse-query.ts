import { and, desc, eq, gte, ne, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection } from '../database/schema.ts';
import { type Block, type BlockKey, blockQuery } from '../staff/block-query.ts';

/** A phone whose requests other payers declined. */
type RefusedDialler = {
  /** The newest of its declined requests. */
  paymentId: string;
  dialler: Msisdn;
  requestedBy: CollectionRow['requestedBy'];
  declined: number;
  /** The phones that declined. */
  victims: number;
  lastAt: EpochMs;
  /** True when the phone may not request payments, at some merchant at least. */
  isBlocked: boolean;
};

/** A phone that was asked to pay by a dialler. */
type Victim = {
  paymentId: string;
  payer: Msisdn;
  requests: number;
  declined: number;
  lastAt: EpochMs;
};

/** The mode, since when, and now. */
type AbuseSpan = { livemode: 0 | 1; since: EpochMs; now: EpochMs };

/** The declined requests that are read. */
const maxDeclined = 20_000;
/** The requests of one phone that are read. An attendant can have many. */
const maxRequests = 5_000;
const maxListed = 50;
/** The blocks of one number: two roles at some merchants. */
const maxBlocksOfNumber = 20;

const isOther = ne(collection.requestedBy, 'payer');

/** Lists the phones whose requests were declined since a time, those with the most victims first. */
async function readRefusedDiallers(
  store: Store,
  { livemode, since, now }: AbuseSpan,
): Promise<{ data: RefusedDialler[]; isCut: boolean }> {
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
  const data: RefusedDialler[] = [];
  for (const row of rows) {
    const blocks = await listActiveBlocks(store, row.dialler, now);
    const isBlocked = blocks.some(({ role }) => role === 'dialler');
    data.push({ ...row, dialler: row.dialler as Msisdn, isBlocked });
  }
  return { data, isCut: rows.reduce((sum, one) => sum + one.declined, 0) >= maxDeclined };
}

/** The phone that requested a payment, and whom it asked since a time. */
export type DiallerHistory = {
  payment: Pick<CollectionRow, 'id' | 'merchantId' | 'payer' | 'dialler' | 'requestedBy'>;
  /** Those with the most declined requests first. */
  victims: Victim[];
  /** The blocks of both phones that hold. */
  blocks: Block[];
};

/** Reads the history of the phone that requested a payment; `undefined` for a payment that does not exist. */
async function readDialler(
  store: Store,
  id: string,
  { livemode, since, now }: AbuseSpan,
): Promise<DiallerHistory | undefined> {
  const payment = await findParties(store, id);
  if (!payment) return undefined;
  const blocks = await listActiveBlocks(store, payment.dialler, now);
  const ofPayer = payment.payer === payment.dialler ? [] : await listActiveBlocks(store, payment.payer, now);
  return {
    payment,
    victims: await readVictims(store, payment.dialler, { livemode, since, now }),
    blocks: [...blocks, ...ofPayer],
  };
}

async function readVictims(
  { read }: Store,
  dialler: Msisdn,
  { livemode, since }: AbuseSpan,
): Promise<Victim[]> {
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
async function findParties({ read }: Store, id: string): Promise<DiallerHistory['payment'] | undefined> {
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

function listActiveBlocks(store: Store, msisdn: string, now: EpochMs): Promise<Block[]> {
  return blockQuery(store).list({ msisdn, now, limit: maxBlocksOfNumber });
}

export const abuseReads = {
  refusedDiallers: readRefusedDiallers,
  dialler: readDialler,
  parties: findParties,
  blocks: readBlocks,
  block: findBlock,
};
