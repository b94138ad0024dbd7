import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { otpStore } from '../../src/service/otp/otp-store.ts';
import {
  codeMessage,
  createSimulatedCarrier,
  maxMessageLength,
  type Sms,
  type SmsSender,
} from '../../src/service/otp/sms.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { testClock } from '../kit/clock.ts';
import { plantTrigger, removeTrigger } from '../kit/failing-statements.ts';
import { openOwnStore } from '../kit/migrated.ts';
import {
  adminToken,
  type Bench,
  json,
  newLiveMerchant,
  newMerchant,
  openBench,
  openLiveMerchant,
  openMerchant,
  payer,
  post,
  refusal,
} from './support.ts';

const minute = 60_000;
const hour = 60 * minute;
const other = '233200000001';

const asked = { msisdn: payer, purpose: 'collection', collection: { amount_minor: 2_000 } };

function request(bench: Bench, key: string, change: Record<string, unknown> = {}, idempotencyKey?: string) {
  const body = { ...asked, ...change };
  return post(bench, '/v1/otp/request', { key, body, ...(idempotencyKey ? { idempotencyKey } : {}) });
}

/** Requests an OTP; answers its id and the code that the phone shows. */
async function requested(bench: Bench, key: string, change: Record<string, unknown> = {}) {
  const answer = await request(bench, key, change);
  expect(answer.status).toBe(201);
  const id = String((await json(answer)).otp_request_id);
  return { id, code: codeIn(bench.service.carrier.messages(String(change.msisdn ?? payer))[0]) };
}

const codeIn = (sms: Sms | undefined) => /^\d{6}/.exec(sms?.text ?? '')?.[0] ?? 'no code';

/** `count` codes that are wrong. */
const wrong = (code: string, count: number) =>
  Array.from({ length: count }, (_, n) => String((Number(code) + n + 1) % 1_000_000).padStart(6, '0'));

function verify(bench: Bench, key: string, id: string, code: string, idempotencyKey?: string) {
  const body = { otp_request_id: id, code };
  return post(bench, '/v1/otp/verify', { key, body, ...(idempotencyKey ? { idempotencyKey } : {}) });
}

async function isVerified(bench: Bench, key: string, id: string, code: string) {
  const answer = await verify(bench, key, id, code);
  expect(answer.status).toBe(200);
  return (await json(answer)).verified;
}

async function verifiedOtp(bench: Bench, key: string, change: Record<string, unknown> = {}) {
  const { id, code } = await requested(bench, key, change);
  expect(await isVerified(bench, key, id, code)).toBe(true);
  return { id, code };
}

function createWith(bench: Bench, key: string, id: string, change: Record<string, unknown> = {}) {
  const body = { msisdn: payer, amount_minor: 2_000, network: 'mtn', otp_request_id: id, ...change };
  return post(bench, '/v1/payments/sessions', { key, body });
}

async function approveSender(bench: Bench, merchantId: string, name: string) {
  const path = `/backoffice/merchants/${merchantId}/senders/${name}`;
  const headers = { authorization: `Bearer ${adminToken}` };
  expect((await bench.service.app.request(path, { method: 'PUT', headers })).status).toBe(200);
}

/** Creates a carrier that records the messages and returns the result of `answer`. `first` resolves at the first message. */
function carrier(answer: (sms: Sms, signal: AbortSignal) => ReturnType<SmsSender['send']>) {
  const sent: Sms[] = [];
  const { promise: first, resolve: given } = Promise.withResolvers<void>();
  const send: SmsSender['send'] = (sms, signal) => {
    sent.push(sms);
    given();
    return answer(sms, signal);
  };
  return { send, sent, first };
}

const accepting = () => carrier(async () => ({ kind: 'accepted' }));

test('a code is sent by SMS, verified, and used to create a session', async () => {
  const { bench, key } = await openMerchant();
  const answer = await request(bench, key);
  expect(answer.status).toBe(201);
  const body = await json(answer);
  expect(body).toEqual({
    otp_request_id: expect.stringMatching(/^otpr_[0-9a-z]{26}$/),
    expires_at: '2026-03-06T09:10:00.000Z',
  });
  const [sms] = bench.service.carrier.messages(payer);
  expect(sms).toMatchObject({ to: payer, sender: 'DIALTILL', sentAt: bench.clock.now() });
  expect(sms?.text).toMatch(
    /^\d{6} is your code to pay GHS 20\.00 to Abena Stores\. Valid for 10 min\. Never share it with anyone\.$/,
  );
  const id = String(body.otp_request_id);
  const verified = await verify(bench, key, id, codeIn(sms));
  expect([verified.status, await json(verified)]).toEqual([200, { verified: true }]);
  const created = await createWith(bench, key, id);
  expect(created.status).toBe(201);
  expect(await json(created)).toMatchObject({ otp_request_id: id, payer_msisdn: payer, amount_minor: 2_000 });
});

test.each([
  ['no number', { msisdn: undefined }, 'missing_field', 'msisdn'],
  ['a local number', { msisdn: '0244123456' }, 'invalid_msisdn', 'msisdn'],
  ['no purpose', { purpose: undefined }, 'missing_field', 'purpose'],
  ['another purpose', { purpose: 'payout' }, 'invalid_purpose', 'purpose'],
  ['no collection', { collection: undefined }, 'missing_field', 'collection'],
  ['a collection that is none', { collection: 2_000 }, 'invalid_field', 'collection'],
  ['no amount', { collection: {} }, 'missing_field', 'collection.amount_minor'],
  ['no money', { collection: { amount_minor: 0 } }, 'invalid_amount', 'collection.amount_minor'],
  ['half a pesewa', { collection: { amount_minor: 0.5 } }, 'invalid_amount', 'collection.amount_minor'],
  ['too much', { collection: { amount_minor: 100_000_001 } }, 'invalid_amount', 'collection.amount_minor'],
  ['a stray field', { amount_minor: 2_000 }, 'unknown_field', 'amount_minor'],
  ['a stray inner field', { collection: { amount_minor: 1, x: 1 } }, 'unknown_field', 'collection.x'],
  ['a sender that is no word', { sender_id: 7 }, 'invalid_field', 'sender_id'],
])('a request with %s is rejected and sends no SMS', async (_, change, code, param) => {
  const { bench, key } = await openMerchant();
  expect(await refusal(await request(bench, key, change))).toEqual({ status: 400, code, param });
  expect(bench.service.carrier.messages(payer)).toEqual([]);
});

test.each([
  ['a number', { code: 123456 }, 'invalid_code', 'code'],
  ['letters', { code: '12345a' }, 'invalid_code', 'code'],
  ['a blank', { code: '123 456' }, 'invalid_code', 'code'],
  ['nothing typed', { code: '' }, 'invalid_code', 'code'],
  ['far too many digits', { code: '1'.repeat(17) }, 'invalid_code', 'code'],
  ['no code', { code: undefined }, 'missing_field', 'code'],
  ['no request', { otp_request_id: undefined }, 'missing_field', 'otp_request_id'],
])('a verification with %s is rejected and not counted', async (_, change, code, param) => {
  const { bench, key } = await openMerchant({ config: { otp: { maxWrongCodes: 1 } } });
  const otp = await requested(bench, key);
  const body = { otp_request_id: otp.id, code: otp.code, ...change };
  expect(await refusal(await post(bench, '/v1/otp/verify', { key, body }))).toEqual({
    status: 400,
    code,
    param,
  });
  expect(await isVerified(bench, key, otp.id, otp.code)).toBe(true);
});

test('both calls need the scope collections:web', async () => {
  const { bench, merchantId } = await openMerchant();
  const scopes = ['collections:offline', 'sessions:read'];
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes });
  const scopeRequired = { status: 403, code: 'scope_required' };
  expect(await refusal(await request(bench, key))).toMatchObject(scopeRequired);
  expect(await refusal(await verify(bench, key, 'otpr_x', '123456'))).toMatchObject(scopeRequired);
});

test('a wrong code is counted without an error; the fifth locks the request, also for the right code', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  for (const guess of [...wrong(code, 4), code.slice(1)]) {
    expect(await isVerified(bench, key, id, guess)).toBe(false);
  }
  const locked = { status: 409, code: 'otp_locked', param: 'otp_request_id' };
  expect(await refusal(await verify(bench, key, id, code))).toEqual(locked);
  expect(await refusal(await createWith(bench, key, id))).toEqual(locked);
});

test('the right code is accepted on the last attempt, and until the request is used', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  for (const guess of wrong(code, 4)) expect(await isVerified(bench, key, id, guess)).toBe(false);
  for (let times = 0; times < 10; times++) expect(await isVerified(bench, key, id, code)).toBe(true);
  expect((await createWith(bench, key, id)).status).toBe(201);
  const used = { status: 409, code: 'otp_used', param: 'otp_request_id' };
  expect(await refusal(await verify(bench, key, id, code))).toEqual(used);
  expect(await refusal(await createWith(bench, key, id))).toEqual(used);
});

test('wrong codes after the right one do not undo the verification', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await verifiedOtp(bench, key);
  for (const guess of wrong(code, 5)) expect(await isVerified(bench, key, id, guess)).toBe(false);
  expect(await refusal(await verify(bench, key, id, code))).toMatchObject({ code: 'otp_locked' });
  expect((await createWith(bench, key, id)).status).toBe(201);
});

test.each([
  ['last', 19, 0],
  ['in the middle', 10, 0],
  ['first', 0, 1],
])('of twenty concurrent guesses, the right one %s, five wrong ones get a result', async (_, at, most) => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  const guesses = wrong(code, 19).toSpliced(at, 0, code);
  const answers = await Promise.all(guesses.map((guess) => verify(bench, key, id, guess)));
  const results = await Promise.all(answers.filter((answer) => answer.status === 200).map(json));
  expect(results.filter(({ verified }) => verified === false)).toHaveLength(5);
  expect(results.length - 5).toBeLessThanOrEqual(most);
  for (const answer of answers.filter((one) => one.status !== 200)) {
    expect(await refusal(answer)).toMatchObject({ status: 409, code: 'otp_locked' });
  }
});

test('a right code is accepted on repetition when its verification could not be stored', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  const rule = "BEFORE UPDATE OF verified_at ON otp_request BEGIN SELECT RAISE(ABORT, 'no room'); END";
  plantTrigger(bench.file, 'full', rule);
  expect((await verify(bench, key, id, code, 'v')).status).toBe(500);
  removeTrigger(bench.file, 'full');
  expect(await json(await verify(bench, key, id, code, 'v'))).toEqual({ verified: true });
});

test('a request expires after ten minutes, verified or not', async () => {
  const { bench, key } = await openMerchant();
  const typed = await requested(bench, key);
  await bench.clock.advance(10 * minute - 1);
  expect(await isVerified(bench, key, typed.id, typed.code)).toBe(true);
  await bench.clock.advance(1);
  const expired = { status: 410, code: 'otp_expired', param: 'otp_request_id' };
  expect(await refusal(await verify(bench, key, typed.id, typed.code))).toEqual(expired);
  expect(await refusal(await createWith(bench, key, typed.id))).toEqual(expired);
  expect((await bench.service.statement()).sessions).toEqual([]);
});

test('a session is created only with the number and the amount of its OTP request', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  expect(await refusal(await createWith(bench, key, id))).toEqual({
    status: 409,
    code: 'otp_not_verified',
    param: 'otp_request_id',
  });
  await isVerified(bench, key, id, code);
  const mismatch = { status: 409, code: 'otp_mismatch', param: 'otp_request_id' };
  expect(await refusal(await createWith(bench, key, id, { msisdn: other }))).toEqual(mismatch);
  expect(await refusal(await createWith(bench, key, id, { amount_minor: 2_001 }))).toEqual(mismatch);
  expect((await bench.service.statement()).sessions).toEqual([]);
  expect((await createWith(bench, key, id)).status).toBe(201);
});

test('a create that was rejected for its OTP request succeeds under the same key after the verification', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  const order = () =>
    post(bench, '/v1/payments/sessions', {
      key,
      idempotencyKey: 'order-7',
      body: { msisdn: payer, amount_minor: 2_000, network: 'mtn', otp_request_id: id },
    });
  expect(await refusal(await order())).toMatchObject({ code: 'otp_not_verified' });
  await isVerified(bench, key, id, code);
  const first = await order();
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
  const replay = await order();
  expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(await replay.text()).toBe(await first.text());
});

test('of concurrent creates with one OTP request, one creates a session', async () => {
  const { bench, key } = await openMerchant();
  const { id } = await verifiedOtp(bench, key);
  const answers = await Promise.all(Array.from({ length: 8 }, () => createWith(bench, key, id)));
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  for (const answer of answers.filter((one) => one.status !== 201)) {
    expect(await refusal(answer)).toEqual({ status: 409, code: 'otp_used', param: 'otp_request_id' });
  }
  expect((await bench.service.statement()).sessions).toHaveLength(1);
});

test('a create that fails for another reason returns no OTP error and leaves the request usable', async () => {
  const { bench, key } = await openMerchant();
  const { id } = await verifiedOtp(bench, key);
  plantTrigger(bench.file, 'deaf', 'BEFORE INSERT ON payment_session BEGIN SELECT RAISE(IGNORE); END');
  expect(await refusal(await createWith(bench, key, id))).toMatchObject({
    status: 500,
    code: 'internal_error',
  });
  removeTrigger(bench.file, 'deaf');
  expect((await createWith(bench, key, id)).status).toBe(201);
});

test('an OTP request can be used once, and not after its expiry', async () => {
  const clock = testClock();
  const { store } = openOwnStore('service', { clock });
  const otps = otpStore(store);
  const places = { windowStart: 0, maxInWindow: 5, noneSince: 1_000 };
  for (const [id, payer] of [
    ['otpr_1', other],
    ['otpr_2', '233200000002'],
  ] as const) {
    const row = { id, merchantId: 'mch_1', livemode: 0, payer, amountMinor: 1, sender: 'DIALTILL' } as const;
    const times = { createdAt: 1_000, expiresAt: 2_000 };
    expect(await store.apply([otps.insert({ ...row, salt: '', digest: '', ...times }, places)])).toBe(true);
    expect(await store.apply([otps.use({ id, now: 1_001 })])).toBe(false);
    expect(await store.apply([otps.verify({ id, limit: 5, now: 1_001 })])).toBe(true);
  }
  expect(await store.apply([otps.use({ id: 'otpr_1', now: 1_999 })])).toBe(true);
  expect(await store.apply([otps.use({ id: 'otpr_1', now: 1_999 })])).toBe(false);
  expect(await store.apply([otps.use({ id: 'otpr_2', now: 2_000 })])).toBe(false);
});

test('requests of another merchant or mode are not found', async () => {
  const bench = openBench({ sms: accepting() });
  const one = await newLiveMerchant(bench);
  const stranger = await newMerchant(bench, 'Kofi Cosmetics');
  const { id, code } = await verifiedOtp(bench, one.key);
  const notFound = { status: 404, code: 'otp_not_found', param: 'otp_request_id' };
  for (const key of [stranger.key, one.liveKey]) {
    expect(await refusal(await verify(bench, key, id, code))).toEqual(notFound);
    expect(await refusal(await createWith(bench, key, id))).toEqual(notFound);
  }
  expect(await refusal(await verify(bench, one.key, 'otpr_nowhere', code))).toEqual(notFound);
  expect((await createWith(bench, one.key, id)).status).toBe(201);
});

test('a new request for a number expires the unverified older one and keeps a verified one', async () => {
  const { bench, key } = await openMerchant();
  const verified = await verifiedOtp(bench, key, { collection: { amount_minor: 500 } });
  await bench.clock.advance(30_000);
  const older = await requested(bench, key);
  const bystander = await requested(bench, key, { msisdn: other });
  await bench.clock.advance(30_000);
  const newer = await requested(bench, key);
  expect(await refusal(await verify(bench, key, older.id, older.code))).toMatchObject({
    code: 'otp_expired',
  });
  expect(await isVerified(bench, key, newer.id, newer.code)).toBe(true);
  expect(await isVerified(bench, key, bystander.id, bystander.code)).toBe(true);
  expect((await createWith(bench, key, verified.id, { amount_minor: 500 })).status).toBe(201);
});

test('a second code for a number is sent after 30 seconds, and the error before that has retry-after', async () => {
  const { bench, key } = await openMerchant();
  await requested(bench, key);
  const soon = await request(bench, key, {}, 'resend');
  expect(soon.headers.get('retry-after')).toBe('30');
  expect(await refusal(soon)).toMatchObject({ status: 429, code: 'too_many_otps' });
  await bench.clock.advance(29_999);
  expect((await request(bench, key, {}, 'resend')).headers.get('retry-after')).toBe('1');
  expect(bench.service.carrier.messages(payer)).toHaveLength(1);
  await bench.clock.advance(1);
  expect((await request(bench, key, {}, 'resend')).status).toBe(201);
  expect(bench.service.carrier.messages(payer)).toHaveLength(2);
});

test('a number gets five codes an hour per merchant and mode, also across a restart', async () => {
  const bench = openBench({ sms: accepting() });
  const one = await newLiveMerchant(bench);
  const stranger = await newMerchant(bench, 'Kofi Cosmetics');
  for (let times = 0; times < 5; times++) {
    await requested(bench, one.key);
    await bench.clock.advance(minute);
  }
  await bench.restart();
  const full = await request(bench, one.key);
  expect(full.headers.get('retry-after')).toBe(String(55 * 60));
  expect(await refusal(full)).toMatchObject({ status: 429, code: 'too_many_otps' });
  for (const [key, change] of [
    [one.key, { msisdn: other }],
    [one.liveKey, {}],
    [stranger.key, {}],
  ] as const) {
    expect((await request(bench, key, change)).status).toBe(201);
  }
  await bench.clock.advance(55 * minute);
  expect((await request(bench, one.key)).status).toBe(201);
});

test('concurrent requests for one number send one SMS', async () => {
  const { bench, key } = await openMerchant();
  const answers = await Promise.all(Array.from({ length: 8 }, () => request(bench, key)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(429)]);
  for (const answer of answers.filter((one) => one.status === 429)) {
    expect(answer.headers.get('retry-after')).toBe('30');
  }
  expect(bench.service.carrier.messages(payer)).toHaveLength(1);
});

test('the hourly quota holds for concurrent requests', async () => {
  const { bench, key } = await openMerchant({ config: { otp: { resendAfterMs: 0, maxPerHour: 3 } } });
  const answers = await Promise.all(Array.from({ length: 8 }, () => request(bench, key)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([
    ...Array(3).fill(201),
    ...Array(5).fill(429),
  ]);
  expect(bench.service.carrier.messages(payer)).toHaveLength(3);
});

test('a request repeated under its idempotency key gets the first response and sends one SMS', async () => {
  const { bench, key } = await openMerchant();
  const together = await Promise.all(Array.from({ length: 4 }, () => request(bench, key, {}, 'once')));
  const first = together.find((answer) => answer.status === 201);
  const text = await first?.text();
  await bench.clock.advance(hour);
  const again = await request(bench, key, {}, 'once');
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(await again.text()).toBe(text);
  expect(bench.service.carrier.messages(payer)).toHaveLength(1);
});

test('a verification repeated under its idempotency key is counted once', async () => {
  const { bench, key } = await openMerchant({ config: { otp: { maxWrongCodes: 2 } } });
  const { id, code } = await requested(bench, key);
  const [guess = ''] = wrong(code, 1);
  for (let times = 0; times < 3; times++) {
    expect(await json(await verify(bench, key, id, guess, 'guess'))).toEqual({ verified: false });
  }
  expect(await json(await verify(bench, key, id, code, 'right'))).toEqual({ verified: true });
  const again = await verify(bench, key, id, code, 'right');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await json(again)).toEqual({ verified: true });
});

test('a code and the count of wrong codes survive a restart', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  for (const guess of wrong(code, 4)) await isVerified(bench, key, id, guess);
  await bench.restart();
  expect(await isVerified(bench, key, id, code)).toBe(true);
  await bench.restart();
  expect(await isVerified(bench, key, id, wrong(code, 1)[0] ?? '')).toBe(false);
  expect(await refusal(await verify(bench, key, id, code))).toMatchObject({ code: 'otp_locked' });
  expect((await createWith(bench, key, id)).status).toBe(201);
});

test('a merchant can use only its own approved senders', async () => {
  const bench = openBench();
  const one = await newLiveMerchant(bench);
  const stranger = await newMerchant(bench, 'Kofi Cosmetics');
  await approveSender(bench, one.merchantId, 'ABENA');
  const notApproved = { status: 403, code: 'sender_not_approved', param: 'sender_id' };
  for (const [key, sender_id] of [
    [stranger.key, 'ABENA'],
    [one.key, 'BANK'],
    [one.key, 'abena'],
    [one.key, ''],
    [one.key, 'DIALTILL'],
  ] as const) {
    expect(await refusal(await request(bench, key, { sender_id }))).toEqual(notApproved);
  }
  expect(bench.service.carrier.messages(payer)).toEqual([]);
  await requested(bench, one.key, { sender_id: 'ABENA' });
  expect(bench.service.carrier.messages(payer)).toMatchObject([{ sender: 'ABENA' }]);
});

test('live codes go only to the carrier, and test codes only to the simulated phone', async () => {
  const sms = accepting();
  const { bench, key, liveKey } = await openLiveMerchant({ sms });
  expect((await request(bench, liveKey)).status).toBe(201);
  expect(sms.sent).toMatchObject([{ to: payer, sender: 'DIALTILL' }]);
  expect(bench.service.carrier.messages(payer)).toEqual([]);
  const { id = '' } = sms.sent[0] ?? {};
  expect(await isVerified(bench, liveKey, id, codeIn(sms.sent[0]))).toBe(true);
  expect((await createWith(bench, liveKey, id)).status).toBe(201);
  await requested(bench, key);
  expect(sms.sent).toHaveLength(1);
});

test('without a carrier a live request is rejected, not counted, and can be repeated', async () => {
  const { bench, liveKey } = await openLiveMerchant();
  for (let times = 0; times < 7; times++) {
    const answer = await request(bench, liveKey, {}, 'live');
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await refusal(answer)).toMatchObject({ status: 502, code: 'sms_unavailable' });
  }
});

test.each([
  ['rejects', async () => ({ kind: 'rejected', reason: 'the text is not allowed' }) as const],
  ['breaks', () => Promise.reject(new Error('connection reset'))],
])('when the carrier %s, the code is invalid and a replay returns the same error', async (_, answer) => {
  const sms = carrier(answer);
  const { bench, liveKey } = await openLiveMerchant({ sms });
  const unavailable = { status: 502, code: 'sms_unavailable', param: undefined };
  expect(await refusal(await request(bench, liveKey, {}, 'once'))).toEqual(unavailable);
  const replay = await request(bench, liveKey, {}, 'once');
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(await refusal(replay)).toEqual(unavailable);
  expect(sms.sent).toHaveLength(1);
  const { id = '' } = sms.sent[0] ?? {};
  expect(await refusal(await verify(bench, liveKey, id, codeIn(sms.sent[0])))).toMatchObject({
    code: 'otp_expired',
  });
});

test('a carrier that does not answer for ten seconds fails the request, and a later message has no valid code', async () => {
  let aborted = false;
  const sms = carrier((_, signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  const { bench, liveKey } = await openLiveMerchant({ sms });
  const answer = request(bench, liveKey, {}, 'once');
  await sms.first;
  await bench.clock.advance(9_999);
  expect(await refusal(await request(bench, liveKey, {}, 'once'))).toMatchObject({
    code: 'idempotency_in_progress',
  });
  await bench.clock.advance(1);
  expect(await refusal(await answer)).toMatchObject({ status: 502, code: 'sms_unavailable' });
  expect(aborted).toBe(true);
  const { id = '' } = sms.sent[0] ?? {};
  expect(await refusal(await verify(bench, liveKey, id, codeIn(sms.sent[0])))).toMatchObject({
    code: 'otp_expired',
  });
});

test('after a crash during the SMS, a replay returns that request and sends no second SMS', async () => {
  const sms = carrier(() => new Promise(() => {}));
  const { bench, liveKey } = await openLiveMerchant({ sms });
  const lost = request(bench, liveKey, {}, 'once');
  await sms.first;
  await bench.restart();
  const replay = await request(bench, liveKey, {}, 'once');
  const { id = '' } = sms.sent[0] ?? {};
  expect([replay.status, (await json(replay)).otp_request_id]).toEqual([201, id]);
  expect(await isVerified(bench, liveKey, id, codeIn(sms.sent[0]))).toBe(true);
  await bench.clock.advance(10_000);
  expect((await lost).status).toBe(500);
  expect(sms.sent).toHaveLength(1);
});

test('only the message contains the code: not the database, the log or any response', async () => {
  const codes: string[] = [];
  const sms = carrier(async ({ to, text }) => {
    codes.push(text.slice(0, 6));
    if (codes.length === 1) return { kind: 'accepted' };
    if (codes.length === 2) return { kind: 'rejected', reason: `${text} to ${to}` };
    throw new Error(`could not send ${text} to ${to}`);
  });
  const { bench, key, liveKey } = await openLiveMerchant({ sms });
  const answers: string[] = [];
  const keep = async (answer: Response | Promise<Response>) => void answers.push(await (await answer).text());
  for (const [n, to] of [payer, other, '233200000002'].entries()) {
    await keep(request(bench, liveKey, { msisdn: to }, `key-${n}`));
    await keep(verify(bench, liveKey, sms.sent[n]?.id ?? '', sms.sent[n]?.text.slice(0, 6) ?? '', `v-${n}`));
  }
  const { id, code } = await requested(bench, key);
  codes.push(code);
  await keep(verify(bench, key, id, code));
  await keep(createWith(bench, key, id));
  await keep(createWith(bench, key, id));
  const files = () =>
    [bench.file, `${bench.file}-wal`]
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'latin1'))
      .join('');
  const stored = files();
  expect(stored).toContain(id);
  expect(bench.logged.join('')).toContain('the carrier rejected an SMS');
  expect(bench.logged.join('')).toContain('the carrier did not accept an SMS');
  await bench.service.stop();
  const places = { stored, afterwards: files(), log: bench.logged.join(''), answers: answers.join('') };
  expect(new Set(codes).size).toBeGreaterThan(1);
  for (const [place, text] of Object.entries(places)) {
    for (const secret of codes) expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
  }
  expect(places.log).not.toContain(payer);
  expect(places.log).not.toContain(other);
});

test('each stored code has its own salt', async () => {
  const { bench, key } = await openMerchant();
  await requested(bench, key);
  await requested(bench, key, { msisdn: other });
  const file = new Database(bench.file, { readonly: true });
  onTestFinished(() => void file.close());
  const count =
    'SELECT count(DISTINCT salt) || count(DISTINCT digest) || min(length(digest)) FROM otp_request';
  expect(file.prepare(count).pluck().get()).toBe('2264');
});

test('the simulated phone lists its messages by number, newest first', async () => {
  const { bench, key } = await openMerchant();
  const first = await requested(bench, key);
  await bench.clock.advance(minute);
  const second = await requested(bench, key);
  const read = (msisdn: string) =>
    bench.service.app.request(`/handset/messages?msisdn=${encodeURIComponent(msisdn)}`);
  for (const spelling of [payer, '0244123456', '+233 24 412 3456']) {
    expect(await json(await read(spelling))).toEqual({
      data: [
        {
          id: second.id,
          to: payer,
          sender: 'DIALTILL',
          text: expect.stringMatching(`^${second.code} `),
          sent_at: '2026-03-06T09:01:00.000Z',
        },
        expect.objectContaining({ id: first.id, sent_at: '2026-03-06T09:00:00.000Z' }),
      ],
      has_more: false,
      next_cursor: null,
    });
  }
  expect(await json(await read(other))).toEqual({ data: [], has_more: false, next_cursor: null });
  expect(await refusal(await read('0302123456'))).toEqual({
    status: 400,
    code: 'invalid_msisdn',
    param: 'msisdn',
  });
});

test('the simulated carrier keeps the newest 1,000 messages and lists those of a number, newest first', async () => {
  const outbox = createSimulatedCarrier(testClock());
  const { signal } = new AbortController();
  await outbox.send({ id: 'first', to: other, sender: 'DIALTILL', text: '' }, signal);
  for (let n = 0; n < 999; n++) {
    await outbox.send(
      { id: `m-${String(n).padStart(3, '0')}`, to: payer, sender: 'DIALTILL', text: '' },
      signal,
    );
  }
  expect(outbox.messages(other)).toHaveLength(1);
  expect(outbox.messages(payer).map(({ id }) => id)).toEqual(
    Array.from({ length: 999 }, (_, n) => `m-${String(998 - n).padStart(3, '0')}`),
  );
  await outbox.send({ id: 'last', to: payer, sender: 'DIALTILL', text: '' }, signal);
  expect(outbox.messages(other)).toEqual([]);
});

test.each([
  ['an ordinary name', 'Abena Stores', 'Abena Stores.'],
  ['accents', 'Café Élégance', 'Cafe Elegance.'],
  ['signs that no handset is sure to show', '🛒 Shop <b>\n{1} 商店', 'Shop b 1.'],
  ['nothing left', '商店', 'the merchant.'],
])('the SMS contains a name with %s in basic letters', (_, merchantName, said) => {
  const text = codeMessage({ code: '012345', merchantName, amountMinor: 2_000, lifetimeMs: 10 * minute });
  expect(text).toContain(`012345 is your code to pay GHS 20.00 to ${said} Valid for 10 min.`);
});

test('the text fits into one SMS for every merchant name and amount', () => {
  for (let length = 1; length <= 300; length++) {
    const text = codeMessage({
      code: '012345',
      merchantName: 'Ab '.repeat(length).slice(0, length),
      amountMinor: 100_000_000,
      lifetimeMs: 24 * hour,
    });
    expect(text.length).toBeLessThanOrEqual(maxMessageLength);
    expect(text).toMatch(/^[\x20-\x7e]+$/);
    expect(text).toMatch(/^012345 .* GHS 1000000\.00 to Ab?.*\. Valid for 1440 min\. Never share it/);
  }
});

test('codes have six digits, including leading zeros', () => {
  const ids = systemIds(testClock());
  const codes = Array.from({ length: 1_000 }, () => ids.digits(6));
  expect(codes.filter((code) => !/^\d{6}$/.test(code))).toEqual([]);
  expect(codes.some((code) => code.startsWith('0'))).toBe(true);
  expect(new Set(codes).size).toBeGreaterThan(900);
});

test('requests are deleted from the database after a week', async () => {
  const { bench, key } = await openMerchant();
  const { id, code } = await requested(bench, key);
  await bench.clock.advance(7 * 24 * hour - minute);
  expect(await refusal(await verify(bench, key, id, code))).toMatchObject({ code: 'otp_expired' });
  await bench.clock.advance(3 * hour);
  expect(await refusal(await verify(bench, key, id, code))).toMatchObject({ code: 'otp_not_found' });
});
