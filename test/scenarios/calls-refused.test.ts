import { expect, test } from 'vitest';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { alarms, approve, booked, callsOf, loseWebhooks, paidInFull, prompted } from '../kit/scenes.ts';
import { scrape } from '../kit/scrape.ts';
import { type Call, createTill, type Till } from '../kit/till.ts';

const payer = '0244123456';
const refusal = () =>
  Response.json({ error: { code: 'session_not_created', message: 'it is under way' } }, { status: 422 });

test('an initiate that is doubled on the way, and whose second copy is refused, is settled by the poll', async () => {
  const till = await createTill();
  loseWebhooks(till);
  till.faults.call = async ({ name }, pass) => {
    if (name !== 'initiate') return pass();
    await pass();
    return refusal();
  };
  await till.pay(payer);
  await till.untilStatus(payer, 'initiated');
  await approve(till, payer);
  const row = await till.untilStatus(payer, 'paid');
  expect(await booked(till, row.id)).toEqual(paidInFull);
  expect((await till.service.statement()).pushes).toBe(1);
});

test('an initiate that is refused, with nothing out, ends as abandoned with the code, and is not sent again', async () => {
  const till = await createTill();
  till.faults.call = async ({ name }, pass) => (name === 'initiate' ? refusal() : pass());
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned', 240_000)).toMatchObject({
    reason: 'session_not_created',
  });
  const made = till.calls.map(({ name }) => name);
  expect(made.filter((name) => name !== 'status')).toEqual(['create', 'initiate']);
  expect((await till.service.statement()).pushes).toBe(0);
  expect((await till.verify()).faults).toEqual([]);
});

test('a refusal is told in the log by its code, never by a sentence that may hold a number', async () => {
  const till = await createTill();
  till.faults.call = async () =>
    Response.json({ error: { code: 'payer 233244123456 is barred', message: '' } }, { status: 400 });
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'http_400' });
  expect(till.logged()).not.toContain('244123456');
});

test("a merchant's key that is revoked is heard of at the next payment, which asks nobody for money", async () => {
  const till = await createTill();
  const [merchant] = await till.service.listMerchants();
  const { id, key } = await till.service.createKey({ merchantId: merchant?.id ?? '', livemode: false });
  for (const one of till.config.merchants) one.key = key;
  await till.restart();
  await till.service.revokeKey(id);
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'invalid_api_key' });
  expect(alarms(till)).toEqual(['key_rejected']);
  expect((await till.service.statement()).pushes).toBe(0);
});

/** Refuses calls of these names for the key's sake, in the service's own words, for as long as it is told to. */
function refuseKeys(till: Till, ...names: Call['name'][]): () => void {
  const refused = { error: { code: 'invalid_api_key', message: 'no' } };
  till.faults.call = async ({ name }, pass) =>
    names.includes(name) ? Response.json(refused, { status: 401 }) : pass();
  return () => {
    delete till.faults.call;
  };
}

test('a key that stays refused is told of once an hour, however many polls meet it, and each refusal is counted', async () => {
  const till = await createTill();
  loseWebhooks(till);
  for (const msisdn of ['0244000001', '0244000002']) {
    await till.pay(msisdn);
    await till.untilStatus(msisdn, 'initiated');
  }
  refuseKeys(till, 'create', 'initiate', 'status');
  const polls = callsOf(till, 'status');
  await till.clock.advance(30 * 60_000);
  expect(alarms(till)).toEqual(['key_rejected']);
  const met = callsOf(till, 'status') - polls;
  expect(met).toBeGreaterThan(10);
  expect(await scrape(till, 'key_rejections_total', { merchant: 'demo-shop' })).toBe(met);
  // A payment that ends by it tells no more of it than the polls did.
  await till.pay('0244000003');
  await till.untilStatus('0244000003', 'abandoned');
  expect(alarms(till)).toEqual(['key_rejected']);
  await till.clock.advance(45 * 60_000);
  expect(alarms(till)).toEqual(['key_rejected', 'key_rejected']);
});

test('a key that is refused again after it was good is told of at once', async () => {
  const till = await createTill();
  const good = refuseKeys(till, 'create');
  await till.pay('0244000001');
  await till.untilStatus('0244000001', 'abandoned');
  good();
  await prompted(till, '0244000002');
  refuseKeys(till, 'create');
  await till.pay('0244000003');
  await till.untilStatus('0244000003', 'abandoned');
  expect(alarms(till)).toEqual(['key_rejected', 'key_rejected']);
  // That it may poll says nothing of its right to ask for money.
  const polls = callsOf(till, 'status');
  await till.clock.advance(60_000);
  expect(callsOf(till, 'status')).toBeGreaterThan(polls);
  await till.pay('0244000004');
  await till.untilStatus('0244000004', 'abandoned');
  expect(alarms(till)).toEqual(['key_rejected', 'key_rejected']);
});

test('a gateway that was down for eight days asks before it judges, and books what was paid meanwhile', async () => {
  const till = await createTill();
  loseWebhooks(till);
  await till.pay(payer);
  const open = await till.untilStatus(payer, 'initiated');
  await approve(till, payer);
  await till.clock.skip(8 * 24 * 3_600_000);
  const row = await till.untilStatus(payer, 'paid');
  expect(row).toMatchObject({ late: 1, review: null, amountSource: 'quote' });
  expect(await booked(till, open.id)).toEqual(paidInFull);
});

test('what a stopped process had claimed is due at once for the next one', async () => {
  const till = await createTill({
    configure: ({ timings }) => {
      timings.leaseMs = 600_000;
    },
  });
  await till.pay(payer);
  await till.untilStatus(payer, 'created', 1_000);
  const { promptNotBefore } = await till.only(payer);
  await till.gateway().stop();
  const store = createSqliteStore({ file: till.config.database.file, schema: 'gateway', clock: till.clock });
  // Claimed for ten minutes by a process that never comes back.
  const until = till.clock.now() + 600_000;
  await store.apply([
    { sql: 'UPDATE collection SET lease_until = ?, next_at = ?', args: [until, until], rows: 1 },
  ]);
  await store.close();
  await till.restart();
  await till.untilStatus(payer, 'initiated', promptNotBefore - till.clock.now() + 1_000);
});
