import { expect, test } from 'vitest';
import { actionLimits } from '../../src/gateway/access/action-store.ts';
import { digitSearchLimits } from '../../src/gateway/console/scope.ts';
import { createAccount, createConsoleTill } from '../kit/console.ts';
import { callApi, createMerchantKey } from '../kit/merchant-api.ts';
import { callStaff, staffActions } from '../kit/staff.ts';
import { deliver, paidOf } from '../kit/unplaced.ts';

const payer = '0244123456';

test.each([
  ['auditor', null],
  ['merchant', 'demo-shop'],
] as const)(
  'the role %s does not find a whole number by trying more than its last four digits',
  async (role, merchant) => {
    const till = await createConsoleTill();
    await till.pay(payer);
    const { id } = await till.only(payer);
    const browser = await (await createAccount(till, 'yaw', role, merchant)).signIn();
    const finds = async (q: string) => {
      const { location, text } = await browser.post('/search', { q });
      const page = location === null ? text : (await browser.get(location.slice('/console'.length))).text;
      return page.includes(id);
    };
    expect(await finds('3456')).toBe(true);
    // The same digits, whole or not: only the last four are compared.
    expect(await finds(payer)).toBe(true);
    expect(await finds('0244993456')).toBe(true);
    for (const digits of ['23456', '123456', '4123456', '244123456', '233244123456'.slice(1)])
      expect(await finds(digits), digits).toBe(digits.length === 9);
    expect(await finds('0244123457')).toBe(false);
  },
);

test.each([
  ['auditor', null],
  ['merchant', 'demo-shop'],
  ['agent', null],
] as const)('the role %s finds a reference with a number as it is shown', async (role, merchant) => {
  const till = await createConsoleTill();
  await till.pay(payer);
  const { id } = await till.only(payer);
  await till.write([
    { sql: 'UPDATE collection SET reference = ? WHERE id = ?', args: ['RENT-0209876543 INV/2026', id] },
  ]);
  const browser = await (await createAccount(till, 'yaw', role, merchant)).signIn();
  const finds = async (q: string) => {
    const { location, text } = await browser.post('/search', { q });
    const page = location === null ? text : (await browser.get(location.slice('/console'.length))).text;
    return page.includes(id);
  };
  const shown = /RENT-[^<]+/.exec((await browser.get(`/payments/${id}`)).text)?.[0] ?? '';
  expect(shown).toBe('RENT-020 ••• 6543 INV/2026');
  for (const q of [shown, '020 ••• 6543', 'RENT', 'rent 543', 'INV 2026', 'RENT 26', '65 INV'])
    expect(await finds(q), q).toBe(true);
  const isWhole = role === 'agent';
  for (const q of ['RENT 98', 'RENT-0209876', 'RENT-0209876543 INV/2026', '0209876543 INV', '76 INV'])
    expect(await finds(q), q).toBe(isWhole);
  for (const q of ['RENT 233', 'RENT-23320****543']) expect(await finds(q), q).toBe(!isWhole);
  for (const q of ['RENT 01', 'RENT 79', 'RENT-020 ••• 7543']) expect(await finds(q), q).toBe(false);
});

test.each(['auditor', 'agent'] as const)(
  'the role %s finds unplaced money by its reference as it is shown',
  async (role) => {
    const till = await createConsoleTill();
    await deliver(till, paidOf('pay_unknown', 'evt_unknown'));
    await till.write([
      { sql: 'UPDATE unplaced_payment SET reference = ?, client_trans_id = NULL', args: ['RENT-0209876543'] },
    ]);
    const browser = await (await createAccount(till, 'yaw', role)).signIn();
    const finds = async (q: string) => {
      const { location, text } = await browser.post('/unplaced/search', { q });
      const page = location === null ? text : (await browser.get(location.slice('/console'.length))).text;
      return page.includes('unplaced/unp_');
    };
    const isWhole = role === 'agent';
    for (const q of ['RENT', 'rent 543', 'RENT 20', 'RENT-020 ••• 6543', 'RENT-02'])
      expect(await finds(q), q).toBe(true);
    for (const q of ['RENT 98', 'RENT-0209876543']) expect(await finds(q), q).toBe(isWhole);
    expect(await finds('RENT 01')).toBe(false);
  },
);

test.each([
  ['auditor', null],
  ['merchant', 'demo-shop'],
] as const)(
  'searches of the role %s by digits are recorded beyond a number in an hour, and refused beyond another',
  async (role, merchant) => {
    const till = await createConsoleTill();
    await till.pay(payer);
    const browser = await (await createAccount(till, 'yaw', role, merchant)).signIn();
    const rows = async () =>
      (await staffActions(till))
        .filter(({ action }) => action === 'search_digits')
        .map(({ actor, result }) => `${actor} ${result}`);
    const paths = [
      (digits: string) => browser.post('/search', { q: digits }),
      (digits: string) => browser.post('/search', { q: `INV/${digits}` }),
      (digits: string) => browser.get(`/payments?last4=${digits}`),
      (digits: string) => browser.get(`/export.csv?q=${digits}`),
      ...(role === 'auditor' ? [(digits: string) => browser.get(`/unplaced?q=${digits}`)] : []),
    ];
    const ask = async (nr: number) => (await paths[nr % paths.length]?.(String(1_000 + nr)))?.status;
    for (let nr = 0; nr < digitSearchLimits.quiet; nr++) expect(await ask(nr)).not.toBe(429);
    for (let again = 0; again < 5; again++)
      expect((await browser.get('/payments?last4=1019')).status).toBe(200);
    expect(await rows()).toEqual([]);
    for (let nr: number = digitSearchLimits.quiet; nr < digitSearchLimits.max; nr++) {
      if (nr === 40) await till.clock.advance(60_000);
      expect(await ask(nr)).not.toBe(429);
    }
    expect(await rows()).toEqual(['yaw done']);
    for (let nr: number = digitSearchLimits.max; nr < digitSearchLimits.max + 5; nr++)
      expect(await ask(nr)).toBe(429);
    expect(await rows()).toEqual(['yaw done', 'yaw refused']);
    expect((await browser.post('/search', { q: 'INV 77' })).status).not.toBe(429);
    const { text } = await browser.post('/search', { q: '3456' });
    expect(text).toContain('many numbers by their digits within an hour');
    for (let minute = 0; minute < 60; minute += 20) {
      await till.clock.advance(20 * 60_000);
      await browser.get('/me');
    }
    expect(await ask(100)).not.toBe(429);
  },
);

test('an agent finds a payment by more digits', async () => {
  const till = await createConsoleTill();
  await till.pay(payer);
  const { id } = await till.only(payer);
  const browser = await (await createAccount(till, 'yaw', 'agent')).signIn();
  for (const q of ['23456', payer]) expect((await browser.post('/search', { q })).location).toContain(id);
  expect((await browser.post('/search', { q: '0244993456' })).text).toContain('No payment found.');
});

test('searches for digits at the same moment count each other, and are recorded once', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'yaw', 'auditor')).signIn();
  const answers = await Promise.all(
    Array.from({ length: digitSearchLimits.max + 20 }, (_, nr) =>
      browser.get(`/payments?last4=${1_000 + nr}`),
    ),
  );
  const served = answers.filter(({ text }) => !text.includes('many numbers by their digits'));
  expect(served).toHaveLength(digitSearchLimits.max);
  const rows = (await staffActions(till)).filter(({ action }) => action === 'search_digits');
  expect(rows.map(({ result }) => result).toSorted()).toEqual(['done', 'refused']);
});

test('a key without whole numbers does not find a blocked one by removing blocks without a trace and a bound', async () => {
  const till = await createConsoleTill();
  const block = { msisdn: payer, role: 'payer', merchantId: 'demo-shop', until: null, reason: 'stolen' };
  await callStaff(till, 'ama', '/blocks', block);
  const { secret, key } = await createMerchantKey(till, { scopes: ['payments:read', 'payments:write'] });
  const attempt = async (msisdn: string) =>
    (await callApi(till, secret, '/blocks/remove', { body: { msisdn, role: 'payer', reason: 'asked' } }))
      .status;
  expect(await attempt('0244003456')).toBe(404);
  expect((await staffActions(till)).filter(({ actor }) => actor === key.id)).toMatchObject([
    { action: 'unblock', result: 'refused', subject: '233244003456' },
  ]);
  const at = till.clock.now();
  const tries = Array.from({ length: actionLimits.refused - 1 }, (_, nr) => ({
    sql: `INSERT INTO staff_action (at, actor, action, result, subject_kind, subject_id, merchant_id, livemode, detail)
          VALUES (?, ?, 'unblock', 'refused', 'phone', ?, 'demo-shop', 0, '{}')`,
    args: [at, key.id, `23324411${String(nr).padStart(4, '0')}`],
  }));
  await till.write(tries);
  expect(await attempt('0244013456')).toBe(429);
});

test('a merchant does not read who of support staff blocked a number, and why', async () => {
  const till = await createConsoleTill();
  const block = { msisdn: payer, role: 'payer', merchantId: 'demo-shop', until: null };
  await callStaff(till, 'ama', '/blocks', { ...block, reason: 'stolen SIM, says the police' });
  const { secret, key } = await createMerchantKey(till);
  await callApi(till, secret, '/blocks', {
    body: { msisdn: '0201234567', role: 'payer', reason: 'asked', until: null },
  });
  const { body } = await callApi(till, secret, '/blocks');
  expect(body.data).toMatchObject([
    { by: key.id, reason: 'asked' },
    { by: null, reason: null },
  ]);
  expect(JSON.stringify(body)).not.toContain('police');
});
