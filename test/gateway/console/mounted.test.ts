import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createAccount, createConsoleTill, password } from '../../kit/console.ts';
import type { Till } from '../../kit/till.ts';
import { crawl, plainPaths } from './crawl.ts';

/*
 * The console of a gateway that browsers reach below a path: another app has mounted it, or a proxy removes the path.
 */

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const host = 'https://shop.example';

const mountIn =
  (till: Till): Ask =>
  async (path, init) =>
    new Hono().route('/pay', till.gateway().app).request(path, init);

const removePath =
  (till: Till): Ask =>
  async (path, init) =>
    path.startsWith('/pay/')
      ? till.gateway().app.request(path.slice('/pay'.length), init)
      : new Response('not the gateway', { status: 404 });

/** A browser: it keeps the cookie, sends forms, and returns where an answer leads. */
function openBrowser(ask: Ask) {
  let cookie = '';
  const send: Ask = async (path, init = {}) => {
    const answer = await ask(path, { ...init, headers: { ...init.headers, cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split('; ');
      // Browsers accept the prefix `__Host-` only with this path.
      expect([pair.split('=')[0], attributes]).toEqual([
        expect.stringMatching(/^__Host-dialtill/),
        expect.arrayContaining(['Path=/']),
      ]);
      if (pair.startsWith('__Host-dialtill=')) cookie = pair;
    }
    return answer;
  };
  return {
    get: (path: string) => send(path),
    async post(path: string, fields: Record<string, string>) {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      };
      const answer = await send(path, {
        method: 'POST',
        headers,
        body: new URLSearchParams(fields).toString(),
      });
      return placeOf(path, answer);
    },
  };
}

/** The address to which an answer leads, as a browser resolves it. */
function placeOf(path: string, answer: Response): string {
  const { pathname, search } = new URL(answer.headers.get('location') ?? '', `${host}${path}`);
  return `${pathname}${search}`;
}

/** The addresses on this host that a page names. */
const addressesOn = (page: string) =>
  [...page.matchAll(/ [a-z-]+="(\/[^"]*)"/g)].map(([, address = '']) => address);

test.each([
  ['mounted by another app', host, mountIn],
  ['mounted by another app, with its path in publicUrl', `${host}/pay`, mountIn],
  ['behind a proxy that removes the path in publicUrl', `${host}/pay/`, removePath],
])('a console %s names no address outside the path', async (_, publicUrl, serve) => {
  const till = await createConsoleTill({
    configure(config) {
      if (config.console) config.console.publicUrl = publicUrl;
    },
  });
  const { id } = await till.prompted('0244123456');
  const { code } = await createAccount(till, 'efua', 'lead');
  const browser = openBrowser(serve(till));

  const link = `/pay/console/payments/${id}`;
  const signIn = placeOf(link, await browser.get(link));
  expect(signIn).toBe(`/pay/console/sign-in?page=payments%2F${id}`);
  const form = await (await browser.get(signIn)).text();
  expect(addressesOn(form)).toContain('/pay/console/sign-in');
  expect(addressesOn(form).filter((address) => !address.startsWith('/pay/console'))).toEqual([]);
  const fields = { name: 'efua', password, code: await code(), page: `payments/${id}` };
  expect(await browser.post('/pay/console/sign-in', fields)).toBe(link);

  const wrong: string[] = [];
  const visits = await crawl(async (path) => {
    const address = `/pay/console${path === '/' ? '' : path}`;
    const answer = await browser.get(address);
    if (answer.headers.has('location') && !placeOf(address, answer).startsWith('/pay/console'))
      wrong.push(`${path} leads to ${placeOf(address, answer)}`);
    if (!answer.headers.get('content-type')?.startsWith('text/html')) return answer;
    const page = await answer.text();
    for (const named of addressesOn(page))
      if (!/^\/pay\/console(?=[/?#]|$)/.test(named)) wrong.push(`${path} names ${named}`);
    return new Response(page.replaceAll('"/pay/console', '"/console'), answer);
  }, plainPaths);
  expect(wrong).toEqual([]);
  expect(visits.filter(({ status }) => status === 200).length).toBeGreaterThan(15);
  const desk = visits.find(({ path }) => path === '/desk');
  expect(desk?.text).toContain('href="/console/desk" aria-current="page"');

  expect(placeOf('/pay/console/', await browser.get('/pay/console/'))).toBe('/pay/console');
  const note = { text: 'asked for a receipt' };
  expect(await browser.post(`${link}/notes`, note)).toBe(link);
  expect(await browser.post('/pay/console/search', { q: 'status:paid' })).toBe(
    '/pay/console/payments?status=paid',
  );
  const styles = /href="(\/[^"]+\.css)"/.exec(form)?.[1] ?? '';
  expect((await browser.get(styles)).headers.get('content-type')).toContain('text/css');
  expect(await browser.post('/pay/console/sign-out', {})).toBe('/pay/console/sign-in');
});

test('a link of another site to a console below a path continues below it', async () => {
  const till = await createConsoleTill();
  const answer = await mountIn(till)('/pay/console/desk', { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(answer.headers.get('refresh')).toBe('0; url=/pay/console/sign-in');
});

test.each([
  ['/%5C127.0.0.1:1', '/console/sign-in'],
  ['/%22%3E%3C%62%3E', '/console/sign-in'],
  ['/$&', '/console/sign-in'],
  ['/%73hop', '/shop/console/sign-in'],
])(
  'below a path of which callers choose a part, %s is in no address unless it is plain text',
  async (mount, signIn) => {
    const till = await createConsoleTill();
    const app = new Hono().route('/:shop', till.gateway().app);
    const redirect = await app.request(`${mount}/console/keys`);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([303, signIn]);
    const page = await app.request(`${mount}/console/sign-in`);
    expect(page.status).toBe(200);
    const addresses = addressesOn(await page.text());
    expect(addresses).toContain(signIn);
    const area = signIn.slice(0, -'/sign-in'.length);
    expect(addresses.filter((address) => !address.startsWith(area))).toEqual([]);
  },
);

test('a publicUrl with characters that replacements expand is in the addresses as it is', async () => {
  const till = await createConsoleTill({
    configure(config) {
      if (config.console) config.console.publicUrl = `${host}/a$&b`;
    },
  });
  const page = await till.gateway().app.request('/console/sign-in');
  expect(addressesOn(await page.text())).toContain('/a$&b/console/sign-in');
});
