import { expect, test } from 'vitest';
import { scopes } from '../../src/contract/service/admin.ts';
import { createCachedReads } from '../../src/service/cached-reads.ts';
import { keyStore } from '../../src/service/key/key-store.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { openOwnStore } from '../kit/migrated.ts';
import { type Bench, create, json, openBench, openMerchant, poll, post } from './support.ts';
import { admin, hmac, pay, secret, signatures, url, withEndpoint } from './webhook-support.ts';

/** The HTTP status and the error code of a create call. */
async function creating(bench: Bench, key: string) {
  const body = {
    msisdn: '233244123456',
    amount_minor: 2_000,
    network: 'mtn',
    mode: 'offline',
    reference: 'A',
  };
  const answer = await post(bench, '/v1/payments/sessions', {
    key,
    body,
    idempotencyKey: crypto.randomUUID(),
  });
  const { error, expected_fee_minor: fee } = await json(answer);
  return error === undefined ? [answer.status, fee] : [answer.status, Object(error).code];
}

test('a key that calls were made with is rejected from the first call after its revocation', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const session = await create(bench, key);
  const { data } = await json(await admin(bench, 'GET', `/merchants/${merchantId}/keys`));
  const { id } = Object(data)[0];
  const earlier = Array.from({ length: 30 }, () => poll(bench, key, session));
  expect((await admin(bench, 'POST', `/keys/${id}/revoke`)).status).toBe(200);
  expect((await poll(bench, key, session)).status).toBe(401);
  for (const { status } of await Promise.all(earlier)) expect([200, 401]).toContain(status);
  expect((await poll(bench, key, session)).status).toBe(401);
});

test('a key that was replaced without an overlap is rejected from the next call on', async () => {
  const { bench, merchantId, key } = await openMerchant();
  expect(await creating(bench, key)).toEqual([201, 20]);
  const { data } = await json(await admin(bench, 'GET', `/merchants/${merchantId}/keys`));
  const rotated = await admin(bench, 'POST', `/keys/${Object(data)[0].id}/rotate`, { overlap_seconds: 0 });
  expect(await creating(bench, key)).toEqual([401, 'invalid_api_key']);
  expect(await creating(bench, String((await json(rotated)).key))).toEqual([201, 20]);
});

test('an approval that is withdrawn and granted again holds from the next call on', async () => {
  const { bench, merchantId, key } = await openMerchant();
  for (let round = 0; round < 3; round++) {
    expect(await creating(bench, key)).toEqual([201, 20]);
    await admin(bench, 'POST', `/merchants/${merchantId}/withdraw-offline`);
    expect(await creating(bench, key)).toEqual([403, 'offline_mode_not_enabled']);
    await admin(bench, 'POST', `/merchants/${merchantId}/approve-offline`);
  }
});

test('a fee holds from the first create after it was set, changed or cleared', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const fee = `/merchants/${merchantId}/fees/ussd`;
  expect(await creating(bench, key)).toEqual([201, 20]);
  await admin(bench, 'PUT', fee, { basis_points: 200 });
  expect(await creating(bench, key)).toEqual([201, 40]);
  await admin(bench, 'PUT', fee, { basis_points: 300 });
  expect(await creating(bench, key)).toEqual([201, 60]);
  await admin(bench, 'DELETE', fee);
  expect(await creating(bench, key)).toEqual([201, 20]);
});

test('an event after a change of the URL goes to the new one, signed with the secrets of that time', async () => {
  const bench = openBench();
  const { merchantId, key } = await withEndpoint(bench);
  await pay(bench, key);
  const next = 'https://merchant.example/next';
  await bench.service.setWebhook({ merchantId, livemode: false, url: next });
  await pay(bench, key);
  const { secret: fresh } = await bench.service.rotateSecret({ merchantId, livemode: false });
  await pay(bench, key);
  expect(bench.received.map((one) => one.url)).toEqual([url, next, next]);
  const [, before, after] = bench.received;
  expect(signatures(before).v1).toEqual([hmac(secret, signatures(before).t, before?.body)]);
  const both = [fresh, secret].map((one) => hmac(one, signatures(after).t, after?.body));
  expect(signatures(after).v1).toEqual(both);
});

function openKept(slow: (read: Promise<unknown>) => Promise<unknown> = (read) => read) {
  const { store: database } = openOwnStore('service');
  let reads = 0;
  const counting: Store = {
    ...database,
    query(sql, args, result) {
      reads++;
      return slow(database.query(sql, args, result));
    },
  };
  const { store, keep } = createCachedReads(counting);
  const keys = keyStore(store);
  const find = keep(['api_key', 'merchant'], (id) => keys.find(id));
  return { store, keys, find, reads: () => reads };
}

const row = {
  ...{
    id: 'key_1',
    merchantId: 'mch_1',
    platformId: 'plt_1',
    livemode: 0 as const,
    handle: 'h',
    digest: 'd',
  },
  ...{ ending: 'abcd', scopes: JSON.stringify(scopes), createdAt: 1, revokedAt: null, expiresAt: null },
  lastUsedAt: null,
};

test('a result is read once until a batch writes one of its tables', async () => {
  const { store, keys, find, reads } = openKept();
  await store.apply([keys.insert(row)]);
  await find('key_1');
  await find('key_1');
  await store.apply([{ sql: 'DELETE FROM sender WHERE name = ?', args: ['A'] }]);
  expect(await find('key_1')).toMatchObject({ revokedAt: null });
  expect(reads()).toBe(1);
  await store.apply([keys.revoke({ id: 'key_1', at: 5 })]);
  expect(await find('key_1')).toMatchObject({ revokedAt: 5 });
  expect(reads()).toBe(2);
});

test('a statement of an unknown form counts as a write to every table', async () => {
  const { store, keys, find } = openKept();
  await store.apply([keys.insert(row)]);
  await find('key_1');
  await store.apply([
    { sql: 'WITH late(at) AS (SELECT 7) UPDATE api_key SET revoked_at = (SELECT at FROM late)', args: [] },
  ]);
  expect(await find('key_1')).toMatchObject({ revokedAt: 7 });
});

test('a result that a batch replaces while it is being read is read again', async () => {
  let release = () => {};
  let isSlow = false;
  const { store, keys, find } = openKept(async (read) => {
    if (isSlow)
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    return read;
  });
  await store.apply([keys.insert(row)]);
  isSlow = true;
  const early = find('key_1');
  isSlow = false;
  await store.apply([keys.revoke({ id: 'key_1', at: 5 })]);
  release();
  expect(await early).toMatchObject({ revokedAt: null });
  expect(await find('key_1')).toMatchObject({ revokedAt: 5 });
});

test('the rows of a batch that lost its guard are not returned', async () => {
  const { store, keys, find } = openKept();
  await store.apply([keys.insert(row)]);
  await find('key_1');
  expect(await store.apply([keys.expire({ id: 'key_1', at: 9 }), keys.revoke({ id: 'key_2', at: 9 })])).toBe(
    false,
  );
  expect(await find('key_1')).toMatchObject({ expiresAt: null });
});

test('a key that does not exist is looked for each time, and what is kept has a bound', async () => {
  const { store, keys, find, reads } = openKept();
  await find('key_1');
  await store.apply([keys.insert(row)]);
  expect(await find('key_1')).toMatchObject({ id: 'key_1' });
  expect(reads()).toBe(2);
  for (let at = 0; at < 1_500; at++) await store.apply([keys.insert({ ...row, id: `key_x${at}` })]);
  for (let at = 0; at < 1_500; at++) await find(`key_x${at}`);
  const before = reads();
  await find('key_x1499');
  expect(reads()).toBe(before);
  await find('key_x0');
  expect(reads()).toBe(before + 1);
});
