import type Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { auditCollection } from '../../../src/gateway/collection/audit.ts';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { collectionStore } from '../../../src/gateway/collection/collection-store.ts';
import { paymentSummaryOf } from '../../../src/gateway/collection/payment-summary.ts';
import { type ReconcileDeps, reconcile } from '../../../src/gateway/collection/reconcile.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { testClock } from '../../kit/clock.ts';
import { fileOfOlder } from '../../kit/older-file.ts';
import { unreadLog } from '../../kit/unread-log.ts';
import { opening, rowIn, second, session } from './support.ts';

type Later = 'shortReference' | 'retryOf' | 'shownTotalMinor' | 'restoredAt';

/** The columns and the first fact's fields that there were before short references. */
function olderOf<T extends object>(one: T): Omit<T, Later> {
  const {
    shortReference: _short,
    retryOf: _again,
    shownTotalMinor: _agreed,
    restoredAt: _restored,
    ...older
  } = one as T & CollectionRow;
  return older as unknown as Omit<T, Later>;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A collection that an older program has accepted. */
function accept(older: Database.Database): void {
  const row = olderOf(rowIn('accepted'));
  const names = Object.keys(row).map(snake);
  older
    .prepare(`INSERT INTO collection (${names.join()}) VALUES (${names.map(() => '?').join()})`)
    .run(...Object.values(row));
  older
    .prepare(
      `INSERT INTO fact (collection_id, merchant_id, version, kind, data, at) VALUES (?, ?, 1, 'accepted', ?, ?)`,
    )
    .run(row.id, row.merchantId, JSON.stringify(olderOf(opening)), row.openedAt);
}

function openOlder(migrations: number) {
  const clock = testClock();
  const store = createSqliteStore({ file: fileOfOlder(migrations, accept), schema: 'gateway', clock });
  onTestFinished(() => store.close());
  const collections = collectionStore(store);
  const silent = unreadLog();
  const deps: ReconcileDeps = {
    ...{ collections, clock, ids: systemIds(clock), log: silent },
    ...{ resendGraceMs: 15 * second, retryAllowedAfterMs: 360 * second },
  };
  return { deps, store, collections, verify: () => verifyLedger(ledgerStore(store), auditCollection) };
}

test.each([1, 2, 3, 4])(
  'a collection in a file of %i migrations is what its facts say, then and later',
  async (migrations) => {
    const { deps, collections, verify } = openOlder(migrations);
    expect(await collections.find('col_1')).toMatchObject({
      shortReference: null,
      retryOf: null,
      shownTotalMinor: null,
    });
    expect(await verify()).toMatchObject({ ok: true, faults: [], collections: 1 });
    const done = await reconcile(deps, 'col_1', { kind: 'create_answered', session, ms: 80 });
    expect(done?.row).toMatchObject({ status: 'created', shortReference: null });
    expect(await verify()).toMatchObject({ ok: true, faults: [], collections: 1 });
  },
);

test('an older collection is shown by its reference, for it has no short one', async () => {
  const { collections } = openOlder(3);
  const [recent] = await collections.recent({
    ...{ merchantId: opening.merchantId, livemode: 0, dialler: opening.dialler },
    ...{ channel: 'any', session: 'any', since: 0 },
  });
  expect(recent && paymentSummaryOf(recent)).toMatchObject({
    shortReference: opening.reference,
    state: 'waiting',
  });
});

test.each(['short_reference', 'retry_of', 'shown_total_minor'])(
  'that an older collection was given a %s afterwards is found',
  async (column) => {
    const { store, verify } = openOlder(3);
    await store.apply([{ sql: `UPDATE collection SET ${column} = 12345678`, args: [], rows: 1 }]);
    const { faults } = await verify();
    expect(faults).toEqual([
      {
        row: 'collection col_1',
        fault: expect.stringMatching(/^its facts say \w+ = nothing, its row says 12345678$/),
      },
    ]);
  },
);
