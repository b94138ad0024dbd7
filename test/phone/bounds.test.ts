import { expect, test } from 'vitest';
import { createBrowser, createPhoneTill, messageOf, origin, phoneIdOf } from './browser.ts';

const minuteMs = 60_000;

test('a browser has at most four phones, and all browsers together have 32', async () => {
  const till = await createPhoneTill();
  const browsers = Array.from({ length: 8 }, () => createBrowser(till));
  for (const [i, browser] of browsers.entries()) {
    for (let phone = 0; phone < 4; phone++) {
      const number = `02441${String(i * 4 + phone).padStart(5, '0')}`;
      expect((await browser.post('/phone', { number, channel: 'nalo', start: 'later' })).status).toBe(303);
    }
    const fifth = await browser.dial('0244999999');
    expect({ status: fifth.status, message: messageOf(fifth.page) }).toEqual({
      status: 503,
      message: 'A browser has at most 4 phones. Remove one first.',
    });
  }
  const other = createBrowser(till);
  const refused = await other.dial('0244999999');
  expect({ status: refused.status, message: messageOf(refused.page) }).toEqual({
    status: 503,
    message: 'There are 32 phones in use, which is the limit. Try again in 10 minutes.',
  });
  const [first] = browsers;
  await first?.post(`/phone/${phoneIdOf(await first.get())}/remove`, {});
  expect((await other.dial('0244999999')).status).toBe(303);
});

test('a browser has one phone with a number, in any spelling', async () => {
  const browser = createBrowser(await createPhoneTill());
  await browser.dial('0244123456');
  const again = await browser.dial('+233 24 412 3456');
  expect(again.status).toBe(409);
  expect(messageOf(again.page)).toBe(
    'This browser has a phone with this number. Dial with that one, or write another number.',
  );
  expect((await browser.dial('0244123457')).status).toBe(303);
});

test('phones are removed after ten minutes without an action, and their page says so', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial();
  const id = phoneIdOf(await browser.get());
  await till.clock.advance(10 * minuteMs - 1_000);
  expect(phoneIdOf(await browser.get())).toBe(id);
  await till.clock.advance(10 * minuteMs);
  const late = await browser.post(`/phone/${id}/answer`, { input: '1', turn: '1' });
  expect({ status: late.status, message: messageOf(late.page) }).toEqual({
    status: 404,
    message: 'This phone was removed, for example after 10 minutes without an action. Dial with a new one.',
  });
  expect((await browser.request('/phone/events')).status).toBe(204);
});

test('no browser reaches the phones of another one', async () => {
  const till = await createPhoneTill();
  const [browser, stranger] = [createBrowser(till), createBrowser(till)];
  await browser.dial();
  const id = phoneIdOf(await browser.get());
  expect((await stranger.post(`/phone/${id}/answer`, { input: '1', turn: '1' })).status).toBe(404);
  expect((await stranger.request(`/phone/${id}/transcript`)).status).toBe(404);
});

test.each([
  [{ number: '123', channel: 'nalo' }, 'Enter a Ghanaian mobile number, such as 0244123456.'],
  [{ number: '0244123456', channel: 'none' }, 'Choose an aggregator of the list.'],
  [
    { number: '0244123456', channel: 'nalo', code: '*713*5#' },
    'Dial *920*5#, or the same code with answers, such as *920*5*1#.',
  ],
  [{ number: '0244123456', channel: 'nalo', operator: 'none' }, 'Choose an operator of the list.'],
])('the form %j is rejected with what it needs', async (fields, message) => {
  const browser = createBrowser(await createPhoneTill());
  const { status, page } = await browser.post('/phone', fields);
  expect({ status, message: messageOf(page) }).toEqual({ status: 422, message });
});

test('a body is bounded, and must be a form', async () => {
  const browser = createBrowser(await createPhoneTill());
  const long = await browser.post('/phone', { number: '1'.repeat(5_000) });
  expect({ status: long.status, message: messageOf(long.page) }).toEqual({
    status: 413,
    message: 'A form has at most 4096 bytes.',
  });
  const json = await browser.request('/phone', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: '{}',
  });
  expect(json.status).toBe(415);
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another port', { 'sec-fetch-site': 'same-site' }],
  ['another origin, in a browser without sec-fetch-site', { origin: 'https://evil.example' }],
  ['no page', {}],
])('a form of %s is rejected', async (_, headers) => {
  const browser = createBrowser(await createPhoneTill());
  expect((await browser.post('/phone', { number: '0244123456', channel: 'nalo' }, headers)).status).toBe(403);
});

test('a browser without sec-fetch-site can send forms of the same origin', async () => {
  const browser = createBrowser(await createPhoneTill());
  expect((await browser.post('/phone', { number: '0244123456', channel: 'nalo' }, { origin })).status).toBe(
    303,
  );
});

test.each([
  ['a name that another site resolves to this machine', { host: 'evil.example:8080' }, 421],
  ['a proxy that forwards requests of other machines', { 'x-forwarded-for': '192.0.2.1' }, 403],
  ['localhost', { host: 'localhost:8080' }, 200],
])('a request by %s is answered with %j: %i', async (_, headers, status) => {
  const browser = createBrowser(await createPhoneTill());
  expect((await browser.request('/phone', { headers })).status).toBe(status);
});

test('requests of other sites count as unauthenticated, which the server limits', async () => {
  const till = await createPhoneTill();
  const isGranted = async (headers: Record<string, string>) => {
    const access = { isGranted: false };
    await till.gateway().app.request(`${origin}/phone/events`, { headers }, { access });
    return access.isGranted;
  };
  expect(await isGranted({})).toBe(true);
  expect(await isGranted({ host: 'evil.example' })).toBe(false);
});

test('pages run only the script of the server, and are in no frame and no cache', async () => {
  const browser = createBrowser(await createPhoneTill());
  const { headers } = await browser.request('/phone');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  expect(headers.get('cache-control')).toBe('no-store');
  expect(await browser.get()).not.toMatch(/<script(?! type="module" src="\/phone\/assets)|style=|<style/);
});

test('style sheet and script are small, compressed and kept by the browser', async () => {
  const browser = createBrowser(await createPhoneTill());
  const page = await browser.get();
  for (const [kind, maxBytes] of [
    ['css', 6_000],
    ['js', 6_000],
  ] as const) {
    const path = new RegExp(`/phone/assets/phone\\.\\w+\\.${kind}`).exec(page)?.[0] ?? '';
    const answer = await browser.request(path, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(maxBytes);
  }
  expect((await browser.request('/phone/assets/phone.js')).status).toBe(404);
});
