import { expect, onTestFinished, test, vi } from 'vitest';
import { type CompiledStatement, Database } from '../../src/sqlite/driver.ts';
import { ask } from './admin-client.ts';
import { type Bench, create, initiate, openMerchant, payer, pushed } from './support.ts';

/** Tables that grow with every payment. */
const large = /\b(payment_session|event|prompt|otp_request|idempotency|delivery_attempt)\b/;

/** Read in their order from one end, for the first few rows. */
const inOrder =
  /USING (COVERING )?INDEX (prompt_unanswered|event_turn|event_age|otp_request_age)$|^SCAN idempotency$/;

/** All open sessions, or all events of a type, that a merchant has in a mode: for lists that nothing else filters. */
const unfiltered = /USING INDEX (payment_session_open|event_type) /;
const filtered = /"(status|reference|payer|session_id|platform_id|state)" = \?/;

/** Every statement that `work` makes this process compile. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const seen = new Set<string>();
  const { prepare } = Database.prototype;
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database, sql) {
    seen.add(sql);
    return prepare.call(this, sql) as CompiledStatement<unknown[]>;
  });
  await work().finally(() => spy.mockRestore());
  return [...seen].filter((sql) => /^\s*(select|update|delete|insert|with)\b/i.test(sql));
}

/** What is wrong with how SQLite would go about each. */
function faultsOf({ file }: Bench, statements: readonly string[]): string[] {
  const database = new Database(file, { readonly: true });
  onTestFinished(() => void database.close());
  return statements.flatMap((sql) => {
    const values = Array.from(sql.matchAll(/\?/g), () => null);
    const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(values);
    const details = plan.map(({ detail }) => detail);
    const readsAll = details.some((one) => /^SCAN/.test(one) && large.test(one) && !inOrder.test(one));
    // Places that have something to send are few: these are sorted.
    const sortsAll = details.includes('USE TEMP B-TREE FOR ORDER BY') && !/WITH RECURSIVE/.test(sql);
    const readsAllOfOne = filtered.test(sql) && details.some((one) => unfiltered.test(one));
    const isWrong = readsAll || readsAllOfOne || (sortsAll && details.some((one) => large.test(one)));
    return isWrong ? [[sql, ...details].join('\n  ')] : [];
  });
}

/** All choices of some of the filters. */
function choices(filters: Record<string, string>): string[] {
  return Object.entries(filters).reduce<string[]>(
    (found, [name, value]) => found.flatMap((one) => [one, `${one}&${name}=${value}`]),
    [''],
  );
}

test('no list query scans a whole table, with any filter', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const get = async (path: string) => {
    const answer = await bench.service.app.request(path, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status, path).toBe(200);
  };
  const adminGet = async (path: string) => expect((await ask(bench, 'GET', path)).status, path).toBe(200);
  const cursor = (prefix: string) => ({ cursor: `${prefix}_01k5n8c0000000000000000000` });
  const statements = await statementsOf(async () => {
    const ofMerchant = { status: 'failed', reference: 'INV-7', ...cursor('pay') };
    for (const query of choices(ofMerchant)) await get(`/v1/payments/sessions?${query.slice(1)}`);
    const ofEvents = { type: 'payment.session.failed', session_id: 'pay_1', ...cursor('evt') };
    for (const query of choices(ofEvents)) await get(`/v1/events?${query.slice(1)}`);
    const ofAny = { livemode: 'true', status: 'failed', msisdn: payer, ...cursor('pay') };
    for (const query of choices(ofAny)) {
      for (const more of ['', `&merchant_id=${merchantId}`, `&merchant_id=${merchantId}&reference=INV-7`]) {
        await adminGet(`/sessions?${(query + more).slice(1)}`);
      }
    }
    await adminGet(`/merchants/${merchantId}/statement?date=2026-03-06`);
    for (const query of choices({
      livemode: 'true',
      state: 'given_up',
      platform_id: 'plt_1',
      ...cursor('evt'),
    })) {
      await adminGet(`/merchants/${merchantId}/deliveries?${query.slice(1)}`);
    }
  });
  expect(statements.length).toBeGreaterThan(50);
  expect(faultsOf(bench, statements)).toEqual([]);
});

test('no query of a payment, from its creation to its last webhook, scans a whole table', async () => {
  const { bench, merchantId, key } = await openMerchant();
  await bench.service.setWebhook({ merchantId, livemode: false, url: 'https://shop.test/hook' });
  const statements = await statementsOf(async () => {
    await bench.restart();
    for (const ending of ['901', '902', '904', '905', '906', '907']) {
      const id = await create(bench, key, { msisdn: `233244000${ending}` });
      await initiate(bench, key, id, ending);
    }
    const { id, promptId } = await pushed(bench, key);
    await bench.service.phone.approve(promptId, '1234');
    await bench.clock.advance(60 * 60_000);
    await ask(bench, 'GET', `/sessions/${id}`);
    await ask(bench, 'GET', '/reviews');
    await ask(bench, 'GET', '/refunds');
    await ask(bench, 'GET', '/refunds?cursor=1-1');
  });
  expect(statements.length).toBeGreaterThan(30);
  expect(faultsOf(bench, statements)).toEqual([]);
});
