import { afterAll, expect, test } from 'vitest';
import { closeBrowser, openPage } from '../../kit/chromium.ts';
import { createAccount, password, serveConsoleTill } from '../../kit/console.ts';
import { serve } from '../../kit/local-server.ts';

afterAll(closeBrowser);

/** Serves a page of another site with a link, as webmail does, and returns its address. */
async function serveMail(link: string): Promise<string> {
  const html = `<!doctype html><title>Mail</title><a href="${link}">The payment</a>`;
  const fetch = () => new Response(html, { headers: { 'content-type': 'text/html' } });
  return (await serve({ fetch })).url;
}

test.each([true, false])(
  'a link of another site opens the payment for a person with a session, and after a sign-in for others (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const { till, url } = await serveConsoleTill();
    const { id } = await till.prompted('0244123456');
    const efua = await createAccount(till, 'efua', 'agent');
    const link = `${url}/console/payments/${id}`;
    const mail = await serveMail(link);

    const stranger = (await openPage(url, { javaScriptEnabled })).page;
    await stranger.goto(mail);
    await stranger.getByText('The payment').click();
    await stranger.getByLabel('Name').fill('efua');
    await stranger.getByLabel('Password').fill(password);
    await stranger.getByLabel('Code').fill(await efua.code());
    await stranger.getByRole('button', { name: 'Sign in', exact: true }).click();
    await stranger.waitForURL(link);

    await stranger.goto(mail);
    await stranger.getByText('The payment').click();
    await stranger.waitForURL(link);
    await stranger.getByRole('heading', { name: 'Say to the caller' }).waitFor();
    const [cookie] = await stranger.context().cookies();
    expect(cookie?.sameSite).toBe('Strict');
  },
);
