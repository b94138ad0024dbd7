import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scopes as allScopes, scopes } from '../../src/contract/service/admin.ts';
import { magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import { testCode } from '../../src/service/otp/verify.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startServer } from '../kit/local-server.ts';
import {
  adminToken,
  json as bodyOf,
  create,
  goods,
  initiate,
  newMerchant,
  payer,
  post,
  pushed,
} from '../service/support.ts';
import { createTestProgram, run } from './support.ts';

test('the commands create and approve a merchant, its key and its webhook, and the key creates a session', async () => {
  const { bench, service, json } = await createTestProgram();
  const made = await service('merchants', 'create', 'Abena Stores');
  const id = /mch_\w+/.exec(made.out)?.[0] ?? '';
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toBe(
    `Created ${id}, Abena Stores. It is not approved for offline collections.\n` +
      `Next: dialtill service merchants approve ${id}\n      dialtill service keys create --merchant ${id}\n`,
  );
  expect((await service('merchants', 'approve', id)).out).toBe(
    'Abena Stores: approved 2026-03-06 09:00:00.000\n',
  );
  const { out } = await service('keys', 'create', '--quiet');
  expect(out).toMatch(/^sk_test_.{43}\n$/);
  expect(await create(bench, out.trim())).toMatch(/^pay_/);
  expect((await service('webhook', 'set', 'http://127.0.0.1:9/hook', '--quiet')).out).toMatch(
    /^whsec_.{43}\n$/,
  );
  expect((await json('webhook')).data).toMatchObject([{ url: 'http://127.0.0.1:9/hook' }]);
  expect((await service('merchants', 'withdraw', id)).out).toBe('Abena Stores: not approved\n');
});

test('a webhook is signed with the secret in a file, if one is named', async () => {
  const { bench, service } = await createTestProgram();
  await bench.service.createMerchant({ name: 'Ama Foods' });
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, ' a-secret-of-the-shop \n');
  const set = (named: string) =>
    service('webhook', 'set', 'http://127.0.0.1:9/hook', '--secret-file', named, '--quiet');
  expect((await set(file)).out).toBe('a-secret-of-the-shop\n');
  expect(await set(`${file}.none`)).toMatchObject({
    code: 1,
    err: `cannot read a secret from ${file}.none. Check that the file exists and is not empty.\n`,
  });
  writeFileSync(file, 'short');
  expect(await set(file)).toMatchObject({ code: 1, err: expect.stringContaining('invalid_secret') });
});

test('a key is printed once, alone on its line, and appears in no list', async () => {
  const { bench, service } = await createTestProgram();
  await bench.service.createMerchant({ name: 'Ama Foods' });
  const { out } = await service('keys', 'create', '--scopes', 'sessions:read,events:read', '--live');
  const lines = out.split('\n');
  expect(lines[0]).toMatch(/^Live key key_\w+ of mch_\w+, shown only once:$/);
  expect(lines[2]).toMatch(/^sk_live_.{43}$/);
  const listed = await service('keys');
  expect(listed.out).not.toContain(lines[2]);
  expect(listed.out).toMatch(/live {2}.{4} {5}sessions:read,events:read/);
});

test('a key is rotated with the requested overlap, and revoked', async () => {
  const { bench, service, json } = await createTestProgram();
  const { id: merchantId } = await bench.service.createMerchant({ name: 'Ama Foods' });
  const { id } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const { out } = await service('keys', 'rotate', id, '--overlap', '1h30m');
  expect(out).toContain(`${id} works until 2026-03-06 10:30:00.000 UTC`);
  expect((await service('keys', 'rotate', id, '--overlap', '0s', '--quiet')).out).toMatch(
    /^sk_test_.{43}\n$/,
  );
  const next = /key_\w+/.exec(out)?.[0] ?? '';
  expect((await service('keys', 'revoke', next)).out).toBe(`${next} is revoked\n`);
  const { data: keys } = await json('keys');
  const states = new Map(keys.map((key: Record<string, unknown>) => [key.id, key]));
  expect(states.get(id)).toMatchObject({ expires_at: '2026-03-06T09:00:00.000Z' });
  expect(states.get(next)).toMatchObject({ revoked_at: '2026-03-06T09:00:00.000Z' });
});

test('a fee schedule is set in percent and pesewas, shown, and cleared', async () => {
  const { bench, service, json } = await createTestProgram();
  await bench.service.createMerchant({ name: 'Ama Foods' });
  const set = ['fees', 'set', 'ussd', '--percent', '1.05', '--cap', '1000'];
  await service(...set, '--band', '5000:0:25', '--band', '100000:0.5');
  expect((await json('fees')).data).toMatchObject([
    { channel: 'web', overridden: false },
    {
      channel: 'ussd',
      overridden: true,
      schedule: {
        basis_points: 105,
        cap_minor: 1_000,
        bands: [
          { up_to_minor: 5_000, basis_points: 0, fixed_minor: 25 },
          { up_to_minor: 100_000, basis_points: 50 },
        ],
      },
    },
  ]);
  expect((await service('fees')).out).toContain(
    'ussd     merchant         up to GHS 50.00: 0 % + GHS 0.25, up to GHS 1000.00: 0.5 %, above: 1.05 %, at most GHS 10.00\n',
  );
  expect((await service('fees', 'clear', 'ussd')).out).toContain(
    'ussd  service default  1 %, at least GHS 0.10',
  );
});

test('a session is found by number, reference and status, and shown with its amounts, prompts and events', async () => {
  const { bench, service, json } = await createTestProgram();
  const { key } = await newMerchant(bench);
  const { id, promptId } = await pushed(bench, key);
  await post(bench, `/handset/prompts/${promptId}/approve`, { body: { pin: '1234' } });
  for (const by of [
    ['--msisdn', '0244123456'],
    ['--reference', goods.reference],
    ['--status', 'paid', '--test'],
  ]) {
    expect((await json('sessions', 'list', ...by)).data).toMatchObject([{ id, status: 'paid' }]);
  }
  expect((await service('sessions', 'list', '--status', 'failed')).out).toBe('no session found\n');
  expect((await service('sessions')).out).toContain(`${id}  test ussd  paid    GHS 20.20  0244123456  INV-7`);
  const { out } = await service('sessions', 'show', id);
  expect(out).toContain('amount       GHS 20.20\nto merchant  GHS 20.00\n');
  expect(out).toMatch(/prm_\w+ {2}approved {2}GHS 20\.20 {2}GHS 20\.20 {2}2026-03-06 09:00:00\.000/);
  expect(out).toMatch(
    /evt_\w+ {2}payment\.session\.paid {2}pay_\w+ {2}no_endpoint {2}2026-03-06 09:00:00\.000 {2}0/,
  );
});

test('the printed cursor leads to the next page', async () => {
  const { bench, service, json } = await createTestProgram();
  const { key } = await newMerchant(bench);
  const ids = [await create(bench, key), await create(bench, key)];
  const { out } = await service('sessions', 'list', '--limit', '1');
  const cursor = /more: --cursor (\S+)/.exec(out)?.[1] ?? '';
  expect(cursor).toBe(ids[1]);
  expect((await json('sessions', 'list', '--limit', '1', '--cursor', cursor)).data).toMatchObject([
    { id: ids[0] },
  ]);
});

test('a delivery is listed, shown with its attempts, and resent', async () => {
  const { bench, service, json } = await createTestProgram();
  const { merchantId, key } = await newMerchant(bench);
  bench.answers.webhook = async () => new Response('', { status: 500 });
  await bench.service.setWebhook({ merchantId, livemode: false, url: 'http://localhost:8080/hook' });
  const { promptId } = await pushed(bench, key);
  await post(bench, `/handset/prompts/${promptId}/decline`, {});
  await bench.clock.advance(1);
  const [{ event_id: event }] = (await json('deliveries')).data;
  expect((await service('deliveries', 'list', '--state', 'waiting')).out).toContain('payment.session.failed');
  expect((await service('deliveries', 'list', '--state', 'delivered')).out).toBe('no events\n');
  expect((await service('deliveries', 'show', event)).out).toMatch(
    /1 {2}2026-03-06 09:00:00\.\d{3} {2}\d+ ms +500 +http:\/\/localhost:8080\/hook/,
  );
  bench.answers.webhook = async () => Response.json({ received: true });
  expect((await service('deliveries', 'resend', event)).out).toContain(`${event}: waiting`);
  await bench.clock.advance(1);
  expect((await json('deliveries')).data).toMatchObject([{ event_id: event, state: 'delivered' }]);
});

test('in a sandbox the clock is advanced, and a review is listed and resolved', async () => {
  const { bench, service, json } = await createTestProgram({ sandbox: true });
  const { id: merchantId } = await bench.service.createMerchant({ name: 'Ama Foods' });
  await bench.service.approveOffline(merchantId);
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const short = magicNumbers.find(({ name }) => name === 'paid_short')?.ending;
  const id = await create(bench, key, { msisdn: `233244123${short}` });
  await initiate(bench, key, id);
  expect((await service('reviews')).out).toBe('no open reviews\n');
  expect((await json('clock')).advanced_ms).toBe(0);
  const advancing = service('clock', 'advance', '1m');
  await bench.clock.advance(0);
  expect((await advancing).out).toBe('2026-03-06 09:01:00.000 UTC, advanced by 1m\n');
  expect((await service('reviews')).out).toMatch(new RegExp(`${id}  ${merchantId}  paid_short  GHS 10\\.10`));
  expect((await service('sessions')).out).toContain('initiated, in review');
  expect((await service('sessions', 'review', id, 'accept', '--note', 'it will do')).out).toBe(
    `${id}: accepted\n`,
  );
  const { session } = await json('sessions', 'show', id);
  const review = { note: 'it will do', resolved_at: '2026-03-06T09:01:00.000Z' };
  expect(session).toMatchObject({ status: 'paid', held: false, review });
  const { out } = await service('sessions', 'show', id);
  expect(out).toContain('amount       GHS 20.20\ncharged      GHS 10.10\n');
  expect(out).toContain('decision     accepted 2026-03-06 09:01:00.000\nnote         it will do\n');
  expect((await service('sessions')).out).toMatch(/created \(UTC\) +reason\n.*paid_short\n/);
  // The merchant does not see the note.
  const headers = { authorization: `Bearer ${key}` };
  const seen = await bodyOf(await bench.service.app.request(`/v1/payments/sessions/${id}`, { headers }));
  expect(seen.review).toMatchObject({ resolution: 'accepted' });
  expect(seen.review).not.toHaveProperty('note');
  const again = await service('sessions', 'review', id, 'reject');
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('review_closed') });
});

test('a refund is listed while it is due, and settled with its reference and the person', async () => {
  const { bench, service, json } = await createTestProgram();
  const { key } = await newMerchant(bench);
  const short = magicNumbers.find(({ name }) => name === 'paid_short')?.ending;
  const id = await create(bench, key, { msisdn: `233244123${short}` });
  await initiate(bench, key, id);
  await bench.clock.advance(5_000);
  expect((await service('refunds')).out).toBe('no refunds are due\n');
  await service('sessions', 'review', id, 'reject');
  const { out } = await service('refunds');
  expect(out).toMatch(new RegExp(`${id}  mch_\\w+  test  paid_short  GHS 10\\.10  2026-03-06 09:00:05`));
  expect(out).toContain('settle: dialtill service sessions refund <session> --reference');
  expect(await json('refunds')).toMatchObject({ data: [{ session_id: id }], has_more: false });
  const settled = await service('sessions', 'refund', id, '--reference', 'MP26030', '--by', 'Ama');
  expect(settled.out).toBe(`${id}: GHS 10.10 returned 2026-03-06 09:00:05.000, MP26030 by Ama\n`);
  expect((await service('refunds')).out).toBe('no refunds are due\n');
});

test('the clock of a service without a test clock cannot be read or advanced', async () => {
  const { service } = await createTestProgram();
  for (const args of [['show'], ['advance', '10m']]) {
    expect(await service('clock', ...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining('test_clock_off'),
    });
  }
});

test('senders, platforms, messages and actions are listed', async () => {
  const { bench, service, json } = await createTestProgram();
  const { key } = await newMerchant(bench);
  expect((await service('senders', 'approve', 'ABENA 24')).out).toBe(
    'ABENA 24 approved 2026-03-06 09:00:00.000\n',
  );
  expect((await json('senders')).data).toMatchObject([{ name: 'ABENA 24' }]);
  expect((await service('senders', 'remove', 'ABENA 24')).out).toBe('ABENA 24 is removed\n');
  expect((await json('senders')).data).toEqual([]);
  expect((await service('senders', 'remove', 'ABENA 24')).out).toBe(
    'ABENA 24 was not an approved sender of this merchant: nothing to remove\n',
  );
  expect((await service('platforms', 'create', 'Till at Osu')).out).toMatch(
    /^Created plt_\w+, Till at Osu\n$/,
  );
  expect((await json('platforms')).data).toHaveLength(2);
  const body = { msisdn: payer, purpose: 'collection', collection: { amount_minor: 2_000 } };
  expect((await post(bench, '/v1/otp/request', { key, body })).status).toBe(201);
  expect((await service('messages', '0244123456')).out).toMatch(/2026-03-06 09:00:00\.000 .*\n.*\d{4,}/);
  for (const spelling of ['0244123457', '233244123457', '+233 24 412 3457']) {
    expect((await service('messages', spelling)).out).toBe('no messages to 0244123457\n');
  }
  const { out } = await service('actions', '--limit', '2');
  expect(out).toMatch(/createPlatform {2}mch_\w+\/plt_\w+ +req_\w+\n.*removeSender {4}mch_\w+\/ABENA 24/);
  expect(out).toContain('more: --cursor act_');
});

test('the end of a signing overlap is shown until it is over', async () => {
  const { bench, service, json } = await createTestProgram();
  await bench.service.createMerchant({ name: 'Ama Foods' });
  await service('webhook', 'set', 'http://127.0.0.1:9/hook');
  expect((await json('webhook')).data).toMatchObject([{ secret_overlap_until: null }]);
  await service('webhook', 'set', 'https://shop.example/hook', '--live');
  await service('webhook', 'rotate');
  await bench.clock.advance(3_600_000);
  await service('webhook', 'rotate');
  const until = '2026-03-07T10:00:00.000Z';
  expect((await json('webhook')).data).toMatchObject([
    { livemode: false, secret_overlap_until: until },
    { livemode: true, secret_overlap_until: null },
  ]);
  expect((await service('webhook')).out).toContain('ok     2026-03-07 10:00:00.000\n');
  await bench.clock.advance(24 * 3_600_000);
  expect((await json('webhook')).data).toMatchObject([
    { secret_overlap_until: null },
    { secret_overlap_until: null },
  ]);
});

test('a list that is cut ends with the option that continues it, and starts with the newest row', async () => {
  const { bench, service, json } = await createTestProgram();
  const oldest = await bench.service.createMerchant({ name: 'Shop 0' });
  const first = await bench.service.createMerchant({ name: 'Shop 1' });
  const second = await bench.service.createMerchant({ name: 'Shop 2' });
  expect((await service('merchants')).out).not.toContain('--cursor');
  const page = await json('merchants', 'list', '--limit', '2');
  expect(page.data).toMatchObject([{ id: second.id }, { id: first.id }]);
  const { out } = await service('merchants', 'list', '--limit', '2');
  expect(out).toContain(`more: --cursor ${page.next_cursor}\n`);
  const rest = await json('merchants', 'list', '--cursor', page.next_cursor);
  expect(rest).toMatchObject({ data: [{ id: oldest.id }], has_more: false, next_cursor: null });
});

test('the magic numbers are listed without a running service', async () => {
  const { out } = await run(['numbers']);
  for (const { ending } of magicNumbers) expect(out).toContain(`…${ending}  `);
  expect(out).toContain(`the one-time code of these numbers is always ${testCode}\n`);
  expect(JSON.parse((await run(['numbers', '--json'])).out)).toEqual({
    data: magicNumbers,
    total: magicNumbers.length,
    next: null,
  });
});

test('the list of magic numbers accepts the options of the other commands of the service', async () => {
  const plain = await run(['numbers']);
  expect(await run(['numbers', '--data', '/none', '--url', 'http://127.0.0.1:1'])).toEqual(plain);
});

test('a rejected request exits with 1 and prints the message, the code and the request id', async () => {
  const { service } = await createTestProgram();
  const { code, out, err } = await service('merchants', 'show', 'mch_none');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^request rejected: The merchant does not exist\. \(merchant_not_found\) \[req_\w+\]\n$/,
  );
});

test('an identifier is encoded as one segment of a path', async () => {
  const { bench, service } = await createTestProgram();
  const { id } = await bench.service.createMerchant({ name: 'Ama Foods' });
  for (const typed of ['..', `x/../${id}`, `${id}?a=b`, `${id}#`, '%2e%2e']) {
    expect((await service('merchants', 'show', typed)).code).toBe(1);
  }
});

test('without --merchant a command uses the only merchant, and fails if there are none or several', async () => {
  const { bench, service } = await createTestProgram();
  expect(await service('keys', 'create')).toMatchObject({
    code: 1,
    err: 'the service has no merchant. Create one: dialtill service merchants create "Abena Stores"\n',
  });
  const { id } = await bench.service.createMerchant({ name: 'Ama Foods' });
  expect((await service('keys', 'create')).code).toBe(0);
  const kofi = await bench.service.createMerchant({ name: 'Kofi' });
  const { code, err } = await service('keys', 'create');
  expect(code).toBe(1);
  expect(err).toContain(
    `the service has several merchants. Choose one with --merchant: ${kofi.id} (Kofi), ${id} (Ama Foods)`,
  );
  expect((await service('keys', 'create', '--merchant', id)).code).toBe(0);
});

test('a wrong admin token exits with 1 and prints its source, but not the token', async () => {
  const { url } = await createTestProgram();
  const env = { DIALTILL_SERVICE_URL: url, DIALTILL_ADMIN_TOKEN: 'not-the-token-of-this-service' };
  const { code, err } = await run(['merchants'], { env });
  expect(code).toBe(1);
  expect(err).toContain(`the service at ${url} rejected the admin token from DIALTILL_ADMIN_TOKEN`);
  expect(err).not.toContain(env.DIALTILL_ADMIN_TOKEN);
});

test('an unreachable service exits with 1 and prints how to start one', async () => {
  const env = { DIALTILL_ADMIN_TOKEN: adminToken };
  const { code, err } = await run(['merchants', '--url', 'http://127.0.0.1:1'], { env });
  expect(code).toBe(1);
  expect(err).toMatch(
    /^no collection service at http:\/\/127\.0\.0\.1:1 \(from --url\): .*dialtill service start/,
  );
});

test.each([
  [200, 'text/html', '<h1>hello</h1>', /the response of \S+ is not readable\./],
  [
    200,
    'application/json',
    '{"data":[{"id":7}],"has_more":false,"next_cursor":null}',
    /is not readable: unexpected value of data\.0\.id\./,
  ],
  [404, 'text/html', 'nothing here', /is not a collection service: it returned HTTP 404/],
  [302, 'text/html', '', /is not a collection service: it returned HTTP 302/],
])(
  'a response %i %s %s that is not from a collection service is an error',
  async (status, type, body, message) => {
    const { url } = await startServer((response) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
    const { code, err } = await run(['merchants', '--url', url], {
      env: { DIALTILL_ADMIN_TOKEN: adminToken },
    });
    expect(code).toBe(1);
    expect(err).toMatch(message);
  },
);

test('texts of a service cannot move the cursor or colour the terminal', async () => {
  const { bench, env, service } = await createTestProgram();
  await bench.service.createMerchant({ name: 'A\u001b[31mB\u009bC\nD' });
  expect((await service('merchants')).out).toContain('  A[31mBC D  ');
  const { out } = await run(['merchants', '--json'], { env });
  for (const control of ['\u001b', '\u009b']) expect(out).not.toContain(control);
  expect(JSON.parse(out).data).toMatchObject([{ name: 'A\u001b[31mB\u009bC\nD' }]);
});

test('colours are printed only on a terminal', async () => {
  const { bench, env } = await createTestProgram();
  await bench.service.createMerchant({ name: 'Ama Foods' });
  expect((await run(['merchants'], { env, tty: true })).out).toContain('\u001b[1mmerchant');
  for (const plain of [{ env }, { env: { ...env, NO_COLOR: '1' }, tty: true }]) {
    expect((await run(['merchants'], plain)).out).not.toContain('\u001b');
  }
});

test.each([
  ['clock', 'advance', '10'],
  ['clock', 'advance', '10ms'],
  ['clock', 'advance', '0s'],
  ['clock', 'advance', '31d'],
  ['keys', 'rotate', 'key_1', '--overlap', 'soon'],
  ['keys', 'rotate', 'key_1', '--overlap', '7d1s'],
  ['messages', 'foo'],
  ['fees', 'set', 'till', '--percent', '1'],
  ['fees', 'set', 'ussd'],
  ['fees', 'set', 'ussd', '--percent', '1.555'],
  ['fees', 'set', 'ussd', '--percent', '101'],
  ['fees', 'set', 'ussd', '--percent', '1', '--cap', '1.5'],
  ['fees', 'set', 'ussd', '--percent', '1', '--band', '5000'],
  ['sessions', 'list', '--status', 'gone'],
  ['sessions', 'list', '--live', '--test'],
  ['sessions', 'list', '--limit', '101'],
  ['sessions', 'list', '--msisdn', '12'],
  ['sessions', 'review', 'pay_1', 'maybe'],
  ['merchants', 'everything'],
  ['start', '--port', 'http'],
])('%s %s %s %s %s is wrong usage', async (...args) => {
  const { code, err } = await run(args.filter(Boolean), {
    env: { DIALTILL_SERVICE_URL: 'http://127.0.0.1:1', DIALTILL_ADMIN_TOKEN: adminToken },
  });
  expect(code).toBe(2);
  expect(err).toMatch(/^error: /);
});

test.each([
  [['--help'], 'Exit codes:'],
  [['merchants', 'create', '--help'], '$ dialtill service merchants create "Abena Stores"'],
  [['messages', '--help'], '$ dialtill service messages 0244123456'],
  [['keys', 'create', '--help'], '$ dialtill service keys create --quiet'],
  [['start', '--help'], '$ dialtill service start --data'],
])('%j has an example', async (args, text) => {
  const { code, out } = await run(args);
  expect(code).toBe(0);
  expect(out).toContain(text);
});

test('an invalid argument is answered with the valid forms', async () => {
  const errorOf = async (...args: string[]) => (await run(args)).err;
  expect(await errorOf('messages', 'foo')).toContain('0244123456, 233244123456 or "+233 24 412 3456"');
  expect(await errorOf('keys', 'rotate', 'key_1', '--overlap', '8d')).toContain('At most 7d.');
  expect(await errorOf('clock', 'advance', '31d')).toContain('At most 30d.');
});

test('help lists the scopes, the decisions and the maximum step of the clock', async () => {
  const help = async (...args: string[]) => (await run([...args, '--help'])).out.replace(/\s+/g, ' ');
  const keys = await help('keys', 'create');
  for (const scope of scopes) expect(keys).toContain(scope);
  const review = await help('sessions', 'review');
  expect(review).toContain('accept the session becomes paid, with the amount that was charged');
  expect(review).toContain('reject the session becomes failed; return the money outside the service');
  expect(await help('clock', 'advance')).toContain('at most 30d per call');
});
