import { expect, test } from 'vitest';
import { actionLimits, boundActions, staffActionWrite } from '../../src/gateway/access/action-store.ts';
import { systemActor } from '../../src/gateway/access/actor.ts';
import { requestStore } from '../../src/gateway/merchant-api/request-store.ts';
import { createDatabase, openPostgres } from '../kit/postgres.ts';

const now = Date.UTC(2026, 2, 6);

const noteOf = (id: string, at = now) =>
  staffActionWrite(
    {
      ...{ actor: systemActor('mk_1', 'demo-shop'), action: 'note', detail: {} },
      subject: { kind: 'collection', id, merchantId: 'demo-shop', livemode: 0 },
    },
    at,
  );

test('batches at the same moment do not pass the bound of a key, nor those of another gateway', async () => {
  const url = await createDatabase();
  const stores = [boundActions(await openPostgres(url)), boundActions(await openPostgres(url))];
  const [store] = stores;
  await store?.apply([
    {
      sql: `INSERT INTO staff_action (at, actor, action, result, subject_kind, subject_id, merchant_id, livemode, detail)
        SELECT CAST(? AS BIGINT), 'mk_1', 'note', 'done', 'collection', 'col_' || i, 'demo-shop', 0, '{}'
        FROM generate_series(1, ?) AS i`,
      args: [now, actionLimits.person - 3],
    },
  ]);
  const ends = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      stores[i % 2]?.apply([noteOf(`col_x${i}`)]).catch((fault: Error) => fault.name),
    ),
  );
  expect(ends.filter((end) => end === true)).toHaveLength(3);
  expect(ends.filter((end) => end === 'ActionRefused')).toHaveLength(9);
  expect(await store?.apply([noteOf('col_y', now + 24 * 3_600_000)])).toBe(true);
});

test('a request of a key begins once, also when two gateways get it at once', async () => {
  const requests = requestStore(await openPostgres(await createDatabase()));
  const request = { keyId: 'mk_1', idempotencyKey: 'a', digest: '', answer: null, at: now };
  expect((await Promise.all([requests.begin(request), requests.begin(request)])).sort()).toEqual([
    false,
    true,
  ]);
});
