import { and, eq, sql } from 'drizzle-orm';
import type { PreferenceChange } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import {
  build,
  equals,
  parameter,
  prepareQuery,
  prepareWrite,
  rowParameters,
  toWrite,
} from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { diallerSetting, everyMerchant } from '../database/schema.ts';

/** The stored preferences of a number. */
export type DiallerSetting = {
  /** The language that the dialler chose last at the merchant; null before any choice. */
  language: string | null;
  /** The number does not accept requests from other phones, at any merchant. */
  blocksRequests: boolean;
};

type Key = { merchantId: string; livemode: 0 | 1; msisdn: Msisdn };

const target = [diallerSetting.merchantId, diallerSetting.livemode, diallerSetting.msisdn];

const isSetting = equals(diallerSetting, 'merchantId', 'livemode', 'msisdn');

const insert = build.insert(diallerSetting).values(rowParameters(diallerSetting));
type Row = typeof diallerSetting.$inferSelect;

const setLanguage = prepareWrite<Row>(
  insert.onConflictDoUpdate({
    target,
    set: { language: parameter('language'), updatedAt: parameter('updatedAt') },
  }),
  1,
);
const setOptOut = prepareWrite<Row>(
  build
    .insert(diallerSetting)
    .values(rowParameters(diallerSetting))
    .onConflictDoUpdate({
      target,
      set: { optedOutAt: parameter('optedOutAt'), updatedAt: parameter('updatedAt') },
    }),
  1,
);

const columns = sql.raw('merchant_id, livemode, msisdn, language, opted_out_at');

/** Appends the row as it is after a change. Blocks of the ledger seal these rows, so that a removed opt-out is detected. */
const recordChange = prepareWrite<Key>(
  toWrite(sql`INSERT INTO dialler_setting_change (${columns}, at)
    SELECT ${columns}, updated_at FROM ${diallerSetting} WHERE ${isSetting}`),
  1,
);

export type DiallerStore = ReturnType<typeof diallerStore>;

const isEverywhere = and(
  eq(diallerSetting.merchantId, everyMerchant),
  equals(diallerSetting, 'livemode'),
  equals(diallerSetting, 'msisdn'),
);

const language = build.select({ language: diallerSetting.language }).from(diallerSetting).where(isSetting);

const optedOutAt = build
  .select({ optedOutAt: diallerSetting.optedOutAt })
  .from(diallerSetting)
  .where(isEverywhere);

const settingQuery = prepareQuery(
  build
    .select({ language: sql<string | null>`(${language})`, optedOutAt: sql<EpochMs | null>`(${optedOutAt})` })
    .from(sql`(SELECT 1) AS one`),
);

/** The preferences of diallers: their language, and whether they accept requests from other phones. */
export function diallerStore(store: Store) {
  return {
    async settingOf(key: Key): Promise<DiallerSetting> {
      const row = await settingQuery.get(store, key);
      return { language: row?.language ?? null, blocksRequests: (row?.optedOutAt ?? null) !== null };
    },
  };
}

/** The writes that store one changed preference and record the change. */
export function preferenceWrites(key: Key, change: PreferenceChange, now: EpochMs): Write[] {
  const row: Row = { ...key, language: null, optedOutAt: null, updatedAt: now };
  if (change.kind === 'language') {
    return [setLanguage({ ...row, language: change.language }), recordChange(key)];
  }
  const everywhere = { ...key, merchantId: everyMerchant };
  const optedOutAt = change.blocksRequests ? now : null;
  return [setOptOut({ ...row, ...everywhere, optedOutAt }), recordChange(everywhere)];
}
