import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { eventIdHeader, eventTypes, signatureHeader } from '../../src/contract/event.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { settle, testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { ask } from './admin-client.ts';
import { type Bench, initiate, json, openBench, payer, poll, post, refusal } from './support.ts';

const minute = 60_000;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const merchantId = 'mch_01k5n8c0000000000000000000';
const key = 'sk_test_of_the_old_program';
const liveKey = 'sk_live_of_the_old_program';
const revokedKey = 'sk_test_that_was_revoked';
const path = '/v1/payments/sessions';
/** In another order than the canonical one: the old program looked at a body's bytes. */
const body = `{"msisdn":"${payer}","amount_minor":2000,"network":"mtn","mode":"offline","reference":"INV-7"}`;

type Row = Record<string, string | number | null>;

/** A file as the first release left it, with rows in every table. */
function oldFile() {
  const clock = testClock();
  const now = clock.now();
  const ids = systemIds(clock);
  const file = join(temporaryFolder(), 'service.db');
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.exec(readFileSync('drizzle/service/0000_sessions.sql', 'utf8'));
  const journal = JSON.parse(readFileSync('drizzle/service/meta/_journal.json', 'utf8'));
  database.exec(
    'CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric)',
  );
  const insert = (table: string, row: Row) => {
    const names = Object.keys(row);
    database.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(row);
  };
  insert('__drizzle_migrations', { hash: 'of the first', created_at: journal.entries[0].when });

  const ofMerchant = (livemode: 0 | 1) => ({ merchant_id: merchantId, livemode });
  insert('merchant', { id: merchantId, name: 'Abena', offline_approved_at: now - 9, created_at: now - 9 });
  for (const [secret, livemode, revoked_at] of [
    [key, 0, null],
    [liveKey, 1, null],
    [revokedKey, 0, now - 5],
  ] as const) {
    const digest = sha256(secret);
    insert('api_key', {
      ...{ ...ofMerchant(livemode), id: ids.next('key'), handle: digest.slice(0, 16), digest, revoked_at },
      ...{ ending: secret.slice(-4), scopes: '["collections:offline"]', created_at: now - 9 },
    });
  }

  function session(status: string, change: Row = {}): string {
    const id = ids.next('pay');
    const open = status === 'created' || status === 'initiated';
    insert('payment_session', {
      ...{
        ...ofMerchant(0),
        id,
        mode: 'offline',
        channel: 'ussd',
        network: 'mtn',
        payer,
        reference: 'INV-7',
      },
      ...{ goods_minor: 2_000, amount_minor: 2_020, fee_minor: 20, net_minor: 2_000, status, reason: null },
      ...{ created_at: now - 900, initiated_at: status === 'created' ? null : now - 800 },
      ...{ paid_at: status === 'paid' ? now - 700 : null, closed_at: open ? null : now - 700 },
      ...{ expires_at: open ? now + 3 * minute : null, ...change },
    });
    return id;
  }
  const sessions = {
    created: session('created'),
    pending: session('initiated'),
    approved: session('initiated'),
    paid: session('paid'),
    failed: session('failed', { reason: 'pin_limit' }),
    expired: session('expired', { reason: 'no_result' }),
    live: session('created', { livemode: 1 }),
  };

  function prompt(session_id: string, status: string, change: Row = {}): string {
    const id = ids.next('prm');
    const pending = status === 'pending';
    insert('prompt', {
      ...{ id, session_id, livemode: 0, merchant_name: 'Abena', payer, network: 'mtn', amount_minor: 2_020 },
      ...{ status, wrong_pins: 0, charged_minor: status === 'approved' ? 2_020 : 0, created_at: now - 800 },
      ...{ expires_at: now + 2 * minute, closed_at: pending ? null : now - 700 },
      ...{ reported_at: pending ? null : now - 700, ...change },
    });
    return id;
  }
  const pending = prompt(sessions.pending, 'pending', { wrong_pins: 1 });
  prompt(sessions.approved, 'approved', { reported_at: null });
  prompt(sessions.paid, 'approved');
  prompt(sessions.failed, 'failed', { wrong_pins: 3 });
  prompt(sessions.expired, 'expired');

  function event(status: 'paid' | 'failed' | 'expired', state: string, attempts: number): string {
    const id = ids.next('evt');
    const type = status === 'paid' ? eventTypes.paid : eventTypes.failed;
    const created_at = new Date(now).toISOString();
    const amounts = {
      goods_minor: 2_000,
      amount_minor: 2_020,
      expected_fee_minor: 20,
      expected_net_minor: 2_000,
    };
    const end = status === 'paid' ? { paid_at: created_at } : { reason: 'pin_limit' };
    const data = { id: sessions[status], status, ...amounts, ...end };
    insert('event', {
      ...{ ...ofMerchant(0), id, type, session_id: data.id, created_at: now - 600, state, attempts },
      ...{ body: JSON.stringify({ id, type, created_at, data }), last_status: attempts ? 500 : null },
      ...{ next_at: state === 'waiting' ? now - 10 : null, last_attempt_at: attempts ? now - 300 : null },
    });
    return id;
  }
  const waiting = event('paid', 'waiting', 2);
  event('failed', 'delivered', 1);
  event('expired', 'given_up', 9);
  event('expired', 'no_endpoint', 0);

  insert('endpoint', { ...ofMerchant(0), url: 'https://shop.test/hook', created_at: now });
  insert('endpoint', { ...ofMerchant(1), url: 'https://shop.test/live', created_at: now });
  const secret = (text: string, livemode: 0 | 1, retires_at: number | null) =>
    insert('signing_secret', {
      ...{ ...ofMerchant(livemode), id: ids.next('whs'), secret: text, created_at: now - 10, retires_at },
    });
  secret('the-secret-before', 0, now + minute);
  secret('the-secret-of-now', 0, null);
  secret('the-secret-of-live', 1, null);

  const kept = (name: string, to: string, sent: string, status: number, answer: object) =>
    insert('idempotency', {
      ...{ ...ofMerchant(0), key: name, fingerprint: sha256(`POST\n${to}\n${sent}`), status },
      ...{ body: JSON.stringify(answer), created_at: now - 500 },
    });
  kept('create', path, body, 201, { id: sessions.created });
  kept('create, driven', path, body, 201, { id: sessions.paid });
  kept('initiate', `${path}/${sessions.pending}/initiate`, '{}', 200, { id: sessions.pending });
  kept('initiate, unknown', `${path}/${sessions.expired}/initiate`, '', 504, {});

  const before = countsOf(database);
  database.close();
  return { file, sessions, pending, waiting, before };
}

const oldTables = [
  ...['merchant', 'api_key', 'payment_session', 'prompt'],
  ...['event', 'endpoint', 'signing_secret', 'idempotency'],
];

function countsOf(database: Database.Database): Record<string, number> {
  return Object.fromEntries(
    oldTables.map((name) => [name, Number(database.prepare(`SELECT count(*) FROM ${name}`).pluck().get())]),
  );
}

/** The old file, opened by today's program. */
async function upgraded() {
  const { file, ...old } = oldFile();
  const bench = openBench({ file });
  await settle();
  return { ...old, bench };
}

async function read(bench: Bench, address: string, withKey: string) {
  const answer = await bench.service.app.request(address, {
    headers: { authorization: `Bearer ${withKey}` },
  });
  return { status: answer.status, body: await json(answer) };
}

test('an upgrade loses no row, but for the kept answers that nothing can replay, and each merchant has a platform', async () => {
  const { bench, before } = await upgraded();
  const database = new Database(bench.file, { readonly: true });
  const { idempotency, event, ...after } = countsOf(database);
  expect(before).toMatchObject({ ...after, idempotency: 4, event: 4 });
  // The result that was not reported yet has become an event.
  expect([idempotency, event]).toEqual([1, 5]);
  const platforms = database.prepare('SELECT id, merchant_id, name FROM platform').all();
  const id = merchantId.replace('mch', 'plt');
  expect(platforms).toEqual([{ id, merchant_id: merchantId, name: 'Abena' }]);
  for (const table of ['payment_session', 'event', 'endpoint', 'signing_secret', 'api_key']) {
    const ids = database.prepare(`SELECT DISTINCT platform_id FROM ${table}`).pluck().all();
    expect(ids, table).toEqual([id]);
  }
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});

test('every session is what it was, in both modes, and keys open what they opened', async () => {
  const { bench, sessions } = await upgraded();
  const { live, approved, pending, ...others } = sessions;
  for (const [status, id] of Object.entries({ ...others, initiated: pending, paid: approved })) {
    expect(await poll(bench, key, id), status).toMatchObject({ status: 200, body: { status } });
  }
  expect(await poll(bench, liveKey, live)).toMatchObject({ status: 200, body: { status: 'created' } });
  expect((await poll(bench, key, live)).status).toBe(404);
  expect((await poll(bench, revokedKey, pending)).status).toBe(401);
  // The old program had no calls for reading, and its keys no scope for them.
  expect((await read(bench, `${path}/${sessions.paid}`, key)).status).toBe(403);
  const { key: reader } = await bench.service.createKey({ merchantId, livemode: false });
  const { body: file } = await read(bench, `${path}/${sessions.paid}`, reader);
  expect(file).toMatchObject({ reference: 'INV-7', goods_minor: 2_000, expected_fee_minor: 20 });
  expect((await read(bench, `${path}?reference=INV-7`, reader)).body.data).toHaveLength(6);
  expect((await read(bench, '/v1/events', reader)).body.data).toHaveLength(5);
  expect((await ask(bench, 'GET', `/merchants/${merchantId}/keys`)).status).toBe(200);
  expect((await ask(bench, 'GET', `/merchants/${merchantId}/deliveries`)).status).toBe(200);
});

test('what was under way goes on: prompts with their wrong PINs, results to report, events to send', async () => {
  const { bench, sessions, pending, waiting } = await upgraded();
  const sent = bench.received.find(({ headers }) => headers.get(eventIdHeader) === waiting);
  expect(sent?.url).toBe('https://shop.test/hook');
  expect(sent?.headers.get(signatureHeader)?.match(/v1=/g)).toHaveLength(2);
  for (const status of [403, 403]) {
    const answer = await post(bench, `/handset/prompts/${pending}/approve`, { body: { pin: '0000' } });
    expect(answer.status).toBe(status);
  }
  expect((await poll(bench, key, sessions.pending)).body).toMatchObject({ status: 'failed' });
  expect((await poll(bench, key, sessions.approved)).body).toMatchObject({ status: 'paid' });
  expect((await initiate(bench, key, sessions.created)).status).toBe(200);
  await bench.clock.advance(30 * minute);
  expect((await poll(bench, liveKey, sessions.live)).body).toMatchObject({ status: 'expired' });
});

test('a create that was answered before the upgrade is taken again, for nobody was asked to pay', async () => {
  const { bench, sessions } = await upgraded();
  const again = await post(bench, path, { key, idempotencyKey: 'create', body });
  expect(again.status).toBe(201);
  expect((await json(again)).id).not.toBe(sessions.created);
});

test('no create and no initiate of before the upgrade brings a second prompt', async () => {
  const { bench, sessions } = await upgraded();
  const prompts = () => {
    const database = new Database(bench.file, { readonly: true });
    const count = database.prepare('SELECT count(*) FROM prompt').pluck().get();
    database.close();
    return count;
  };
  const before = prompts();
  const driven = await post(bench, path, { key, idempotencyKey: 'create, driven', body });
  expect(await refusal(driven)).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
  const pending = await initiate(bench, key, sessions.pending, 'initiate');
  expect(await refusal(pending)).toMatchObject({ status: 409, code: 'session_already_initiated' });
  const expired = await initiate(bench, key, sessions.expired, 'initiate, unknown');
  expect(await refusal(expired)).toMatchObject({ status: 409, code: 'session_closed' });
  expect(prompts()).toBe(before);
});

test('a live URL without https, which is refused today, is disabled: its events wait until another is set', async () => {
  const { file } = oldFile();
  const database = new Database(file);
  database.exec("UPDATE endpoint SET url = 'http://shop.test/' || livemode");
  database.close();
  const bench = openBench({ file });
  const { webhooks } = await json(await ask(bench, 'GET', `/merchants/${merchantId}/webhooks`));
  expect(webhooks).toMatchObject([
    { livemode: false, disabled_at: null },
    { livemode: true, url: 'http://shop.test/1', disabled_at: expect.any(String) },
  ]);
});
