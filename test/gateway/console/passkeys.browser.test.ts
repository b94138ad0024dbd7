import { afterAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/index.ts';
import { closeBrowser, expectAccessible, openPage, takePicture } from '../../kit/chromium.ts';
import { createAccount, password, payShort, serveConsoleTill } from '../../kit/console.ts';
import type { Till } from '../../kit/till.ts';

afterAll(closeBrowser);

const minute = 60_000;

/** Gives the page an authenticator with a fingerprint reader, which succeeds. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const;
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasUserVerification: true, isUserVerified: true },
  });
  return {
    /** From now on, the fingerprint is another one, or the right one again. */
    verifyUser: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

async function signInByPassword(page: Page, url: string, code: string): Promise<void> {
  await page.goto(`${url}/console/sign-in`);
  await page.getByLabel('Name').fill('efua');
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: /^efua/ }).waitFor();
}

/** A payment with a proposal of another person. */
async function propose(till: Till): Promise<string> {
  const kofi = await (await createAccount(till, 'kofi', 'agent')).signIn();
  const { id, version } = await payShort(till);
  const form = { outcome: 'accept', evidence: 'line 7 of the statement', reference: '' };
  await kofi.post(`/payments/${id}/proposals`, { ...form, version: String(version) });
  const [, proposal = ''] = /proposals\/(prp_\w+)/.exec((await kofi.get(`/payments/${id}`)).text) ?? [];
  return proposal;
}

test('a person adds a passkey, signs in with it, and approves with it', async () => {
  const { till, url } = await serveConsoleTill();
  const efua = await createAccount(till, 'efua', 'lead');
  const { page, faults } = await openPage(url);
  const authenticator = await addAuthenticator(page);
  await signInByPassword(page, url, await efua.code());
  await page.goto(`${url}/console/me`);
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name of the device').fill('phone');
  expect(await page.getByText('This browser has no passkeys').isVisible()).toBe(false);
  await expectAccessible(page);
  await takePicture(page, 'passkey-add');
  await page.getByRole('button', { name: 'Create the passkey' }).click();
  await page.getByText(/added .* not used yet/).waitFor();

  await page.getByRole('button', { name: /^efua/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const withPasskey = page.getByRole('button', { name: 'Sign in with a passkey' });
  await authenticator.verifyUser(false);
  await withPasskey.click();
  await page.getByText('No passkey was used.').waitFor();
  await expectAccessible(page);
  await takePicture(page, 'passkey-sign-in');
  await authenticator.verifyUser(true);
  await withPasskey.click();
  await page.getByRole('button', { name: /^efua/ }).waitFor();

  await till.clock.advance(6 * minute);
  const proposal = await propose(till);
  await page.goto(`${url}/console/proposals/${proposal}`);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(`${url}/console/proposals/${proposal}`);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('approved by efua').waitFor();

  await page.goto(`${url}/console/me`);
  await page.getByText(/added .* last used/).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You sign in with the password and a code.').waitFor();
  expect(faults).toEqual([]);
});

test('without JavaScript, the password and a code sign in, and no form of a passkey is shown', async () => {
  const { till, url } = await serveConsoleTill();
  const efua = await createAccount(till, 'efua', 'lead');
  const { page } = await openPage(url, { javaScriptEnabled: false });
  await page.goto(`${url}/console/sign-in`);
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
  await signInByPassword(page, url, await efua.code());
  await page.goto(`${url}/console/me/passkeys`);
  await page.getByText('This browser has no passkeys, or JavaScript is off.').waitFor();
  expect(await page.getByRole('button', { name: 'Create the passkey' }).isVisible()).toBe(false);
});
