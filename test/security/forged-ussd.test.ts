import { expect, test } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import { createShop } from '../kit/payers.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

function count(till: Till, table: 'turn' | 'collection'): number {
  const file = new Database(till.config.database.file, { readonly: true });
  try {
    return Number(file.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  } finally {
    file.close();
  }
}

test('S51 forged-ussd: no channel responds to a missing, wrong or misplaced secret', async () => {
  const till = await createTill();
  const { channels } = till.config;
  expect(channels.length).toBeGreaterThanOrEqual(20);
  await till.clock.advance(2_000);
  const nothing = await till.gateway().app.request('http://gateway.test/nothing', { method: 'POST' });
  const refusal = await nothing.text();
  for (const [n, { id, secret }] of channels.entries()) {
    const neighbour = channels[(n + 1) % channels.length]?.secret ?? '';
    const wrong = [
      '',
      '/',
      '/wrong',
      `/${neighbour}`,
      `/${secret.slice(0, -1)}`,
      `/${secret}x`,
      `/${secret.toUpperCase()}`,
    ];
    for (const path of [...wrong, `/x/${secret}`, `?secret=${secret}`]) {
      const url = `http://gateway.test/ussd/${id}${path}`;
      const headers = { authorization: `Bearer ${secret}`, 'x-secret': secret };
      const body = 'sessionId=s-1&phoneNumber=%2B233244123456&text=1*20*1';
      const answer = await till.gateway().app.request(url, { method: 'POST', headers, body });
      expect([id, path, answer.status]).toEqual([id, path, 404]);
      expect(await answer.text()).toBe(refusal);
    }
  }
  expect(count(till, 'turn')).toBe(0);
});

test('S51 forged-ussd: the payer is the number that the aggregator sends, never one from added fields or headers', async () => {
  const till = await createTill();
  const url = `${callbackUrl(till, 'africastalking')}?msisdn=0201234567&payer=0201234567`;
  for (const text of ['', '1', '1*20', '1*20*1']) {
    await till.clock.advance(2_500);
    const form = new URLSearchParams({
      sessionId: 's-1',
      phoneNumber: '+233244123456',
      text,
      payer: '0201234567',
    });
    const headers = { 'x-msisdn': '0201234567', 'x-payer': '0201234567' };
    const answer = await till.gateway().app.request(url, { method: 'POST', headers, body: form.toString() });
    expect(answer.status).toBe(200);
  }
  expect(await till.only('0244123456')).toMatchObject({ payer: '233244123456', dialler: '233244123456' });
  expect(await till.find('0201234567')).toEqual([]);
});

/** Requests a payment from another phone, as an attacker with the callback address could. */
async function ask(till: Till, dialler: string, whom: string): Promise<string> {
  const phone = till.phone(dialler);
  await phone.dial();
  return phone.type('2', whom, '20', '1');
}

test('S51 forged-ussd: a hundred sessions of a hundred phones prompt one payer at most three times an hour', async () => {
  const till = await createShop({ limits: { payer: { perHour: 3, perDay: 20 } } });
  const from = (n: number) => `02440001${String(n).padStart(2, '0')}`;
  const asked: string[] = [];
  for (let n = 0; n < 100; n++) {
    asked.push(await ask(till, from(n), payer));
    const [prompt] = n < 20 ? await till.service.phone.pending('233244123456') : [];
    if (prompt) await till.service.phone.decline(prompt.id);
    // The counts are on disk, so a new process continues them.
    if (n === 50) await till.restart();
  }
  await till.clock.advance(10_000);
  const { pushes } = await till.checkStatement();
  expect(pushes).toBeLessThanOrEqual(3);
  expect(pushes).toBeGreaterThan(0);
  expect(count(till, 'collection')).toBeLessThanOrEqual(3);
  expect(asked.filter((text) => text.includes('Nothing was paid')).length).toBeGreaterThan(50);
});

test("S51 forged-ussd: a session id does not continue another phone's session", async () => {
  const till = await createTill();
  const hers = till.session('0244123456', 'nalo', { session: 'shared' });
  await hers.send([]);
  await till.clock.advance(2_500);
  await hers.send(['1']);
  await till.clock.advance(2_500);
  const forged = till.session('0201234567', 'nalo', { session: 'shared' });
  await forged.send(['1', '20']);
  await till.clock.advance(2_500);
  await forged.send(['1', '20', '1']);
  await till.clock.advance(10_000);
  expect(await till.find('0244123456')).toEqual([]);
});
