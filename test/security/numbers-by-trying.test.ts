import { expect, test } from 'vitest';
import { createAccount, createConsoleTill } from '../kit/console.ts';
import { callApi, createMerchantKey } from '../kit/merchant-api.ts';
import { callStaff } from '../kit/staff.ts';

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

test('an agent finds a payment by more digits', async () => {
  const till = await createConsoleTill();
  await till.pay(payer);
  const { id } = await till.only(payer);
  const browser = await (await createAccount(till, 'yaw', 'agent')).signIn();
  for (const q of ['23456', payer]) expect((await browser.post('/search', { q })).location).toContain(id);
  expect((await browser.post('/search', { q: '0244993456' })).text).toContain('0 of 0');
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
