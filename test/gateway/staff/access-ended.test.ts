import { expect, test } from 'vitest';
import { actionLimits, actorWrites, staffActionWrite } from '../../../src/gateway/access/action-store.ts';
import type { Actor } from '../../../src/gateway/access/permissions.ts';
import { accountStore } from '../../../src/gateway/accounts/account-store.ts';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { callStaff, callWithConfiguration, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

const dayMs = 24 * 3_600_000;

/** Signs a lead in, and returns the actor of the session, as a request that was held back has it. */
async function heldBack() {
  const till = await createConsoleTill();
  await (await createAccount(till, 'yaw', 'lead')).signIn();
  const actor = await till.read(async (store): Promise<Actor> => {
    const accounts = accountStore(store);
    const account = await accounts.findByName('yaw');
    const [session] = await accounts.sessions(account?.id ?? '');
    if (!account || !session) throw new Error('yaw has not signed in');
    const { id: accountId, name, role, merchantId, decidesFrom } = account;
    return { kind: 'person', accountId, name, role, merchantId, decidesFrom, session };
  });
  return { till, actor };
}

/** Writes a note as an actor. @returns whether it was written, and how often it was before and now. */
async function note(till: Till, actor: Actor) {
  const { merchantId } = actor;
  const write = staffActionWrite(
    {
      actor,
      action: 'note',
      subject: { kind: 'collection', id: 'col_1', merchantId, livemode: 0 },
      detail: {},
    },
    till.clock.now(),
  );
  const isWritten = await till.write([write]);
  const [written] = (await till.read((store) =>
    store.query("SELECT count(*) FROM staff_action WHERE action = 'note' AND actor = ?", [actor.name], 'row'),
  )) as [number];
  return { isWritten, written };
}

test('a person who is signed in acts', async () => {
  const { till, actor } = await heldBack();
  expect(await note(till, actor)).toEqual({ isWritten: true, written: 1 });
});

test.each([
  ['disabled', '/accounts/yaw/disable', {}],
  ['reset', '/accounts/yaw/reset', {}],
  ['given another role', '/accounts/yaw/role', { role: 'auditor', merchantId: null }],
  ['moved to a merchant', '/accounts/yaw/role', { role: 'merchant', merchantId: 'demo-shop' }],
])('a person who was %s meanwhile writes nothing', async (_, path, body) => {
  const { till, actor } = await heldBack();
  expect((await callWithConfiguration(till, path, body)).status).toBe(200);
  expect(await note(till, actor)).toEqual({ isWritten: false, written: 0 });
});

test('a person whose right ended meanwhile, and is new again, writes nothing', async () => {
  const { till, actor } = await heldBack();
  for (const role of ['auditor', 'lead'])
    await callWithConfiguration(till, '/accounts/yaw/role', { role, merchantId: null });
  expect(await note(till, actor)).toEqual({ isWritten: false, written: 0 });
});

test('a person whose new right another person accepts meanwhile acts', async () => {
  const { till, actor } = await heldBack();
  const waiting = { ...actor, decidesFrom: till.clock.now() + dayMs };
  expect(await note(till, waiting)).toEqual({ isWritten: true, written: 1 });
});

test('a person whose session was ended meanwhile writes nothing', async () => {
  const { till, actor } = await heldBack();
  await till.write([{ sql: 'DELETE FROM account_session WHERE true', args: [] }]);
  expect(await note(till, actor)).toEqual({ isWritten: false, written: 0 });
});

test('a key that was revoked meanwhile writes nothing', async () => {
  const till = await createConsoleTill();
  const { key } = await createMerchantKey(till);
  const { id: name } = key;
  const actor: Actor = { kind: 'key', name, merchantId: 'demo-shop', scopes: ['payments:write'] };
  expect(await note(till, actor)).toEqual({ isWritten: true, written: 1 });
  await till.write([{ sql: 'UPDATE merchant_key SET revoked_at = 1 WHERE id = ?', args: [name] }]);
  expect(await note(till, actor)).toEqual({ isWritten: false, written: 1 });
});

test('a batch that only names its actor loses when the person or the key is no more who it was, and records nothing', async () => {
  const { till, actor } = await heldBack();
  const { key } = await createMerchantKey(till);
  const holder: Actor = { kind: 'key', name: key.id, merchantId: 'demo-shop', scopes: ['endpoints:write'] };
  const before = (await staffActions(till)).length;
  expect([await till.write(actorWrites(actor)), await till.write(actorWrites(holder))]).toEqual([true, true]);
  expect(await staffActions(till)).toHaveLength(before);
  await till.write([
    { sql: "UPDATE account SET role = 'auditor' WHERE name = 'yaw'", args: [] },
    { sql: 'UPDATE merchant_key SET revoked_at = 1', args: [] },
  ]);
  expect([await till.write(actorWrites(actor)), await till.write(actorWrites(holder))]).toEqual([
    false,
    false,
  ]);
});

const countSessions = async (till: Till) =>
  Number(
    (
      (await till.read((store) =>
        store.query(
          "SELECT count(*) FROM account_session JOIN account ON account.id = account_id WHERE name = 'yaw'",
          [],
          'row',
        ),
      )) as [number]
    )[0],
  );

test('of two sessions that end each other at the same moment, one stays, and the other does not come back', async () => {
  const till = await createConsoleTill();
  const yaw = await createAccount(till, 'yaw', 'lead');
  const [one, other] = [await yaw.signIn(), await yaw.signIn()];
  const answers = await Promise.all([one.post('/me/sessions/end'), other.post('/me/sessions/end')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 403]);
  expect(await countSessions(till)).toBe(1);
});

test('a new password at the moment of a reset brings no session back', async () => {
  const till = await createConsoleTill();
  const yaw = await createAccount(till, 'yaw', 'lead');
  const browser = await yaw.signIn();
  const changing = browser.post('/me/password', {
    password: 'another long password',
    again: 'another long password',
  });
  expect((await callWithConfiguration(till, '/accounts/yaw/reset', {})).status).toBe(200);
  await changing;
  expect(await countSessions(till)).toBe(0);
  expect((await browser.get('/me')).location).toContain('/console/sign-in');
});

type Fill = { actor: string; subject?: string; action?: string; merchant?: string; count: number };

/** Writes actions of the last minute, each about a subject of its own unless all are about one. */
async function fill(
  till: Till,
  { actor, subject, action = 'note', merchant = 'demo-shop', count }: Fill,
): Promise<void> {
  await till.write([
    {
      sql: `INSERT INTO staff_action (at, actor, action, result, subject_kind, subject_id, merchant_id, livemode, detail)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        SELECT ?, ?, ?, 'done', 'collection', coalesce(?, 'col_' || i), ?, 0, '{}' FROM n`,
      args: [count, till.clock.now() - 60_000, actor, action, subject ?? null, merchant],
    },
  ]);
}

const countActions = async (till: Till, actor: string) =>
  (await till.read((store) =>
    store.query('SELECT count(*) FROM staff_action WHERE actor = ?', [actor], 'row'),
  )) as [number];

/** Sends requests at once, and returns how often each status was the answer. */
async function statusesOf(requests: Promise<{ status: number; body: unknown }>[]) {
  const answers = await Promise.all(requests);
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return { statuses, refusal: answers.find(({ status }) => status === 429)?.body };
}

async function createShop() {
  const till = await createConsoleTill();
  await till.pay('0244123456');
  const { id } = await till.only('0244123456');
  return { till, id };
}

const times = <Result>(count: number, run: (i: number) => Result) =>
  Array.from({ length: count }, (_, i) => run(i));

test('a key cannot write more about a payment in a day than the bound, also at once, and support staff still can', async () => {
  const { till, id } = await createShop();
  const { key, secret } = await createMerchantKey(till);
  await fill(till, { actor: key.id, subject: id, count: actionLimits.subjectByMerchant - 5 });
  const note = () => callApi(till, secret, `/payments/${id}/notes`, { body: { text: 'again' } });
  const { statuses, refusal } = await statusesOf(times(20, note));
  expect(statuses).toEqual({ 200: 5, 429: 15 });
  expect(refusal).toMatchObject({
    error: { code: 'too_many_actions', message: expect.stringContaining('24 hours') },
  });
  expect((await callStaff(till, 'ama', `/collections/${id}/notes`, { text: 'seen' })).status).toBe(200);
  await till.clock.advance(dayMs);
  expect((await note()).status).toBe(200);
});

test('what one merchant does about a number leaves other merchants, and support staff, their bound', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const about = { subject: '233244123456', merchant: 'other-shop' };
  await fill(till, { ...about, actor: 'mk_other', count: actionLimits.subject });
  const body = { msisdn: '0244123456', role: 'dialler', reason: 'x', until: null };
  expect((await callApi(till, secret, '/blocks', { body })).status).toBe(200);
  expect((await callStaff(till, 'ama', '/blocks', { ...body, merchantId: null })).status).toBe(200);
});

test('a person and a key have a bound in a day over all they do, on each surface', async () => {
  const { till, id } = await createShop();
  const { key, secret } = await createMerchantKey(till);
  await fill(till, { actor: key.id, count: actionLimits.person - 3 });
  const block = (i: number) =>
    callApi(till, secret, '/blocks', {
      body: { msisdn: `02440000${10 + i}`, role: 'dialler', reason: 'x', until: null },
    });
  expect((await statusesOf(times(10, block))).statuses).toEqual({ 200: 3, 429: 7 });
  const efua = await createAccount(till, 'efua', 'lead');
  await fill(till, { actor: 'efua', count: actionLimits.person });
  // The own account stays open.
  const browser = await efua.signIn();
  const page = await browser.post(`/payments/${id}/notes`, { text: 'one more' });
  expect(page.status).toBe(429);
  expect(page.text).toContain('continue tomorrow');
});

test('the keys and people of a merchant have a bound together, which is not one of support staff', async () => {
  const { till, id } = await createShop();
  const { secret } = await createMerchantKey(till);
  for (const actor of ['mk_a', 'mk_b', 'mk_c'])
    await fill(till, { actor, count: Math.ceil(actionLimits.merchant / 3) });
  const answer = await callApi(till, secret, `/payments/${id}/notes`, { body: { text: 'x' } });
  expect(answer).toMatchObject({ status: 429, body: { error: { code: 'too_many_actions' } } });
  expect((await callStaff(till, 'ama', `/collections/${id}/notes`, { text: 'x' })).status).toBe(200);
});

test('refused requests are recorded up to a bound, and leave a person most of the day', async () => {
  const { till, id } = await createShop();
  const yaw = await createAccount(till, 'yaw', 'auditor');
  const browser = await yaw.signIn();
  const [before] = await countActions(till, 'yaw');
  await fill(till, { actor: 'yaw', count: actionLimits.refused - before - 2 });
  for (let i = 0; i < 6; i += 1) expect((await browser.get('/keys/new')).status).toBeGreaterThanOrEqual(400);
  for (let i = 0; i < 6; i += 1)
    expect((await browser.post(`/payments/${id}/notes`, { text: 'x' })).status).toBe(403);
  expect(await countActions(till, 'yaw')).toEqual([actionLimits.refused]);
});

test('a key keeps a bounded number of idempotent requests', async () => {
  const { till, id } = await createShop();
  const { key, secret } = await createMerchantKey(till);
  await till.write([
    {
      sql: `INSERT INTO merchant_request (key_id, idempotency_key, digest, answer, at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT ?, 'k' || i, '', '{}', ? FROM n`,
      args: [19_999, key.id, till.clock.now()],
    },
  ]);
  const note = () => callApi(till, secret, `/payments/${id}/notes`, { body: { text: 'x' } });
  expect((await statusesOf(times(4, note))).statuses).toEqual({ 200: 1, 429: 3 });
});
