import { expect, test } from 'vitest';
import { paidInFull } from '../kit/scenes.ts';
import { scrape } from '../kit/scrape.ts';
import { type Call, createTill, payer, type Till } from '../kit/till.ts';

test('the log contains the code of a rejection, never a text that may contain a phone number', async () => {
  const till = await createTill();
  till.faults.call = async () =>
    Response.json({ error: { code: 'payer 233244123456 is barred', message: '' } }, { status: 400 });
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'http_400' });
  expect(till.logged()).not.toContain('244123456');
});

test('a revoked key raises an alarm at the next payment, which sends no prompt', async () => {
  const till = await createTill();
  const [merchant] = await till.service.listMerchants();
  const { id, key } = await till.service.createKey({ merchantId: merchant?.id ?? '', livemode: false });
  for (const one of till.config.merchants) one.key = key;
  await till.restart();
  await till.service.revokeKey(id);
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'invalid_api_key' });
  expect(till.alarms()).toEqual(['key_rejected']);
  expect((await till.service.statement()).pushes).toBe(0);
});

/** Rejects the merchant's key in these calls until the returned function is called. */
function rejectKey(till: Till, ...names: Call['name'][]): () => void {
  const rejected = { error: { code: 'invalid_api_key', message: 'no' } };
  till.faults.call = async ({ name }, pass) =>
    names.includes(name) ? Response.json(rejected, { status: 401 }) : pass();
  return () => {
    delete till.faults.call;
  };
}

test.each([
  ['without a body', () => new Response(null, { status: 401 })],
  ['with a text', () => new Response('Forbidden', { status: 403 })],
  ['with another shape', () => Response.json({ status: 'error', reason: 'bad key' }, { status: 401 })],
])('a rejected key raises an alarm %s', async (_, answer) => {
  const till = await createTill();
  till.faults.call = async () => answer();
  await till.pay(payer);
  await till.untilStatus(payer, 'abandoned', 240_000);
  expect(till.alarms()).toEqual(['key_rejected']);
  expect((await till.service.statement()).pushes).toBe(0);
});

test('a rejected key raises one alarm an hour, and the metric counts every rejection', async () => {
  const till = await createTill();
  till.loseWebhooks();
  for (const msisdn of ['0244000001', '0244000002']) {
    await till.prompted(msisdn);
  }
  rejectKey(till, 'create', 'initiate', 'status');
  const polls = till.callsOf('status');
  await till.clock.advance(30 * 60_000);
  expect(till.alarms()).toEqual(['key_rejected']);
  const met = till.callsOf('status') - polls;
  expect(met).toBeGreaterThan(10);
  expect(await scrape(till, 'key_rejections_total', { merchant: 'demo-shop' })).toBe(met);
  // A payment that ends because of the key raises no second alarm.
  await till.pay('0244000003');
  await till.untilStatus('0244000003', 'abandoned');
  expect(till.alarms()).toEqual(['key_rejected']);
  await till.clock.advance(45 * 60_000);
  expect(till.alarms()).toEqual(['key_rejected', 'key_rejected']);
});

test('a key that is rejected again after a success raises an alarm at once', async () => {
  const till = await createTill();
  const accept = rejectKey(till, 'create');
  await till.pay('0244000001');
  await till.untilStatus('0244000001', 'abandoned');
  accept();
  await till.prompted('0244000002');
  rejectKey(till, 'create');
  await till.pay('0244000003');
  await till.untilStatus('0244000003', 'abandoned');
  expect(till.alarms()).toEqual(['key_rejected', 'key_rejected']);
  // A successful poll does not prove that the key may create payments.
  const polls = till.callsOf('status');
  await till.clock.advance(60_000);
  expect(till.callsOf('status')).toBeGreaterThan(polls);
  await till.pay('0244000004');
  await till.untilStatus('0244000004', 'abandoned');
  expect(till.alarms()).toEqual(['key_rejected', 'key_rejected']);
});

test('a gateway that was down for eight days polls before it applies deadlines, and books a payment of that time', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const open = await till.prompted();
  await till.approve(payer);
  await till.clock.skip(8 * 24 * 3_600_000);
  const row = await till.untilStatus(payer, 'paid');
  expect(row).toMatchObject({ late: 1, review: null, amountSource: 'quote' });
  expect(await till.booked(open.id)).toEqual(paidInFull);
});

test('a collection that an ended process had claimed is due at once after the restart', async () => {
  const till = await createTill({
    timings: { leaseMs: 600_000 },
  });
  await till.pay(payer);
  await till.untilStatus(payer, 'created', 1_000);
  await till.gateway().stop();
  const store = await till.ledger.open(till.clock);
  // A lease of ten minutes, held by a process that has ended.
  const until = till.clock.now() + 600_000;
  await store.apply([{ sql: 'UPDATE job SET lease_until = ?, next_at = ?', args: [until, until], rows: 1 }]);
  await store.close();
  await till.restart();
  // The prompt delay starts again.
  await till.untilStatus(payer, 'initiated', 3_000);
});
