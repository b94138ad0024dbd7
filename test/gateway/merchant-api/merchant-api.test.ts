import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type MerchantScope,
  paymentEventPage,
  paymentPage,
  timelineView,
} from '../../../src/contract/merchant/merchant-api.ts';
import { payment } from '../../../src/contract/merchant/notification.ts';
import {
  newestEventCursor,
  readEventCursor,
  readSettledFact,
} from '../../../src/gateway/merchant-api/event-query.ts';
import { merchantDocument } from '../../../src/gateway/merchant-api/openapi.ts';
import { type ApiAnswer, callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { addEndpoint, createNotified } from '../../kit/receiver.ts';
import { callStaff, staffActions, withStaff } from '../../kit/staff.ts';
import { createTill, type Till, type TillOptions } from '../../kit/till.ts';

const ama = '0244123456';
const kofi = '0201234567';

async function createShop(options: TillOptions = {}): Promise<Till> {
  return createTill({
    ...options,
    configure(config) {
      withStaff(config);
      const [shop] = config.merchants;
      if (shop) config.merchants.push({ ...shop, id: 'other-shop' });
      options.configure?.(config);
    },
  });
}

const createKey = (
  till: Till,
  merchantId = 'demo-shop',
  scopes: MerchantScope[] = ['payments:read', 'events:read'],
) => createMerchantKey(till, { merchantId, scopes });

test('a key reads the payments of its merchant, in pages, with masked numbers', async () => {
  const till = await createShop();
  const { secret } = await createKey(till);
  const { id: first } = await till.paidPayment(ama);
  await till.clock.advance(1_000);
  await till.pay(kofi);
  const second = (await till.only(kofi)).id;
  const page = await callApi(till, secret, '/payments?limit=1');
  expect(paymentPage.parse(page.body)).toMatchObject({
    data: [{ id: second, payer: '23320****567' }],
    next: second,
  });
  const rest = await callApi(till, secret, `/payments?limit=1&after=${second}`);
  expect(rest.body).toMatchObject({ data: [{ id: first, status: 'paid', confirmed: true }], next: null });
  expect((await callApi(till, secret, '/payments?status=open')).body).toMatchObject({
    data: [{ id: second }],
  });
  expect((await callApi(till, secret, '/payments?status=review')).body).toMatchObject({ data: [] });
  const { short_reference: reference } = payment.parse(
    (await callApi(till, secret, `/payments/${first}`)).body,
  );
  expect((await callApi(till, secret, `/payments?reference=${reference}`)).body).toMatchObject({
    data: [{ id: first }],
  });
  const until = '/payments?to=2026-03-06T09:00:00Z';
  expect((await callApi(till, secret, until)).body).toEqual({ data: [], next: null });
  const whole = await createKey(till, 'demo-shop', ['payments:read', 'payers:read']);
  expect((await callApi(till, whole.secret, `/payments/${second}`)).body).toMatchObject({
    payer: '233201234567',
  });
});

test('a phone number as a reference is masked, and not searched, without the scope for whole numbers', async () => {
  const till = await createShop();
  const { id } = await till.paidPayment(ama);
  await till.write([{ sql: 'UPDATE collection SET reference = ? WHERE id = ?', args: [kofi, id] }]);
  const read = async (...scopes: MerchantScope[]) => {
    const { secret } = await createKey(till, 'demo-shop', ['payments:read', ...scopes]);
    const { body } = await callApi(till, secret, `/payments/${id}`);
    return {
      reference: payment.parse(body).reference,
      found: await callApi(till, secret, search(kofi)),
      secret,
    };
  };
  const search = (text: string) => `/payments?reference=${encodeURIComponent(text)}`;
  const masked = await read();
  expect(masked.reference).toBe('23320****567');
  expect(masked.found).toMatchObject({ status: 403, body: { error: { code: 'scope_required' } } });
  // The same answer for a wrong guess, and in other spellings.
  for (const guess of ['233200000567', '020 123 4567', `INV ${kofi}`])
    expect((await callApi(till, masked.secret, search(guess))).body.error).toEqual(masked.found.body.error);
  const whole = await read('payers:read');
  expect(whole.reference).toBe(kofi);
  expect(whole.found.body.data).toMatchObject([{ id, reference: kofi }]);
});

test('the screens of a dialogue need a scope of their own, and are masked without the one for whole numbers', async () => {
  const till = await createShop();
  const { id } = await till.paidPayment(ama);
  const read = async (...scopes: MerchantScope[]) => {
    const { secret } = await createKey(till, 'demo-shop', ['events:read', ...scopes]);
    const { body } = await callApi(till, secret, `/payments/${id}/timeline`);
    return timelineView.parse(body).screens;
  };
  expect(await read()).toBeNull();
  const masked = (await read('screens:read')) ?? [];
  expect(masked.map(({ input, ends }) => [input, ends])).toEqual([
    [null, false],
    ['1', false],
    ['20', false],
    ['1', true],
  ]);
  expect(masked[2]?.text).toContain('from 23324****456?');
  expect(JSON.stringify(masked)).not.toContain('0244123456');
  const whole = (await read('screens:read', 'payers:read')) ?? [];
  expect(whole[2]?.text).toContain('from 0244123456?');
});

test('events after a cursor are the notifications, with the same ids, and none is missed or repeated', async () => {
  const { till, receiver } = await createNotified();
  await addEndpoint(till, receiver);
  const { secret } = await createKey(till);
  const { id } = await till.paidPayment(ama);
  await till.clock.advance(5_000);
  const ids: string[] = [];
  let next = '0';
  for (let pages = 0; pages < 10; pages += 1) {
    const page = paymentEventPage.parse((await callApi(till, secret, `/events?limit=1&after=${next}`)).body);
    ids.push(...page.data.map((one) => one.id));
    next = page.next;
  }
  const notified = receiver.received.map((one) => one.id);
  expect(ids.length).toBeGreaterThanOrEqual(2);
  expect([...ids].sort()).toEqual([...notified].sort());
  expect((await callApi(till, secret, `/events?after=${ids[0]}`)).body).toMatchObject({
    data: ids.slice(1).map((one) => ({ id: one })),
  });
  const all = timelineView.parse((await callApi(till, secret, `/payments/${id}/timeline`)).body);
  expect(all.data.map((one) => one.id)).toEqual(ids);
});

test('the cursor after all events is before those that may still be written', async () => {
  const till = await createShop();
  const { id } = await till.paidPayment(ama);
  const owner = { merchantId: 'demo-shop', livemode: 0 } as const;
  const cursors = await till.read(async (store) => {
    const newest = await newestEventCursor(store, owner, await readSettledFact(store));
    const seq = (await readEventCursor(store, owner, newest)) ?? 0;
    return { newest, before: await newestEventCursor(store, owner, seq - 1) };
  });
  expect(cursors).toEqual({
    newest: expect.stringMatching(`^${id}\\.`),
    before: expect.stringMatching(`^${id}\\.`),
  });
  expect(cursors.before).not.toBe(cursors.newest);
  expect(await till.read((store) => newestEventCursor(store, owner, null))).toBe('end');
});

test('the cursor of events depends on the own payments only, and an old one, which counted those of all merchants, is refused', async () => {
  const till = await createShop();
  const { id } = await till.paidPayment(ama);
  const own = await createKey(till);
  const other = await createKey(till, 'other-shop');
  const nextOf = async (secret: string, after?: string) => {
    const path = `/events${after === undefined ? '' : `?after=${after}`}`;
    return paymentEventPage.parse((await callApi(till, secret, path)).body).next;
  };
  const [end, none] = [await nextOf(own.secret), await nextOf(other.secret)];
  expect(end).toMatch(new RegExp(`^${id}\\.\\d+$`));
  expect(none).toBe('0');
  await till.paidPayment(kofi);
  expect(await nextOf(other.secret, none)).toBe(none);
  const last = await nextOf(own.secret, end);
  expect(last).not.toBe(end);
  expect([await nextOf(own.secret, 'end'), await nextOf(other.secret, 'end')]).toEqual([last, none]);
  expect((await callApi(till, other.secret, `/events?after=${last}`)).status).toBe(400);
  const old = await callApi(till, own.secret, '/events?after=3');
  expect([old.status, JSON.stringify(old.body)]).toEqual([
    400,
    expect.stringContaining('id of the last event'),
  ]);
});

test("another merchant's payment, event and page are not found", async () => {
  const till = await createShop();
  const { id } = await till.paidPayment(ama);
  const own = await createKey(till);
  const other = await createKey(till, 'other-shop');
  const [event] = paymentEventPage.parse((await callApi(till, own.secret, '/events')).body).data;
  expect((await callApi(till, other.secret, `/payments/${id}`)).status).toBe(404);
  expect((await callApi(till, other.secret, `/payments/${id}/timeline`)).status).toBe(404);
  expect((await callApi(till, other.secret, `/payments?after=${id}`)).status).toBe(400);
  expect((await callApi(till, other.secret, `/events?after=${event?.id}`)).status).toBe(400);
  expect((await callApi(till, other.secret, '/payments')).body).toEqual({ data: [], next: null });
  expect((await callApi(till, other.secret, '/events')).body).toMatchObject({ data: [] });
});

test('a missing, wrong or revoked key is refused, and a key does only what its scopes allow', async () => {
  const till = await createShop();
  const { key, secret } = await createKey(till, 'demo-shop', ['events:read']);
  expect((await callApi(till, 'dk_test_wrong', '/payments')).status).toBe(401);
  expect((await callApi(till, secret.replace('dk_test', 'dk_live'), '/payments')).status).toBe(401);
  expect((await till.gateway().app.request('/merchant/v1/payments')).status).toBe(401);
  expect((await callApi(till, secret, '/payments')).body).toMatchObject({
    error: { code: 'scope_required' },
  });
  expect((await callApi(till, secret, '/events?limit=0')).status).toBe(400);
  expect((await callApi(till, secret, '/events?before=1')).status).toBe(400);
  expect((await callApi(till, secret, '/events')).status).toBe(200);
  await till.clock.advance(1_000);
  const list = await callStaff(till, 'adwoa', '/merchant-keys');
  expect(list.body.data).toMatchObject([{ id: key.id, lastUsedAt: expect.any(String), revokedAt: null }]);
  expect(JSON.stringify(list.body)).not.toContain(secret);
  expect((await callStaff(till, 'adwoa', `/merchant-keys/${key.id}/revoke`, {})).status).toBe(200);
  expect((await callApi(till, secret, '/events')).status).toBe(401);
  expect((await callStaff(till, 'adwoa', `/merchant-keys/${key.id}/revoke`, {})).status).toBe(409);
  expect((await staffActions(till)).map(({ action }) => action)).toEqual(['create_key', 'revoke_key']);
  expect(JSON.stringify(await staffActions(till))).not.toContain(secret);
});

test('a change whose key is revoked at that moment has the answer of a key that is not valid', async () => {
  const till = await createShop();
  const { id } = await till.paidPayment(ama);
  const { secret } = await createKey(till, 'demo-shop', ['payments:write']);
  // Between the check of the key and the change itself.
  const sql = `CREATE TRIGGER revoke_key AFTER INSERT ON merchant_request
    BEGIN UPDATE merchant_key SET revoked_at = 1; END`;
  await till.write([{ sql, args: [] }]);
  for (const message of [/nothing was done/, /expected a key/]) {
    const answer = await callApi(till, secret, `/payments/${id}/notes`, { body: { text: 'late' } });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(answer.body.error).toEqual({ code: 'invalid_api_key', message: expect.stringMatching(message) });
  }
  expect((await staffActions(till)).filter(({ action }) => action === 'note')).toEqual([]);
});

test('a key that asks too often gets 429 with the seconds to wait', async () => {
  const till = await createShop();
  const { secret } = await createKey(till);
  const answers: ApiAnswer[] = [];
  for (let count = 0; count <= 60; count += 1) answers.push(await callApi(till, secret, '/payments'));
  expect(answers.map(({ status }) => status)).toEqual([...Array(60).fill(200), 429]);
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('the committed document is the one of the routes', async () => {
  const till = await createShop();
  const served = await till.gateway().app.request('/merchant/v1/openapi.json');
  expect(await served.json()).toEqual(JSON.parse(JSON.stringify(merchantDocument())));
  const committed = JSON.parse(readFileSync('docs/merchant-openapi.json', 'utf8'));
  expect(committed).toEqual(JSON.parse(JSON.stringify(merchantDocument())));
});

test('the guide is a page without a key, with each operation and without scripts', async () => {
  const till = await createShop();
  const answer = await till.gateway().app.request('/merchant/v1/docs');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  const page = await answer.text();
  expect(page).not.toMatch(/<script|\b(?:src|href)="(?!#|\/merchant\/v1\/openapi\.json)/);
  for (const [path, operations] of Object.entries(merchantDocument().paths)) {
    for (const [method, { operationId }] of Object.entries(operations)) {
      const row = page.split(`<tr id="${operationId}">`)[1]?.split('</tr>')[0] ?? '';
      expect(row).toContain(`${method.toUpperCase()} ${path}`);
      expect(row).toMatch(/<td>key, [a-z]+:[a-z]+<\/td>/);
    }
  }
  expect(page).toContain('<tr id="idempotency_key_required">');
});
