import { expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import {
  type Bench,
  create,
  goods,
  initiate,
  json,
  newMerchant,
  openBench,
  openLiveMerchant,
  openMerchant,
  payer,
  poll,
  post,
  pushed,
  refusal,
} from './support.ts';

const sessions = '/v1/payments/sessions';
const web = { msisdn: payer, amount_minor: 2_000, network: 'mtn', client_trans_id: 'order-7' };

const createWeb = async (bench: Bench, key: string, change: Record<string, unknown> = {}) => {
  const answer = await post(bench, sessions, { key, body: { ...web, ...change } });
  return { status: answer.status, body: await json(answer) };
};

const get = async (bench: Bench, key: string, path: string) =>
  bench.service.app.request(`${sessions}${path}`, { headers: { authorization: `Bearer ${key}` } });

test('a web create returns 201 with the documented fields in order, and the net excludes the fee', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const { status, body } = await createWeb(bench, key);
  expect(status).toBe(201);
  const expected = {
    id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
    platform_id: expect.stringMatching(/^plt_/),
    merchant_id: merchantId,
    channel: 'web',
    network: 'mtn',
    goods_minor: 2_000,
    amount_minor: 2_000,
    expected_fee_minor: 20,
    expected_net_minor: 1_980,
    status: 'created',
    client_trans_id: 'order-7',
    payer_msisdn: payer,
    created_at: '2026-03-06T09:00:00.000Z',
  };
  expect(body).toEqual(expected);
  expect(Object.keys(body)).toEqual(Object.keys(expected));
});

test('an offline create returns the fields of its mode in order', async () => {
  const { bench, key } = await openMerchant();
  const body = await json(await post(bench, sessions, { key, idempotencyKey: 'k', body: goods }));
  expect(Object.keys(body)).toEqual([
    ...'id mode channel network goods_minor amount_minor expected_fee_minor'.split(' '),
    ...'expected_net_minor status reference payer_msisdn'.split(' '),
  ]);
});

test('the default mode is web', async () => {
  const { bench, key } = await openMerchant();
  const silent = await createWeb(bench, key);
  const said = await createWeb(bench, key, { mode: 'web' });
  expect(said).toEqual({ status: 201, body: { ...silent.body, id: said.body.id } });
});

test.each([
  [{ client_trans_id: 'order-7' }, 201, 'order-7'],
  [{ client_trans_id: undefined, reference: 'order-8' }, 201, 'order-8'],
  [{ client_trans_id: 'same', reference: 'same' }, 201, 'same'],
  [{ client_trans_id: undefined }, 201, undefined],
  [{ client_trans_id: 'one', reference: 'other' }, 400, undefined],
])("the merchant's word %j answers %i with client_trans_id %s", async (change, status, word) => {
  const { bench, key } = await openMerchant();
  const made = await createWeb(bench, key, change);
  expect([made.status, made.body.client_trans_id]).toEqual([status, word]);
});

test.each<[string, Record<string, unknown>, string]>([
  ['a local number', { msisdn: '0244123456' }, 'invalid_msisdn'],
  ['no amount', { amount_minor: undefined }, 'missing_field'],
  ['half a pesewa', { amount_minor: 1.5 }, 'invalid_amount'],
  ['another network', { network: 'glo' }, 'unknown_network'],
  ['an empty word', { client_trans_id: '' }, 'invalid_reference'],
  ['a made-up mode', { mode: 'fax' }, 'invalid_mode'],
  ['an unknown field', { tip: 1 }, 'unknown_field'],
  ['nothing left after the fee', { amount_minor: 10 }, 'amount_below_fee'],
])('a web create with %s is rejected and writes nothing', async (_, change, code) => {
  const { bench, key } = await openMerchant();
  const answer = await post(bench, sessions, { key, body: { ...web, ...change } });
  expect(await refusal(answer)).toMatchObject({ status: 400, code });
  expect((await bench.service.statement()).sessions).toEqual([]);
});

test('a web create needs its scope, and no approval', async () => {
  const bench = openBench();
  const { id: merchantId } = await bench.service.createMerchant({ name: 'New' });
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const { key: bare } = await bench.service.createKey({ merchantId, livemode: false, scopes: [] });
  expect((await createWeb(bench, key)).status).toBe(201);
  expect(await refusal(await post(bench, sessions, { key: bare, body: web }))).toMatchObject({
    status: 403,
    code: 'scope_required',
  });
});

test('a web session is charged its amount alone, and initiate says when', async () => {
  const { bench, key } = await openMerchant();
  const id = String((await createWeb(bench, key)).body.id);
  await bench.clock.advance(1_500);
  const answer = await initiate(bench, key, id);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { id, status: 'initiated', initiated_at: '2026-03-06T09:00:01.500Z' },
  ]);
  const [prompt] = await bench.service.phone.pending(payer);
  expect(prompt).toMatchObject({ sessionId: id, amountMinor: 2_000 });
  await bench.service.phone.approve(prompt?.id ?? '', '1234');
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid', terminal: true });
});

test('a session has its outcome, in the fields of its mode', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  await bench.clock.advance(4_000);
  await bench.service.phone.decline(promptId);
  expect(await json(await get(bench, key, `/${id}`))).toEqual({
    id,
    mode: 'offline',
    channel: 'ussd',
    network: 'mtn',
    goods_minor: 2_000,
    amount_minor: 2_020,
    expected_fee_minor: 20,
    expected_net_minor: 2_000,
    status: 'failed',
    reference: 'INV-7',
    payer_msisdn: '0244123456',
    reason: 'declined',
    created_at: '2026-03-06T09:00:00.000Z',
    initiated_at: '2026-03-06T09:00:00.000Z',
    closed_at: '2026-03-06T09:00:04.000Z',
  });
  const fresh = (await createWeb(bench, key)).body;
  expect(await json(await get(bench, key, `/${fresh.id}`))).toEqual(fresh);
});

test("the lookup of a session needs the scope, and does not find another merchant's session", async () => {
  const { bench, merchantId, key, liveKey } = await openLiveMerchant();
  const id = await create(bench, key);
  const { key: blind } = await bench.service.createKey({
    merchantId,
    livemode: false,
    scopes: ['collections:offline'],
  });
  expect(await refusal(await get(bench, blind, `/${id}`))).toMatchObject({
    status: 403,
    code: 'scope_required',
  });
  expect((await get(bench, blind, '')).status).toBe(403);
  expect((await poll(bench, blind, id)).status).toBe(200);
  const stranger = await newMerchant(bench, 'Kofi Cosmetics');
  for (const other of [liveKey, stranger.key]) {
    expect(await refusal(await get(bench, other, `/${id}`))).toMatchObject({
      status: 404,
      code: 'session_not_found',
    });
    expect(await json(await get(bench, other, ''))).toEqual({ data: [], has_more: false, next_cursor: null });
  }
});

type Page = { data: { id: string }[]; has_more: boolean; next_cursor: string | null };

/** Follows the cursors to the end of a list. */
async function pages(
  bench: Bench,
  key: string,
  query: string,
  between = async () => {},
): Promise<string[][]> {
  const found: string[][] = [];
  let cursor: string | null = '';
  for (let turns = 0; cursor !== null && turns < 50; turns++) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = (await json(await get(bench, key, `?${query}${from}`))) as Page;
    found.push(page.data.map(({ id }) => id));
    expect(page.has_more).toBe(page.next_cursor !== null);
    cursor = page.next_cursor;
    await between();
  }
  return found;
}

test('sessions are listed by reference in both modes, newest first, page by page, while others are created', async () => {
  const { bench, key } = await openMerchant();
  const mine: string[] = [];
  for (let n = 0; n < 7; n++) {
    const id =
      n % 2 === 0
        ? await create(bench, key, { reference: 'wanted' })
        : String((await createWeb(bench, key, { client_trans_id: 'wanted' })).body.id);
    mine.unshift(id);
    await create(bench, key, { reference: 'another' });
    await bench.clock.advance(1);
  }
  const found = await pages(bench, key, 'reference=wanted&limit=3', async () => {
    await bench.clock.advance(1);
    await create(bench, key, { reference: 'wanted' });
  });
  expect(found).toEqual([mine.slice(0, 3), mine.slice(3, 6), mine.slice(6)]);
});

test('a page that is just full is the last one, and a page without a size has twenty', async () => {
  const { bench, key } = await openMerchant();
  for (let n = 0; n < 21; n++) await create(bench, key);
  expect((await pages(bench, key, 'limit=21')).map(({ length }) => length)).toEqual([21]);
  expect((await pages(bench, key, '')).map(({ length }) => length)).toEqual([20, 1]);
});

test('sessions are listed by their status', async () => {
  const { bench, key } = await openMerchant();
  const open = await create(bench, key);
  const { id: waiting } = await pushed(bench, key);
  expect(await pages(bench, key, 'status=created')).toEqual([[open]]);
  expect(await pages(bench, key, 'status=initiated')).toEqual([[waiting]]);
  expect(await pages(bench, key, 'status=paid')).toEqual([[]]);
});

test.each([['evt_01k5n8c0abcdefghjkmnpqrstv'], ['pay_1'], ['']])(
  'the cursor "%s" is rejected',
  async (cursor) => {
    const { bench, key } = await openMerchant();
    expect(await refusal(await get(bench, key, `?cursor=${cursor}`))).toEqual({
      status: 400,
      code: 'invalid_cursor',
      param: 'cursor',
    });
  },
);

test.each([['limit=0'], ['limit=101'], ['limit=x'], ['status=lost'], ['colour=red']])(
  'a list with "%s" is rejected',
  async (query) => {
    const { bench, key } = await openMerchant();
    expect((await get(bench, key, `?${query}`)).status).toBe(400);
  },
);
