import { expect, test } from 'vitest';
import type { CollectionWithJob } from '../../../src/gateway/collection/collection.ts';
import { acceptedCollection } from '../../../src/gateway/collection/fact.ts';
import { openingWrites } from '../../../src/gateway/collection/opening/opening-store.ts';
import { collectionStore } from '../../../src/gateway/collection/store/collection-store.ts';
import type { Write } from '../../../src/sqlite/store.ts';
import { testClock } from '../../kit/clock.ts';
import { openOwnStore } from '../../kit/migrated.ts';
import { msisdnOf } from '../../kit/msisdn.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { intent, noLimits } from './support.ts';

const clock = testClock();
const now = clock.now();

function open() {
  const { store, file } = openOwnStore('gateway', { clock });
  return { store, collections: collectionStore(store), file };
}

/** Returns a collection with a due time. The n-th was opened in the n-th second. */
function row(n: number, nextAt: number): CollectionWithJob {
  const payer = msisdnOf(`024${String(n).padStart(7, '0')}`);
  const first = {
    ...intent,
    id: `col_${String(n).padStart(4, '0')}`,
    payer,
    dialler: payer,
    shortReference: String(n).padStart(8, '0'),
    openedAt: now - 1_000_000 + n * 1_000,
  };
  return {
    ...acceptedCollection(first),
    nextAt,
    leaseUntil: 0,
    fence: 0,
    home: null,
    attempts: 0,
    updatedAt: first.openedAt,
  };
}

const insert = (one: CollectionWithJob) => openingWrites(one, one, noLimits);

test('a claim of a collection that closes concurrently is lost, and other claims succeed', async () => {
  const { store, collections } = open();
  await store.apply([...insert(row(1, now)), ...insert(row(2, now))]);
  const closing = store.apply([
    {
      sql: `UPDATE collection SET status = 'failed' WHERE id = 'col_0001'`,
      args: [],
      rows: 1,
    },
    { sql: `DELETE FROM job WHERE collection_id = 'col_0001'`, args: [], rows: 1 },
  ]);
  const claimed = await collections.claim(['col_0001', 'col_0002'], now, now + 30_000);
  expect(await closing).toBe(true);
  expect(claimed).toEqual([{ id: 'col_0002', merchantId: intent.merchantId, fence: 1 }]);
});

test('a collection is claimed by one worker, and again only after its lease expires', async () => {
  const { store, collections } = open();
  await store.apply(insert(row(1, now)));
  const claim = (at: number) => collections.claim(['col_0001'], at, at + 30_000);
  const claimed = { id: 'col_0001', merchantId: intent.merchantId };
  expect(await Promise.all([claim(now), claim(now)])).toEqual([[{ ...claimed, fence: 1 }], []]);
  const list = (at: number) =>
    collections.listDue({ now: at, livemode: 0, limit: 9, order: 'newest', excludedMerchants: [] });
  expect(await list(now + 29_999)).toEqual([]);
  expect(await collections.nextDueAt({ livemode: 0, excludedMerchants: [] })).toBe(now + 30_000);
  expect(await list(now + 30_000)).toEqual([claimed]);
  expect(await claim(now + 30_000)).toEqual([{ ...claimed, fence: 2 }]);
});

test('a long backlog is listed newest first, or longest due first', async () => {
  const { store, collections } = open();
  const numbers = Array.from({ length: 600 }, (_, n) => n);
  await store.apply(numbers.flatMap((n) => insert(row(n, now - 600_000 + n * 1_000))));
  const first = async (order: 'newest' | 'oldest') =>
    (await collections.listDue({ now, livemode: 0, limit: 2, order, excludedMerchants: [] })).map(
      ({ id }) => id,
    );
  expect(await first('newest')).toEqual(['col_0599', 'col_0598']);
  expect(await first('oldest')).toEqual(['col_0000', 'col_0001']);
});

test('collections without a prompt are listed first, then payments to confirm, then other polls', async () => {
  const { store, collections } = open();
  const statuses = ['initiated', 'paid', 'accepted', 'initiating', 'paid', 'created'];
  await store.apply(statuses.flatMap((status, n) => insert({ ...row(n, now), status } as CollectionWithJob)));
  const listed = await collections.listDue({
    ...{ now, livemode: 0, limit: 9, order: 'newest', excludedMerchants: [] },
  });
  expect(listed.map(({ id }) => statuses[Number(id.slice(4))])).toEqual([
    ...['created', 'accepted', 'paid', 'paid', 'initiating', 'initiated'],
  ]);
});

test.each(['accepted', 'created', 'initiating', 'initiated', 'paid', 'review'])(
  'a collection that is %s with work left keeps its job',
  async (status) => {
    const { store } = open();
    const one = { ...row(1, now), status, awaitsServiceSince: now } as CollectionWithJob;
    await store.apply(insert(one));
    const end: Write = { sql: `DELETE FROM job WHERE collection_id = 'col_0001'`, args: [], rows: 1 };
    await expect(store.apply([end])).rejects.toThrow('a collection with work left keeps its job');
    const finish: Write = {
      sql: `UPDATE collection SET status = 'paid', confirmed_at = ? WHERE id = 'col_0001'`,
      args: [now],
      rows: 1,
    };
    expect(await store.apply([finish, end])).toBe(true);
  },
);

test('a collection is claimed by its own gateway, and by another one only when it is overdue', async () => {
  const { store } = open();
  const [one, two] = [collectionStore(store, 'gw_1'), collectionStore(store, 'gw_2')];
  await store.apply([
    ...insert({ ...row(1, now), home: 'gw_1' }),
    ...insert({ ...row(2, now + 3_000), home: 'gw_2' }),
    ...insert({ ...row(3, now + 9_000), home: null }),
  ]);
  const served = { livemode: 0, excludedMerchants: [] } as const;
  const listed = async (collections: typeof one, at: number, order: 'newest' | 'oldest') =>
    (await collections.listDue({ ...served, now: at, limit: 9, order })).map(({ id }) => id).toSorted();
  for (const order of ['newest', 'oldest'] as const) {
    expect(await listed(one, now + 4_999, order)).toEqual(['col_0001']);
    expect(await listed(two, now + 4_999, order)).toEqual(['col_0002']);
    expect(await listed(two, now + 5_000, order)).toEqual(['col_0001', 'col_0002']);
    // A file has one gateway, which serves whatever a server has written.
    expect(await listed(collectionStore(store), now + 3_000, order)).toEqual(['col_0001', 'col_0002']);
    expect(await listed(one, now + 9_000, order)).toEqual(['col_0001', 'col_0002', 'col_0003']);
  }
  expect([await one.nextDueAt(served), await two.nextDueAt(served)]).toEqual([now, now + 3_000]);
  const third = collectionStore(store, 'gw_3');
  expect(await third.nextDueAt(served)).toBe(now + 5_000);
  expect(await two.claim(['col_0001'], now + 5_000, now + 35_000)).toHaveLength(1);
  expect(await one.nextDueAt(served)).toBe(now + 8_000);
  expect(await two.find('col_0001')).toMatchObject({ home: 'gw_2' });
  await one.adopt('col_0002');
  expect(await one.find('col_0002')).toMatchObject({ home: 'gw_1' });
});

test('a gateway that has listed a collection does not claim it after another one became its home', async () => {
  const { store } = open();
  const [one, two] = [collectionStore(store, 'gw_1'), collectionStore(store, 'gw_2')];
  await store.apply(insert({ ...row(1, now), home: 'gw_1' }));
  const [listed] = await one.listDue({
    ...{ livemode: 0, excludedMerchants: [], now, limit: 1, order: 'newest' },
  });
  expect(listed).toMatchObject({ id: 'col_0001' });
  await two.adopt('col_0001');
  expect(await one.claim(['col_0001'], now, now + 30_000)).toEqual([]);
  expect(await two.claim(['col_0001'], now, now + 30_000)).toHaveLength(1);
});

test('an excluded merchant does not delay other merchants', async () => {
  const { store, collections } = open();
  const other: CollectionWithJob = { ...row(2, now - 1_000), merchantId: 'other-shop' };
  await store.apply([...insert(row(1, now)), ...insert(other)]);
  const look = { now, livemode: 0, limit: 9, excludedMerchants: [intent.merchantId] } as const;
  for (const order of ['newest', 'oldest'] as const) {
    expect((await collections.listDue({ ...look, order })).map(({ id }) => id)).toEqual(['col_0002']);
  }
  expect(await collections.nextDueAt({ livemode: 0, excludedMerchants: [intent.merchantId] })).toBe(
    now - 1_000,
  );
  expect(
    await collections.nextDueAt({ livemode: 0, excludedMerchants: [intent.merchantId, 'other-shop'] }),
  ).toBeNull();
});

test('a claim reads the indexes of due jobs, so that a backlog costs nothing', async () => {
  const { store, collections, file } = open();
  await store.apply(Array.from({ length: 12 }, (_, n) => insert(row(n, now))).flat());
  const plans = await queryPlansOf(file, async () => {
    for (const order of ['newest', 'oldest'] as const)
      await collections.listDue({ now, livemode: 0, limit: 9, order, excludedMerchants: [] });
  });
  const steps = plans.flatMap((plan) => plan.steps).filter((step) => /\bjob\b|\b[nf]\b/.test(step));
  for (const step of steps) expect(step).toMatch(/^SEARCH .* INDEX job_(due|urgency) \(livemode=\?/);
  expect(steps.length).toBeGreaterThanOrEqual(6);
});
