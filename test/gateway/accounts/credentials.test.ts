// cspell:ignore GEZDGNBVGY MZXQ MZXW TQOJQ TQOJQGEZDGNBVGY YTBOI foob fooba

import { expect, test } from 'vitest';
import { countedFailures, delayMs, getBucket } from '../../../src/gateway/accounts/check-person.ts';
import {
  base32,
  enrolmentUrl,
  matchStep,
  oneTimePassword,
  stepAt,
} from '../../../src/gateway/accounts/code.ts';
import { createPasswords, PasswordsBusy, passwordFault } from '../../../src/gateway/accounts/password.ts';
import { createSecretCipher, type DigestingCipher } from '../../../src/kit/secret-cipher.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { type Browser, createAccount, createBrowser, createConsoleTill } from '../../kit/console.ts';
import { callWithConfiguration, staffActions } from '../../kit/staff.ts';

const ids = systemIds(systemClock());

const password = 'correct horse battery';

test('a password is compared with its salted hash, and without a hash nothing matches', async () => {
  const passwords = createPasswords(ids);
  const [one, other] = await Promise.all([passwords.hash(password), passwords.hash(password)]);
  expect(one).toMatch(/^scrypt-32768-8-3:/);
  expect(other).not.toBe(one);
  const results = await Promise.all([
    passwords.verify(password, one),
    passwords.verify(`${password}.`, one),
    passwords.verify(password, null),
    passwords.verify('', ''),
  ]);
  expect(results).toEqual([true, false, false, false]);
});

test('at most sixteen passwords wait for the two that are compared', async () => {
  const passwords = createPasswords(ids, 2 ** 8);
  const answers = await Promise.allSettled(Array.from({ length: 19 }, () => passwords.verify('', null)));
  const failed = answers.filter(({ status }) => status === 'rejected');
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatchObject({ reason: expect.any(PasswordsBusy) });
});

test('a password has 15 to 128 characters', () => {
  expect(passwordFault('a'.repeat(14))).toBeDefined();
  expect(passwordFault('a'.repeat(15))).toBeUndefined();
  expect(passwordFault('😀'.repeat(128))).toBeUndefined();
  expect(passwordFault('a'.repeat(129))).toBeDefined();
});

/** The seed of RFC 6238, appendix B. Its codes have eight digits; a code of six has the last six of them. */
const seed = Buffer.from('12345678901234567890');

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the one-time password at %i s is the one of RFC 6238', (seconds, expected) => {
  expect(oneTimePassword(seed, stepAt(seconds * 1_000))).toBe(expected);
});

test('a one-time password is accepted one step early or late, and never twice', () => {
  const now = 1_234_567_890_000;
  const step = stepAt(now);
  const match = (entered: string, lastStep = 0) => matchStep(seed, entered, { now, lastStep });
  expect(match(oneTimePassword(seed, step))).toBe(step);
  expect(match(oneTimePassword(seed, step - 1))).toBe(step - 1);
  expect(match(oneTimePassword(seed, step + 1))).toBe(step + 1);
  expect(match(oneTimePassword(seed, step - 2))).toBeUndefined();
  expect(match(oneTimePassword(seed, step + 2))).toBeUndefined();
  expect(match(oneTimePassword(seed, step), step)).toBeUndefined();
  expect(match('')).toBeUndefined();
  expect(match('12345a')).toBeUndefined();
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of "%s" is the one of RFC 4648', (text, expected) => {
  expect(base32(Buffer.from(text))).toBe(expected);
});

test('the address for authenticator apps has the key, the host and the name', () => {
  expect(enrolmentUrl(seed, 'ama', 'pay.example:8443')).toBe(
    'otpauth://totp/dialtill%20pay.example%3A8443:ama?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=dialtill%20pay.example%3A8443',
  );
});

const hour = 3_600_000;

test.each([
  [0, 0],
  [2, 0],
  [3, 1_000],
  [4, 2_000],
  [8, 32_000],
  [9, 60_000],
  [1_000_000, 60_000],
])('after %i failures, the next attempt is checked after %i ms', (failures, expected) => {
  expect(delayMs({ failures, at: hour }, hour)).toBe(expected);
  expect(delayMs({ failures, at: hour }, hour + expected)).toBe(0);
});

test('failures are forgotten after an hour, and a clock that was set back adds no delay', () => {
  expect(countedFailures({ failures: 9, at: 0 }, hour - 1)).toBe(9);
  expect(countedFailures({ failures: 9, at: 0 }, hour)).toBe(0);
  expect(countedFailures(undefined, hour)).toBe(0);
  expect(delayMs({ failures: 9, at: 100 * hour }, hour)).toBe(60_000);
});

test('a bucket has sixteen bits, and a stranger does not know whose network shares it', () => {
  const [cipher, other] = [7, 8].map((byte) =>
    createSecretCipher(Buffer.alloc(32, byte).toString('base64'), systemIds(systemClock())),
  ) as [DigestingCipher, DigestingCipher];
  const buckets = Array.from({ length: 1_000 }, (_, i) => getBucket(cipher, `name-${i}`));
  expect(Math.max(...buckets)).toBeLessThan(65_536);
  expect(new Set(buckets).size).toBeGreaterThan(900);
  const elsewhere = Array.from({ length: 1_000 }, (_, i) => getBucket(other, `name-${i}`));
  expect(buckets.filter((bucket, i) => bucket === elsewhere[i]).length).toBeLessThan(5);
});

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
