import { expect, test } from 'vitest';
import { type Browser, createAccount, createBrowser, createConsoleTill } from '../../kit/console.ts';
import { callWithConfiguration, staffActions } from '../../kit/staff.ts';

/*
 * The person of a request is found before its batch is written. Here something else is written between the two.
 */

/** A till with a person who has signed in with two browsers. `before` runs once, before the next batch is written. */
async function createScene() {
  const held: { before?: (() => Promise<unknown>) | undefined } = {};
  const till = await createConsoleTill({
    wrapStore: (store) => ({
      ...store,
      async apply(batch, signal) {
        const { before } = held;
        held.before = undefined;
        await before?.();
        return store.apply(batch, signal);
      },
    }),
  });
  const holder = await createAccount(till, 'efua', 'lead');
  const other = await holder.signIn();
  const browser = await holder.signIn();
  const accountId = await till.ledger.rows<{ id: string }>('SELECT id FROM account').then(([row]) => row?.id);
  await till.write([
    {
      sql: `INSERT INTO passkey (id, account_id, label, credential_id, public_key, counter, created_at) VALUES ('pky_1', ?, 'phone', 'c', 'k', 0, 0)`,
      args: [accountId ?? ''],
    },
  ]);
  return { till, holder, browser, other, held };
}

const isSignedIn = async (browser: Browser) => (await browser.get('/me')).status === 200;

const requests = {
  'a new password': ['/me/password', { password: 'another horse battery' }],
  'the end of the other sessions': ['/me/sessions/end', {}],
  'the end of a passkey': ['/me/passkeys/pky_1/remove', {}],
  'a new token': ['/me/tokens', {}],
  'new recovery codes': ['/me/recovery-codes', {}],
  'another app': ['/me/authenticator/new', {}],
  'a saved view': ['/views', { name: 'mine', query: 'status=paid' }],
} as const satisfies Record<string, readonly [string, Record<string, string>]>;

const losses = {
  disabled: ({ till }) => callWithConfiguration(till, '/accounts/efua/disable', {}),
  reset: ({ till }) => callWithConfiguration(till, '/accounts/efua/reset', {}),
  'signed out by another browser': ({ other }) => other.post('/me/sessions/end'),
  'signed out by a new password': ({ other }) =>
    other.post('/me/password', { password: 'a third horse battery' }),
  'given another role': ({ till }) =>
    callWithConfiguration(till, '/accounts/efua/role', { role: 'auditor', merchantId: null }),
} as const satisfies Record<string, (scene: Awaited<ReturnType<typeof createScene>>) => Promise<unknown>>;

/** Each request with one loss, and two of them with each. */
const table = Object.entries(requests).flatMap(([title, [path, fields]]) =>
  Object.entries(losses)
    .filter(([loss]) => loss === 'reset' || title === 'a new password' || title === 'a new token')
    .map(([loss, lose]) => ({ title, path, fields, loss, lose })),
);

test.each(table)('$title of a person who is $loss at the same moment is not written', async (one) => {
  const scene = await createScene();
  const { till, browser, other, held } = scene;
  const rowsOf = () =>
    till.ledger.rows(
      `SELECT a.next_seed, a.password, s.id FROM account AS a LEFT JOIN account_session AS s ON s.account_id = a.id ORDER BY s.id`,
    );
  let left: unknown;
  let recorded = 0;
  held.before = async () => {
    await one.lose(scene);
    left = await rowsOf();
    recorded = (await staffActions(till)).length;
  };
  const answer = await browser.post(one.path, one.fields);
  expect(held.before).toBeUndefined();
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Nothing was changed')]);
  expect(await rowsOf()).toEqual(left);
  expect(await staffActions(till)).toHaveLength(recorded);
  if (one.loss !== 'given another role') expect(await isSignedIn(browser)).toBe(false);
  expect(await isSignedIn(other)).toBe(one.loss !== 'disabled' && one.loss !== 'reset');
});

test('of two browsers that end all others at once, one stays signed in', async () => {
  const { browser, other, held } = await createScene();
  held.before = () => other.post('/me/sessions/end');
  expect((await browser.post('/me/sessions/end')).status).toBe(403);
  expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, true]);
});

test('a code of the first use that is replaced at the same moment starts nothing', async () => {
  const { till, held } = await createScene();
  const { body } = await callWithConfiguration(till, '/accounts/efua/reset', {});
  const browser = createBrowser(till);
  // The attempt is counted by a batch of its own.
  const reset = () => callWithConfiguration(till, '/accounts/efua/reset', {});
  held.before = async () => {
    held.before = reset;
  };
  await browser.post('/first-use', { name: 'efua', code: String(body.code) });
  expect((await browser.get('/set-up')).status).toBe(303);
});
