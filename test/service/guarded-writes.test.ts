import { getTableColumns, type InferSelectModel } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { keyStore } from '../../src/service/key/key-store.ts';
import { promptStore } from '../../src/service/rail/prompt-store.ts';
import { reviewStore } from '../../src/service/review/review-store.ts';
import { apiKey, prompt, reviewTable, sessionTable } from '../../src/service/schema.ts';
import { sessionStore } from '../../src/service/session/session-store.ts';
import type { Write } from '../../src/sqlite/store.ts';
import { testClock } from '../kit/clock.ts';
import { openOwnStore } from '../kit/migrated.ts';

/*
 * Each write of the service's state applies only to the row as its author read it. A write whose condition does not hold
 * changes nothing and undoes its whole batch.
 */

/** Returns a row with these values and a value of its type in every other column that needs one. */
function rowOf<Table extends SQLiteTable>(
  table: Table,
  values: Partial<InferSelectModel<Table>>,
): InferSelectModel<Table> {
  const columns = Object.entries(getTableColumns(table)).map(([name, { notNull, dataType }]) => {
    const required = dataType === 'string' ? 'x' : 0;
    return [name, notNull ? required : null];
  });
  return { ...Object.fromEntries(columns), ...values };
}

function openStores() {
  const clock = testClock();
  const { store } = openOwnStore('service', { clock });
  return {
    apply: (write: Write) => store.apply([write]),
    sessions: sessionStore(store),
    prompts: promptStore(store),
    reviews: reviewStore(store),
    keys: keyStore(store),
  };
}

type Stores = ReturnType<typeof openStores>;

const created = (values = {}) => ({
  ...{ id: 'pay_1', status: 'created' as const, expiresAt: 2_000 },
  ...{ goodsMinor: 2_000, amountMinor: 2_020, feeMinor: 20, netMinor: 2_000 },
  ...values,
});
const insertSession = async ({ apply, sessions }: Stores, values = {}) =>
  expect(await apply(sessions.insert(rowOf(sessionTable, created(values))))).toBe(true);
const insertPrompt = async ({ apply, prompts }: Stores) =>
  expect(
    await apply(
      prompts.insert(rowOf(prompt, { id: 'prm_1', status: 'pending', wrongPins: 0, expiresAt: 2_000 })),
    ),
  ).toBe(true);

const initiateAt = (stores: ReturnType<typeof openStores>, now: number) =>
  stores.sessions.initiate({ id: 'pay_1', now, expiresAt: 3_000, inquireAt: 2_500 });

test('a session is initiated once', async () => {
  const stores = openStores();
  await insertSession(stores);
  const initiate = initiateAt(stores, 1_000);
  expect(await stores.apply(initiate)).toBe(true);
  expect(await stores.apply(initiate)).toBe(false);
});

test('a session is not initiated from its expiry on', async () => {
  const stores = openStores();
  await insertSession(stores);
  expect(await stores.apply(initiateAt(stores, 2_000))).toBe(false);
  expect(await stores.apply(initiateAt(stores, 1_999))).toBe(true);
});

test('a session is held once, and only in the status that was read', async () => {
  const stores = openStores();
  await insertSession(stores, { status: 'initiated', inquireAt: 1_500 });
  const hold = (from: 'created' | 'initiated') => stores.sessions.hold({ id: 'pay_1', from, at: 1_000 });
  expect(await stores.apply(hold('created'))).toBe(false);
  expect(await stores.apply(hold('initiated'))).toBe(true);
  expect(await stores.apply(hold('initiated'))).toBe(false);
});

test('a wrong PIN is counted once for each count that was read, and not after the prompt is closed', async () => {
  const stores = openStores();
  await insertPrompt(stores);
  const count = (wrongPins: number) => stores.prompts.countWrongPin({ id: 'prm_1', wrongPins });
  expect(await stores.apply(count(0))).toBe(true);
  expect(await stores.apply(count(0))).toBe(false);
  const declined = {
    id: 'prm_1',
    status: 'declined',
    failure: null,
    chargedMinor: 0,
    at: 1_000,
  } as const;
  expect(await stores.apply(stores.prompts.close(declined))).toBe(true);
  expect(await stores.apply(stores.prompts.close(declined))).toBe(false);
  expect(await stores.apply(count(1))).toBe(false);
});

test('a prompt is answered before its expiry, and expires from then on', async () => {
  const stores = openStores();
  await insertPrompt(stores);
  const end = { id: 'prm_1', failure: null, chargedMinor: 0 } as const;
  expect(await stores.apply(stores.prompts.close({ ...end, status: 'expired', at: 1_999 }))).toBe(false);
  expect(await stores.apply(stores.prompts.close({ ...end, status: 'approved', at: 2_000 }))).toBe(false);
  expect(await stores.apply(stores.prompts.close({ ...end, status: 'expired', at: 2_000 }))).toBe(true);
});

test('a review is resolved once, and only for the charge that was read', async () => {
  const stores = openStores();
  const charge = { sessionId: 'pay_1', paidAt: 900, paidMinor: 2_000 };
  expect(await stores.apply(stores.reviews.insert(rowOf(reviewTable, charge)))).toBe(true);
  const resolve = (changed = {}) =>
    stores.reviews.resolve({ ...charge, at: 1_000, resolution: 'accepted', note: null, ...changed });
  expect(await stores.apply(resolve({ paidMinor: 2_001 }))).toBe(false);
  expect(await stores.apply(resolve({ paidAt: 901 }))).toBe(false);
  expect(await stores.apply(resolve())).toBe(true);
  expect(await stores.apply(resolve())).toBe(false);
});

test('a revoked key is not rotated', async () => {
  const stores = openStores();
  expect(await stores.apply(stores.keys.insert(rowOf(apiKey, { id: 'key_1' })))).toBe(true);
  expect(await stores.apply(stores.keys.expire({ id: 'key_1', at: 2_000 }))).toBe(true);
  expect(await stores.apply(stores.keys.revoke({ id: 'key_1', at: 1_000 }))).toBe(true);
  expect(await stores.apply(stores.keys.expire({ id: 'key_1', at: 3_000 }))).toBe(false);
  expect(await stores.apply(stores.keys.revoke({ id: 'key_2', at: 1_000 }))).toBe(false);
});
