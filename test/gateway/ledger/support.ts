import { type LedgerStore, ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import type { Write } from '../../../src/sqlite/store.ts';
import { type TestClock, testClock } from '../../kit/clock.ts';
import { openOwnStore } from '../../kit/migrated.ts';

export type Bench = {
  ledger: LedgerStore;
  clock: TestClock;
  /** Appends this number of facts of a collection, and a balanced booking. */
  append(collectionId: string, facts: number): Promise<void>;
  /** Runs one statement, as a person with write access to the file. */
  apply(sql: string): Promise<void>;
};

/** Creates an empty ledger on its own file. */
export function openLedger(): Bench {
  const clock = testClock();
  const { store } = openOwnStore('gateway', { clock });
  const fact = (collectionId: string, version: number): Write => ({
    sql: 'INSERT INTO fact (subject_id, merchant_id, version, kind, data, at) VALUES (?, ?, ?, ?, ?, ?)',
    args: [collectionId, 'demo-shop', version, 'polled', '{}', clock.now()],
  });
  const posting = (collectionId: string, account: string, amountMinor: number): Write => ({
    sql: `INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
          VALUES (?, 'demo-shop', 0, 5, 'suspense', ?, ?, ?)`,
    args: [collectionId, account, amountMinor, clock.now()],
  });
  return {
    ledger: ledgerStore(store),
    clock,
    async apply(sql) {
      await store.apply([{ sql, args: [] }]);
    },
    async append(collectionId, facts) {
      const rows = Array.from({ length: facts }, (_, index) => fact(collectionId, index + 1));
      const booking = [posting(collectionId, 'payers', -100), posting(collectionId, 'suspense', 100)];
      await store.apply([...rows, ...booking]);
    },
  };
}
