import { expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import {
  create,
  initiate,
  newMerchant,
  openLiveMerchant,
  openMerchant,
  poll,
  refusal,
  unlimited,
} from './support.ts';

test('a key that calls too often gets retry-after; other keys of the same merchant do not', async () => {
  const { bench, merchantId, key, liveKey } = await openLiveMerchant({
    config: { limits: { ...unlimited, calls: { burst: 5, perMinute: 60 } } },
  });
  const { key: sister } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const { key: stranger } = await newMerchant(bench, 'Kofi Cosmetics');
  const id = await create(bench, key);
  for (let calls = 1; calls < 5; calls++) expect((await poll(bench, key, id)).status).toBe(200);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await bench.service.app.request(`/v1/payments/sessions/${id}/status`, { headers });
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await refusal(answer)).toMatchObject({ status: 429, code: 'too_many_requests' });
  expect((await initiate(bench, key, id)).status).toBe(429);
  expect(await bench.service.statement()).toMatchObject({ sessions: [{ status: 'created' }], pushes: 0 });

  expect((await poll(bench, sister, id)).status).toBe(200);
  expect((await poll(bench, liveKey, id)).status).toBe(404);
  expect((await poll(bench, stranger, id)).status).toBe(404);
  await bench.clock.advance(1_000);
  expect((await poll(bench, key, id)).status).toBe(200);
  expect((await poll(bench, key, id)).status).toBe(429);
});

test('a call without a valid key counts against no limit', async () => {
  const { bench, key } = await openMerchant({
    config: { limits: { ...unlimited, calls: { burst: 2, perMinute: 1 } } },
  });
  for (let calls = 0; calls < 5; calls++) expect((await poll(bench, `${key}x`, 'pay_1')).status).toBe(401);
  expect((await poll(bench, key, 'pay_1')).status).toBe(404);
});

test('a number above its prompt limit, at all merchants together, is rejected without a change, and accepted later', async () => {
  const { bench, key } = await openMerchant({
    config: { limits: { ...unlimited, prompts: { burst: 2, perMinute: 1 } } },
  });
  const ids = [await create(bench, key), await create(bench, key), await create(bench, key)] as const;
  const [one, two, three] = ids;
  expect((await initiate(bench, key, one)).status).toBe(200);
  expect((await initiate(bench, key, two)).status).toBe(200);
  const answer = await initiate(bench, key, three, 'i');
  expect(answer.headers.get('retry-after')).toBe('60');
  expect(await refusal(answer)).toMatchObject({ status: 429, code: 'too_many_prompts' });
  expect((await poll(bench, key, three)).body).toMatchObject({ status: 'created', terminal: false });
  expect((await bench.service.statement()).pushes).toBe(2);

  // Another number is not concerned. The same one is, for every merchant.
  const elsewhere = await create(bench, key, { msisdn: '233201111111' });
  expect((await initiate(bench, key, elsewhere)).status).toBe(200);
  const other = await newMerchant(bench, 'Kofi Cosmetics');
  const refused = await initiate(bench, other.key, await create(bench, other.key));
  expect(await refusal(refused)).toMatchObject({ status: 429, code: 'too_many_prompts' });

  // The refusal was not kept: the same call under the same key goes through when the time has come.
  await bench.clock.advance(59_999);
  expect((await initiate(bench, key, three, 'i')).status).toBe(429);
  await bench.clock.advance(1);
  expect((await initiate(bench, key, three, 'i')).status).toBe(200);
});
