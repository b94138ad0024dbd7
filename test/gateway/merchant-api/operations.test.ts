import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { merchantScopes } from '../../../src/contract/merchant/merchant-api.ts';
import { listPayments } from '../../../src/gateway/merchant-api/payment-query.ts';
import { merchantApiRoutes } from '../../../src/gateway/merchant-api/routes.ts';
import { hasScope } from '../../../src/gateway/staff/merchant-key-store.ts';
import { splitName } from '../../../src/kit/define-route.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { addEndpoint, createNotified } from '../../kit/receiver.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';
import { paidEvent, type Till } from '../../kit/till.ts';

const ama = '0244123456';
const kofi = '0201234567';
const url = 'https://shop.example/hooks';

/** A till with two merchants, notifications, and a merchant's system that receives them. */
function createShop() {
  return createNotified({
    configure(config) {
      const [shop] = config.merchants;
      if (shop) config.merchants.push({ ...shop, id: 'other-shop' });
    },
  });
}

test('a merchant manages its endpoints, and the actions name the key', async () => {
  const { till, receiver } = await createShop();
  const { key, secret } = await createMerchantKey(till);
  const added = await callApi(till, secret, '/endpoints', { body: { url } });
  expect(added).toMatchObject({
    status: 200,
    body: { endpoint: { url, state: 'active', whole_payer: false } },
  });
  receiver.secrets.push(String(added.body.secret));
  const { id } = added.body.endpoint as { id: string };

  const sent = await callApi(till, secret, `/endpoints/${id}/test`, { body: {} });
  await till.clock.advance(2_000);
  expect(receiver.types()).toEqual(['endpoint.test']);
  const { body: log } = await callApi(till, secret, `/deliveries?endpoint=${id}`);
  expect(log).toMatchObject({
    data: [{ id: sent.body.id, state: 'delivered', attempts: [{ status: 200 }] }],
    next: null,
  });
  await callApi(till, secret, `/deliveries/${sent.body.id}/resend`, { body: {} });
  await till.clock.advance(2_000);
  expect(receiver.received.map((one) => one.id)).toEqual([sent.body.event, sent.body.event]);

  const rotated = await callApi(till, secret, `/endpoints/${id}/rotate`, { body: {} });
  expect(rotated.body.secret).not.toBe(added.body.secret);
  const moved = { url: 'https://shop.example/other', whole_payer: true };
  expect(await callApi(till, secret, `/endpoints/${id}`, { method: 'PATCH', body: moved })).toMatchObject({
    status: 200,
    body: moved,
  });
  expect((await callApi(till, secret, '/endpoints')).body).toMatchObject({ data: [{ id, ...moved }] });
  expect((await callApi(till, secret, `/endpoints/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await callApi(till, secret, '/endpoints')).body).toEqual({ data: [] });
  const own = (await staffActions(till)).filter(({ actor }) => actor === key.id);
  expect(own.map(({ action }) => action)).toEqual([
    ...['add_endpoint', 'test_endpoint', 'resend', 'rotate_endpoint', 'change_endpoint', 'remove_endpoint'],
  ]);
});

test('an endpoint gets whole numbers, or an address in a private network, only where that is allowed', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till, { scopes: ['endpoints:write'] });
  const whole = await callApi(till, secret, '/endpoints', { body: { url, whole_payer: true } });
  expect(whole).toMatchObject({ status: 403, body: { error: { code: 'scope_required' } } });
  const { body } = await callApi(till, secret, '/endpoints', { body: { url } });
  const path = `/endpoints/${(body.endpoint as { id: string }).id}`;
  const change = (changes: object) => callApi(till, secret, path, { method: 'PATCH', body: changes });
  expect((await change({ whole_payer: true })).status).toBe(403);
  expect((await change({ url: 'http://10.0.0.1/x' })).body).toMatchObject({
    error: { code: 'invalid_request' },
  });
  expect((await change({})).status).toBe(400);
});

test('an endpoint that no longer gets whole numbers gets none in a retry, a replay or a resend', async () => {
  const { till, receiver } = await createShop();
  const endpoint = await addEndpoint(till, receiver, { wholePayer: true });
  const { openedAt } = await till.paidPayment(ama);
  await till.clock.advance(5_000);
  receiver.answer = () => ({ status: 500 });
  await till.paidPayment(kofi);
  await till.clock.advance(2_000);
  expect(receiver.received.at(-1)?.data.payer).toBe('233201234567');
  receiver.answer = () => ({ status: 200 });
  receiver.received.length = 0;

  const { secret } = await createMerchantKey(till, { scopes: ['endpoints:write'] });
  const change = (body: object) => callApi(till, secret, `/endpoints/${endpoint}`, { method: 'PATCH', body });
  expect((await change({ url: 'https://other.example/x' })).status).toBe(403);
  expect((await change({ whole_payer: false })).status).toBe(200);
  expect((await change({ url: 'https://other.example/x' })).status).toBe(200);
  await till.clock.advance(10_000);
  const retried = receiver.received.length;
  const range = { from: new Date(openedAt).toISOString(), to: new Date(till.clock.now()).toISOString() };
  await callApi(till, secret, '/events/replay', { body: { endpoint, ...range, failed_only: false } });
  await till.clock.advance(10_000);
  const replayed = receiver.received.length;
  const { body } = await callApi(till, secret, `/deliveries?endpoint=${endpoint}`);
  for (const { id } of body.data as { id: string }[])
    await callApi(till, secret, `/deliveries/${id}/resend`, { body: {} });
  await till.clock.advance(10_000);
  expect(retried).toBeGreaterThan(0);
  expect(replayed).toBeGreaterThan(retried);
  expect(receiver.received.length).toBeGreaterThan(replayed);
  const payers = new Set(receiver.received.map(({ data }) => data.payer));
  expect([...payers].sort()).toEqual(['23320****567', '23324****456']);

  // Only who may give whole numbers makes it get them again.
  expect((await change({ whole_payer: true })).status).toBe(403);
});

test('a private network is one of the merchant whose setting names it, and not of another one', async () => {
  const { till } = await createNotified({
    configure(config) {
      const [shop] = config.merchants;
      if (!shop) throw new Error('no merchant');
      config.merchants = [
        { ...shop, notify: { allowPrivate: ['192.168.1.0/24'] } },
        { ...shop, id: 'other-shop', notify: { allowPrivate: [] } },
        { ...shop, id: 'third-shop' },
      ];
      if (config.notify) config.notify.allowPrivate = ['10.0.0.0/8'];
    },
  });
  const add = async (merchantId: string, host: string) => {
    const { secret } = await createMerchantKey(till, { merchantId });
    return (await callApi(till, secret, '/endpoints', { body: { url: `https://${host}/x` } })).status;
  };
  expect([await add('demo-shop', '192.168.1.4'), await add('demo-shop', '10.0.0.1')]).toEqual([200, 400]);
  expect([await add('other-shop', '192.168.1.4'), await add('other-shop', '10.0.0.1')]).toEqual([400, 400]);
  // Without a setting of its own, the one of the gateway holds.
  expect([await add('third-shop', '192.168.1.4'), await add('third-shop', '10.0.0.1')]).toEqual([400, 200]);
});

test('a repeat with the same Idempotency-Key changes nothing and gets the same answer, and no secret is stored as it is', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const add = (body: object, idempotencyKey: string | null = 'one') =>
    callApi(till, secret, '/endpoints', { body, idempotencyKey });
  const first = await add({ url });
  await till.restart();
  expect((await add({ url })).body).toEqual(first.body);
  expect((await callApi(till, secret, '/endpoints')).body.data).toHaveLength(1);
  expect(await add({ url: `${url}/2` })).toMatchObject({
    status: 422,
    body: { error: { code: 'idempotency_key_reused' } },
  });
  expect((await add({ url }, null)).body).toMatchObject({ error: { code: 'idempotency_key_required' } });
  const stored = readFileSync(till.config.database.file, 'latin1') + readWal(till);
  expect(stored).not.toContain(String(first.body.secret));
  expect(stored).toContain('merchant_request');

  // A refused request has changed nothing, and can be repeated.
  const refused = await add({ url: 'https://10.0.0.1/x' }, 'two');
  expect(refused.status).toBe(400);
  expect((await add({ url: `${url}/2` }, 'two')).status).toBe(200);

  const both = await Promise.all([add({ url: `${url}/3` }, 'three'), add({ url: `${url}/3` }, 'three')]);
  expect((await callApi(till, secret, '/endpoints')).body.data).toHaveLength(3);
  for (const { status } of both) expect([200, 409]).toContain(status);
  expect((await add({ url: `${url}/3` }, 'three')).status).toBe(200);
});

function readWal(till: Till): string {
  return readFileSync(`${till.config.database.file}-wal`, 'latin1');
}

test('a merchant checks a payment and adds a note to it, and to no payment of another merchant', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const other = await createMerchantKey(till, { merchantId: 'other-shop' });
  const { id } = await till.prompted();
  await till.clock.advance(100_000);
  expect((await callApi(till, other.secret, `/payments/${id}/check`, { body: {} })).status).toBe(404);
  expect((await callApi(till, other.secret, `/payments/${id}/notes`, { body: { text: 'x' } })).status).toBe(
    404,
  );
  expect(await callApi(till, secret, `/payments/${id}/check`, { body: {} })).toMatchObject({
    status: 200,
    body: { payment: id, status: 'initiated' },
  });
  const text = 'The customer waits at the counter';
  expect((await callApi(till, secret, `/payments/${id}/notes`, { body: { text } })).body).toMatchObject({
    text,
  });
  const prompts = till.calls.filter(({ name }) => name === 'initiate');
  expect(prompts).toHaveLength(1);
  const mine = (await staffActions(till)).filter(({ subject }) => subject === id);
  expect(mine).toMatchObject([{ action: 'check' }, { action: 'note', detail: { text } }]);
});

test('an object of another merchant is not found', async () => {
  const { till } = await createShop();
  const own = await createMerchantKey(till);
  const other = await createMerchantKey(till, { merchantId: 'other-shop' });
  const { body } = await callApi(till, own.secret, '/endpoints', { body: { url } });
  const { id } = body.endpoint as { id: string };
  const sent = await callApi(till, own.secret, `/endpoints/${id}/test`, { body: {} });
  const range = { from: '2026-03-06T00:00:00Z', to: '2026-03-07T00:00:00Z' };
  const calls: readonly [string, Parameters<typeof callApi>[3]][] = [
    [`/endpoints/${id}`, { method: 'PATCH', body: { enabled: true } }],
    [`/endpoints/${id}`, { method: 'DELETE' }],
    [`/endpoints/${id}/rotate`, { body: {} }],
    [`/endpoints/${id}/test`, { body: {} }],
    [`/deliveries?endpoint=${id}`, {}],
    [`/deliveries/${sent.body.id}/resend`, { body: {} }],
    ['/events/replay', { body: { endpoint: id, ...range } }],
  ];
  for (const [path, request] of calls)
    expect((await callApi(till, other.secret, path, request)).status, path).toBe(404);
  expect((await callApi(till, other.secret, '/endpoints')).body).toEqual({ data: [] });
  expect((await staffActions(till)).filter(({ actor }) => actor === other.key.id)).toEqual([]);
});

test('a replay is recorded once, also when it begins with a cursor of its own, and stays within its range', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const { body } = await callApi(till, secret, '/endpoints', { body: { url } });
  const { id: endpoint } = body.endpoint as { id: string };
  const { openedAt } = await till.paidPayment(ama);
  const timeOf = (at: number) => new Date(at).toISOString();
  const range = { endpoint, from: timeOf(openedAt), to: timeOf(openedAt + 60_000) };
  const replays = async () => (await staffActions(till)).filter(({ action }) => action === 'replay').length;
  const send = async (more: object) =>
    (await callApi(till, secret, '/events/replay', { body: { ...range, ...more } })).body.payments;
  expect([await send({ after: '0.a' }), await replays()]).toEqual([1, 1]);
  expect([await send({ after: `${openedAt}.a` }), await replays()]).toEqual([1, 1]);
  expect([await send({}), await replays()]).toEqual([1, 2]);
  const later = { from: timeOf(openedAt + 1_000) };
  expect([await send({ ...later, after: '0.a' }), await replays()]).toEqual([0, 3]);
});

test('numbers in the answers of a system, in reasons and in what events state need the scope for whole numbers', async () => {
  const { till, receiver } = await createShop();
  const whole = await createMerchantKey(till);
  const masked = await createMerchantKey(till, {
    scopes: ['payments:read', 'payments:write', 'endpoints:write'],
  });
  const added = await callApi(till, whole.secret, '/endpoints', { body: { url } });
  receiver.secrets.push(String(added.body.secret));
  const { id } = added.body.endpoint as { id: string };
  const cut = `${'x'.repeat(1_015)} 0244123456`;
  const answers = ['saved for 0244 123 456', cut];
  receiver.answer = () => ({ status: 200, body: answers.shift() ?? 'ok' });
  for (let nr = 0; nr < 2; nr++) {
    await callApi(till, whole.secret, `/endpoints/${id}/test`, { body: {} });
    await till.clock.advance(2_000);
  }
  const reason = 'the caller of 0201234567 asked';
  await callApi(till, whole.secret, '/blocks', { body: { msisdn: kofi, role: 'payer', reason } });
  const session = { ...(await till.paidPayment(ama)), sessionId: 'pay_of_nothing_known' };
  await till.deliver(paidEvent(session, 'evt_other', { reference: 'for 024-412-3456' }));
  await till.clock.advance(60_000);
  const read = async (secret: string) =>
    JSON.stringify(
      await Promise.all(
        [`/deliveries?endpoint=${id}`, '/blocks', '/unplaced?state=all'].map(
          async (path) => (await callApi(till, secret, path)).body,
        ),
      ),
    );
  expect(await read(whole.secret)).toContain('saved for 0244 123 456');
  expect(await read(whole.secret)).toContain(reason);
  expect(await read(whole.secret)).toContain('for 024-412-3456');
  const shown = await read(masked.secret);
  expect(shown).toContain('saved for 23324****456');
  expect(shown).toContain('the caller of 23320****567 asked');
  expect(shown).not.toMatch(/024412|0244 123|024-412|020123/);
  const of = { merchantId: 'demo-shop', url: 'https://shop.example/0244123456', wholePayer: false };
  await callStaff(till, 'adwoa', '/endpoints', of);
  const urls = async (name: 'ama' | 'adwoa') =>
    JSON.stringify((await callStaff(till, name, '/endpoints')).body);
  expect(await urls('adwoa')).toContain(of.url);
  expect(await urls('ama')).toContain('https://shop.example/23324****456');
});

test('a merchant blocks a number at itself, and reads its own blocks only', async () => {
  const { till } = await createShop();
  const { secret, key } = await createMerchantKey(till);
  const masked = await createMerchantKey(till, { scopes: ['payments:read'] });
  const reason = 'Declined ten requests';
  const block = { msisdn: kofi, role: 'dialler', reason };
  expect((await callApi(till, secret, '/blocks', { body: block })).body).toMatchObject({
    role: 'dialler',
    until: null,
  });
  await callStaff(till, 'ama', '/blocks', { ...block, merchantId: 'other-shop', until: null });
  await callStaff(till, 'ama', '/blocks', { ...block, merchantId: null, until: null });
  const { body } = await callApi(till, masked.secret, '/blocks');
  expect(body).toMatchObject({ data: [{ msisdn: '23320****567', reason, by: key.id }], next: null });
  expect(await till.pay(kofi)).toContain('not possible');
  const removed = { ...block, reason: 'A mistake' };
  expect((await callApi(till, secret, '/blocks/remove', { body: removed })).status).toBe(200);
  expect((await callApi(till, secret, '/blocks/remove', { body: removed })).status).toBe(404);
  expect((await callApi(till, secret, '/blocks')).body.data).toEqual([]);
});

test('a page of blocks ends with a cursor that counts the blocks of the merchant only', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const blocks = ['0244000001', '0244000002', '0244000003'];
  for (const [index, msisdn] of blocks.entries()) {
    const elsewhere = { merchantId: index === 1 ? 'other-shop' : null, until: null };
    await callStaff(till, 'ama', '/blocks', { msisdn: kofi, role: 'payer', reason: 'abuse', ...elsewhere });
    await callApi(till, secret, '/blocks', { body: { msisdn, role: 'dialler', reason: 'abuse' } });
  }
  const seen: unknown[] = [];
  const cursors: unknown[] = [];
  let path = '/blocks?limit=1';
  for (let next: unknown = ''; next !== null; path = `/blocks?limit=1&after=${next}`) {
    const { body } = await callApi(till, secret, path);
    seen.push(...(body.data as { msisdn: string }[]).map(({ msisdn }) => msisdn));
    next = body.next;
    cursors.push(next);
  }
  expect(seen).toEqual(['233244000003', '233244000002', '233244000001']);
  expect(cursors).toEqual(['block-3', 'block-2', null]);
  expect((await callApi(till, secret, '/blocks?after=7')).status).toBe(400);
  expect((await callApi(till, secret, '/blocks?after=block-7')).status).toBe(400);
});

test('the totals of a day are those of its payments, and complete when the day has ended without open ones', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const { id } = await till.paidPayment(ama);
  const { body: payment } = await callApi(till, secret, `/payments/${id}`);
  await till.prompted(kofi);
  const date = String(payment.opened_at).slice(0, 10);
  const { amount_minor: charged, fee_minor: fee, net_minor: net } = payment;
  const sums = { opened: 2, paid: 1, charged_minor: charged, fee_minor: fee, net_minor: net };
  expect((await callApi(till, secret, `/days/${date}`)).body).toMatchObject({
    ...sums,
    open: 1,
    complete: false,
  });
  await till.declined(kofi);
  await till.clock.advance(24 * 3_600_000);
  expect((await callApi(till, secret, `/days/${date}`)).body).toMatchObject({
    ...sums,
    not_paid: 1,
    complete: true,
  });
  expect((await callApi(till, secret, '/days/2026-02-30')).status).toBe(400);
});

test('payments are filtered, and a page looks at a bounded number of them', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const { id: paid } = await till.paidPayment(ama);
  for (const number of [kofi, '0271234567', '0241111111']) {
    await till.clock.advance(1_000);
    await till.pay(number, ['1', '30', '1'], 'nalo');
  }
  const ids = async (query: string) =>
    ((await callApi(till, secret, `/payments?${query}`)).body.data as { id: string }[]).map(({ id }) => id);
  expect(await ids('status=paid')).toEqual([paid]);
  expect(await ids('channel=africastalking')).toEqual([paid]);
  expect(await ids('max=2000')).toEqual([paid]);
  expect(await ids('min=2001')).toHaveLength(3);
  expect(await ids('network=mtn&late=false&channel=nalo')).toHaveLength(1);
  expect(await ids('reason=declined')).toEqual([]);
  expect((await callApi(till, secret, '/payments?min=x')).status).toBe(400);

  const store = createSqliteReader(till.config.database.file);
  const owner = { merchantId: 'demo-shop', livemode: 0 };
  const page = (after?: string) =>
    listPayments(store, owner, { status: 'paid' }, { limit: 10, maxSearched: 2, after });
  const first = await page();
  expect([first?.rows.length, first?.next]).toEqual([0, expect.stringMatching(/^t\d+$/)]);
  const second = await page(first?.next ?? undefined);
  expect([second?.rows.map(({ id }) => id), second?.next]).toEqual([[paid], null]);
  await store.close();
});

test.each([
  [{ reference: 'KA1024' }, ['collection_reference', 'collection_short_reference']],
  [{ status: 'review' }, ['collection_review']],
  [{ status: 'open' }, ['sqlite_autoindex_collection_1']],
] as const)('payments with %j are found by an index of their own', async (filter, indexes) => {
  const { till } = await createShop();
  const { file } = till.config.database;
  const store = createSqliteReader(file);
  const owner = { merchantId: 'demo-shop', livemode: 0 };
  const plans = await queryPlansOf(file, () => listPayments(store, owner, filter, { limit: 10 }));
  await store.close();
  const steps = plans.flatMap((plan) => plan.steps);
  for (const index of indexes)
    expect(steps).toContainEqual(expect.stringMatching(new RegExp(`INDEX ${index}`)));
  expect(steps.join()).not.toContain('collection_merchant');
});

test('money that no payment explains is listed for its merchant only', async () => {
  const { till } = await createShop();
  const { secret } = await createMerchantKey(till);
  const other = await createMerchantKey(till, { merchantId: 'other-shop' });
  await till.paidPayment(ama);
  const row = await till.only(ama);
  await till.deliver(paidEvent({ ...row, sessionId: 'pay_of_nothing_known' }, 'evt_other_session'));
  await till.until(
    async () => ((await callApi(till, secret, '/unplaced?state=all')).body.data as object[]).length > 0,
  );
  const { body } = await callApi(till, secret, '/unplaced?state=all');
  expect(body).toMatchObject({ data: [{ payment: null }] });
  const [{ id }] = body.data as [{ id: string }];
  expect((await callApi(till, other.secret, '/unplaced?state=all')).body).toEqual({ data: [], next: null });
  expect((await callApi(till, other.secret, `/unplaced?state=all&after=${id}`)).status).toBe(400);
});

test('each route needs a key, and its scope', async () => {
  const { till } = await createShop();
  const request = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE') =>
    method === 'GET' || method === 'DELETE' ? { method } : { method, body: {} };
  const keys = new Map(
    await Promise.all(
      merchantScopes.map(async (missing) => {
        const scopes = merchantScopes.filter((one) => one !== missing);
        return [missing, (await createMerchantKey(till, { scopes })).secret] as const;
      }),
    ),
  );
  expect(merchantApiRoutes.length).toBeGreaterThan(18);
  for (const { name: named, needs: scope } of merchantApiRoutes) {
    const [method, path] = splitName(named);
    const at = path.replace(':id', 'x');
    expect((await callApi(till, undefined, at, request(method))).status, named).toBe(401);
    const refused = await callApi(till, keys.get(scope), at, request(method));
    expect([refused.status, refused.body], named).toMatchObject([403, { error: { code: 'scope_required' } }]);
  }
  expect(hasScope({ scopes: 'payments:read' }, 'payments:write')).toBe(false);
});
