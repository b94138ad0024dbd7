import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/gateway/metrics/metrics.ts';
import { metricsRoute } from '../../src/gateway/metrics/route.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createStoreWithTriggers, plantTrigger } from '../kit/failing-statements.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, paidEvent } from '../kit/till.ts';
import { adminToken, goods, openMerchant, post } from '../service/support.ts';

/** A check that throws. */
function broken(): never {
  throw new Error('the check itself is broken');
}

const internals = /check itself|\bat .+:\d+/;

test('an event whose signature cannot be checked is not stored, and the sender must retry', async () => {
  const till = await createTill();
  const row = await till.prompted();
  const [merchant] = till.config.merchants;
  if (!merchant) throw new Error('no merchant');
  merchant.webhookSecrets = new Proxy([], { get: (_, key) => (key === 'length' ? 1 : broken()) });
  await till.restart();
  const answer = await till.deliver(paidEvent(row));
  expect(answer.status).toBe(503);
  expect(await answer.text()).not.toMatch(internals);
  await till.clock.advance(2_000);
  expect(await till.inbox()).toEqual([]);
  expect(await till.only('0244123456')).toMatchObject({ status: 'initiated' });
  expect(till.logged()).toContain('the check itself is broken');
});

test('a caller whose address cannot be checked can use neither a channel nor the metrics', async () => {
  const app = new Hono();
  const lists = { allowed: { has: broken }, trustedProxies: { has: broken } };
  app.route('/', metricsRoute({ metrics: createMetrics(), ...lists }));
  app.onError((_, c) => c.text('refused', 503));
  const loopback = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };
  expect((await app.request('/metrics', {}, loopback)).status).toBe(503);

  const till = await createTill({
    configure(config) {
      for (const channel of config.channels) channel.allowFrom = ['127.0.0.1'];
    },
  });
  await till.clock.advance(2_000);
  const before = till.logged().length;
  const nowhere = { incoming: { socket: new Proxy({}, { get: broken }) } };
  const init = { method: 'POST', body: 'sessionId=s-1&phoneNumber=0244123456&text=' };
  const answer = await till.gateway().app.request(callbackUrl(till, 'africastalking'), init, nowhere);
  expect(answer.status).toBe(503);
  expect(await answer.text()).not.toMatch(internals);
  expect(till.logged().slice(before)).not.toContain('"turn"');
});

test('a limit that cannot be counted allows no payment', async () => {
  const till = await createTill({ overrides: () => ({ createStore: createStoreWithTriggers }) });
  const session = till.session('0244123456', 'africastalking');
  await session.send([]);
  await till.clock.advance(2_500);
  await session.send(['1']);
  await till.clock.advance(2_500);
  await session.send(['1', '20']);
  // The limits are conditions of the insert: if they cannot be read, it fails.
  const rule = "BEFORE INSERT ON collection BEGIN SELECT RAISE(ABORT, 'broken'); END";
  plantTrigger(till.config.database.file, 'no_limits', rule);
  await till.clock.advance(2_500);
  const { status, body } = await session.send(['1', '20', '1']);
  expect([status, body]).toEqual([200, expect.stringMatching(/^END .*try again/s)]);
  await till.clock.advance(30_000);
  expect(till.calls).toEqual([]);
});

test('a key whose scopes cannot be read is rejected, and an action whose audit row cannot be written is not done', async () => {
  const { bench, key } = await openMerchant();
  const file = new Database(bench.file);
  file.exec("UPDATE api_key SET scopes = 'no JSON'");
  const rule = "BEFORE INSERT ON admin_action BEGIN SELECT RAISE(ABORT, 'broken'); END";
  plantTrigger(bench.file, 'no_audit', rule);
  const merchants = file.prepare('SELECT count(*) FROM merchant').pluck().get();
  const made = await post(bench, '/v1/payments/sessions', { key, idempotencyKey: 'one', body: goods });
  const created = await post(bench, '/backoffice/merchants', { key: adminToken, body: { name: 'Ama' } });
  for (const answer of [made, created]) {
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toMatch(/no JSON|broken|SQLITE|\bat .+:\d+/);
  }
  expect((await bench.service.statement()).sessions).toEqual([]);
  expect(file.prepare('SELECT count(*) FROM merchant').pluck().get()).toBe(merchants);
  file.close();
});
