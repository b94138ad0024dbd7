import { createHmac } from 'node:crypto';
import { expect, type TestContext, test } from 'vitest';
import { isoMs, minor, prefixed } from './matchers.ts';
import { needed, openPeer } from './peer.ts';
import { openReceiver } from './receiver.ts';

const peer = await openPeer();
const secret = peer.webhooks?.secret ?? '';
const receiver = peer.webhooks && (await openReceiver(peer.webhooks));

/** Initiates a session for the number, and waits for its event. */
async function eventOf(context: TestContext, msisdn: string | undefined, name: string, type: string) {
  const { events } = needed(context, receiver, 'CONTRACT_WEBHOOK_LISTEN and CONTRACT_SIGNING_SECRET');
  const { body: session } = await peer.createOffline({ msisdn: needed(context, msisdn, name) });
  await peer.initiate(session.id);
  const [delivery] = await events(session.id, type);
  if (!delivery) throw new Error('no delivery');
  return { session, delivery };
}

type Found = Awaited<ReturnType<typeof eventOf>>;
let paidOnce: Promise<Found> | undefined;

/** One paid session serves all tests of its event. */
function paid(context: TestContext): Promise<Found> {
  paidOnce ??= eventOf(context, peer.paying, 'CONTRACT_MSISDN_PAID', 'payment.session.paid');
  return paidOnce;
}

test('the service sends an HTTP POST with JSON body to the merchant-configured URL when a payment finishes', async (context) => {
  const { delivery } = await paid(context);
  expect(delivery.method).toBe('POST');
});

test('Headers: `Content-Type: application/json`', async (context) => {
  const { delivery } = await paid(context);
  expect(delivery.headers['content-type']).toMatch(/^application\/json/);
});

test('Headers: `Service-Event-Id` (equals the body id)', async (context) => {
  const { delivery } = await paid(context);
  expect(delivery.headers['service-event-id']).toBe(delivery.event.id);
});

test('each delivery carries the header `Service-Signature` whose value has the shape `t=<unix_timestamp>,v1=<signature>`', async (context) => {
  const { delivery } = await paid(context);
  expect(delivery.headers[peer.signatureHeader]).toMatch(/^t=\d+,v1=[0-9a-zA-Z+/=]+(,v1=[0-9a-zA-Z+/=]+)*$/);
});

test('the timestamp of the signature is the time of the delivery', async (context) => {
  const { delivery } = await paid(context);
  const [, t] = /^t=(\d+)/.exec(String(delivery.headers[peer.signatureHeader])) ?? [];
  expect(Math.abs(Number(t) * 1000 - Date.now())).toBeLessThan(300_000);
});

test('The receiver checks it against the signing secret (<SIGNING_SECRET>) of the platform', async (context) => {
  const { delivery } = await paid(context);
  const [t = '', ...signatures] = String(delivery.headers[peer.signatureHeader]).split(',');
  const sign = (key: string) =>
    `v1=${createHmac('sha256', key)
      .update(`${t.slice(2)}.${delivery.body}`)
      .digest('hex')}`;
  expect(signatures).toContain(sign(secret));
  expect(signatures).not.toContain(sign(`${secret}-of-another`));
});

test('Envelope: id (string, prefix `evt_`), type, created_at (ISO 8601 UTC timestamp), data (object)', async (context) => {
  const { delivery } = await paid(context);
  expect(JSON.parse(delivery.body)).toMatchObject({
    id: prefixed('evt'),
    type: 'payment.session.paid',
    created_at: isoMs,
    data: expect.any(Object),
  });
});

test('payment.session.paid: a session is paid; Data: id, status (`paid`), the amounts (integers), paid_at (timestamp)', async (context) => {
  const { session, delivery } = await paid(context);
  const { goods_minor, amount_minor, expected_fee_minor, expected_net_minor } = session;
  expect(delivery.event.data).toMatchObject({
    id: session.id,
    status: 'paid',
    goods_minor,
    amount_minor,
    expected_fee_minor,
    expected_net_minor,
    paid_at: isoMs,
  });
});

test('paid_at: returned by status poll and in the paid event, the same in both', async (context) => {
  const { session, delivery } = await paid(context);
  expect((await peer.pollUntilFinal(session.id)).body.paid_at).toBe(delivery.event.data.paid_at);
});

test('payment.session.paid is also the event of a web session', async (context) => {
  const { events } = needed(context, receiver, 'CONTRACT_WEBHOOK_LISTEN and CONTRACT_SIGNING_SECRET');
  const msisdn = needed(context, peer.paying, 'CONTRACT_MSISDN_PAID');
  const { id } = (await peer.createWeb({ msisdn })).body;
  await peer.initiate(id);
  const [delivery] = await events(id, 'payment.session.paid');
  expect(delivery?.event.data).toMatchObject({ id, status: 'paid', amount_minor: 2_000, goods_minor: 2_000 });
});

test('payment.session.failed: a session fails', async (context) => {
  const { session, delivery } = await eventOf(
    context,
    peer.declining,
    'CONTRACT_MSISDN_DECLINED',
    'payment.session.failed',
  );
  expect(delivery.event.data).toMatchObject({ id: session.id, status: 'failed' });
  expect(delivery.event.data).not.toHaveProperty('paid_at');
});

test('payment.session.review_amount_mismatch: the paid amount needs review because of an amount mismatch', async (context) => {
  const type = 'payment.session.review_amount_mismatch';
  const { session, delivery } = await eventOf(context, peer.payingShort, 'CONTRACT_MSISDN_SHORT', type);
  expect(delivery.event.data).toMatchObject({ id: session.id, amount_minor: minor });
  const { terminal, status } = (await peer.poll(session.id)).body;
  expect({ terminal, status }).toEqual({ terminal: false, status: 'initiated' });
});

test('a failed delivery is repeated as the same event', async (context) => {
  const { events, refuse } = needed(context, receiver, 'CONTRACT_WEBHOOK_LISTEN and CONTRACT_SIGNING_SECRET');
  const msisdn = needed(context, peer.paying, 'CONTRACT_MSISDN_PAID');
  const { id } = (await peer.createOffline({ msisdn })).body;
  refuse.next = 1;
  await peer.initiate(id);
  const [first, again] = await events(id, 'payment.session.paid', 2);
  expect(again?.body).toBe(first?.body);
  expect(again?.headers['service-event-id']).toBe(first?.headers['service-event-id']);
});
