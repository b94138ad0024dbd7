import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type AccountHolder,
  type Browser,
  createAccount,
  createBrowser,
  createConsoleTill,
  password,
} from '../../kit/console.ts';
import { createPasskey, type Deviation, passkeyOptionsOf } from '../../kit/passkey.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

const minute = 60_000;

type Passkey = ReturnType<typeof createPasskey>;

async function add(browser: Browser, passkey: Passkey, label = 'phone', deviation: Deviation = {}) {
  const page = await browser.get('/me/passkeys');
  return browser.post('/me/passkeys', {
    label,
    credential: passkey.create(passkeyOptionsOf(page.text), deviation),
  });
}

/** Uses a passkey on the page for signing in, with a new browser. */
async function signIn(till: Till, passkey: Passkey, deviation: Deviation = {}) {
  const browser = createBrowser(till);
  const options = passkeyOptionsOf((await browser.get('/sign-in')).text);
  const answer = await browser.post('/sign-in', { credential: passkey.use(options, deviation) });
  return { browser, answer };
}

async function start(): Promise<{ till: Till; efua: AccountHolder; browser: Browser; passkey: Passkey }> {
  const till = await createConsoleTill();
  const efua = await createAccount(till, 'efua', 'lead');
  const browser = await efua.signIn();
  const passkey = createPasskey();
  expect(await add(browser, passkey)).toMatchObject({ status: 303, location: '/console/me' });
  return { till, efua, browser, passkey };
}

const actionsOf = async (till: Till) =>
  (await staffActions(till))
    .filter(({ detail }) => (detail as { name?: string }).name === 'efua')
    .map(({ action, result }) => `${action} ${result}`);

test('a person adds a passkey, signs in with it alone, and sees its last use', async () => {
  const { till, browser, passkey } = await start();
  expect((await browser.get('/me')).text).toMatch(/<b>phone<\/b> <small>added [^,]+, not used yet/);
  const { browser: own, answer } = await signIn(till, passkey);
  expect(answer).toMatchObject({ status: 303, location: '/console' });
  expect((await own.get('/me')).text).toMatch(/<b>phone<\/b> <small>added [^,]+, last used \d\d:\d\d/);
  expect((await actionsOf(till)).slice(-3)).toEqual(['sign_in done', 'add_passkey done', 'sign_in done']);
  const last = (await staffActions(till)).at(-1)?.detail as { passkey?: string };
  expect(last.passkey).toMatch(/^pky_/);
  expect((await till.verify()).ok).toBe(true);
});

test('a passkey stands for the password and the code of an approval, and only a passkey of the person', async () => {
  const { till, browser, passkey } = await start();
  const esi = await (await createAccount(till, 'esi', 'lead')).signIn();
  const other = createPasskey();
  await add(esi, other);
  await till.clock.advance(6 * minute);
  expect((await browser.get('/me/passkeys')).location).toBe('/console/confirm?page=me/passkeys');
  const confirm = async (key: Passkey) => {
    const options = passkeyOptionsOf((await browser.get('/confirm?page=me')).text);
    return browser.post('/confirm', { credential: key.use(options), page: 'me' });
  };
  expect((await confirm(other)).status).toBe(422);
  expect((await browser.get('/me/passkeys')).location).toBe('/console/confirm?page=me/passkeys');
  expect(await confirm(passkey)).toMatchObject({ status: 303, location: '/console/me' });
  expect((await browser.get('/me/passkeys')).status).toBe(200);
  expect((await actionsOf(till)).at(-1)).toBe('confirm done');
});

test('a challenge is accepted once, for its purpose, in its session and for five minutes', async () => {
  const { till, efua, browser, passkey } = await start();
  const page = createBrowser(till);
  const options = passkeyOptionsOf((await page.get('/sign-in')).text);
  const credential = passkey.use(options);
  expect((await page.post('/sign-in', { credential })).status).toBe(303);
  expect((await createBrowser(till).post('/sign-in', { credential })).status).toBe(422);
  const again = passkey.use(options);
  expect((await createBrowser(till).post('/sign-in', { credential: again })).status).toBe(422);

  const late = passkeyOptionsOf((await createBrowser(till).get('/sign-in')).text);
  await till.clock.advance(5 * minute);
  expect((await createBrowser(till).post('/sign-in', { credential: passkey.use(late) })).status).toBe(422);

  const elsewhere = await efua.signIn();
  const own = passkeyOptionsOf((await browser.get('/confirm')).text);
  for (const [other, path] of [
    [createBrowser(till), '/sign-in'],
    [elsewhere, '/confirm'],
  ] as const) {
    await till.clock.advance(minute);
    expect((await other.post(path, { credential: passkey.use(own) })).status).toBe(422);
  }
  await till.clock.advance(minute);
  expect((await browser.post('/confirm', { credential: passkey.use(own) })).status).toBe(303);
});

test('parallel uses of one challenge sign in once', async () => {
  const { till, passkey } = await start();
  const options = passkeyOptionsOf((await createBrowser(till).get('/sign-in')).text);
  const credential = passkey.use(options);
  const answers = await Promise.all(
    [1, 2, 3].map(() => createBrowser(till).post('/sign-in', { credential })),
  );
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
});

describe('an answer is refused', () => {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const deviations: [string, Deviation][] = [
    ['with a counter that does not grow, as of a copied key', { counter: 1 }],
    ['without user verification', { isUserVerified: false }],
    ['of another site', { origin: 'https://pay.example.evil' }],
    ['for another host', { host: 'evil.example' }],
    ['with the signature of another key', { signedBy: stranger }],
    ['for another account', { userHandle: Buffer.from('acc_1').toString('base64url') }],
  ];
  test.each(deviations)('%s', async (_, deviation) => {
    const { till, passkey } = await start();
    expect((await signIn(till, passkey)).answer.status).toBe(303);
    const { answer, browser } = await signIn(till, passkey, deviation);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('The passkey was not accepted.');
    expect((await browser.get('/me')).location).toBe('/console/sign-in');
    expect((await actionsOf(till)).at(-1)).toBe('sign_in refused');
  });

  test('of an unknown passkey, and a text that is none, with a delay after three', async () => {
    const { till } = await start();
    await till.clock.advance(61 * minute);
    expect((await signIn(till, createPasskey())).answer.status).toBe(422);
    for (const credential of ['no JSON', '{"id":"x"}'])
      expect((await createBrowser(till).post('/sign-in', { credential })).status).toBe(422);
    expect((await createBrowser(till).post('/sign-in', { credential: '{}' })).status).toBe(429);
  });

  test('when it adds a passkey with a challenge of another session, or without user verification', async () => {
    const { efua, browser } = await start();
    const elsewhere = await efua.signIn();
    const passkey = createPasskey();
    expect((await add(browser, passkey, 'key', { isUserVerified: false })).status).toBe(422);
    const options = passkeyOptionsOf((await elsewhere.get('/me/passkeys')).text);
    const stolen = { label: 'key', credential: passkey.create(options) };
    expect((await browser.post('/me/passkeys', stolen)).status).toBe(422);
    expect((await elsewhere.post('/me/passkeys', stolen)).status).toBe(303);
    expect((await elsewhere.post('/me/passkeys', stolen)).status).toBe(422);
  });
});

test('a removed passkey no longer signs in, and the other sessions end', async () => {
  const { till, browser, passkey } = await start();
  const { browser: own } = await signIn(till, passkey);
  const [, id = ''] = /passkeys\/(pky_\w+)\/remove/.exec((await browser.get('/me')).text) ?? [];
  await browser.post(`/me/passkeys/${id}/remove`);
  expect((await own.get('/me')).location).toBe('/console/sign-in?ended=1');
  expect((await browser.get('/me')).text).toContain('You sign in with the password and a code.');
  expect((await signIn(till, passkey)).answer.status).toBe(422);
});

test('no person removes the passkey of another one', async () => {
  const { till, browser, passkey } = await start();
  const [, id = ''] = /passkeys\/(pky_\w+)\/remove/.exec((await browser.get('/me')).text) ?? [];
  const esi = await (await createAccount(till, 'esi', 'admin')).signIn();
  await esi.post(`/me/passkeys/${id}/remove`);
  expect((await signIn(till, passkey)).answer.status).toBe(303);
});

test('a reset ends the passkeys of an account, and a disabled account cannot use them', async () => {
  const { till, passkey } = await start();
  await callStaff(till, 'adwoa', '/accounts/efua/disable', {});
  expect((await signIn(till, passkey)).answer.status).toBe(422);
  await callStaff(till, 'adwoa', '/accounts/efua/enable', {});
  expect((await signIn(till, passkey)).answer.status).toBe(303);
  await callStaff(till, 'adwoa', '/accounts/efua/reset', {});
  expect((await signIn(till, passkey)).answer.status).toBe(422);
});

test('an account has at most ten passkeys, each with a name and without a number in it', async () => {
  const { browser } = await start();
  expect((await add(browser, createPasskey(), ' ')).status).toBe(422);
  await add(browser, createPasskey(), 'phone 0244123456');
  expect((await browser.get('/me')).text).toContain('phone 23324****456');
  for (let count = 2; count < 10; count++)
    expect((await add(browser, createPasskey(), `key ${count}`)).status).toBe(303);
  const eleventh = await add(browser, createPasskey(), 'key 11');
  expect(eleventh.status).toBe(422);
  expect(eleventh.text).toContain('at most 10 passkeys');
});

test('at an IP address, where browsers create no passkeys, the pages say so and the password works', async () => {
  const till = await createConsoleTill({
    configure(config) {
      if (config.console) config.console.publicUrl = 'https://192.0.2.7';
    },
  });
  const efua = await createAccount(till, 'efua', 'agent');
  const browser = await efua.signIn();
  const sentence = 'The console has no passkeys here';
  expect((await browser.get('/me')).text).toContain(sentence);
  expect((await browser.get('/me/passkeys')).text).toContain(sentence);
  expect((await createBrowser(till).get('/sign-in')).text).not.toContain('data-passkey');
  const form = { name: 'efua', password, code: await efua.code(), credential: '{}' };
  expect((await createBrowser(till).post('/sign-in', form)).status).toBe(303);
});
