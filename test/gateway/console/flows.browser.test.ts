import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/index.ts';
import { closeBrowser, expectAccessible, openPage } from '../../kit/chromium.ts';
import {
  type AccountHolder,
  createAccount,
  password,
  payShort,
  serveConsoleTill,
  short,
} from '../../kit/console.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';
import { fetchStatement } from '../../kit/statement.ts';
import type { Till } from '../../kit/till.ts';

/* Each flow of support staff with and without JavaScript. Passkeys need it: passkeys.browser.test.ts. */

afterAll(closeBrowser);

const payer = '0244123456';
const date = '2026-03-06';
const minute = 60_000;
const day = 24 * 60 * minute;

/** A console with a payment that people decide about, and a paid one. */
async function createDay() {
  const { till, url } = await serveConsoleTill();
  await till.paidPayment();
  await payShort(till);
  return { till, url };
}

describe.each([true, false])('with JavaScript: %s', (javaScriptEnabled) => {
  /** Signs a person in with the password and a code of the app, in a browser of the person. */
  async function signIn(url: string, { name, code }: AccountHolder): Promise<Page> {
    const { page } = await openPage(url, { javaScriptEnabled, acceptDownloads: true });
    await page.goto(`${url}/console`);
    await page.getByLabel('Name').fill(name);
    await enterPassword(page, await code(), 'Sign in');
    await page.getByRole('button', { name: 'Search' }).waitFor();
    return page;
  }

  async function enterPassword(page: Page, code: string, button: string): Promise<void> {
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: button, exact: true }).click();
  }

  async function search(page: Page, text: string): Promise<void> {
    await page.getByLabel('Search payments').fill(text);
    await page.getByRole('button', { name: 'Search' }).click();
  }

  async function propose(page: Page, evidence: string): Promise<void> {
    await page.getByText('Propose a decision').click();
    await page.getByLabel('Evidence: what you saw, and where').fill(evidence);
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
  }

  const recorded = async (till: Till, actor: string) =>
    (await staffActions(till)).filter((one) => one.actor === actor).map(({ action }) => action);

  test('a person signs in, finds a payment, adds a note, and sees the whole numbers for a reason', async () => {
    const { till, url } = await createDay();
    const page = await signIn(url, await createAccount(till, 'efua', 'agent'));
    await search(page, '024 412 3456');
    await page.getByRole('heading', { name: 'Say to the caller' }).waitFor();
    await page.getByLabel('Add a note').fill('the caller has the SMS');
    await page.getByRole('button', { name: 'Add the note' }).click();
    await page.locator('#entries').getByText('efua: note: the caller has the SMS').waitFor();
    expect(await page.locator('main').textContent()).not.toContain(payer);
    await page.getByText('Show whole numbers').click();
    await page.getByLabel('Reason to see the whole numbers').fill('the caller asks which phone');
    await page.getByRole('button', { name: 'Show for 5 minutes' }).click();
    await page.locator('#detail-lines').getByText('024 412 3456').waitFor();
    expect((await recorded(till, 'efua')).slice(-2)).toEqual(['note', 'reveal']);
    await page.getByRole('button', { name: 'efua agent' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  test('one person proposes and cannot approve, another one approves after the password', async () => {
    const { till, url } = await createDay();
    const [efua, yaw] = [
      await createAccount(till, 'efua', 'lead'),
      await createAccount(till, 'yaw', 'finance'),
    ];
    const [author, other] = [await signIn(url, efua), await signIn(url, yaw)];
    // The sign-in of yaw counts for five minutes.
    await till.clock.advance(6 * minute);
    const { id, version } = await till.only(short);
    await author.goto(`${url}/console/payments/${id}`);
    await propose(author, 'statement, line 12');
    await author.getByRole('link', { name: 'See the proposal' }).click();
    await author.getByRole('button', { name: 'Withdraw the proposal' }).waitFor();
    expect(await author.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const proposal = author.url();

    await other.goto(proposal);
    await other.getByRole('button', { name: /^Approve GHS/ }).waitFor();
    expect(await other.getByRole('alert').allTextContents()).toEqual([]);
    await other.getByRole('button', { name: 'Approve' }).click();
    await enterPassword(other, await yaw.code(), 'Continue');
    await other.getByRole('button', { name: 'Approve' }).click();
    await other.getByText('approved by yaw').waitFor();
    expect(await till.only(short)).toMatchObject({ review: null, version: version + 1 });
  });

  test('a decision about an earlier state of a payment is refused, and its evidence is not lost', async () => {
    const { till, url } = await createDay();
    const page = await signIn(url, await createAccount(till, 'efua', 'lead'));
    const { id, version } = await till.only(short);
    await page.goto(`${url}/console/payments/${id}`);
    // Before the proposal of the other person: an open page would replace a form in which nobody types.
    await page.getByText('Propose a decision').click();
    await page.getByLabel('Evidence: what you saw, and where').fill('what the caller read out');
    const terms = { outcome: 'accept', evidence: 'line 12', version };
    const made = await callStaff(till, 'kofi', `/reviews/${id}/proposals`, terms);
    expect(made.status).toBe(200);
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    await page.getByRole('alert').getByText('is open: approve, refuse or withdraw it').waitFor();
    await page.getByText('what the caller read out').waitFor();
    await callStaff(till, 'kofi', `/proposals/${made.body.id}/withdraw`, {});
    await page.goto(`${url}/console/payments/${id}`);
    await propose(page, 'what the caller read out');
    await page.getByRole('link', { name: 'See the proposal' }).waitFor();
  });

  test('the file of a list has the rows of the list', async () => {
    const { till, url } = await createDay();
    const page = await signIn(url, await createAccount(till, 'efua', 'lead'));
    await page.goto(`${url}/console/payments?network=mtn`);
    const rows = await page.locator('section[aria-label=Payments] tbody tr:not(.day)').count();
    const file = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    const lines = readFileSync(await (await file).path(), 'utf8')
      .trim()
      .split(/\r?\n/);
    expect(rows).toBe(2);
    expect(lines).toHaveLength(rows + 1);
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('a.row')].map((row) => row.href)",
    );
    for (const [index, href] of links.entries()) expect(lines[index + 1]).toContain(href.split('/').at(-1));
  });

  test('finance reads the statement of a day, explains a difference, and closes the day', async () => {
    const { till, url } = await serveConsoleTill();
    await till.paidPayment();
    await till.clock.advance(day);
    const csv = await fetchStatement(till, date);
    const page = await signIn(url, await createAccount(till, 'yaw', 'finance'));
    await page.goto(`${url}/console/days/${date}`);
    const upload = async (text: string) => {
      const file = { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
      await page.getByLabel('Statement of the service').setInputFiles(file);
      await page.getByRole('button', { name: 'Import the statement' }).click();
    };
    await upload(csv.replace('20.20', '20,20'));
    await page.getByText('line 2: expected 7 cells, found 8').waitFor();
    await upload(csv.replace('20.20', '20.30'));
    await page.getByText('1 difference without an explanation.').first().waitFor();
    if (javaScriptEnabled) await expectAccessible(page, 'a day with a difference');
    expect(await page.getByRole('link', { name: 'Close demo-shop' }).count()).toBe(0);
    await page.getByLabel('Explanation').fill('the service corrects it tomorrow');
    await page.getByRole('button', { name: 'Accept the chosen differences' }).click();
    await page.getByText('Explanation added. demo-shop can be closed.').waitFor();
    await page.getByRole('link', { name: 'Close demo-shop' }).click();
    await page.getByText('the service corrects it tomorrow').waitFor();
    if (javaScriptEnabled) await expectAccessible(page, 'the confirmation of a close');
    await page.getByRole('button', { name: 'Close demo-shop' }).click();
    await page.getByText('demo-shop is closed.').waitFor();
    expect(await page.getByRole('link', { name: 'Close demo-shop' }).count()).toBe(0);
    const done = ['import_statement', 'explain_difference', 'close_day'];
    expect((await recorded(till, 'yaw')).slice(-3)).toEqual(done);
  });
});
