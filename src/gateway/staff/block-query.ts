import { and, desc, eq, inArray, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { BlockRole } from '../../contract/staff/staff.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { activeBlock, staffAction } from '../database/schema.ts';

/** A number that may not request payments, or may not be asked to pay by other phones. */
export type Block = {
  /** The action that made the block. */
  seq: number;
  msisdn: string;
  role: BlockRole;
  /** Null when the block holds at all merchants. */
  merchantId: string | null;
  livemode: number;
  actor: string;
  at: EpochMs;
  reason: string;
  /** When the block ends by itself; null when it has no end. */
  until: EpochMs | null;
};

/** The number and the place of a block. A number has at most one block of each role at each place. */
export type BlockKey = Pick<Block, 'msisdn' | 'role' | 'merchantId' | 'livemode'>;

export type BlockPage = {
  /** Only blocks of these numbers. */
  msisdns?: readonly string[] | undefined;
  /** Only blocks at this merchant, in this mode. */
  merchantId?: string | undefined;
  livemode?: number | undefined;
  limit: number;
  /** Only blocks that were made before this action. */
  before?: number | undefined;
  now: EpochMs;
};

export type BlockQuery = ReturnType<typeof blockQuery>;

const action = alias(staffAction, 'block');

/** A plus keeps SQLite from the index of the action, which has every block that was ever made. */
const isBlock = (msisdns: readonly string[] | undefined) =>
  msisdns === undefined
    ? eq(action.action, 'block')
    : and(sql`+${action.action} = 'block'`, inArray(action.subjectId, [...msisdns]));

const everAt = (merchantId: string) => and(eq(action.merchantId, merchantId), eq(action.action, 'block'));

/** Reads the blocks that hold: the actions that made them, and that no later action has replaced or removed. */
export function blockQuery({ read }: Store) {
  const select = (msisdns: readonly string[] | undefined, ...conditions: (SQL | undefined)[]) =>
    read
      .select({
        seq: action.seq,
        msisdn: action.subjectId,
        role: sql<BlockRole>`${action.detail} ->> '$.role'`,
        merchantId: action.merchantId,
        livemode: action.livemode,
        actor: action.actor,
        at: action.at,
        reason: sql<string>`${action.detail} ->> '$.reason'`,
        // A server returns the text of the field.
        until: sql<EpochMs | null>`CAST(${action.detail} ->> '$.until' AS BIGINT)`,
      })
      .from(action)
      .where(and(isBlock(msisdns), ...conditions))
      .orderBy(desc(action.seq));
  return {
    /** Returns the blocks that hold at `now`, newest first. */
    list: ({ msisdns, merchantId, livemode, limit, before, now }: BlockPage): Promise<Block[]> =>
      select(
        msisdns,
        activeBlock(sql`${now}`),
        merchantId === undefined ? undefined : eq(action.merchantId, merchantId),
        livemode === undefined ? undefined : eq(action.livemode, livemode),
        before === undefined ? undefined : lt(action.seq, before),
      ).limit(limit),
    /** Returns the number of blocks that hold at `now`. */
    async count({ msisdns, now }: Pick<BlockPage, 'msisdns' | 'now'>): Promise<number> {
      const holds = select(msisdns, activeBlock(sql`${now}`));
      const [all] = await read.select({ total: sql<number>`count(*)` }).from(holds.as('holds'));
      return all?.total ?? 0;
    },
    /** Counts the blocks that a merchant ever had, up to an action. It says nothing about other merchants, as the number would. */
    async countUpTo(merchantId: string, seq: number): Promise<number> {
      const [counted] = await read
        .select({ count: sql<number>`count(*)` })
        .from(action)
        .where(and(everAt(merchantId), lte(action.seq, seq)));
      return counted?.count ?? 0;
    },
    /** Returns the action of the nth block that a merchant ever had; `undefined` when it had fewer. */
    async findNth(merchantId: string, nth: number): Promise<number | undefined> {
      const [found] = await read
        .select({ seq: action.seq })
        .from(action)
        .where(everAt(merchantId))
        .orderBy(action.seq)
        .limit(1)
        .offset(nth - 1);
      return found?.seq;
    },
    async find({ msisdn, role, merchantId, livemode }: BlockKey, now: EpochMs): Promise<Block | undefined> {
      const [found] = await select(
        [msisdn],
        activeBlock(sql`${now}`),
        eq(action.livemode, livemode),
        sql`${action.detail} ->> '$.role' = ${role}`,
        merchantId === null ? isNull(action.merchantId) : eq(action.merchantId, merchantId),
      ).limit(1);
      return found;
    },
  };
}

/** The blocks of one number: two roles at some merchants. */
const maxBlocksOfNumber = 20;

/** Returns the blocks of several numbers that hold. */
export function listBlocksOf(
  store: Store,
  msisdns: readonly string[],
  more: { now: EpochMs; livemode?: 0 | 1 | undefined },
): Promise<Block[]> {
  return blockQuery(store).list({ msisdns, limit: msisdns.length * maxBlocksOfNumber, ...more });
}
