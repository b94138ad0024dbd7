import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CollectionRow, Status } from '../../../src/gateway/collection/collection.ts';
import { type IntentRequest, prepareIntent } from '../../../src/gateway/collection/opening/prepare-intent.ts';
import type { Rejection } from '../../../src/gateway/collection/opening/rejection.ts';
import {
  type CollectionStore,
  collectionStore,
} from '../../../src/gateway/collection/store/collection-store.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import { type Msisdn, parseMsisdn } from '../../../src/shared/msisdn.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import type { Store, Write } from '../../../src/sqlite/store.ts';
import { type TestClock, testClock } from '../../kit/clock.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { placeMigrated } from '../../kit/migrated.ts';
import { noLimits } from './support.ts';

/** How a collection ended, as a test has it without a service that would say so. */
export type End = {
  status: Extract<Status, 'paid' | 'failed' | 'expired' | 'abandoned' | 'review'>;
  reason?: string;
  review?: string;
  booked?: string;
};

export type Opened = { row: CollectionRow; done: boolean };

export type Bench = {
  store: Store;
  file: string;
  collections: CollectionStore;
  clock: TestClock;
  /** What opening one now would write. */
  writesOf(changed: Partial<IntentRequest>): readonly Write[];
  /** Starts a collection now, and tells whether it was written. */
  open(changed?: Partial<IntentRequest>): Promise<Opened>;
  /** Why one would not be opened now, nothing being written. */
  whyNot(changed?: Partial<IntentRequest>): Promise<Rejection | undefined>;
  end(row: CollectionRow, end: End): Promise<boolean>;
  /** Closes a number to requests from other phones, or opens it to them again. */
  setClosed(payer: Msisdn, closed: boolean, merchantId?: string): Promise<boolean>;
};

/** The n-th number of a test. */
export function number(n: number): Msisdn {
  const msisdn = parseMsisdn(`024${String(n).padStart(7, '0')}`);
  if (!msisdn) throw new Error('no such number');
  return msisdn;
}

/** Collections on a file of their own, on a clock that stands still. */
export function openBench(): Bench {
  const clock = testClock();
  const ids = systemIds(clock);
  const file = join(temporaryFolder(), 'ledger.db');
  placeMigrated(file, 'gateway');
  const store = createSqliteStore({ file, schema: 'gateway', clock });
  onTestFinished(() => store.close());
  const collections = collectionStore(store);
  const requested = (changed: Partial<IntentRequest>): IntentRequest => ({
    merchantId: 'demo-shop',
    livemode: 0,
    channel: 'africastalking',
    dialogueId: 'dlg_1',
    dialler: number(1),
    payer: number(1),
    network: 'mtn',
    goodsMinor: 2_000 as AmountMinor,
    reference: undefined,
    retryOf: null,
    shownTotalMinor: null,
    limits: noLimits,
    now: clock.now(),
    promptDelayMs: 1_500,
    promptDeadlineMs: 180_000,
    ...changed,
  });
  return {
    store,
    file,
    collections,
    clock,
    writesOf: (changed) => prepareIntent(ids, requested(changed)).writes,
    async open(changed = {}) {
      const { row, writes } = prepareIntent(ids, requested(changed));
      return { row, done: await store.apply(writes) };
    },
    whyNot(changed = {}) {
      const request = requested(changed);
      return collections.findRejection(prepareIntent(ids, request).row, request.limits, request.now);
    },
    end(row, { status, reason, review, booked }) {
      return store.apply([
        {
          sql: `UPDATE collection SET status = ?, reason = ?, review = ?, booked = ?, closed_at = ?, next_at = NULL
                WHERE id = ?`,
          args: [status, reason ?? null, review ?? null, booked ?? null, clock.now(), row.id],
          rows: 1,
        },
      ]);
    },
    setClosed(payer, closed, merchantId = 'demo-shop') {
      const write: Write = {
        sql: `INSERT INTO dialler_setting (merchant_id, livemode, msisdn, closed_at, updated_at) VALUES (?, 0, ?, ?, ?)
              ON CONFLICT DO UPDATE SET closed_at = excluded.closed_at`,
        args: [merchantId, payer, closed ? clock.now() : null, clock.now()],
        rows: 1,
      };
      return store.apply([write]);
    },
  };
}
