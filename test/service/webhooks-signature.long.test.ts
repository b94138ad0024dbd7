import { expect, test } from 'vitest';
import Stripe from '../../tools/peers/stripe.ts';
import { openBench, type Received } from './support.ts';
import { admin, day, hmac, pay, secret, signatures, url, withEndpoint } from './webhook-support.ts';

const { webhooks } = new Stripe('sk_test_unused');
const toleranceSeconds = 300;

/** Checks a delivery as a merchant with Stripe's library does; the event's id, or a throw. */
function verified(
  delivery: Received | undefined,
  key: string,
  receivedAt: number,
  body = delivery?.body ?? '',
) {
  const header = delivery?.headers.get('service-signature') ?? '';
  return webhooks.constructEvent(body, header, key, toleranceSeconds, undefined, receivedAt).id;
}

test("Stripe's verifier accepts the signature and rejects another body, secret, signature or time", async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  await pay(bench, key);
  const [delivery] = bench.received;
  const now = bench.clock.now();
  expect(verified(delivery, secret, now)).toBe(delivery?.headers.get('service-event-id'));
  expect(verified(delivery, secret, now + 300_000)).toMatch(/^evt_/);

  const body = delivery?.body.replace('2020', '2021') ?? '';
  expect(body).not.toBe(delivery?.body);
  expect(() => verified(delivery, secret, now, body)).toThrow(/No signatures found matching/);
  expect(() => verified(delivery, 'another-secret-of-a-merchant', now)).toThrow(/No signatures found/);
  expect(() => verified(delivery, secret, now + 301_000)).toThrow(/Timestamp outside the tolerance/);
  const t = signatures(delivery).t;
  const forged = {
    ...delivery,
    headers: new Headers({ 'service-signature': `t=${t},v1=${'0'.repeat(64)}` }),
  };
  expect(() => verified(forged as Received, secret, now)).toThrow(/No signatures found/);
});

test('during a rotation deliveries carry a signature of each secret, afterwards only of the new one', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  const { secret: fresh } = await bench.service.rotateSecret({ merchantId, livemode: false });
  await pay(bench, key);
  const [during] = bench.received;
  const { t, v1 } = signatures(during);
  expect(v1).toEqual([hmac(fresh, t, during?.body), hmac(secret, t, during?.body)]);
  for (const either of [fresh, secret]) expect(verified(during, either, bench.clock.now())).toMatch(/^evt_/);

  await bench.clock.advance(day);
  await pay(bench, key);
  const [, after] = bench.received;
  expect(signatures(after).v1).toEqual([hmac(fresh, signatures(after).t, after?.body)]);
  expect(() => verified(after, secret, bench.clock.now())).toThrow(/No signatures found/);
});

const twoHours = 7_200_000;

test('a sandbox whose clock is two hours ahead signs with the real time, which an outside receiver accepts', async () => {
  const bench = openBench({ sandbox: true });
  const { key } = await withEndpoint(bench);
  await admin(bench, 'POST', '/clock/advance', { ms: twoHours });
  await pay(bench, key);
  const [delivery] = bench.received;
  expect(verified(delivery, secret, bench.clock.now())).toMatch(/^evt_/);
  expect(JSON.parse(delivery?.body ?? '')).toMatchObject({ created_at: '2026-03-06T11:00:00.000Z' });
});

test('a receiver on the test clock gets signatures with its time, and only that receiver', async () => {
  const bench = openBench({ sandbox: true, isOnTestClock: (receiver) => receiver === url });
  const { key, merchantId } = await withEndpoint(bench);
  await admin(bench, 'POST', '/clock/advance', { ms: twoHours });
  await pay(bench, key);
  await bench.service.setWebhook({ merchantId, livemode: false, url: `${url}/other`, secret });
  await pay(bench, key);
  const [onTestClock, other] = bench.received;
  expect(verified(onTestClock, secret, bench.clock.now() + twoHours)).toMatch(/^evt_/);
  expect(() => verified(onTestClock, secret, bench.clock.now() + twoHours + 301_000)).toThrow(/tolerance/);
  expect(verified(other, secret, bench.clock.now())).toMatch(/^evt_/);
});

test('the overlap of two secrets is configurable', async () => {
  const bench = openBench({ config: { webhook: { overlapMs: 60_000 } } });
  const { key, merchantId } = await withEndpoint(bench);
  await bench.service.rotateSecret({ merchantId, livemode: false });
  await bench.clock.advance(59_999);
  await pay(bench, key);
  await bench.clock.advance(1);
  await pay(bench, key);
  expect(bench.received.map((delivery) => signatures(delivery).v1.length)).toEqual([2, 1]);
});

test('a second rotation ends the oldest secret at once: at most two sign', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  const { secret: second } = await bench.service.rotateSecret({ merchantId, livemode: false });
  const { secret: third } = await bench.service.rotateSecret({ merchantId, livemode: false });
  await pay(bench, key);
  const [delivery] = bench.received;
  const { t, v1 } = signatures(delivery);
  expect(v1).toEqual([hmac(third, t, delivery?.body), hmac(second, t, delivery?.body)]);
});

test('in a sandbox with an advanced clock, the signature has the real time', async () => {
  const bench = openBench({ sandbox: true });
  const { key } = await withEndpoint(bench);
  const moved = await admin(bench, 'POST', '/clock/advance', { ms: 30 * day });
  expect(await moved.json()).toMatchObject({ now: '2026-04-05T09:00:00.000Z' });
  await pay(bench, key);
  const [delivery] = bench.received;
  expect(JSON.parse(delivery?.body ?? '').created_at).toBe('2026-04-05T09:00:00.000Z');
  expect(verified(delivery, secret, bench.clock.now())).toMatch(/^evt_/);
  expect(Number(signatures(delivery).t)).toBe(Date.parse('2026-03-06T09:00:00Z') / 1_000);
});
