import { describe, expect, test } from 'vitest';
import { addOtherShop, createShop, other } from '../kit/payers.ts';
import { payer, type Till } from '../kit/till.ts';

/* Limits of requests to pay. The limits alone: test/gateway/collection/limits; the texts: test/gateway/dialogue/open-collection. */

const none = { perHour: null, perDay: null };
const tooMany = 'Sorry, too many requests. Nothing was paid. Please try again later.';
const declinedBefore = 'Sorry, recent requests were declined. Nothing was paid. Please try again later.';
/** The same text for every reason that lies with the payer. */
const blocked = `Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`;
const third = '0244999888';
const number = (n: number) => `02440000${String(n).padStart(2, '0')}`;

/** Dials past the built-in screens, names the payer, and confirms. Returns the last screen. */
async function request(
  till: Till,
  dialler: string,
  from: string,
  { amount = '20', channel = 'africastalking' } = {},
): Promise<string> {
  const phone = till.phone(dialler, channel);
  await phone.dial();
  if (phone.text().includes('New payment')) await phone.press('New payment');
  if (phone.text().includes('Start over')) await phone.press('Start over');
  if (dialler === from) await phone.press('My number');
  else {
    await phone.press('Other number');
    await phone.type(from);
  }
  await phone.type(amount);
  return phone.press('Yes');
}

async function requestAndDecline(till: Till, dialler: string, from: string): Promise<void> {
  expect(await request(till, dialler, from)).toContain('Approve GHS 20.00');
  await till.declineNewest(from);
}

/** Returns the rejections by labels, as Prometheus reads them. */
async function rejections(till: Till): Promise<Record<string, number>> {
  const loopback = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };
  const answer = await till.gateway().app.request('http://gateway.test/metrics', {}, loopback);
  expect(answer.status).toBe(200);
  const found = (await answer.text()).matchAll(/^dialtill_rejections_total\{(.*)\} (\d+)$/gm);
  return Object.fromEntries(Array.from(found, ([, labels, count]) => [labels ?? '', Number(count)]));
}

const counted = (reason: string, times: number, merchant = 'demo-shop') => ({
  [`merchant="${merchant}",reason="${reason}"`]: times,
});

describe('limits hold when many sessions confirm at once', () => {
  test('the limit of one dialler for other payers', async () => {
    const till = await createShop({ limits: { dialler: { perHour: 3, perDay: 60 } } });
    const phones = Array.from({ length: 12 }, () => till.phone(payer));
    // Step by step, because a dial after an input of another session would offer to continue that session.
    await Promise.all(phones.map((phone) => phone.dial()));
    await Promise.all(phones.map((phone) => phone.send('2')));
    await Promise.all(phones.map((phone, n) => phone.send(number(n))));
    await Promise.all(phones.map((phone) => phone.send('20')));
    await till.clock.advance(2_500);
    const ends = await Promise.all(phones.map((phone) => phone.send(phone.keyOf('Yes'))));
    expect(ends.filter((text) => text.includes('Approve GHS 20.00'))).toHaveLength(3);
    expect(ends.filter((text) => text === tooMany)).toHaveLength(9);
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 3 });
    expect(await rejections(till)).toEqual(counted('dialler_limit', 9));
  });

  test('the limit of one merchant', async () => {
    const till = await createShop({ limits: { merchant: { perMinute: 4 } } });
    await addOtherShop(till);
    const phones = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const phone = till.phone(number(n));
        await phone.dial();
        await phone.send('1');
        await phone.send('20');
        return phone;
      }),
    );
    await till.clock.advance(2_500);
    const ends = await Promise.all(phones.map((phone) => phone.send(phone.keyOf('Yes'))));
    expect(ends.filter((text) => text.includes('Approve GHS 20.00'))).toHaveLength(4);
    expect(ends.filter((text) => text === tooMany)).toHaveLength(8);
    expect(await request(till, payer, payer, { channel: 'other-shop' })).toContain('Approve');
    await till.clock.advance(60_000);
    expect(await request(till, payer, payer)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 6 });
    expect(await rejections(till)).toEqual(counted('merchant_limit', 8));
  });

  test('the limit of one payer covers all other phones, and affects neither the own phone nor other payers', async () => {
    const till = await createShop({ limits: { payer: { perHour: 2, perDay: 20 } } });
    await requestAndDecline(till, other, payer);
    await requestAndDecline(till, third, payer);
    await requestAndDecline(till, payer, payer);
    const ends = await Promise.all([request(till, third, payer), request(till, other, payer)]);
    expect(ends).toEqual([blocked, blocked]);
    await requestAndDecline(till, payer, payer);
    expect(await request(till, payer, payer)).toBe(tooMany);
    expect(await request(till, other, other)).toContain('Approve');
    await till.untilNewest('initiated');
    await till.clock.skip(3_600_000);
    expect(await request(till, third, payer)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 6 });
    expect(await rejections(till)).toEqual(counted('payer_limit', 3));
  });

  test('asking at several merchants gives neither a phone nor its payers more requests', async () => {
    const requests = { payer: { perHour: 2, perDay: 20 }, dialler: { perHour: 3, perDay: 60 } };
    const till = await createShop({ limits: { requests } });
    await addOtherShop(till);
    await requestAndDecline(till, other, payer);
    expect(await request(till, third, payer, { channel: 'other-shop' })).toContain('Approve');
    await till.declineNewest();
    for (const [n, channel] of ['africastalking', 'other-shop'].entries()) {
      expect(await request(till, number(1), payer, { channel })).toBe(blocked);
      expect(await request(till, other, number(2 + n), { channel })).toContain('Approve');
    }
    for (const channel of ['africastalking', 'other-shop']) {
      expect(await request(till, other, number(9), { channel })).toBe(tooMany);
    }
    expect(await request(till, payer, payer)).toContain('Approve');
    expect(await request(till, other, other)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 6 });
  });
});

test('other phones cannot lock a payer out: unanswered requests count for other diallers, not for the payer', async () => {
  const till = await createShop({ limits: { payer: { perHour: 3, perDay: 20 } } });
  for (let n = 0; n < 3; n++) {
    expect(await request(till, number(n), payer)).toContain('Approve GHS 20.00');
    await till.untilNewest('expired', 600_000);
  }
  expect(await request(till, third, payer)).toBe(blocked);
  expect(await request(till, payer, payer)).toContain('Approve GHS 20.00');
  await till.approveNewest();
  expect(await till.checkStatement()).toMatchObject({ pushes: 4, chargedMinor: 2_020 });
  expect(await rejections(till)).toEqual(counted('payer_limit', 1));
});

describe('after requests of other phones were declined', () => {
  const limits = { declines: { maxDeclines: 2, coolDownMs: 3_600_000 } };

  test('other phones cannot request that payer, that phone cannot request other payers, and each can pay for itself', async () => {
    const till = await createShop({ limits });
    await requestAndDecline(till, other, payer);
    await requestAndDecline(till, other, payer);
    expect(await request(till, third, payer)).toBe(blocked);
    expect(await request(till, other, third)).toBe(declinedBefore);
    const requester = till.phone(other);
    expect((await requester.dial()).replaceAll('\n', ' ')).toContain(`${declinedBefore} 1. New payment`);
    expect(await request(till, payer, payer)).toContain('Approve');
    expect(await request(till, other, other)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 4 });
    expect(await rejections(till)).toEqual({
      ...counted('payer_cool_down', 1),
      ...counted('dialler_cool_down', 1),
    });
  });

  test('requests are possible again after the cool-down, and declined payments of the own phone do not count', async () => {
    const till = await createShop({ limits });
    for (let n = 0; n < 3; n++) await requestAndDecline(till, payer, payer);
    expect(await request(till, other, payer)).toContain('Approve');
    await till.declineNewest();
    await requestAndDecline(till, other, payer);
    expect(await request(till, other, payer)).toBe(declinedBefore);
    await till.clock.skip(3_600_000);
    expect(await request(till, other, payer)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 6 });
  });
});

describe('a payer who blocks requests from other phones', () => {
  async function blockRequests(till: Till): Promise<void> {
    const phone = till.phone(payer);
    await phone.dial();
    await phone.press('Requests');
    expect(await phone.press('Block requests')).toContain('Other phones can no longer ask you');
  }

  test('receives no requests, can pay from the own phone, and can allow requests again', async () => {
    const till = await createShop();
    await blockRequests(till);
    expect(await request(till, other, payer)).toBe(blocked);
    expect(await request(till, other, payer)).toBe(blocked);
    expect(await request(till, payer, payer)).toContain('Approve');
    await till.approveNewest();
    const phone = till.phone(payer);
    await phone.dial();
    await phone.press('New payment', 'Requests');
    expect(phone.text()).not.toContain('Block requests');
    expect(await phone.press('Allow requests')).toContain('Other phones can ask you');
    expect(await request(till, other, payer, { amount: '21' })).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
    expect(await rejections(till)).toEqual(counted('opted_out', 2));
  });

  test('blocks requests at every merchant of the gateway', async () => {
    const till = await createShop();
    await addOtherShop(till);
    await blockRequests(till);
    expect(await request(till, other, payer, { channel: 'other-shop' })).toBe(blocked);
    expect(await request(till, other, payer)).toBe(blocked);
    const phone = till.phone(payer, 'other-shop');
    await phone.dial();
    await phone.press('Requests', 'Allow requests');
    expect(await request(till, other, payer)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
  });

  test('can block requests on the screen of a pending request, which stays pending and cannot be sent again', async () => {
    const till = await createShop();
    await request(till, other, payer);
    await till.untilNewest('initiated');
    const phone = till.phone(payer);
    await phone.dial();
    expect(await phone.press('Block requests')).toContain('Other phones can no longer ask you');
    await till.decline();
    await till.untilNewest('failed');
    const requester = till.phone(other);
    expect(await requester.dial()).toContain('\nSorry, 0244***456 cannot be asked to pay now.');
    expect(requester.text()).not.toContain('Send prompt again');
    expect(await request(till, other, payer)).toBe(blocked);
    await till.clock.advance(30_000);
    expect(await till.storedCollections()).toHaveLength(1);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('stops a request that is on its confirm screen at that moment', async () => {
    const till = await createShop();
    const requester = till.phone(other);
    await requester.dial();
    await requester.type('2', payer, '20');
    await blockRequests(till);
    expect(await requester.press('Yes')).toBe(blocked);
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 0 });
  });
});

test('customers who decline do not lock the phone of an attendant, and a payer who declines is not asked again', async () => {
  const limits = {
    ...{ dialler: { perHour: 1, perDay: 1 }, payer: none },
    declines: { maxDeclines: 1, coolDownMs: 3_600_000 },
    attendants: { perHour: 8, perDay: 20, maxDeclines: 3 },
  };
  const till = await createShop({ limits, attendants: [other] });
  await requestAndDecline(till, other, payer);
  expect(await request(till, other, payer)).toBe(blocked);
  await requestAndDecline(till, other, number(0));
  for (let n = 1; n < 4; n++) expect(await request(till, other, number(n))).toContain('Approve');
  await requestAndDecline(till, third, number(9));
  expect(await request(till, third, third)).toBe(tooMany);
  await till.clock.advance(30_000);
  expect(await till.checkStatement()).toMatchObject({ pushes: 6 });
  expect(await rejections(till)).toEqual({
    ...counted('payer_cool_down', 1),
    ...counted('dialler_limit', 1),
  });
});

test('the phone of an attendant has limits: a stolen one stops after many declines, or many requests', async () => {
  const declines = { maxDeclines: 1, coolDownMs: 3_600_000 };
  const attendants = { perHour: 4, perDay: 20, maxDeclines: 2 };
  const till = await createShop({ limits: { declines, attendants }, attendants: [other] });
  await requestAndDecline(till, other, number(0));
  await requestAndDecline(till, other, number(1));
  expect(await request(till, other, number(2))).toBe(declinedBefore);
  await till.clock.skip(3_600_000);
  for (let n = 3; n < 7; n++) expect(await request(till, other, number(n))).toContain('Approve');
  expect(await request(till, other, number(7))).toBe(tooMany);
  expect(await request(till, other, other)).toContain('Approve');
  await till.clock.advance(30_000);
  expect(await till.checkStatement()).toMatchObject({ pushes: 7 });
});
