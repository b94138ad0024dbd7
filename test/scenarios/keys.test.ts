import { expect, test } from 'vitest';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent, payer, type Till, webhookSecret } from '../kit/till.ts';

/** Keeps the prompt open during these tests, so that only events decide. */
const patient = { service: { rail: { promptLifetimeMs: 3_600_000 } } };

async function reopen(till: Till, environment: 'test' | 'live'): Promise<void> {
  till.config.environment = environment;
  await till.restart();
}

test('S34: a paid event of the other environment books nothing and changes no collection', async () => {
  const till = await createTill(patient);
  till.loseWebhooks();
  const row = await till.prompted();
  await reopen(till, 'live');
  const calls = till.calls.length;
  const before = await till.record(row.id);
  expect((await till.deliver(paidEvent(row, 'evt_live'))).status).toBe(200);
  await till.clock.advance(120_000);

  expect(await till.inbox()).toMatchObject([{ id: 'evt_live', state: 'parked' }]);
  const { events: _events, ...after } = await till.record(row.id);
  expect(before).toMatchObject(after);
  expect(till.calls.length).toBe(calls);

  // Back in its own environment the collection continues, and the event still has no effect.
  await reopen(till, 'test');
  await till.clock.advance(120_000);
  expect(till.callsOf('status')).toBeGreaterThan(0);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect(await till.inbox()).toMatchObject([{ id: 'evt_live', state: 'parked' }]);
  await till.deliver(paidEvent(row, 'evt_test'));
  await till.untilStatus(payer, 'paid', 5_000);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S34: an event that waits while the environment changes is not handled in the other one', async () => {
  const till = await createTill(patient);
  till.loseWebhooks();
  const row = await till.prompted();
  till.config.environment = 'live';
  const [, answer] = await Promise.all([till.restart(), till.deliver(paidEvent(row))]);
  expect(answer.status).toBe(200);
  await till.clock.advance(60_000);
  expect(await till.inbox()).toMatchObject([{ state: 'waiting' }]);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  await reopen(till, 'test');
  await till.untilStatus(payer, 'paid', 5_000);
});

test('S34: every collection, posting and event carries its mode', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.deliverHandled(paidEvent(row));
  const { collection, postings, events } = await till.record(row.id);
  expect(new Set([collection, ...postings, ...events].map((one) => one.livemode))).toEqual(new Set([0]));
  await reopen(till, 'live');
  const live = await till.prompted('0244999999');
  expect(live.livemode).toBe(1);
});

const wrong = 'whsec_wrong_0123456789abcdef';

/** Restarts the gateway with these webhook secrets. */
async function useSecrets(till: Till, ...secrets: string[]): Promise<void> {
  for (const merchant of till.config.merchants) merchant.webhookSecrets = secrets;
  await till.restart();
}

/** Pays, and returns the source of the booked amounts: `webhook`, or `quote` when no event was accepted. */
async function pay(till: Till, msisdn: string): Promise<string | null> {
  return (await till.paidPayment(msisdn)).amountSource;
}

test('S49: rotating from the old secret over both to the new one rejects no webhook', async () => {
  const till = await createTill();
  expect(await pay(till, '0244000001')).toBe('webhook');

  const [merchant] = await till.service.listMerchants();
  const rotated = await till.service.rotateSecret({ merchantId: merchant?.id ?? '', livemode: false });
  expect(await pay(till, '0244000002')).toBe('webhook');

  await useSecrets(till, webhookSecret, rotated.secret);
  expect(await pay(till, '0244000003')).toBe('webhook');

  await till.clock.skip(25 * 3_600_000);
  expect(await pay(till, '0244000004')).toBe('webhook');

  await useSecrets(till, rotated.secret);
  expect(await pay(till, '0244000005')).toBe('webhook');
  expect(till.logged()).not.toContain('bad signature');
  expect((await till.verify()).faults).toEqual([]);
});

test('S49: a wrong new secret rejects every webhook with a log line, and polls book the payments', async () => {
  const till = await createTill();
  await useSecrets(till, wrong);
  expect(await pay(till, payer)).toBe('quote');
  expect(till.logged()).toContain('the signature of a webhook does not match');
  expect(await till.inbox()).toEqual([]);

  // With the correct secret, the service's retried deliveries confirm the bookings of the polls.
  await useSecrets(till, wrong, webhookSecret);
  await till.until(async () => (await till.only(payer)).amountSource === 'webhook', 600_000);
  const row = await till.only(payer);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S49: a webhook that is signed with a removed secret is rejected as forged', async () => {
  const till = await createTill();
  const row = await till.prompted();
  await useSecrets(till, wrong);
  expect((await till.deliver(paidEvent(row), { secret: webhookSecret })).status).toBe(401);
  expect((await till.deliver(paidEvent(row), { secret: wrong })).status).toBe(200);
});

test('S49: while a channel has two secrets, a dialogue continues from one to the other, and use of the old one is logged', async () => {
  const till = await createTill();
  const channel = till.config.channels.find(({ id }) => id === 'africastalking');
  if (!channel) throw new Error('no channel');
  const { secret: first } = channel;
  const second = 'the-new-one-of-22-signs';
  const ask = async (secret: string, text: string) => {
    await till.clock.advance(2_500);
    const url = `http://gateway.test/ussd/africastalking/${secret}`;
    const body = new URLSearchParams({ sessionId: 's-1', phoneNumber: '+233244123456', text });
    const answer = await till.gateway().app.request(url, { method: 'POST', body });
    return [answer.status, (await answer.text()).slice(0, 3)];
  };
  const turnsByOld = () => till.logged().match(/"by":"previous secret".*"msg":"turn"/g) ?? [];

  expect(await ask(first, '')).toEqual([200, 'CON']);
  expect(turnsByOld()).toEqual([]);
  Object.assign(channel, { secret: second, previousSecret: first });
  await till.restart();
  // The aggregator changes the URL during the dialogue, on one of its machines after the other.
  expect(await ask(first, '1')).toEqual([200, 'CON']);
  expect(await ask(second, '1*20')).toEqual([200, 'CON']);
  expect(await ask(first, '1*20*1')).toEqual([200, 'END']);
  expect(turnsByOld()).toHaveLength(2);
  expect(till.logged()).not.toContain(second);
  expect(await till.untilStatus(payer, 'initiated')).toMatchObject({ goodsMinor: 2_000 });

  Object.assign(channel, { previousSecret: undefined });
  await till.restart();
  expect((await ask(first, ''))[0]).toBe(404);
  expect((await ask(second, '1*20*1'))[0]).toBe(200);
});
