import { describe, expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { plantTrigger } from '../kit/failing-statements.ts';
import { actions, ask } from './admin-client.ts';
import {
  adminToken,
  create,
  goods,
  initiate,
  json,
  newLiveMerchant,
  newMerchant,
  openBench,
  openMerchant,
  payer,
  refusal,
} from './support.ts';

test('the admin API creates and approves a merchant, its key and its webhook, and the key creates a session', async () => {
  const bench = openBench();
  const made = await ask(bench, 'POST', '/merchants', { name: 'Ama Foods' });
  expect(made.status).toBe(201);
  const { id } = await json(made);
  expect(id).toMatch(/^mch_/);
  const approved = await json(await ask(bench, 'POST', `/merchants/${id}/approve-offline`));
  expect(approved).toMatchObject({ name: 'Ama Foods', offline_approved_at: '2026-03-06T09:00:00.000Z' });
  const key = await json(await ask(bench, 'POST', `/merchants/${id}/keys`, { livemode: false }));
  expect(key.key).toMatch(/^sk_test_/);
  const hook = await ask(bench, 'PUT', `/merchants/${id}/webhook`, {
    livemode: false,
    url: 'http://localhost:8080/hook',
  });
  expect(await json(hook)).toMatchObject({ livemode: false, secret: expect.stringMatching(/^whsec_.{43}$/) });
  expect(await create(bench, String(key.key))).toMatch(/^pay_/);
  expect(await json(await ask(bench, 'GET', '/merchants'))).toMatchObject({ data: [{ id }] });
});

test('a key is shown once; the list contains its last characters and its scopes; a revoked key is rejected', async () => {
  const bench = openBench();
  const { id } = await bench.service.createMerchant({ name: 'Ama Foods' });
  const { id: keyId, key } = await json(
    await ask(bench, 'POST', `/merchants/${id}/keys`, { livemode: true }),
  );
  expect(key).toMatch(/^sk_live_/);
  const revoked = await ask(bench, 'POST', `/keys/${keyId}/revoke`);
  expect(await json(revoked)).toEqual({ id: keyId, revoked: true });
  const listed = await (await ask(bench, 'GET', `/merchants/${id}/keys`)).text();
  expect(JSON.parse(listed)).toMatchObject({
    data: [
      {
        id: keyId,
        livemode: true,
        ending: String(key).slice(-4),
        scopes: ['collections:offline'],
        revoked_at: '2026-03-06T09:00:00.000Z',
      },
    ],
  });
  expect(listed).not.toContain(String(key));
});

test('every admin call without the admin token is rejected; a merchant key is not an admin token', async () => {
  const { bench, key } = await openMerchant();
  for (const token of ['', key, `${adminToken}x`, adminToken.slice(0, -1)]) {
    for (const path of ['/merchants', '/keys/key_1/revoke', '/nothing']) {
      expect(await refusal(await ask(bench, 'GET', path, undefined, { token }))).toMatchObject({
        status: 401,
        code: 'invalid_admin_token',
      });
    }
  }
});

test.each([
  ['POST', '/merchants', {}, 400, 'missing_field'],
  ['POST', '/merchants', { name: ' ' }, 400, 'invalid_field'],
  ['POST', '/merchants', { name: 'Ama\nFoods' }, 400, 'invalid_field'],
  ['POST', '/merchants', { name: 'Ama\u0000' }, 400, 'invalid_field'],
  ['POST', '/merchants/mch_none/platforms', { name: '\u001b[2JTill' }, 400, 'invalid_field'],
  ['POST', '/merchants', { name: 'x', admin: true }, 400, 'unknown_field'],
  ['POST', '/merchants/mch_none/approve-offline', undefined, 404, 'merchant_not_found'],
  ['POST', '/merchants/mch_none/keys', { livemode: false }, 404, 'merchant_not_found'],
  ['POST', '/merchants/mch_none/keys', { livemode: 'yes' }, 400, 'invalid_field'],
  ['POST', '/keys/key_none/revoke', undefined, 404, 'key_not_found'],
  [
    'PUT',
    '/merchants/mch_none/webhook',
    { livemode: false, url: 'http://a.example' },
    404,
    'merchant_not_found',
  ],
  ['PUT', '/merchants/mch_none/webhook', { livemode: false, url: 'ftp://a.example' }, 400, 'invalid_url'],
  [
    'PUT',
    '/merchants/mch_none/webhook',
    { livemode: false, url: 'http://u:p@a.example' },
    400,
    'invalid_url',
  ],
  ['PUT', '/merchants/mch_none/webhook', { livemode: false, url: 'a.example' }, 400, 'invalid_url'],
  ['POST', '/merchants/mch_none/webhook/rotate', { livemode: false }, 404, 'merchant_not_found'],
  ['GET', '/nothing', undefined, 404, 'not_found'],
  ['GET', '/merchants/mch_none', undefined, 404, 'merchant_not_found'],
  ['POST', '/merchants/mch_none/withdraw-offline', undefined, 404, 'merchant_not_found'],
  ['GET', '/merchants/mch_none/platforms', undefined, 404, 'merchant_not_found'],
  ['POST', '/merchants/mch_none/platforms', { name: 'Till' }, 404, 'merchant_not_found'],
  ['GET', '/merchants/mch_none/keys', undefined, 404, 'merchant_not_found'],
  ['GET', '/merchants/mch_none/senders', undefined, 404, 'merchant_not_found'],
  ['PUT', '/merchants/mch_none/senders/ABENA', undefined, 404, 'merchant_not_found'],
  ['DELETE', '/merchants/mch_none/senders/ABENA', undefined, 404, 'merchant_not_found'],
  ['GET', '/sessions/pay_none', undefined, 404, 'session_not_found'],
  ['GET', '/sessions?status=gone', undefined, 400, 'invalid_field'],
  ['GET', '/sessions?livemode=yes', undefined, 400, 'invalid_field'],
  ['GET', '/sessions?msisdn=0244123456', undefined, 400, 'invalid_msisdn'],
  ['GET', '/sessions?reference=INV-7', undefined, 400, 'missing_field'],
  ['GET', '/sessions?limit=101', undefined, 400, 'invalid_field'],
  ['GET', '/sessions?payer=1', undefined, 400, 'unknown_field'],
  ['GET', '/actions?limit=0', undefined, 400, 'invalid_field'],
])('%s %s %j is rejected with %i %s', async (method, path, body, status, code) => {
  const bench = openBench();
  expect(await refusal(await ask(bench, method, path, body))).toMatchObject({ status, code });
});

test('a short signing secret is rejected, and setting the URL again keeps the secret', async () => {
  const { bench, merchantId } = await openMerchant();
  const path = `/merchants/${merchantId}/webhook`;
  const hook = { livemode: false, url: 'http://a.example/hook' };
  expect(await refusal(await ask(bench, 'PUT', path, { ...hook, secret: 'short' }))).toMatchObject({
    status: 400,
    code: 'invalid_secret',
  });
  const { secret } = await json(await ask(bench, 'PUT', path, hook));
  const moved = await json(await ask(bench, 'PUT', path, { ...hook, url: 'http://b.example/hook' }));
  expect(moved).toMatchObject({ url: 'http://b.example/hook', secret });
  const rotated = await json(await ask(bench, 'POST', `${path}/rotate`, { livemode: false }));
  expect(rotated.secret).not.toBe(secret);
});

test('an embedding program gets an API error as a UserError with its message', async () => {
  const bench = openBench();
  await expect(bench.service.approveOffline('mch_none')).rejects.toThrow(/merchant does not exist/);
});

test('a short admin token is rejected at start', () => {
  expect(() => openBench({ config: { adminToken: 'short' } })).toThrow(/at least 16 characters/);
});

test('a platform has its own keys, and a platform of another merchant is not found', async () => {
  const { bench, merchantId } = await openMerchant();
  const other = await newMerchant(bench, 'Ama Foods');
  const path = `/merchants/${merchantId}`;
  const made = await ask(bench, 'POST', `${path}/platforms`, { name: 'Till at Osu' });
  expect(made.status).toBe(201);
  const platform = await json(made);
  expect(platform).toMatchObject({ id: expect.stringMatching(/^plt_/), merchant_id: merchantId });
  const { data: platforms } = await json(await ask(bench, 'GET', `${path}/platforms`));
  expect(platforms).toEqual([expect.objectContaining({ name: 'Abena Stores' }), platform]);
  const asked = { livemode: false, platform_id: platform.id };
  const { id } = await json(await ask(bench, 'POST', `${path}/keys`, asked));
  const { data: keys } = await json(await ask(bench, 'GET', `${path}/keys`));
  expect(keys).toContainEqual(expect.objectContaining({ id, platform_id: platform.id }));
  const stray = await ask(bench, 'POST', `/merchants/${other.merchantId}/keys`, asked);
  expect(await refusal(stray)).toEqual({ status: 404, code: 'platform_not_found', param: 'platform_id' });
});

test('senders are approved by name; a second approval keeps the time of the first; a removed sender is not listed', async () => {
  const { bench, merchantId } = await openMerchant();
  const path = `/merchants/${merchantId}/senders`;
  const approved = { name: 'ABENA 24', approved_at: '2026-03-06T09:00:00.000Z' };
  expect(await json(await ask(bench, 'PUT', `${path}/ABENA%2024`))).toEqual(approved);
  await bench.clock.advance(60_000);
  expect(await json(await ask(bench, 'PUT', `${path}/ABENA%2024`))).toEqual(approved);
  expect(await json(await ask(bench, 'GET', path))).toEqual({
    data: [approved],
    has_more: false,
    next_cursor: null,
  });
  const removed = { name: 'ABENA 24', removed: true };
  expect(await json(await ask(bench, 'DELETE', `${path}/ABENA%2024`))).toEqual(removed);
  expect(await json(await ask(bench, 'DELETE', `${path}/ABENA%2024`))).toEqual(removed);
  expect(await json(await ask(bench, 'GET', path))).toEqual({ data: [], has_more: false, next_cursor: null });
});

test.each(['AB', 'ABENASTORES1', '12345', 'ABENA%0A', '%20ABENA', 'ABENA%20', 'AB_C'])(
  'the sender %s is refused',
  async (name) => {
    const { bench, merchantId } = await openMerchant();
    const refused = await ask(bench, 'PUT', `/merchants/${merchantId}/senders/${name}`);
    expect(await refusal(refused)).toEqual({ status: 400, code: 'invalid_sender', param: 'name' });
  },
);

describe('sessions of all merchants', () => {
  async function shop() {
    const bench = openBench();
    const abena = await newLiveMerchant(bench);
    const ama = await newMerchant(bench, 'Ama Foods');
    const ids = {
      test: await create(bench, abena.key),
      live: await create(bench, abena.liveKey, { reference: 'INV-8' }),
      other: await create(bench, ama.key, { msisdn: '233244123457' }),
      last: await create(bench, abena.key, { reference: 'INV-8' }),
    };
    await initiate(bench, abena.key, ids.test);
    return { bench, abena, ama, ids };
  }
  type Shop = Awaited<ReturnType<typeof shop>>;

  const found = async ({ bench, ids }: Shop, query: string) => {
    const { data } = await json(await ask(bench, 'GET', `/sessions${query}`));
    return (data as { id: string }[]).map(({ id }) => Object.entries(ids).find(([, one]) => one === id)?.[0]);
  };

  test('are found by merchant, mode, status, reference and number, newest first', async () => {
    const at = await shop();
    const { merchantId } = at.abena;
    expect(await found(at, '')).toEqual(['last', 'other', 'live', 'test']);
    expect(await found(at, '?livemode=true')).toEqual(['live']);
    expect(await found(at, '?livemode=false')).toEqual(['last', 'other', 'test']);
    expect(await found(at, `?merchant_id=${merchantId}`)).toEqual(['last', 'live', 'test']);
    expect(await found(at, `?merchant_id=${merchantId}&livemode=false`)).toEqual(['last', 'test']);
    expect(await found(at, `?merchant_id=${merchantId}&reference=INV-8`)).toEqual(['last', 'live']);
    expect(await found(at, '?status=initiated')).toEqual(['test']);
    expect(await found(at, '?msisdn=233244123457')).toEqual(['other']);
    expect(await found(at, `?msisdn=${payer}&status=created`)).toEqual(['last', 'live']);
    expect(await found(at, '?merchant_id=mch_none')).toEqual([]);
  });

  test.each(['', 'merchant'])('are returned in pages that neither skip nor repeat rows (%s)', async (of) => {
    const at = await shop();
    const query = of ? `&merchant_id=${at.abena.merchantId}` : '';
    const whole = await found(at, `?limit=100${query}`);
    const pages: unknown[] = [];
    let cursor: unknown = null;
    do {
      const path = `/sessions?limit=1${query}${cursor === null ? '' : `&cursor=${cursor}`}`;
      const page = await json(await ask(at.bench, 'GET', path));
      pages.push(...(page.data as { id: string }[]).map(({ id }) => id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(pages.map((id) => Object.entries(at.ids).find(([, one]) => one === id)?.[0])).toEqual(whole);
  });

  test('contain their merchant, and one session contains its prompts and events', async () => {
    const { bench, abena, ids } = await shop();
    const [prompt] = await bench.service.phone.pending(payer);
    await bench.service.phone.decline(String(prompt?.id));
    const file = await json(await ask(bench, 'GET', `/sessions/${ids.test}`));
    expect(file).toMatchObject({
      session: {
        id: ids.test,
        merchant_id: abena.merchantId,
        platform_id: expect.stringMatching(/^plt_/),
        livemode: false,
        held: false,
        mode: 'offline',
        status: 'failed',
        reason: 'declined',
        reference: goods.reference,
      },
      events: [{ type: 'payment.session.failed', session_id: ids.test, state: 'no_endpoint', attempts: 0 }],
    });
    const at = '2026-03-06T09:00:00.000Z';
    const amounts = { amount_minor: 2_020, charged_minor: 0 };
    expect(file.prompts).toEqual([
      { id: prompt?.id, status: 'declined', ...amounts, created_at: at, closed_at: at },
    ]);
    expect(await json(await ask(bench, 'GET', `/sessions/${ids.live}`))).toMatchObject({
      prompts: [],
      events: [],
    });
  });
});

describe('the audit', () => {
  test('has one row for each call that changed something, with its request id, and none for a rejected call', async () => {
    const bench = openBench();
    const made = await ask(bench, 'POST', '/merchants', { name: 'Ama Foods' });
    const { id } = await json(made);
    const merchant = `/merchants/${id}`;
    const { id: keyId } = await json(await ask(bench, 'POST', `${merchant}/keys`, { livemode: false }));
    await ask(bench, 'POST', `${merchant}/approve-offline`);
    await ask(bench, 'POST', `${merchant}/withdraw-offline`);
    const till = await json(await ask(bench, 'POST', `${merchant}/platforms`, { name: 'Till' }));
    const { id: nextId } = await json(await ask(bench, 'POST', `/keys/${keyId}/rotate`, {}));
    await ask(bench, 'POST', `/keys/${nextId}/revoke`);
    await ask(bench, 'PUT', `${merchant}/fees/ussd`, { basis_points: 50 });
    await ask(bench, 'DELETE', `${merchant}/fees/ussd`);
    await ask(bench, 'PUT', `${merchant}/senders/AMA`);
    await ask(bench, 'DELETE', `${merchant}/senders/AMA`);
    const hook = { livemode: false, url: 'https://ama.example/hook' };
    const { platform_id: first } = await json(await ask(bench, 'PUT', `${merchant}/webhook`, hook));
    await ask(bench, 'PUT', `${merchant}/webhook`, { ...hook, platform_id: till.id, livemode: true });
    await ask(bench, 'POST', `${merchant}/webhook/rotate`, { livemode: false });
    await ask(bench, 'GET', merchant);
    await ask(bench, 'POST', '/merchants', {});
    await ask(bench, 'POST', '/merchants/mch_none/approve-offline');
    await ask(bench, 'PUT', `${merchant}/fees/ussd`, { basis_points: -1 });
    await ask(bench, 'POST', '/merchants', { name: 'Ama Foods' }, { token: 'wrong' });

    const rows = await actions(bench);
    expect(rows.map(({ action, subject }) => [action, subject])).toEqual([
      ['createMerchant', id],
      ['createKey', `${id}/${keyId}`],
      ['approveOffline', id],
      ['withdrawOffline', id],
      ['createPlatform', `${id}/${till.id}`],
      ['rotateKey', `${keyId}/${nextId}`],
      ['revokeKey', nextId],
      ['setFee', `${id}/ussd`],
      ['clearFee', `${id}/ussd`],
      ['approveSender', `${id}/AMA`],
      ['removeSender', `${id}/AMA`],
      ['setWebhook', `${id}/${first}/test`],
      ['setWebhook', `${id}/${till.id}/live`],
      ['rotateSigningSecret', `${id}/${first}/test`],
    ]);
    expect(rows[0]).toMatchObject({
      at: '2026-03-06T09:00:00.000Z',
      request_id: made.headers.get('request-id'),
    });
  });

  test('a replay adds no row', async () => {
    const bench = openBench();
    const create = () => ask(bench, 'POST', '/merchants', { name: 'Ama Foods' }, { idempotencyKey: 'ama' });
    const first = await (await create()).text();
    const again = await create();
    expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', first]);
    expect(await actions(bench)).toHaveLength(1);
    const { data: merchants } = await json(await ask(bench, 'GET', '/merchants'));
    expect(merchants).toHaveLength(1);
  });

  test('an action and its row are written together: if the row cannot be written, nothing changes', async () => {
    const bench = openBench();
    const { id } = await bench.service.createMerchant({ name: 'Ama Foods' });
    const { id: keyId } = await bench.service.createKey({
      merchantId: id,
      livemode: false,
      scopes: allScopes,
    });
    const database = new Database(bench.file);
    const rule = "BEFORE INSERT ON admin_action BEGIN SELECT RAISE(ABORT, 'no audit'); END";
    plantTrigger(bench.file, 'no_audit', rule);
    const failed: number[] = [];
    for (const [method, path, body] of [
      ['POST', '/merchants', { name: 'Kofi' }],
      ['POST', `/merchants/${id}/approve-offline`, undefined],
      ['POST', `/merchants/${id}/platforms`, { name: 'Till' }],
      ['POST', `/merchants/${id}/keys`, { livemode: false }],
      ['POST', `/keys/${keyId}/rotate`, {}],
      ['POST', `/keys/${keyId}/revoke`, undefined],
      ['PUT', `/merchants/${id}/fees/web`, { basis_points: 1 }],
      ['PUT', `/merchants/${id}/senders/AMA`, undefined],
    ] as const) {
      failed.push((await ask(bench, method, path, body)).status);
    }
    expect(failed.every((status) => status === 500)).toBe(true);
    const count = (table: string, where = '1') =>
      database.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get();
    expect([
      count('merchant'),
      count('merchant', 'offline_approved_at IS NOT NULL'),
      count('platform'),
      count('api_key'),
      count('api_key', 'revoked_at IS NOT NULL OR expires_at IS NOT NULL'),
      count('fee_override'),
      count('sender'),
    ]).toEqual([1, 0, 1, 1, 0, 0, 0]);
    database.close();
  });

  test('is returned in pages, newest first', async () => {
    const bench = openBench();
    for (const name of ['One', 'Two', 'Three']) await ask(bench, 'POST', '/merchants', { name });
    const first = await json(await ask(bench, 'GET', '/actions?limit=2'));
    expect(first).toMatchObject({ has_more: true, data: [expect.anything(), expect.anything()] });
    const rest = await json(await ask(bench, 'GET', `/actions?limit=2&cursor=${first.next_cursor}`));
    expect(rest).toMatchObject({ has_more: false, next_cursor: null });
    const ids = [...(first.data as { id: string }[]), ...(rest.data as { id: string }[])].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(ids).toHaveLength(3);
  });
});
