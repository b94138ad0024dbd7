import { expect } from 'vitest';
import type { FileConfig } from '../../src/gateway/config/schema.ts';
import { handlersOf, type LookupHandler } from '../../src/menu/effects/handler.ts';
import type { Menu } from '../../src/menu/schema.ts';
import type { StatementRow } from '../../src/service/statement-query.ts';
import { registerMerchant } from '../../src/testing/programs.ts';
import { msisdnOf } from './msisdn.ts';
import { shopMenu } from './shop-menu.ts';
import { createTill, type Till, type TillOptions } from './till.ts';

export const payer = '0244123456';
export const other = '0201234567';

type ShopOptions = Omit<TillOptions, 'configure'> & {
  menu?: Menu;
  handlers?: Record<string, LookupHandler>;
  attendants?: string[];
  timings?: Partial<FileConfig['timings']>;
  limits?: Partial<FileConfig['limits']>;
  configure?: (config: FileConfig) => void;
};

/** Creates a till whose merchant uses `menu`. Payers have no limits unless the test sets them. */
export function createShop(options: ShopOptions = {}): Promise<Till> {
  const { menu = shopMenu(), handlers = {}, attendants = [], timings, limits, ...rest } = options;
  const none = { perHour: null, perDay: null };
  return createTill({
    ...rest,
    service: { limits: { prompts: { burst: 1_000, perMinute: 1_000 } }, ...rest.service },
    configure(config) {
      Object.assign(config.timings, { quoteTimeoutMs: 1_000, ...timings });
      const declines = { maxDeclines: null, coolDownMs: 3_600_000 };
      const requests = { dialler: none, payer: none };
      const ofAttendants = { ...none, maxDeclines: null };
      Object.assign(config.limits, {
        ...{ dialler: none, payer: none, requests, declines, attendants: ofAttendants },
        ...limits,
      });
      config.merchants = config.merchants.map((one) => ({
        ...one,
        menu,
        handlers: handlersOf(Object.entries(handlers)),
        attendants: attendants.map(msisdnOf),
      }));
      options.configure?.(config);
    },
  });
}

/** Adds a second merchant with its own key, on a Nalo channel `other-shop`. Restarts the gateway. */
export async function addOtherShop(till: Till): Promise<void> {
  const { key } = await registerMerchant(till.service, 'Other Shop');
  const [first] = till.config.merchants;
  const [channel] = till.config.channels.filter(({ id }) => id === 'nalo');
  if (!first || !channel) throw new Error('expected a merchant and a Nalo channel to copy');
  till.config.merchants.push({ ...first, id: 'other-shop', name: 'Other Shop', key });
  till.config.channels.push({ ...channel, id: 'other-shop', merchant: 'other-shop' });
  await till.restart();
}

/** Dials, confirms a payment and returns the last screen. The dialler must not have a built-in screen at the start. */
export async function dialAndConfirm(till: Till, number = payer, amount = '20'): Promise<string> {
  const phone = till.phone(number);
  await phone.dial();
  await phone.type('1', amount);
  return phone.press('Yes');
}

export type StoredCollection = {
  id: string;
  merchant: string;
  payer: string;
  dialler: string;
  status: string;
  goodsMinor: number;
  sessionId: string | null;
  retryOf: string | null;
  reason: string | null;
  review: string | null;
  shortReference: string;
  lapsed: 0 | 1;
};

/** Returns every collection of the gateway, oldest first. */
export function storedCollections(till: Till): Promise<StoredCollection[]> {
  return till.ledger.rows<StoredCollection>(
    `SELECT id, merchant_id AS "merchant", payer, dialler, status, goods_minor AS "goodsMinor",
       session_id AS "sessionId", retry_of AS "retryOf", reason, review, short_reference AS "shortReference",
       lapsed_at IS NOT NULL AS "lapsed"
     FROM collection ORDER BY opened_at, id`,
  );
}

/** Returns the status of each collection, oldest first. */
export const statuses = async (till: Till) => (await storedCollections(till)).map(({ status }) => status);

/** Waits until the newest collection has this status and returns it. */
export async function untilNewest(till: Till, status: string, ms = 60_000): Promise<StoredCollection> {
  await till.until(async () => (await storedCollections(till)).at(-1)?.status === status, ms);
  const newest = (await storedCollections(till)).at(-1);
  if (!newest) throw new Error('no collection');
  return newest;
}

/**
 * Compares the service's statement with the ledger: no session has two prompts, no two collections share a session, each
 * prompt belongs to a collection, and exactly the paid collections were charged. Returns the totals of the statement.
 */
export async function checkStatement(
  till: Till,
): Promise<{ pushes: number; sessions: number; chargedMinor: number }> {
  const { sessions, pushes, chargedMinor } = await till.service.statement();
  const collections = await storedCollections(till);
  const bySession = new Map(collections.map((one) => [one.sessionId, one]));
  const sessionIds = collections.flatMap(({ sessionId }) => sessionId ?? []);
  expect(new Set(sessionIds).size).toBe(sessionIds.length);
  for (const session of sessions) expectMatch(session, bySession.get(session.sessionId));
  expect((await till.verify()).faults).toEqual([]);
  return { pushes, sessions: sessions.length, chargedMinor };
}

function expectMatch(session: StatementRow, collection: StoredCollection | undefined): void {
  const { pushes, chargedMinor } = session;
  expect(pushes, `prompts of ${session.sessionId}`).toBeLessThanOrEqual(1);
  if (pushes > 0) expect(collection, `the collection of ${session.sessionId}`).toBeDefined();
  // A session without a collection was never initiated.
  if (!collection) expect(['created', 'expired']).toContain(session.status);
  if (chargedMinor > 0) expect(chargedMinor).toBe(session.amountMinor);
  if (collection?.status === 'paid') expect(chargedMinor).toBeGreaterThan(0);
  if (collection && ['failed', 'expired', 'abandoned'].includes(collection.status))
    expect(chargedMinor).toBe(0);
}
