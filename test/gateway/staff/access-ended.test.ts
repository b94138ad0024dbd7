import { expect, test } from 'vitest';
import { actorWrites, staffActionWrite } from '../../../src/gateway/access/action-store.ts';
import type { Actor } from '../../../src/gateway/access/actor.ts';
import { accountStore } from '../../../src/gateway/accounts/account-store.ts';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { createMerchantKey } from '../../kit/merchant-api.ts';
import { callWithConfiguration, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

/** Signs a lead in, and returns the actor of the session, as a request that was held back has it. */
async function heldBack() {
  const till = await createConsoleTill();
  await (await createAccount(till, 'yaw', 'lead')).signIn();
  const actor = await till.read(async (store): Promise<Actor> => {
    const accounts = accountStore(store);
    const account = await accounts.findByName('yaw');
    const [session] = await accounts.sessions(account?.id ?? '');
    if (!account || !session) throw new Error('yaw has not signed in');
    const { id: accountId, name, role, merchantId } = account;
    return { kind: 'person', accountId, name, role, merchantId, session };
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
