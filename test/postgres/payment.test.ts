import { expect, test } from 'vitest';
import { staffActionWrite } from '../../src/gateway/access/action-store.ts';
import { systemActor } from '../../src/gateway/access/permissions.ts';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import { readDay } from '../../src/gateway/ledger/day.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { sealBlock } from '../../src/gateway/ledger/seal.ts';
import { blockQuery } from '../../src/gateway/staff/block-query.ts';
import { proposalStore } from '../../src/gateway/staff/proposal-store.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { createDatabase, openPostgres } from '../kit/postgres.ts';
import { createTill, paidEvent, type Till } from '../kit/till.ts';

/** Counts the statements in flight, because a clock that the test advances does not wait for a server. */
function countInFlight(store: Store): { store: Store; isIdle(): boolean } {
  let inFlight = 0;
  const count =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      inFlight++;
      try {
        return await run(...args);
      } finally {
        inFlight--;
      }
    };
  return {
    store: { ...store, apply: count(store.apply), query: count(store.query) },
    isIdle: () => inFlight === 0,
  };
}

async function createPostgresTill() {
  const { store, isIdle } = countInFlight(await openPostgres(await createDatabase()));
  const till = await createTill({ overrides: () => ({ createStore: () => store }) });
  return { till, store, isIdle };
}

/** Advances the clock until the condition holds, and waits for the database at each step. */
async function until(
  { till, isIdle }: { till: Till; isIdle(): boolean },
  condition: () => Promise<boolean>,
): Promise<void> {
  for (let step = 0; step < 400; step++) {
    for (let quiet = 0; quiet < 3; quiet = isIdle() ? quiet + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve));
    if (await condition()) return;
    await till.clock.advance(250);
  }
  throw new Error('the condition did not hold within 100 s');
}

/** The balances of the ledger. */
const balances = (store: Store) =>
  store.query('SELECT account, sum(amount_minor) FROM posting GROUP BY account ORDER BY account', [], 'rows');
const statuses = async (store: Store) =>
  ((await store.query('SELECT status FROM collection ORDER BY id', [], 'rows')) as [string][]).flat();

const booked = [
  ['merchant:demo-shop', 2_000],
  ['payers', -2_020],
  ['service_fees', 20],
];

test('a payer dials, approves the prompt and has paid, with the ledger on PostgreSQL', async () => {
  const parts = await createPostgresTill();
  const { till, store } = parts;
  expect(await till.pay('0244123456')).toContain('Approve GHS 20.00');
  expect(await statuses(store)).toHaveLength(1);
  await until(parts, async () => (await till.service.phone.pending('233244123456')).length === 1);
  const { id } = await till.prompt('0244123456');
  await till.service.phone.approve(id, '1234');
  await until(parts, async () => (await statuses(store))[0] === 'paid');
  expect(await balances(store)).toEqual(booked);
  const proposals = proposalStore(store);
  expect([await proposals.listReviews(2), await proposals.countReviews()]).toEqual([[], 0]);
  expect(await blockQuery(store).count({ now: till.clock.now() })).toBe(0);
  const subject = { kind: 'phone', id: '233244123456', merchantId: null, livemode: 0 } as const;
  const endsAt = till.clock.now() + 60_000;
  const block = {
    actor: systemActor('ama'),
    action: 'block',
    subject,
    detail: { role: 'dialler', reason: 'test', until: endsAt },
  };
  await store.apply([staffActionWrite(block, till.clock.now())]);
  expect(await blockQuery(store).list({ limit: 2, now: till.clock.now() })).toMatchObject([
    { until: endsAt },
  ]);
  const ledger = ledgerStore(store);
  const kept = async () =>
    (await ledger.balances()).map(({ account, amountMinor }) => [account, amountMinor]);
  expect(await kept()).toEqual(booked);
  while (await sealBlock(ledger, till.clock)) {
    // Seals one block at a time.
  }
  expect(await kept()).toEqual(booked);
  expect((await ledger.balances(readDay('1999-01-01'))).length).toBe(0);
  expect(await ledger.wrongTotals()).toEqual([]);
});

test('a payer who redials gets no second prompt, and a repeated event books once, on PostgreSQL', async () => {
  const parts = await createPostgresTill();
  const { till, store } = parts;
  await till.pay('0244123456');
  await till.pay('0244123456', []);
  expect(await statuses(store)).toHaveLength(1);
  await until(parts, async () => (await till.service.phone.pending('233244123456')).length === 1);
  const read = store.query(
    'SELECT session_id, goods_minor, amount_minor, fee_minor, net_minor FROM collection',
    [],
    'row',
  );
  const [sessionId, goodsMinor, amountMinor, feeMinor, netMinor] = (await read) as [string, ...number[]];
  const event = paidEvent({ sessionId, goodsMinor, amountMinor, feeMinor, netMinor } as CollectionRow);
  const answers = await Promise.all([1, 2, 3, 4].map(() => till.deliver(event)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  await until(parts, async () => (await statuses(store))[0] === 'paid');
  expect(await balances(store)).toEqual(booked);
});
