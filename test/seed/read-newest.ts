import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import { Database } from '../../src/sqlite/driver.ts';

/** The columns of a collection that decide what happens to it next. */
export type SeededRow = Pick<
  CollectionRow,
  | 'id'
  | 'status'
  | 'version'
  | 'shortReference'
  | 'sessionId'
  | 'goodsMinor'
  | 'amountMinor'
  | 'feeMinor'
  | 'netMinor'
  | 'review'
  | 'nextAt'
  | 'confirmedAt'
  | 'lapsedAt'
>;

/** Reads the newest collection of a payer. One connection for all reads: a payment is read many times. */
export type ReadNewest = ((payer: Msisdn) => SeededRow | undefined) & { close(): void };

export function createReadNewest(file: string): ReadNewest {
  const database = new Database(file, { readonly: true });
  const newest = database.prepare<[string], SeededRow>(
    `SELECT id, status, version, short_reference AS shortReference, session_id AS sessionId, goods_minor AS goodsMinor,
       amount_minor AS amountMinor, fee_minor AS feeMinor, net_minor AS netMinor, review, next_at AS nextAt,
       confirmed_at AS confirmedAt, lapsed_at AS lapsedAt
     FROM collection WHERE payer = ? ORDER BY rowid DESC LIMIT 1`,
  );
  return Object.assign((payer: Msisdn) => newest.get(payer), { close: () => void database.close() });
}
