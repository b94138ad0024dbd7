import { expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import { settle } from '../kit/clock.ts';
import { actions, ask } from './admin-client.ts';
import {
  type Bench,
  create,
  goods,
  initiate,
  json,
  openBench,
  poll,
  post,
  pushed,
  refusal,
} from './support.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

const advance = (bench: Bench, ms: unknown) => ask(bench, 'POST', '/clock/advance', { ms });

async function openSandbox(retryDelaysMs?: number[]) {
  const bench = openBench({
    sandbox: true,
    ...(retryDelaysMs ? { config: { webhook: { retryDelaysMs: retryDelaysMs } } } : {}),
  });
  const { id: merchantId } = await bench.service.createMerchant({ name: 'Abena Stores' });
  await bench.service.approveOffline(merchantId);
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  await bench.service.setWebhook({ merchantId, livemode: false, url: 'http://shop.test/hook' });
  return { bench, merchantId, key };
}

const reported = (bench: Bench) =>
  bench.received.map(({ body }) => {
    const { type, created_at, data } = JSON.parse(body);
    return [type.replace('payment.session.', ''), data.status, created_at];
  });

test('the clock of a sandbox can be read and advanced', async () => {
  const { bench } = await openSandbox();
  const look = async () => json(await ask(bench, 'GET', '/clock'));
  expect(await look()).toEqual({ now: '2026-03-06T09:00:00.000Z', advanced_ms: 0 });
  const answer = await advance(bench, 10 * minute);
  expect([answer.status, await json(answer)]).toEqual([
    200,
    { now: '2026-03-06T09:10:00.000Z', advanced_ms: 10 * minute },
  ]);
  await advance(bench, 1);
  expect(await look()).toEqual({ now: '2026-03-06T09:10:00.001Z', advanced_ms: 10 * minute + 1 });
});

test('the audit log has the time by which the clock was advanced', async () => {
  const { bench } = await openSandbox();
  await advance(bench, minute);
  expect(await actions(bench)).toMatchObject([{ action: 'advanceClock', subject: '60000 ms' }]);
});

test('a service on the real clock cannot be advanced', async () => {
  const bench = openBench();
  for (const answer of [await advance(bench, minute), await ask(bench, 'GET', '/clock')]) {
    expect(await refusal(answer)).toMatchObject({ status: 403, code: 'test_clock_off' });
  }
  expect(bench.clock.now()).toBe(Date.parse('2026-03-06T09:00:00Z'));
});

test('a sandbox rejects live keys', async () => {
  const { bench } = await openSandbox();
  const call = { key: 'sk_live_of_anybody', idempotencyKey: 'k', body: goods };
  const answer = await post(bench, '/v1/payments/sessions', call);
  expect(await refusal(answer)).toMatchObject({ status: 403, code: 'live_mode_off' });
});

test.each([0, -1, 0.5, 30 * day + 1, '60000', null])('the clock cannot be advanced by %j', async (ms) => {
  const { bench } = await openSandbox();
  expect(await refusal(await advance(bench, ms))).toMatchObject({ status: 400, code: 'invalid_field' });
  expect(await json(await ask(bench, 'GET', '/clock'))).toMatchObject({ advanced_ms: 0 });
});

test('advancing the clock requires the admin token', async () => {
  const { bench, key } = await openSandbox();
  const answer = await ask(bench, 'POST', '/clock/advance', { ms: 5 }, { token: key });
  expect(await refusal(answer)).toMatchObject({ status: 401, code: 'invalid_admin_token' });
});

test('a poll right after the advance shows its outcome', async () => {
  const { bench, key } = await openSandbox();
  const { id } = await pushed(bench, key);
  const forgotten = await create(bench, key);
  await advance(bench, 2 * minute - 1);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated' });
  await advance(bench, 1);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'expired' });
  await advance(bench, 28 * minute);
  expect((await poll(bench, key, forgotten)).body).toMatchObject({ status: 'expired' });
});

test('in a long advance everything happens at its own time and in order, webhooks included', async () => {
  const { bench, key } = await openSandbox();
  const id = await create(bench, key, { msisdn: '233244000905' });
  await initiate(bench, key, id);
  await advance(bench, 30 * day);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'expired' });
  expect(reported(bench)).toEqual([
    ['failed', 'expired', '2026-03-07T09:00:00.000Z'],
    ['review_amount_mismatch', 'expired', '2026-03-07T09:00:03.000Z'],
  ]);
});

test('the advance returns when its webhooks have arrived, also at slow receivers', async () => {
  const { bench, key } = await openSandbox();
  let taken = 0;
  bench.answers.webhook = async () => {
    for (let turn = 0; turn < 10; turn++) await settle();
    taken++;
    return Response.json({ received: true });
  };
  await pushed(bench, key);
  await advance(bench, 2 * minute);
  expect(taken).toBe(1);
});

test('failed webhooks are retried on schedule during an advance', async () => {
  const { bench, key } = await openSandbox([1_000, 5_000, 30_000]);
  const times: number[] = [];
  let answers = 0;
  bench.answers.webhook = async () => {
    answers++;
    return new Response('', { status: answers < 4 ? 500 : 200 });
  };
  const { promptId } = await pushed(bench, key);
  await bench.service.phone.decline(promptId);
  await settle();
  for (const ms of [500, 500, 5_000, 30_000, 30 * minute]) {
    await advance(bench, ms);
    times.push(bench.received.length);
  }
  expect(times).toEqual([1, 2, 3, 4, 4]);
});

test('a receiver that never answers does not block an advance', async () => {
  const { bench, key } = await openSandbox();
  bench.answers.webhook = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', reject, { once: true }));
  const { id, promptId } = await pushed(bench, key);
  await bench.service.phone.approve(promptId, '1234');
  const answer = Promise.resolve(advance(bench, day));
  let over = false;
  void answer.then(() => {
    over = true;
  });
  // The time that the advance itself takes is the base clock's, which this test moves.
  for (let second = 0; second < 10 && !over; second++) await bench.clock.advance(1_000);
  expect((await answer).status).toBe(200);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});

test('concurrent advances run one after another and add up', async () => {
  const { bench, key } = await openSandbox();
  const { id } = await pushed(bench, key);
  const answers = await Promise.all([advance(bench, minute), advance(bench, minute), advance(bench, minute)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await json(await ask(bench, 'GET', '/clock'))).toMatchObject({ advanced_ms: 3 * minute });
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'expired' });
});

test.each([
  ['a minute', minute],
  // Longer than a key is remembered.
  ['two days', 2 * day],
])('an advance by %s repeated under its idempotency key is applied once', async (_, ms) => {
  const { bench } = await openSandbox();
  const same = { idempotencyKey: 'a' };
  const first = await json(await ask(bench, 'POST', '/clock/advance', { ms }, same));
  expect(await json(await ask(bench, 'POST', '/clock/advance', { ms }, same))).toEqual(first);
  expect(await json(await ask(bench, 'GET', '/clock'))).toMatchObject({ advanced_ms: ms });
});

test.each([
  ['the slow one takes it, and the payer approves', '908', 200, 'paid'],
  ['the one that answers too late leaves it open, and the payer approves', '909', 504, 'paid'],
])(
  'an advance across a push in flight stops where the push continues: %s',
  async (_, ending, status, end) => {
    const { bench, key } = await openSandbox();
    const id = await create(bench, key, { msisdn: `233244000${ending}` });
    const pending = initiate(bench, key, id);
    await settle();
    await advance(bench, minute);
    expect((await pending).status).toBe(status);
    expect((await poll(bench, key, id)).body).toMatchObject({ status: end });
  },
);
