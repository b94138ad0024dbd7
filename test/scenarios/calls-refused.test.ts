import { expect, test } from 'vitest';
import { openSqlite } from '../../src/db/sqlite.ts';
import { alarms, approve, booked, loseWebhooks, paidInFull } from '../support/scenes.ts';
import { openTill } from '../support/till.ts';

const payer = '0244123456';
const refusal = () =>
  Response.json({ error: { code: 'session_not_created', message: 'it is under way' } }, { status: 422 });

test('an initiate that is doubled on the way, and whose second copy is refused, is settled by the poll', async () => {
  const till = await openTill();
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
  expect((await till.service.book()).pushes).toBe(1);
});

test('an initiate that is refused, with nothing out, ends as abandoned with the code, and is not sent again', async () => {
  const till = await openTill();
  till.faults.call = async ({ name }, pass) => (name === 'initiate' ? refusal() : pass());
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'session_not_created' });
  expect(till.calls.map(({ name }) => name)).toEqual(['create', 'initiate', 'status']);
  expect((await till.service.book()).pushes).toBe(0);
  expect((await till.verify()).faults).toEqual([]);
});

test('a refusal is told in the log by its code, never by a sentence that may hold a number', async () => {
  const till = await openTill();
  till.faults.call = async () =>
    Response.json({ error: { code: 'payer 233244123456 is barred', message: '' } }, { status: 400 });
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'http_400' });
  expect(till.logged()).not.toContain('244123456');
});

test("a merchant's key that is revoked is heard of at the next payment, which asks nobody for money", async () => {
  const till = await openTill();
  const [merchant] = await till.service.listMerchants();
  const { id, key } = await till.service.createKey({ merchantId: merchant?.id ?? '', livemode: false });
  for (const one of till.config.merchants) one.key = key;
  await till.restart();
  await till.service.revokeKey(id);
  await till.pay(payer);
  expect(await till.untilStatus(payer, 'abandoned')).toMatchObject({ reason: 'invalid_api_key' });
  expect(alarms(till)).toEqual(['key_refused']);
  expect((await till.service.book()).pushes).toBe(0);
});

test('a gateway that was down for eight days asks before it judges, and books what was paid meanwhile', async () => {
  const till = await openTill();
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
  const till = await openTill({
    configure: ({ timings }) => {
      timings.leaseSeconds = 600;
    },
  });
  await till.pay(payer);
  await till.untilStatus(payer, 'created', 1_000);
  const { promptNotBefore } = await till.only(payer);
  await till.gateway().stop();
  const store = openSqlite({ file: till.config.database.file, schema: 'gateway', clock: till.clock });
  // Claimed for ten minutes by a process that never comes back.
  const until = till.clock.now() + 600_000;
  await store.apply([
    { sql: 'UPDATE collection SET lease_until = ?, next_at = ?', args: [until, until], rows: 1 },
  ]);
  await store.close();
  await till.restart();
  await till.untilStatus(payer, 'initiated', promptNotBefore - till.clock.now() + 1_000);
});
