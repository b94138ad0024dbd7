import { afterEach, expect, test, vi } from 'vitest';
import { scriptCalls } from '../kit/network-faults.ts';
import { createShop } from '../kit/payers.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

/** True for the upgraded program, which writes the fields of a body in another order, one a line. */
const drift = vi.hoisted(() => ({ on: false }));

vi.mock(import('../../src/gateway/collection/opening/create-call.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    toCreateBody(call) {
      const body = real.toCreateBody(call);
      if (!drift.on) return body;
      const fields = Object.entries(JSON.parse(body) as object).reverse();
      return JSON.stringify(Object.fromEntries(fields), null, 1);
    },
  };
});

afterEach(() => {
  drift.on = false;
});

const later = '0201234567';

const creates = (till: Till) => till.calls.filter(({ name }) => name === 'create');

/** Restarts the gateway as the upgraded program. */
async function upgrade(till: Till): Promise<void> {
  drift.on = true;
  await till.restart();
}

test('S05, S11: after a restart, also as an upgrade that changes the body format, an open collection sends its key and its stored bytes', async () => {
  const till = await createTill({ faults: { call: scriptCalls({ create: Array(40).fill('answer lost') }) } });
  await till.pay(payer);
  await till.clock.advance(3_000);
  const before = creates(till).length;
  await upgrade(till);
  delete till.faults.call;
  const row = await till.untilStatus(payer, 'initiated');
  expect(creates(till).length).toBeGreaterThan(before);
  expect(new Set(creates(till).map(({ idempotencyKey, body }) => `${idempotencyKey} ${body}`))).toEqual(
    new Set([`${row.createKey} ${row.createBody}`]),
  );
  expect(row.createBody).toMatch(/^\{"msisdn"/);
  expect((await till.service.statement()).sessions).toMatchObject([{ sessionId: row.sessionId, pushes: 1 }]);

  // A collection that is opened after the upgrade sends the new format.
  await till.prompted(later);
  expect(creates(till).at(-1)?.body).toMatch(/^\{\n "reference"/);
});

test('S11: a payer who saw the fee before the upgrade and confirms after it gets one prompt, under a new key', async () => {
  const till = await createShop();
  const phone = till.phone(payer);
  await phone.dial();
  await phone.type('1', '20');
  expect(phone.text()).toContain('total GHS 20.20');
  await upgrade(till);
  await phone.press('Yes');
  const row = await till.untilStatus(payer, 'initiated');
  const [asked, sent] = creates(till);
  expect(creates(till)).toHaveLength(2);
  expect(sent).toMatchObject({ idempotencyKey: row.createKey, body: row.createBody });
  expect(sent?.idempotencyKey).not.toBe(asked?.idempotencyKey);
  const { sessions } = await till.service.statement();
  expect(sessions.map(({ sessionId, pushes }) => [sessionId === row.sessionId, pushes])).toEqual([
    [false, 0],
    [true, 1],
  ]);
});
