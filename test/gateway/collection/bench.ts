import type { CollectionRow, CollectionWithJob, Status } from '../../../src/gateway/collection/collection.ts';
import type { Rejection } from '../../../src/gateway/collection/opening/limits.ts';
import { type IntentRequest, prepareIntent } from '../../../src/gateway/collection/opening/prepare-intent.ts';
import {
  type CollectionStore,
  collectionStore,
} from '../../../src/gateway/collection/store/collection-store.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { createShortReference } from '../../../src/shared/short-reference.ts';
import type { Store, Write } from '../../../src/sqlite/store.ts';
import { type TestClock, testClock } from '../../kit/clock.ts';
import { openOwnStore } from '../../kit/migrated.ts';
import { msisdnOf } from '../../kit/msisdn.ts';
import { noLimits } from './support.ts';

/** The end of a collection, written by the test instead of by evidence. */
export type End = {
  status: Extract<Status, 'paid' | 'failed' | 'expired' | 'abandoned' | 'review'>;
  reason?: string;
  review?: string;
  booked?: string;
};

export type OpenResult = { row: CollectionWithJob; done: boolean };

export type Bench = {
  store: Store;
  file: string;
  collections: CollectionStore;
  clock: TestClock;
  /** Returns the writes that would open a collection now. */
  writesOf(changed: Partial<IntentRequest>): readonly Write[];
  /** Opens a collection now. `done` is false when the database rejects it. */
  open(changed?: Partial<IntentRequest>): Promise<OpenResult>;
  /** Returns why a collection would be rejected now. Writes nothing. */
  rejectionOf(changed?: Partial<IntentRequest>): Promise<Rejection | undefined>;
  end(row: CollectionRow, end: End): Promise<boolean>;
  /** Sets whether a number blocks requests from other phones. */
  setBlock(payer: Msisdn, blocks: boolean): Promise<boolean>;
};

/** Returns the n-th phone number of a test. */
export function number(n: number): Msisdn {
  return msisdnOf(`024${String(n).padStart(7, '0')}`);
}

/** Creates a collection store on its own file, with a clock that the test advances. */
export function createBench(): Bench {
  const clock = testClock();
  const ids = systemIds(clock);
  // Random ones collide in 7 of 100 runs with 1,200 collections; the dialogue then prepares another intent.
  let references = 0;
  const nextReference = () => createShortReference({ digits: () => String(++references).padStart(7, '0') });
  const { store, file } = openOwnStore('gateway', { clock });
  const collections = collectionStore(store);
  const requested = ({
    dialler = number(1),
    payer = number(1),
    ...changed
  }: Partial<IntentRequest>): IntentRequest => ({
    merchantId: 'demo-shop',
    livemode: 0,
    channel: 'africastalking',
    dialogueId: 'dlg_1',
    dialler,
    payer,
    requestedBy: dialler === payer ? 'payer' : 'other',
    network: 'mtn',
    goodsMinor: 2_000 as AmountMinor,
    reference: undefined,
    shortReference: nextReference(),
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
    rejectionOf(changed = {}) {
      const request = requested(changed);
      return collections.findRejection(prepareIntent(ids, request).row, request.limits, request.now);
    },
    end(row, { status, reason, review, booked }) {
      return store.apply([
        {
          sql: `UPDATE collection SET status = ?, reason = ?, review = ?, booked = ?, closed_at = ?,
                confirmed_at = ? WHERE id = ?`,
          args: [
            ...[status, reason ?? null, review ?? null, booked ?? null, clock.now()],
            ...[status === 'paid' ? clock.now() : null, row.id],
          ],
          rows: 1,
        },
        { sql: 'DELETE FROM job WHERE collection_id = ?', args: [row.id] },
      ]);
    },
    setBlock(payer, blocks) {
      const write: Write = {
        sql: `INSERT INTO dialler_setting (merchant_id, livemode, msisdn, opted_out_at, updated_at) VALUES ('*', 0, ?, ?, ?)
              ON CONFLICT DO UPDATE SET opted_out_at = excluded.opted_out_at`,
        args: [payer, blocks ? clock.now() : null, clock.now()],
        rows: 1,
      };
      return store.apply([write]);
    },
  };
}
