import { expect, test } from 'vitest';
import { createAccount, createConsoleTill } from '../kit/console.ts';
import { withNotify } from '../kit/receiver.ts';
import { callWithConfiguration } from '../kit/staff.ts';
import type { Till } from '../kit/till.ts';

/* A bound is a guard of the insert: requests that arrive at once do not pass it together. */

const times = <Result>(count: number, work: (index: number) => Result) =>
  Array.from({ length: count }, (_, index) => work(index));

async function count(till: Till, rows: string): Promise<number> {
  const [row] = await till.ledger.rows<{ n: number }>(`SELECT count(*) AS n FROM ${rows}`);
  return Number(row?.n);
}

/** Fills the accounts up to one below the bound. */
const fillAccounts = (till: Till) =>
  till.write([
    {
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        INSERT INTO account (id, name, role, last_step, created_at) SELECT 'acc_' || i, 'p' || i, 'agent', 0, 0 FROM n`,
      args: [],
    },
  ]);

test.each([
  ['account', 1_000, (index) => ['/accounts', { name: `yaw-${index}`, role: 'agent', merchantId: null }]],
  [
    'notification_endpoint',
    10,
    (index) => ['/endpoints', { merchantId: 'demo-shop', url: `https://r.example/${index}` }],
  ],
  ['merchant_key', 20, () => ['/merchant-keys', { merchantId: 'demo-shop', scopes: ['payments:read'] }]],
] as [string, number, (index: number) => [string, object]][])(
  '%s: at most %i, also when several are added at once',
  async (name, max, input) => {
    const till = await createConsoleTill({ configure: withNotify });
    if (name === 'account') await fillAccounts(till);
    const answers = await Promise.all(times(27, (index) => callWithConfiguration(till, ...input(index))));
    expect(await count(till, name)).toBe(max);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 409));
    expect(JSON.stringify(refused[0]?.body)).toContain(String(max));
  },
);

test('an account has at most 5 tokens and 20 saved views, also when several are created at once', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  await Promise.all(times(9, () => browser.post('/me/tokens')));
  expect(await count(till, "account_session WHERE kind = 'command'")).toBe(5);
  await Promise.all(
    times(30, (index) => browser.post('/views', { name: `view ${index}`, query: 'status=paid' })),
  );
  expect(await count(till, 'saved_view')).toBe(20);
});

test('a sign-in beyond 20 ends the session that was used least recently, and no token', async () => {
  const till = await createConsoleTill();
  const efua = await createAccount(till, 'efua', 'lead');
  const first = await efua.signIn();
  await first.post('/me/tokens');
  await till.write([
    {
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO account_session (digest, id, account_id, kind, created_at, seen_at, confirmed_at)
        SELECT 'd' || i, 'ses_' || i, a.id, 'full', ?, i, 0 FROM n, account AS a`,
      args: [till.clock.now()],
    },
  ]);
  const last = await efua.signIn();
  expect(await count(till, "account_session WHERE kind = 'full'")).toBe(20);
  expect(await count(till, "account_session WHERE kind = 'command'")).toBe(1);
  expect(await count(till, "account_session WHERE digest IN ('d22', 'd23')")).toBe(1);
  for (const browser of [first, last]) expect((await browser.get('/me')).status).toBe(200);
});
