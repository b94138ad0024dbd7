import { expect, test } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import {
  create,
  initiate,
  openLiveMerchant,
  openMerchant,
  payer,
  poll,
  post,
  pushed,
  refusal,
} from './support.ts';

const approve = (bench: Parameters<typeof post>[0], id: string, pin: unknown) =>
  post(bench, `/handset/prompts/${id}/approve`, { body: { pin } });

test('the phone lists the pending prompts of its number in every spelling', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  for (const msisdn of ['0244123456', payer, '%2B233244123456']) {
    const answer = await bench.service.app.request(`/handset/prompts?msisdn=${msisdn}`);
    expect(await answer.json()).toEqual({
      data: [
        {
          id: promptId,
          session_id: id,
          amount_minor: 2_020,
          merchant_name: 'Abena Stores',
          expires_at: '2026-03-06T09:02:00.000Z',
        },
      ],
      has_more: false,
      next_cursor: null,
    });
  }
  const other = await bench.service.app.request('/handset/prompts?msisdn=0201111111');
  expect(await other.json()).toEqual({ data: [], has_more: false, next_cursor: null });
  expect(await refusal(await bench.service.app.request('/handset/prompts'))).toMatchObject({
    status: 400,
    code: 'missing_field',
    param: 'msisdn',
  });
});

test('an approved prompt charges goods and fee once and pays the session', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  const answers = await Promise.all([1, 2, 3].map(() => approve(bench, promptId, '1234')));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
  expect((await approve(bench, promptId, '1234')).status).toBe(409);
  expect((await poll(bench, key, id)).body.status).toBe('paid');
  expect(await bench.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('a declined prompt fails the session and charges nothing', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  const answer = await post(bench, `/handset/prompts/${promptId}/decline`, {});
  expect(await answer.json()).toEqual({ id: promptId, status: 'declined' });
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'failed', terminal: true });
  expect((await approve(bench, promptId, '1234')).status).toBe(409);
  expect((await bench.service.statement()).chargedMinor).toBe(0);
});

test('a prompt without an answer expires with its session and can then not be approved', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  await bench.clock.advance(119_999);
  expect((await poll(bench, key, id)).body.status).toBe('initiated');
  await bench.clock.advance(1);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'expired', terminal: true });
  expect(await refusal(await approve(bench, promptId, '1234'))).toMatchObject({
    status: 409,
    code: 'prompt_closed',
  });
  expect(await bench.service.phone.pending(payer)).toEqual([]);
  expect((await bench.service.statement()).chargedMinor).toBe(0);
});

test('a prompt whose time ends while the service is down expires after the restart', async () => {
  const { bench, key } = await openMerchant();
  const { id } = await pushed(bench, key);
  await bench.service.stop();
  await bench.clock.advance(3_600_000);
  await bench.restart();
  await bench.clock.advance(0);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'expired' });
});

test('the third wrong PIN fails the prompt and the session', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  const codes: string[] = [];
  for (let tries = 0; tries < 3; tries++)
    codes.push((await refusal(await approve(bench, promptId, '0000'))).code);
  expect(codes).toEqual(['wrong_pin', 'wrong_pin', 'pin_limit_reached']);
  expect((await approve(bench, promptId, '1234')).status).toBe(409);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'failed' });
});

test('concurrent wrong PINs each count', async () => {
  const { bench, key } = await openMerchant();
  const { promptId } = await pushed(bench, key);
  const apiErrors = await Promise.all(
    [1, 2, 3, 4].map(async () => refusal(await approve(bench, promptId, '0000'))),
  );
  expect(apiErrors.map((one) => one.code).sort()).toEqual([
    'pin_limit_reached',
    'prompt_closed',
    'wrong_pin',
    'wrong_pin',
  ]);
});

test.each([['12345'], ['123'], ['12a4'], [''], [1234]])(
  '%j is not a PIN and is not counted as an attempt',
  async (pin) => {
    const { bench, key } = await openMerchant({ config: { rail: { maxWrongPins: 1 } } });
    const { promptId } = await pushed(bench, key);
    expect((await approve(bench, promptId, pin)).status).toBe(400);
    expect((await approve(bench, promptId, '1234')).status).toBe(200);
  },
);

test('without a live rail a live session is not pushed and stays created', async () => {
  const { bench, liveKey } = await openLiveMerchant();
  const id = await create(bench, liveKey);
  const answer = await initiate(bench, liveKey, id, 'i');
  expect(answer.headers.get('retry-after')).toBe('60');
  expect(await refusal(answer)).toMatchObject({ status: 503, code: 'rail_not_attached' });
  expect((await poll(bench, liveKey, id)).body).toMatchObject({ status: 'created' });
  expect(await bench.service.statement()).toMatchObject({ pushes: 0 });
  expect(await bench.service.phone.pending(payer)).toEqual([]);
});

test('a charge right before a crash pays the session, whatever the length of the outage', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  await bench.service.stop();
  const file = new Database(bench.file);
  file
    .prepare(
      `UPDATE prompt SET status = 'approved', charged_minor = amount_minor, closed_at = ? WHERE id = ?`,
    )
    .run(bench.clock.now(), promptId);
  file.close();
  await bench.clock.advance(24 * 3_600_000);
  await bench.restart();
  await bench.clock.advance(0);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});
