import { expect, test } from 'vitest';
import { createTill, type Till } from '../kit/till.ts';

const payer = '0244123456';

const creates = (till: Till) => till.calls.filter(({ name }) => name === 'create');

/** Sends a create call with another body under the same key. */
function createBeside(till: Till, key: string, body: object): Promise<Response> {
  const request = till.service.app.request('http://service.test/v1/payments/sessions', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${till.config.merchants[0]?.key}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  return Promise.resolve(request);
}

test('S10: a create that is answered 409 while the first copy is in flight is retried with the same key and bytes, and succeeds', async () => {
  const till = await createTill();
  let answer: Promise<Response> | undefined;
  till.faults.call = async ({ name }, pass) => {
    if (name !== 'create' || answer) return pass();
    // Two copies of one request arrive at the same time, and the answer to the first is lost.
    answer = pass();
    const conflict = await pass();
    await answer;
    return conflict;
  };
  await till.pay(payer);
  await till.until(() => creates(till).length > 0);
  expect(creates(till)[0]?.answer).toBe(409);
  const row = await till.untilStatus(payer, 'initiated');
  expect(creates(till).map(({ idempotencyKey, body }) => ({ idempotencyKey, body }))).toEqual(
    creates(till).map(() => ({ idempotencyKey: row.createKey, body: row.createBody })),
  );
  expect(creates(till).at(-1)?.answer).toBe(201);
  expect((await till.service.statement()).sessions).toMatchObject([{ sessionId: row.sessionId, pushes: 1 }]);
  expect(till.alarms()).toEqual([]);
});

test('S10: a key that was used with another body ends the collection uncharged, with an alarm', async () => {
  const till = await createTill();
  till.faults.call = async ({ name, idempotencyKey, body }, pass) => {
    const changed = { ...(JSON.parse(body) as object), amount_minor: 9_900 };
    if (name === 'create') await createBeside(till, idempotencyKey ?? '', changed);
    return pass();
  };
  await till.pay(payer);
  const row = await till.untilStatus(payer, 'abandoned');
  expect(row).toMatchObject({ reason: 'idempotency_key_reused', sessionId: null, booked: null });
  expect(till.alarms()).toEqual(['idempotency_key_reused']);
  await till.clock.advance(600_000);
  // No other key is tried, because this one may belong to another session.
  expect(till.calls.map(({ name, idempotencyKey }) => [name, idempotencyKey])).toEqual([
    ['create', row.createKey],
  ]);
  expect(await till.service.statement()).toMatchObject({ pushes: 0, sessions: [{ pushes: 0 }] });
  expect((await till.verify()).faults).toEqual([]);
});
