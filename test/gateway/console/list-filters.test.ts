import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFilter, readMoment } from '../../../src/gateway/support/filter-text.ts';
import { localTimeAt, timeOf } from '../../../src/shared/time-text.ts';
import { createAccount, createConsoleTill, payShort, plainText, rowsOf } from '../../kit/console.ts';
import { createTwoShops } from './two-shops.ts';

const now = Date.parse('2026-11-26T14:20:00Z');
const iso = (at: number | undefined) => at && new Date(at).toISOString().slice(0, 16);

test.each([
  ['today', '2026-11-26T00:00', '2026-11-27T00:00'],
  ['yesterday', '2026-11-25T00:00', '2026-11-26T00:00'],
  ['7d', '2026-11-20T00:00', '2026-11-27T00:00'],
  ['30d', '2026-10-28T00:00', '2026-11-27T00:00'],
])('%s are whole days that count from now', (when, from, before) => {
  const read = readFilter({ when }, { now });
  expect(read.ok && [iso(read.filter.from), iso(read.filter.before)]).toEqual([from, before]);
});

test('days and hours are those of the time zone, and both ends are included', () => {
  const clock = { now, timeZone: 'Africa/Nairobi' };
  const read = readFilter({ from: '2026-11-25T12:00', to: '2026-11-25' }, clock);
  expect(read.ok && [iso(read.filter.from), iso(read.filter.before)]).toEqual([
    '2026-11-25T09:00',
    '2026-11-25T21:00',
  ]);
  for (const text of ['2026-02-30', '2026-11-25T24:00', '2026-11-25T12:60', 'T12:00', '25.11.2026'])
    expect(readMoment(text), text).toBeUndefined();
});

test.each(['Africa/Accra', 'Asia/Kolkata', 'America/New_York', 'Africa/Casablanca'])(
  'a local time of %s is found again, save where a clock goes back',
  (timeZone) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000 }), (halfHours) => {
        const at = halfHours * 1_800_000;
        const local = localTimeAt(at, timeZone);
        expect(localTimeAt(timeOf(local, timeZone), timeZone)).toBe(local);
      }),
    );
  },
);

test('an unknown value of a filter is an error with the known ones, and a beginning is completed', async () => {
  const { till } = await createTwoShops();
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  const typed = await browser.post('/search', { q: 'merchant:abena' });
  const message = 'Merchant: expected one of demo-shop, other-shop, found “abena”.';
  expect(typed.status).toBe(422);
  expect(plainText(typed.text)).toContain(message);
  const addressed = await browser.get('/payments?merchant=abena');
  expect([addressed.status, plainText(addressed.text).includes(message)]).toEqual([422, true]);
  expect((await browser.post('/search', { q: 'merchant:oth when:today' })).location).toBe(
    '/console/payments?merchant=other-shop&when=today',
  );
  expect((await browser.get('/payments?merchant=oth')).text).toContain('1 of 1');
  expect(plainText((await browser.post('/search', { q: 'network:m reason:pin' })).text)).not.toContain(
    'expected',
  );
  expect(plainText((await browser.post('/search', { q: 'channel:x' })).text)).toMatch(
    /Channel: expected one of africastalking, .*hubtel.*, found “x”/,
  );
});

test('a list has its sums by status and by day, and its filters as links that remove them', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  await till.pay('0244123457');
  await till.clock.advance(24 * 3_600_000);
  await till.pay('0201234567');
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  const { text } = await browser.get('/payments?when=7d&network=mtn');
  const page = plainText(text);
  expect(page).toContain('Sums of these 2 payments');
  expect(rowsOf(text)).toContainEqual(['To decide', '1', '20.00', '10.10']);
  expect(page).toMatch(
    /Yesterday, Friday 6 March 2 payments, 0 paid: GHS\u00a00.00|Yesterday, Friday 6 March/,
  );
  expect(text).toMatch(/href="\/console\/payments\?when=7d">Network: MTN/);
  expect(text).toContain('To decide <small>1</small>');
  expect(rowsOf((await browser.get('/payments')).text).some((row) => row.includes('Telecel'))).toBe(true);
  expect((await browser.get('/payments?status=decide')).text).toContain('1 of 1');
  expect((await browser.get('/payments?status=unpaid&when=today')).text).toContain('No payment found.');
  const hour = await browser.get('/payments?from=2026-03-06&fromTime=9:00&to=2026-03-06&toTime=9:10');
  expect(hour.text).toContain('2 of 2');
});

test('a payment of a wrong amount is found by the total that the payer was asked for, and by what arrived', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  await till.ledger.change(`UPDATE collection SET shown_total_minor = 2020 WHERE id = '${id}'`);
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  for (const amount of ['20.20', '20.00', '10.10']) {
    const { text } = await browser.get(`/payments?min=${amount}&max=${amount}`);
    expect(text, amount).toContain(`/console/payments/${id}`);
    expect((await browser.post('/search', { q: amount })).location, amount).toBe(`/console/payments/${id}`);
  }
  expect((await browser.get('/payments?min=15&max=16')).text).toContain('No payment found.');
});

test('the counts of the statuses add up to that of all, and each is that of its list', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  const paid = await till.paidPayment('0244123457');
  await till.prompted('0201234567');
  const flag = `UPDATE collection SET review = 'second_charge' WHERE id = '${paid.id}'`;
  await till.ledger.change(flag);
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  const countsOf = (page: string) =>
    Object.fromEntries(
      [...page.matchAll(/(All|Paid|Waiting|To decide|Not paid) <small>(\d+)<\/small>/g)].map(
        ([, words = '', count]) => [words, Number(count)],
      ),
    );
  const { text } = await browser.get('/payments');
  const { All: all = 0, ...counts } = countsOf(text);
  expect(all).toBe(3);
  expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(all);
  expect(counts).toEqual({ Paid: 0, Waiting: 1, 'To decide': 2, 'Not paid': 0 });
});

test.each([
  ['8', '9', '2 of 2'],
  ['0800', '0905', '2 of 2'],
  ['8:00', '9:10', '2 of 2'],
  ['8', '8:30', 'No payment found.'],
])('the form reads the hours %s to %s of its first day', async (fromTime, toTime, found) => {
  const till = await createConsoleTill();
  await payShort(till);
  await till.pay('0244123457');
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  const day = 'from=2026-03-06&to=&min=&max=';
  const { text } = await browser.get(`/payments?${day}&fromTime=${fromTime}&toTime=${toTime}`);
  expect(text).toContain(found);
});

test.each([
  ['from=2026-03-06&fromTime=25', 'Time of day: “25” is no time. Write 8 or 08:30.', 'fromTime'],
  ['from=&fromTime=8', 'Time of day: “8” has no day. Choose the first day.', 'from'],
  ['min=abc', 'Amount, at least: expected an amount in cedis such as 20.50, found “abc”.', 'min'],
  ['last4=12', 'Last four digits: expected four digits, found “12”.', 'last4'],
  ['merchant=nobody', 'Merchant: expected one of demo-shop', 'merchant'],
])('a refused form (%s) names its field, which is open and marked', async (query, message, field) => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  const { status, text } = await browser.get(`/payments?${query}`);
  expect(status).toBe(422);
  expect(plainText(text)).toContain(message);
  expect(text).toMatch(/<details class="drop" open[^>]*>/);
  const marked = [...text.matchAll(/<(?:input|select)[^>]*aria-invalid="true"[^>]*>/g)].map(([one]) => one);
  expect(marked).toEqual([expect.stringContaining(`name="${field}"`)]);
  expect(marked[0]).toContain('aria-describedby="filter-fault"');
  expect(text).toMatch(/<p class="error" id="filter-fault">/);
});

test('the form keeps the chosen days, and a typed day replaces them', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  const { text } = await browser.get('/payments?when=today&status=decide');
  expect(text).toContain('<input type="hidden" name="when" value="today"/>');
  const typed = await browser.get('/payments?when=today&from=2026-03-05&fromTime=&to=&toTime=');
  expect(typed.status).toBe(200);
  expect(typed.text).toContain('Opened from 2026-03-05');
  expect((await browser.get('/payments?when=today&from=2026-03-05')).status).toBe(422);
});

test('a refused search stays in its box, with masked numbers, and operators have any case', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  const { text } = await browser.post('/search', { q: 'amount:abc' });
  expect(plainText(text)).toContain('Amount, at least: expected an amount in cedis');
  expect(text).toMatch(/<input id="search"[^>]* value="amount:abc" aria-invalid="true"/);
  expect(text).toMatch(/<input id="search"[^>]* aria-describedby="message"/);
  expect(text).toContain('<div id="message"');
  const number = await browser.post('/search', { q: 'status:paid 0244123456' });
  expect(number.text).toContain('value="status:paid 024 ••• 3456"');
  expect((await browser.post('/search', { q: 'Status:Paid When:TODAY' })).location).toBe(
    '/console/payments?status=paid&when=today',
  );
});

test('a page after the first one has a link to it, and the address of a search leads to the list', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  expect((await browser.get('/payments')).text).not.toContain('First page');
  expect((await browser.get(`/payments?status=decide&after=${id}`)).text).toContain(
    '<a class="button quiet" href="/console/payments?status=decide" rel="first">',
  );
  for (const path of ['/audit?after=9000', '/dialogues?before=9000', '/desk?after=1.col_0'])
    expect((await browser.get(path)).text, path).toContain('First page');
  expect((await browser.get('/desk')).text).not.toContain('First page');
  const search = await browser.get('/search');
  expect([search.status, search.location]).toEqual([303, '/console/payments']);
});

test('a masked number finds the payments of numbers that end with its digits', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  await till.pay('0244123457');
  const lead = await (await createAccount(till, 'ama', 'lead')).signIn();
  for (const q of ['024 ••• 3806', '***3806', '23324****806'])
    expect((await lead.post('/search', { q })).location, q).toBe(`/console/payments/${id}`);
  const auditor = await (await createAccount(till, 'adwoa', 'auditor')).signIn();
  expect((await auditor.post('/search', { q: '***3806' })).location).toBe(`/console/payments/${id}`);
  expect((await auditor.post('/search', { q: '23324****806' })).text).toContain('No payment found.');
});
