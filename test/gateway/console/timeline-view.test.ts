import { expect, test } from 'vitest';
import { showSpan } from '../../../src/gateway/console/parts/format.ts';
import { timelineItems } from '../../../src/gateway/console/payment-timeline.tsx';
import { maskedNumbers } from '../../../src/gateway/console/scope.ts';
import type { TimelineEntry } from '../../../src/gateway/support/timeline.ts';
import { createAccount, createConsoleTill, plainText } from '../../kit/console.ts';
import { callStaff } from '../../kit/staff.ts';
import { deliver, paidOf } from '../../kit/unplaced.ts';

const entry = (at: number, kind: TimelineEntry['kind'], text: string): TimelineEntry => ({
  ...{ at, kind, text, ms: null },
  ...(kind === 'poll' && { reported: text.split(',')[0] ?? '' }),
});

test('polls in a row that reported the same are one entry, and a long pause is named', () => {
  const items = timelineItems(
    [
      entry(0, 'screen', 'Pay with 0244123456?'),
      entry(5_000, 'poll', 'status: initiated, next poll after 10 s'),
      entry(15_000, 'poll', 'status: initiated, next poll after 20 s'),
      entry(35_000, 'poll', 'status: initiated'),
      entry(36_000, 'poll', 'status: paid (final)'),
      entry(36_000, 'status', 'paid'),
    ],
    maskedNumbers,
  );
  expect(items.map(({ layer, text, count, until, gap }) => ({ layer, text, count, until, gap }))).toEqual([
    { layer: 'phone', text: 'Pay with 024\u00a0•••\u00a03456?', count: 1, until: 0, gap: null },
    { layer: 'technical', text: 'status: initiated', count: 3, until: 35_000, gap: '5 s later' },
    { layer: 'technical', text: 'status: paid (final)', count: 1, until: 36_000, gap: null },
    { layer: 'story', text: 'paid', count: 1, until: 36_000, gap: null },
  ]);
});

test.each([
  [0, '0 s'],
  [18_000, '18 s'],
  [250_000, '4 min 10 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
  [86_400_000 + 5_000, '1 d'],
])('%d ms are shown as %j', (ms, text) => {
  expect(showSpan(ms)).toBe(text);
});

/** A till of a merchant in Nairobi, three hours before Ghana, with a payment at 12:00 there. */
async function payInNairobi() {
  const till = await createConsoleTill({
    configure(config) {
      config.notify = { secretsKey: Buffer.alloc(32, 7).toString('base64'), allowPrivate: [] };
      for (const shop of config.merchants) shop.timeZone = 'Africa/Nairobi';
    },
  });
  await till.paidPayment('0244123456');
  return till;
}

test('times of dialogues, bookings, closed days and deliveries are in the zone of the merchant, and name it', async () => {
  const till = await payInNairobi();
  await till.pay('0500111222', ['1']);
  const efua = await createAccount(till, 'efua', 'lead');
  let browser = await efua.signIn();
  const show = async (path: string) => plainText((await browser.get(path)).text);
  const list = (await browser.get('/dialogues?merchant=demo-shop')).text;
  expect(plainText(list)).toMatch(/newest first, Africa\/Nairobi/);
  const [, dialogue = ''] = /href="\/console(\/dialogues\/[^"?/]+)"/.exec(list) ?? [];
  expect(await show(dialogue)).toMatch(/dialled demo-shop by \S+, 12:\d\d Africa\/Nairobi, for/);
  const bookings = await show('/days/2026-03-06/bookings?merchant=demo-shop');
  expect(bookings).toMatch(/oldest first\. Africa\/Nairobi\..* 12:\d\d /s);
  const input = { merchantId: 'demo-shop', url: 'https://shop.example/hooks' };
  const added = await callStaff(till, 'adwoa', '/endpoints', input);
  const { id } = added.body.endpoint as { id: string };
  expect(await show(`/endpoints/${id}`)).toMatch(/Added 12:\d\d .*of each\. Africa\/Nairobi\./s);
  await till.clock.advance(86_400_000);
  const totals = { opened: 1, paid: 1, notPaid: 0, chargedMinor: 2_020, feeMinor: 20, netMinor: 2_000 };
  const closed = await callStaff(till, 'kofi', '/days/2026-03-06/close', { merchantId: 'demo-shop', totals });
  expect(closed.status).toBe(200);
  browser = await efua.signIn();
  expect(await show('/days/2026-03-06')).toMatch(/by kofi, 12:\d\d Africa\/Nairobi/);
});

test('every time of the page of a payment is in the zone of its merchant, and the timeline names the zone', async () => {
  const till = await payInNairobi();
  const { id } = await till.only('0244123456');
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  await browser.post(`/payments/${id}/notes`, { text: 'The payer called.' });
  await browser.post(`/payments/${id}/block`, { role: 'payer', length: 'day', reason: 'asked for it' });
  await browser.post(`/payments/${id}/reveal`, { reason: 'call back' });
  const page = plainText((await browser.get(`/payments/${id}`)).text);
  const [shown = '', summary = ''] = page.split('Case summary');
  expect(summary).toMatch(/ UTC /);
  expect(shown).toContain('Timeline Africa/Nairobi');
  const times = shown.match(/\b\d\d:\d\d\b/g) ?? [];
  expect(times.length).toBeGreaterThan(15);
  expect(times.filter((time) => !time.startsWith('12:'))).toEqual([]);
});

test('the list of a day has the payments of its totals where a merchant has another day, and pages name their zone', async () => {
  const till = await payInNairobi();
  await till.clock.advance(Date.parse('2026-03-06T22:30Z') - till.clock.now());
  // It is 01:30 of the next day in Nairobi.
  await till.paidPayment('0201234567');
  await deliver(till, paidOf('pay_elsewhere_1'));
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const show = async (path: string) => plainText((await browser.get(path)).text);
  const day = (await browser.get('/days/2026-03-06')).text;
  const [, list = ''] = /href="\/console(\/payments\?merchant=demo-shop[^"]*)"/.exec(day) ?? [];
  expect(plainText(day)).toMatch(/midnight to midnight, Ghana time\..* demo-shop 2 40\.40 /s);
  expect(await show(list.replaceAll('&amp;', '&'))).toMatch(
    /2 of 2, sum of prices GHS 40\.00, Africa\/Nairobi/,
  );
  expect(await show('?merchant=demo-shop')).toMatch(
    /March 2026, 22:3\d · Ghana time, 01:3\d Africa\/Nairobi/,
  );
  const [, money = ''] =
    /href="\/console(\/unplaced\/[^"?]+)"/.exec((await browser.get('/unplaced')).text) ?? [];
  expect(await show(money)).toMatch(/Received 01:3\d, waits .* Merchant demo-shop, Africa\/Nairobi/s);
});
