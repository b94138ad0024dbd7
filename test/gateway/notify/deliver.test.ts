import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { createNotifyFetch } from '../../../src/gateway/notify/fetch.ts';
import { maskNotificationBody, toNotificationBody } from '../../../src/gateway/notify/payment-events.ts';
import { createSend } from '../../../src/gateway/notify/send.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { addEndpoint, createNotified, type Receiver } from '../../kit/receiver.ts';
import { callStaff, callWithConfiguration, staffActions } from '../../kit/staff.ts';
import { hour, minute, payer, type Till } from '../../kit/till.ts';

type Shop = { till: Till; receiver: Receiver; endpoint: string };

async function createShop(options: { wholePayer?: boolean } = {}): Promise<Shop> {
  const { till, receiver } = await createNotified();
  return { till, receiver, endpoint: await addEndpoint(till, receiver, options) };
}

async function payAndApprove({ till }: Pick<Shop, 'till'>): Promise<void> {
  await till.paidPayment();
}

test('a paid collection is notified with its signature, its sequence and a masked number', async () => {
  const shop = await createShop();
  await payAndApprove(shop);
  await shop.till.until(async () => shop.receiver.types().at(-1) === 'payment.paid');
  const { id, version } = await shop.till.only(payer);
  const [opened, paid] = shop.receiver.received;
  expect(opened).toMatchObject({ type: 'payment.opened', data: { id, status: 'open', sequence: 1 } });
  expect(paid?.data).toMatchObject({
    id,
    status: 'paid',
    amount_minor: expect.any(Number),
    payer: '23324****456',
  });
  expect(Number(paid?.data.sequence)).toBeLessThanOrEqual(version);
  expect(shop.receiver.rejected).toBe(0);
});

test('people and the configuration see no whole numbers of what an endpoint got', async () => {
  const shop = await createShop({ wholePayer: true });
  shop.receiver.answer = () => ({ status: 200, body: 'saved for 0244123456' });
  await payAndApprove(shop);
  await shop.till.until(async () => shop.receiver.types().at(-1) === 'payment.paid');
  expect(shop.receiver.received.at(-1)?.data.payer).toBe('233244123456');
  const path = `/endpoints/${shop.endpoint}/deliveries`;
  for (const { body } of [
    await callStaff(shop.till, 'adwoa', path),
    await callWithConfiguration(shop.till, path),
  ]) {
    const shown = JSON.stringify(body);
    expect(shown).toContain('saved for 23324****456');
    expect(shown).not.toContain('244123456');
  }
});

test('a notification that fails is sent again with the same identifier and bytes, and each attempt is logged', async () => {
  const shop = await createShop();
  let fails = 2;
  shop.receiver.answer = () =>
    fails-- > 0 ? { status: 500, body: 'x'.repeat(2_000) } : { status: 200, body: 'ok' };
  await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {});
  await shop.till.until(() => shop.receiver.received.length === 3, 10 * minute);
  const [first, second, third] = shop.receiver.received;
  expect([second?.id, third?.id]).toEqual([first?.id, first?.id]);
  expect([second?.body, third?.body]).toEqual([first?.body, first?.body]);
  await shop.till.clock.advance(1_000);
  const { body } = await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/deliveries`);
  expect(body.data).toMatchObject([
    {
      state: 'delivered',
      attempts: [
        { number: 3, status: 200, answer: 'ok' },
        { number: 2, status: 500 },
        { number: 1, status: 500, answer: 'x'.repeat(1_024) },
      ],
    },
  ]);
});

test('after a rotation, both secrets sign for 24 hours', async () => {
  const shop = await createShop();
  const rotated = await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/rotate`, {});
  const { secret } = rotated.body as { secret: string };
  const [old = ''] = shop.receiver.secrets;
  const isAccepted = async (secrets: string[]) => {
    shop.receiver.secrets = secrets;
    const { received } = shop.receiver;
    const before = received.length;
    await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {});
    await shop.till.clock.advance(1_000);
    return received.length > before;
  };
  expect([await isAccepted([old]), await isAccepted([secret])]).toEqual([true, true]);
  await shop.till.clock.skip(25 * hour);
  expect([await isAccepted([old]), await isAccepted([secret])]).toEqual([false, true]);
});

test('an endpoint that answers 410 is disabled at once, and gets nothing until it is enabled', async () => {
  const shop = await createShop();
  shop.receiver.answer = () => ({ status: 410 });
  await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {});
  await shop.till.clock.advance(1_000);
  const list = await callStaff(shop.till, 'adwoa', '/endpoints');
  expect(list.body.data).toMatchObject([{ state: 'disabled', disabledReason: 'gone' }]);
  const ready = async () => (await shop.till.gateway().app.request('/readyz')).json();
  expect(await ready()).toMatchObject({ status: 'ready', failingEndpoints: 1 });
  await shop.till.pay(payer);
  await shop.till.clock.advance(30_000);
  expect(shop.receiver.types()).toEqual(['endpoint.test']);
  expect(shop.till.logged()).toContain('endpoint_disabled');
  expect((await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {})).status).toBe(409);
  await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/enable`, {});
  expect(await ready()).not.toHaveProperty('failingEndpoints');
  expect((await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {})).status).toBe(200);
});

test('an endpoint that a person disables gets nothing until it is enabled, and is no fault of the gateway', async () => {
  const shop = await createShop();
  const act = (action: string) => callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/${action}`, {});
  await act('test');
  expect((await act('disable')).body).toMatchObject({ state: 'disabled', disabledReason: 'person' });
  expect((await act('disable')).status).toBe(409);
  await shop.till.pay(payer);
  await shop.till.clock.advance(30_000);
  expect(shop.receiver.types()).toEqual([]);
  const { body } = await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/deliveries`);
  expect(body.data).toMatchObject([{ type: 'endpoint.test', state: 'cancelled' }]);
  const ready = await (await shop.till.gateway().app.request('/readyz')).json();
  expect(ready).not.toHaveProperty('failingEndpoints');
  await act('enable');
  await act('test');
  await shop.till.clock.advance(1_000);
  expect(shop.receiver.types()).toEqual(['endpoint.test']);
  expect((await staffActions(shop.till)).map(({ action }) => action)).toContain('disable_endpoint');
});

test('an endpoint that fails for five days is disabled', async () => {
  const shop = await createShop();
  shop.receiver.answer = () => {
    throw new Error('connection refused');
  };
  await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {});
  await shop.till.clock.advance(1_000);
  const startedAt = shop.till.clock.now();
  const states: unknown[] = [];
  for (let passed = 0; passed < 6 * 24; passed += 1) {
    await shop.till.clock.skip(hour);
    const { body } = await callStaff(shop.till, 'adwoa', '/endpoints');
    states.push((body.data as { state: string }[])[0]?.state);
  }
  expect(states.indexOf('disabled') + 1).toBeGreaterThanOrEqual(5 * 24);
  expect(states.at(-1)).toBe('disabled');
  // 10 waits at most until five days have passed, and no attempt after them.
  expect(shop.receiver.received.length).toBeLessThanOrEqual(13);
  expect(shop.receiver.received.at(-1)?.at).toBeGreaterThanOrEqual(startedAt + 4 * 24 * hour);
});

test('an attempt without an answer ends after 15 seconds and is repeated', async () => {
  const shop = await createShop();
  let isHanging = true;
  shop.receiver.answer = () => (isHanging ? new Promise(() => {}) : { status: 200 });
  await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {});
  await shop.till.clock.advance(1_000);
  isHanging = false;
  await shop.till.until(() => shop.receiver.received.length === 2, 10 * minute);
  const [first, second] = shop.receiver.received;
  expect(second?.id).toBe(first?.id);
  const { body } = await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/deliveries`);
  expect(body.data).toMatchObject([{ attempts: [{}, { status: null, error: 'timeout' }] }]);
});

test('a resend sends a delivered notification again', async () => {
  const shop = await createShop();
  const { body } = await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {});
  await shop.till.clock.advance(1_000);
  const again = await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/resend`, {
    eventId: body.eventId,
  });
  expect(again.status).toBe(200);
  await shop.till.clock.advance(1_000);
  expect(shop.receiver.received.map(({ id }) => id)).toEqual([body.eventId, body.eventId]);
});

test('without an endpoint no row is written, and no secret is in the database', async () => {
  const shop = await createShop();
  const [secret = ''] = shop.receiver.secrets;
  const { file } = shop.till.config.database;
  const database = new Database(file, { readonly: true });
  onTestFinished(() => void database.close());
  const stored = database.prepare('SELECT * FROM notification_endpoint').all();
  expect(JSON.stringify(stored)).not.toContain(secret.slice(6, 20));
  await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/remove`, {});
  await shop.till.pay(payer);
  await shop.till.clock.advance(30_000);
  expect(database.prepare('SELECT count(*) AS rows FROM notification').get()).toEqual({ rows: 0 });
  expect((await staffActions(shop.till)).map(({ action }) => action)).toEqual([
    'add_endpoint',
    'remove_endpoint',
  ]);
});

test.each([
  ...'http://shop.example/hooks ftp://shop.example/hooks https://10.0.0.8/hooks'.split(' '),
  ...'https://192.168.1.4/hooks https://[::ffff:10.0.0.1]/hooks'.split(' '),
])('in a live environment, %s is no address of an endpoint', async (url) => {
  const live = createNotifyFetch({ livemode: true, allowPrivate: () => [] });
  expect(live.isUrlAllowed(new URL(url), 'demo-shop')).toBe(false);
  await live.close();
});

test('a notification reaches a private network only for a merchant that may', async () => {
  const networks = { allowPrivate: (id: string) => (id === 'demo-shop' ? ['10.0.0.0/8'] : []) };
  const network = createNotifyFetch({ livemode: true, ...networks });
  onTestFinished(() => network.close());
  const signal = AbortSignal.abort(new Error('sent'));
  const request = { method: 'POST', redirect: 'manual', headers: {}, body: '{}', signal } as const;
  const send = (merchantId: string) => network.fetchFor(merchantId)('http://10.0.0.8/hooks', request);
  await expect(send('demo-shop')).rejects.toThrow('sent');
  await expect(send('other-shop')).rejects.toThrow('the address is not allowed');
});

test('a replay sends what a disabled endpoint missed, with the identifiers of the first time', async () => {
  const shop = await createShop();
  await payAndApprove(shop);
  await shop.till.clock.advance(5_000);
  const first = shop.receiver.received.map(({ id }) => id);
  expect(first.length).toBeGreaterThanOrEqual(2);
  const { file } = shop.till.config.database;
  const database = new Database(file);
  onTestFinished(() => void database.close());
  database.exec('DELETE FROM notification_attempt');
  const [lost] = database.prepare('DELETE FROM notification RETURNING event_id').pluck().all();
  expect(first).toContain(lost);
  const replay = (extra: object) =>
    callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/replay`, {
      from: '2026-03-06T00:00:00Z',
      to: '2026-03-07T00:00:00Z',
      ...extra,
    });
  expect((await replay({ undelivered: true })).body).toEqual({ payments: 1, next: null });
  await shop.till.clock.advance(5_000);
  const received = () => shop.receiver.received.map(({ id }) => id);
  expect(received().slice(first.length).sort()).toEqual([...first].sort());
  await replay({ undelivered: true });
  await shop.till.clock.advance(5_000);
  expect(received()).toHaveLength(2 * first.length);
  await replay({});
  await shop.till.clock.advance(5_000);
  expect(received()).toHaveLength(3 * first.length);
  expect((await replay({ to: '2026-09-07T00:00:00Z' })).status).toBe(400);
  expect(shop.receiver.rejected).toBe(0);
});

test('what was sent is deleted after the days of retention', async () => {
  const shop = await createShop();
  await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/test`, {});
  await shop.till.clock.advance(1_000);
  await shop.till.clock.skip(92 * 24 * hour);
  await shop.till.clock.advance(2 * hour);
  const { body } = await callStaff(shop.till, 'adwoa', `/endpoints/${shop.endpoint}/deliveries`);
  expect(body).toEqual({ data: [], next: null });
});

test('a body is below 8 kB also with the longest values', () => {
  const longAnswer = { name: 'n'.repeat(32), label: 'l'.repeat(40), value: 'ɛ'.repeat(64) };
  const long = {
    status: 'review',
    reason: 'r'.repeat(64),
    reference: 'ü'.repeat(200),
    answers: JSON.stringify({ salt: 'ans_1', answers: Array(21).fill(longAnswer) }),
    payer: '233244123456',
  };
  const numbers = {
    goodsMinor: 9e15,
    amountMinor: 9e15,
    feeMinor: 9e15,
    netMinor: 9e15,
    openedAt: 0,
    closedAt: 0,
  };
  const collection = { ...long, ...numbers, id: 'c'.repeat(40), channel: 'c'.repeat(32) } as Collection;
  const body = toNotificationBody({ id: 'evt_1', type: 'payment.review_opened', at: 0, collection }, true);
  expect(Buffer.byteLength(body)).toBeLessThan(8_000);
});

test('a body that is masked when it is sent has the bytes of one that was written masked', () => {
  const answers = [{ name: 'friend', label: 'Friend of 0244123456', value: '244123456' }];
  const numbers = { goodsMinor: 244_123_456, amountMinor: null, feeMinor: null, netMinor: null };
  const collection = {
    ...{ ...numbers, id: 'col_1', status: 'initiated', payer: '233244123456', reference: '0201234567' },
    ...{ openedAt: 0, closedAt: null, booked: null, answers: JSON.stringify({ salt: 'ans_1', answers }) },
  } as unknown as Collection;
  const event = { id: 'evt_1', type: 'payment.opened', at: 0, collection } as const;
  const masked = toNotificationBody(event, false);
  expect(JSON.parse(masked).data).toMatchObject({
    payer: '23324****456',
    reference: '23320****567',
    answers: [{ ...answers[0], value: '23324****456' }],
  });
  for (const whole of [true, false])
    expect(maskNotificationBody(toNotificationBody(event, whole))).toBe(masked);
});

test('a notification has the time of the network: its receiver does not follow a test clock', async () => {
  const networkClock = { ...systemClock(), now: () => Date.parse('2026-03-06T09:00:00Z') };
  const headers: Record<string, string>[] = [];
  const send = createSend({
    networkClock,
    fetchFor: () => async (_, request) => {
      headers.push(request.headers);
      return { status: 204, body: null };
    },
  });
  const target = { url: 'https://shop.example/hooks', secrets: ['whsec_MDEyMzQ1Njc4OWFiY2RlZg=='] };
  await send({ eventId: 'evt_1', merchantId: 'demo-shop', body: '{}' }, target);
  expect(headers).toMatchObject([{ 'webhook-timestamp': '1772787600' }]);
});
