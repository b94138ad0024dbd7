import { expect, test } from 'vitest';
import { maskNumbers } from '../../../src/shared/msisdn.ts';
import { addOtherShop, createShop } from '../../kit/payers.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { callStaff, type StaffName, staffActions, withStaff } from '../../kit/staff.ts';
import { createTill, type Till } from '../../kit/till.ts';
import { createBench, number } from '../collection/bench.ts';

const ama = '0244123456';
const kofi = '0201234567';
const notPossible = 'Sorry, payment to Demo Shop is not possible now. Nothing was paid.';

type Changed = { role?: 'dialler' | 'payer'; merchantId?: string; until?: string };

function block(till: Till, msisdn: string, { role = 'dialler', merchantId, until }: Changed = {}) {
  return callStaff(till, 'ama', '/blocks', {
    ...{ msisdn, role, merchantId: merchantId ?? null, until: until ?? null },
    reason: 'false requests',
  });
}

const unblock = (till: Till, msisdn: string, role = 'dialler', by: StaffName = 'kofi') =>
  callStaff(till, by, '/blocks/remove', { msisdn, role, merchantId: null, reason: 'a mistake' });

const createShopWithStaff = () => createShop({ configure: withStaff });

/** Requests a payment of another number. Returns the last screen. */
async function request(till: Till, dialler: string, payer: string): Promise<string> {
  const phone = till.phone(dialler);
  await phone.dial();
  await phone.type('2', payer, '20');
  return phone.press('Yes');
}

test('a blocked dialler reads a plain screen, and no payment is opened, until the block is removed', async () => {
  const till = await createShopWithStaff();
  expect((await block(till, ama)).status).toBe(200);
  expect(await till.dialAndConfirm(ama)).toBe(notPossible);
  expect(await request(till, ama, kofi)).toBe(notPossible);
  expect(await till.statuses()).toEqual([]);
  expect((await unblock(till, ama)).status).toBe(200);
  expect(await till.dialAndConfirm(ama)).toContain('Approve GHS 20.00');
  expect(await staffActions(till)).toMatchObject([
    {
      actor: 'ama',
      action: 'block',
      subject: '233244123456',
      detail: { role: 'dialler', reason: 'false requests' },
    },
    { actor: 'kofi', action: 'unblock', detail: { role: 'dialler', reason: 'a mistake' } },
  ]);
  expect((await till.verify()).ok).toBe(true);
});

test('a blocked payer is never prompted by others, and pays with the own phone', async () => {
  const till = await createShopWithStaff();
  await block(till, ama, { role: 'payer' });
  // The same screen as for every other reason of a payer.
  expect(await request(till, kofi, ama)).toBe(`Sorry, ${ama} cannot be asked to pay now. Nothing was paid.`);
  expect(await till.statuses()).toEqual([]);
  expect(await till.dialAndConfirm(ama)).toContain('Approve GHS 20.00');
  expect(await till.statuses()).toHaveLength(1);
});

test('a block ends by itself', async () => {
  const till = await createShopWithStaff();
  await block(till, ama, { until: '2026-03-06T10:00:00Z' });
  await till.clock.skip(Date.parse('2026-03-06T09:59:00Z') - till.clock.now());
  expect(await till.dialAndConfirm(ama)).toBe(notPossible);
  await till.clock.skip(60_000);
  expect(await till.dialAndConfirm(ama)).toContain('Approve GHS 20.00');
  expect((await unblock(till, ama)).status).toBe(404);
});

test('a later block replaces an earlier one, also with an earlier end', async () => {
  const till = await createShopWithStaff();
  await block(till, ama);
  await block(till, ama, { until: '2026-03-06T09:01:00Z' });
  expect(await till.dialAndConfirm(ama)).toBe(notPossible);
  await till.clock.skip(60_000);
  expect(await till.dialAndConfirm(ama)).toContain('Approve GHS 20.00');
});

test('a block at one merchant leaves the others open', async () => {
  const till = await createShopWithStaff();
  await addOtherShop(till);
  await block(till, ama, { merchantId: 'other-shop' });
  expect(await till.dialAndConfirm(ama)).toContain('Approve GHS 20.00');
  const elsewhere = till.phone(ama, 'other-shop');
  await elsewhere.dial();
  await elsewhere.type('1', '20');
  expect(await elsewhere.press('Yes')).toBe(notPossible.replace('Demo', 'Other'));
  expect((await block(till, ama, { merchantId: 'no-shop' })).body).toMatchObject({
    error: { code: 'not_found', message: 'no merchant no-shop in the configuration' },
  });
  // Removing the block of all merchants does not remove it.
  expect((await unblock(till, ama)).status).toBe(404);
});

test.each([
  [{ msisdn: '12' }, 'msisdn: expected a Ghanaian number such as 0244123456'],
  [{ until: '2020-01-01T00:00:00Z' }, 'until: expected a time in the future'],
  [{ role: 'both' }, 'role: expected one of dialler, payer'],
  [{ reason: ' ' }, 'reason: expected a text of 1 to 1000 characters'],
])('a block with %j is refused', async (changed, message) => {
  const till = await createTill({ configure: withStaff });
  const body = { msisdn: ama, role: 'payer', merchantId: null, until: null, reason: 'why', ...changed };
  const { status, body: answer } = await callStaff(till, 'ama', '/blocks', body);
  expect([status, answer]).toMatchObject([400, { error: { code: 'invalid_request', message } }]);
  expect(await staffActions(till)).toEqual([]);
});

test.each([ama, kofi])(
  'who blocks and unblocks the phone of a payment does not read its number by it: %s',
  async (payer) => {
    const till = await createShopWithStaff();
    expect(await till.dialAndConfirm(payer)).toContain('Approve');
    const { id } = await till.only(payer);
    const terms = { role: 'payer', everywhere: false, reason: 'asked for' };
    const blocked = await callStaff(till, 'ama', `/collections/${id}/block`, { ...terms, until: null });
    const unblocked = await callStaff(till, 'ama', `/collections/${id}/unblock`, terms);
    for (const { status, body } of [blocked, unblocked]) {
      expect([status, body.msisdn]).toEqual([200, maskNumbers(payer)]);
      expect(JSON.stringify(body)).not.toContain(payer.slice(1));
    }
  },
);

test('the block is a guard of the insert: a confirmation that was prepared before it opens nothing', async () => {
  const bench = createBench();
  const insert = (role: string, merchantId: string | null, seq: number) =>
    bench.store.apply([
      {
        sql: `INSERT INTO staff_action (at, actor, action, result, subject_kind, subject_id, merchant_id, livemode, detail)
              VALUES (?, 'ama', 'block', 'done', 'phone', ?, ?, 0, json_object('role', ?, 'until', NULL))`,
        args: [bench.clock.now(), number(seq), merchantId, role],
        rows: 1,
      },
    ]);
  const own = bench.writesOf({ dialler: number(1), payer: number(1) });
  const other = bench.writesOf({ dialler: number(2), payer: number(3) });
  await insert('dialler', null, 1);
  await insert('payer', 'demo-shop', 3);
  expect(await bench.store.apply(own)).toBe(false);
  expect(await bench.store.apply(other)).toBe(false);
  expect(await bench.rejectionOf({ dialler: number(1), payer: number(1) })).toBe('dialler_blocked');
  expect(await bench.rejectionOf({ dialler: number(2), payer: number(3) })).toBe('payer_blocked');
  expect(await bench.rejectionOf({ dialler: number(2), payer: number(3), livemode: 1 })).toBeUndefined();
  expect(
    await bench.rejectionOf({ dialler: number(2), payer: number(3), merchantId: 'other' }),
  ).toBeUndefined();
});

test('the guard finds the blocks of a number by an index', async () => {
  const { file, rejectionOf } = createBench();
  const plans = await queryPlansOf(file, () => rejectionOf());
  const steps = plans.flatMap((plan) => plan.steps).filter((step) => /\b(block|later)\b/.test(step));
  expect(steps).not.toEqual([]);
  expect(steps.filter((step) => !step.includes('USING INDEX staff_action_subject (subject_id=?'))).toEqual(
    [],
  );
});
