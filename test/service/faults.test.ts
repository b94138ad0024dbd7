import { expect, test } from 'vitest';
import { adminToken, goods, json, openBench, openMerchant, post } from './support.ts';

const sessions = '/v1/payments/sessions';

test('all faults of a body are in one answer, each with its field and its code', async () => {
  const { bench, key } = await openMerchant();
  const body = {
    mode: 'offline',
    msisdn: '0244123456',
    amount_minor: 0,
    network: 'glo',
    amuont: 1,
    ref: 'x',
  };
  const answer = await post(bench, sessions, { key, idempotencyKey: 'one', body });
  expect(answer.status).toBe(400);
  const { error } = await json(answer);
  const { faults, ...first } = Object(error);
  expect(first).toEqual(faults[0]);
  expect(faults.map(({ code, param }: Record<string, string>) => `${code} ${param}`)).toEqual([
    'invalid_msisdn msisdn',
    'invalid_amount amount_minor',
    'unknown_network network',
    'missing_field reference',
    'unknown_field amuont',
    'unknown_field ref',
  ]);
});

test('an answer lists at most 20 faults', async () => {
  const { bench, key } = await openMerchant();
  const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field_${at}`, 1]));
  const answer = await post(bench, sessions, { key, idempotencyKey: 'one', body: { ...goods, ...unknown } });
  const { error } = await json(answer);
  expect(Object(error).faults).toHaveLength(20);
});

test.each([
  [undefined, 'idempotency_key_required'],
  ['é', 'invalid_idempotency_key'],
])(
  'an answer about the body also names the fault of the Idempotency-Key %j',
  async (idempotencyKey, code) => {
    const { bench, key } = await openMerchant();
    const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
    const faultsOf = async (change: object) => {
      const answer = await post(bench, sessions, { key, ...keyed, body: { ...goods, ...change } });
      const { error } = await json(answer);
      const { faults, ...first } = Object(error);
      if (faults) expect(first).toEqual(faults[0]);
      return [answer.status, ...(faults ?? [first]).map((fault: Record<string, string>) => fault.code)];
    };
    expect(await faultsOf({})).toEqual([400, code]);
    expect(await faultsOf({ network: 'glo' })).toEqual([400, 'unknown_network', code]);
    expect(await faultsOf({ network: 'glo', amount_minor: 0 })).toEqual([
      ...[400, 'invalid_amount', 'unknown_network', code],
    ]);
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field_${at}`, 1]));
    const all = await faultsOf(unknown);
    expect([all.length, all.at(-1)]).toEqual([21, code]);
  },
);

test('an optional Idempotency-Key that is missing is no fault', async () => {
  const { bench, key } = await openMerchant();
  const web = { msisdn: goods.msisdn, amount_minor: 0, network: 'mtn' };
  const { error } = await json(await post(bench, sessions, { key, body: web }));
  expect(error).toMatchObject({ code: 'invalid_amount' });
  expect(error).not.toHaveProperty('faults');
});

test.each([
  ['vodafone', 'telecel'],
  ['Vodafone Cash', 'telecel'],
  ['AirtelTigo', 'at'],
  ['MTN', 'mtn'],
])('an error about the network %s names %s', async (network, name) => {
  const { bench, key } = await openMerchant();
  const answer = await post(bench, sessions, { key, idempotencyKey: 'one', body: { ...goods, network } });
  expect((await json(answer)).error).toEqual({
    code: 'unknown_network',
    message: `The network must be one of mtn, telecel, at. Send "${name}".`,
    param: 'network',
  });
});

test.each([
  ['DELETE', sessions, 'GET, HEAD, POST'],
  ['POST', '/v1/events', 'GET, HEAD'],
  ['GET', `${sessions}/pay_1/initiate`, 'POST'],
  ['PATCH', '/docs', 'GET, HEAD'],
  ['OPTIONS', '/handset/prompts', 'GET, HEAD'],
  ['POST', '/backoffice/merchants/mch_1/fees/ussd', 'PUT, DELETE'],
])('%s %s is answered with 405 and the methods of the address', async (method, path, allow) => {
  const bench = openBench();
  const headers = { authorization: `Bearer ${adminToken}` };
  const answer = await bench.service.app.request(path, { method, headers });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  expect((await json(answer)).error).toMatchObject({ code: 'method_not_allowed' });
});

test('an address that does not exist has no methods', async () => {
  const bench = openBench();
  const answer = await bench.service.app.request('/v1/nothing', { method: 'DELETE' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([404, null]);
});
