import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  adminToken,
  goods,
  initiate,
  openLiveMerchant,
  openMerchant,
  payer,
  poll,
  post,
  pushed,
} from './support.ts';

test('the database file contains only the digest of a key', async () => {
  const { bench, key, liveKey } = await openLiveMerchant();
  await pushed(bench, key);
  const scan = () =>
    [bench.file, `${bench.file}-wal`]
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'latin1'))
      .join('');
  expect(scan()).toContain(goods.reference);
  for (const secret of [key, liveKey, key.slice(8), liveKey.slice(8), adminToken]) {
    expect(scan()).not.toContain(secret);
  }
  await bench.service.stop();
  for (const secret of [key, liveKey, key.slice(8)]) expect(scan()).not.toContain(secret);
});

test('the log contains no number, key, secret or body, also after errors', async () => {
  const { bench, key, merchantId } = await openMerchant({
    wrapRail: (rail) => ({
      ...rail,
      push: (push, signal) =>
        push.amountMinor > 5_000 ? Promise.reject(new Error('lost')) : rail.push(push, signal),
    }),
  });
  const secret = 'a-secret-of-the-merchant';
  await bench.service.setWebhook({
    merchantId,
    livemode: false,
    url: 'https://merchant.example/hook',
    secret,
  });
  const { id, promptId } = await pushed(bench, key);
  await bench.service.app.request('/handset/prompts?msisdn=0244123456');
  await post(bench, `/handset/prompts/${promptId}/approve`, { body: { pin: '4071' } });
  await post(bench, '/v1/payments/sessions', {
    key,
    idempotencyKey: 'bad',
    body: { ...goods, msisdn: '0244' },
  });
  const dear = await post(bench, '/v1/payments/sessions', {
    key,
    idempotencyKey: 'dear',
    body: { ...goods, amount_minor: 9_000 },
  });
  await initiate(bench, key, JSON.parse(await dear.text()).id);
  await poll(bench, key, id);
  await bench.clock.advance(3_600_000);
  expect(bench.logged.length).toBeGreaterThan(5);
  const log = bench.logged.join('');
  expect(log).toContain(id);
  for (const private_ of [
    key,
    key.slice(8),
    adminToken,
    secret,
    payer,
    '0244123456',
    '4071',
    goods.reference,
  ]) {
    expect(log).not.toContain(private_);
  }
});
