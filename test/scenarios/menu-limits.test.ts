import { describe, expect, test } from 'vitest';
import { channelNames } from '../kit/callback.ts';
import {
  addOtherShop,
  checkStatement,
  createPayerPhone,
  createShop,
  decline,
  other,
  payer,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import type { Till } from '../kit/till.ts';

const none = { perHour: null, perDay: null };
const tooMany = 'Sorry, too many requests. Nothing was paid. Please try again later.';
const declinedBefore = 'Sorry, recent requests were declined. Nothing was paid. Please try again later.';
const closed = `Sorry, ${payer} does not accept requests from other phones. Nothing was paid.`;
const third = '0244999888';
const number = (n: number) => `02440000${String(n).padStart(2, '0')}`;

/** Dials past what is shown first, names the payer, and agrees. */
async function ask(
  till: Till,
  dialler: string,
  whom: string,
  { amount = '20', channel = 'africastalking' } = {},
): Promise<string> {
  const phone = createPayerPhone(till, dialler, channel);
  await phone.dial();
  if (phone.text().includes('New payment')) await phone.press('New payment');
  if (phone.text().includes('Start over')) await phone.press('Start over');
  if (dialler === whom) await phone.press('My number');
  else {
    await phone.press('Other number');
    await phone.type(whom);
  }
  await phone.type(amount);
  return phone.press('Yes');
}

async function askAndDecline(till: Till, dialler: string, whom: string): Promise<void> {
  expect(await ask(till, dialler, whom)).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  await decline(till, whom);
  await untilNewest(till, 'failed');
}

/** The samples of one series in the text that Prometheus reads. */
async function refusals(till: Till): Promise<Record<string, number>> {
  const loopback = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };
  const answer = await till.gateway().app.request('http://gateway.test/metrics', {}, loopback);
  expect(answer.status).toBe(200);
  const found = (await answer.text()).matchAll(/^dialtill_rejections_total\{(.*)\} (\d+)$/gm);
  return Object.fromEntries(Array.from(found, ([, labels, count]) => [labels ?? '', Number(count)]));
}

const counted = (reason: string, times: number, merchant = 'demo-shop') => ({
  [`merchant="${merchant}",reason="${reason}"`]: times,
});

describe('limits hold however many sessions agree at once', () => {
  test.each(channelNames)('of one phone for other payers, on %s', async (channel) => {
    const till = await createShop({ limits: { dialler: { perHour: 3, perDay: 60 } } });
    const phones = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const phone = createPayerPhone(till, payer, channel);
        await phone.dial();
        await phone.send('2');
        await phone.send(number(n));
        await phone.send('20');
        return phone;
      }),
    );
    await till.clock.advance(2_500);
    const ends = await Promise.all(phones.map((phone) => phone.send(phone.keyOf('Yes'))));
    expect(ends.filter((text) => text.includes('Approve GHS 20.00'))).toHaveLength(3);
    expect(ends.filter((text) => text === tooMany)).toHaveLength(9);
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 3 });
    expect(await refusals(till)).toEqual(counted('dialler_limit', 9));
  });

  test('of one merchant', async () => {
    const till = await createShop({ limits: { merchant: { perMinute: 4 } } });
    await addOtherShop(till);
    const phones = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const phone = createPayerPhone(till, number(n));
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
    expect(await ask(till, payer, payer, { channel: 'other-shop' })).toContain('Approve');
    await till.clock.advance(60_000);
    expect(await ask(till, payer, payer)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 6 });
    expect(await refusals(till)).toEqual(counted('merchant_limit', 8));
  });

  test('of one payer, whoever asks; the others are served', async () => {
    const till = await createShop({ limits: { payer: { perHour: 2, perDay: 20 } } });
    await askAndDecline(till, other, payer);
    await askAndDecline(till, payer, payer);
    const ends = await Promise.all([ask(till, third, payer), ask(till, other, payer)]);
    expect(ends).toEqual([tooMany, tooMany]);
    expect(await ask(till, other, other)).toContain('Approve');
    await untilNewest(till, 'initiated');
    await till.clock.skip(3_600_000);
    expect(await ask(till, third, payer)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 4 });
    expect(await refusals(till)).toEqual(counted('payer_limit', 2));
  });
});

test('strangers lock no payer out: requests that nobody answers use up what others may ask, and not what she may', async () => {
  const till = await createShop({ limits: { payer: { perHour: 3, perDay: 20 } } });
  for (let n = 0; n < 3; n++) {
    expect(await ask(till, number(n), payer)).toContain('Approve GHS 20.00');
    await untilNewest(till, 'expired', 600_000);
  }
  expect(await ask(till, third, payer)).toBe(tooMany);
  expect(await ask(till, payer, payer)).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  expect(await checkStatement(till)).toMatchObject({ pushes: 4, chargedMinor: 2_020 });
  expect(await refusals(till)).toEqual(counted('payer_limit', 1));
});

describe('after requests of other phones were declined', () => {
  const limits = { declines: { maxDeclines: 2, coolDownMs: 3_600_000 } };

  test('no other phone can ask that payer, nor that phone any other payer; each pays for itself', async () => {
    const till = await createShop({ limits });
    await askAndDecline(till, other, payer);
    await askAndDecline(till, other, payer);
    expect(await ask(till, third, payer)).toBe(declinedBefore);
    expect(await ask(till, other, third)).toBe(declinedBefore);
    expect(await ask(till, payer, payer)).toContain('Approve');
    expect(await ask(till, other, other)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 4 });
    expect(await refusals(till)).toEqual(counted('cool_down', 2));
  });

  test('nor can the prompt be sent again by the other phone; the payer can pay anew', async () => {
    const till = await createShop({ limits });
    await askAndDecline(till, other, payer);
    await askAndDecline(till, other, payer);
    const asking = createPayerPhone(till, other);
    await asking.dial();
    expect(await asking.press('Send prompt again')).toBe(declinedBefore);
    expect(await ask(till, payer, payer)).toContain('Approve GHS 20.00');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await checkStatement(till)).toMatchObject({ pushes: 3, chargedMinor: 2_020 });
  });

  test('a while later they can again, and what a payer declined of the own phone counts for nothing', async () => {
    const till = await createShop({ limits });
    for (let n = 0; n < 3; n++) await askAndDecline(till, payer, payer);
    expect(await ask(till, other, payer)).toContain('Approve');
    await untilNewest(till, 'initiated');
    await decline(till);
    await untilNewest(till, 'failed');
    await askAndDecline(till, other, payer);
    expect(await ask(till, other, payer)).toBe(declinedBefore);
    await till.clock.skip(3_600_000);
    expect(await ask(till, other, payer)).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 6 });
  });
});

describe('a payer who takes no requests from other phones', () => {
  async function close(till: Till): Promise<void> {
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await phone.press('Requests');
    expect(await phone.press('Block requests')).toContain('Other phones can no longer ask you');
  }

  test('is asked by none, pays from the own phone, and can allow them again', async () => {
    const till = await createShop();
    await close(till);
    expect(await ask(till, other, payer)).toBe(closed);
    expect(await ask(till, other, payer)).toBe(closed);
    expect(await ask(till, payer, payer)).toContain('Approve');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await phone.press('New payment', 'Requests');
    expect(phone.text()).not.toContain('Block requests');
    expect(await phone.press('Allow requests')).toContain('Other phones can ask you');
    expect(await ask(till, other, payer, { amount: '21' })).toContain('Approve');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
    expect(await refusals(till)).toEqual(counted('opted_out', 2));
  });

  test('can still ask others, and a no on that screen changes nothing', async () => {
    const till = await createShop();
    await close(till);
    expect(await ask(till, payer, other)).toContain('Approve');
    const phone = createPayerPhone(till, other);
    await phone.dial();
    await phone.press('New payment', 'Requests');
    expect(await phone.press('Leave unchanged')).toBe('No change was made.');
    expect(await ask(till, third, other)).toContain('Sorry, too many requests.');
    expect(await refusals(till)).toEqual(counted('open', 1));
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('is one at this merchant alone', async () => {
    const till = await createShop();
    await addOtherShop(till);
    await close(till);
    expect(await ask(till, other, payer, { channel: 'other-shop' })).toContain('Approve');
    expect(await ask(till, other, payer)).toBe(closed);
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });

  test('says so on the screen of the request that came, which still waits, and the asker can not send it again', async () => {
    const till = await createShop();
    await ask(till, other, payer);
    await untilNewest(till, 'initiated');
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    expect(await phone.press('Block requests')).toContain('Other phones can no longer ask you');
    await decline(till);
    await untilNewest(till, 'failed');
    const asking = createPayerPhone(till, other);
    await asking.dial();
    expect(await asking.press('Send prompt again')).toBe(closed);
    expect(await ask(till, other, payer)).toBe(closed);
    await till.clock.advance(30_000);
    expect(storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('stops a request that stood on its confirm screen when the payer said so', async () => {
    const till = await createShop();
    const asking = createPayerPhone(till, other);
    await asking.dial();
    await asking.type('2', payer, '20');
    await close(till);
    expect(await asking.press('Yes')).toBe(closed);
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  });
});

test("an attendant has no dialler's limit and no cool-down of the own phone, and payers keep theirs", async () => {
  const limits = {
    dialler: { perHour: 1, perDay: 1 },
    payer: none,
    declines: { maxDeclines: 1, coolDownMs: 3_600_000 },
  };
  const till = await createShop({ limits, attendants: [other] });
  await askAndDecline(till, other, payer);
  expect(await ask(till, other, payer)).toBe(declinedBefore);
  for (let n = 0; n < 4; n++) expect(await ask(till, other, number(n))).toContain('Approve');
  await askAndDecline(till, third, number(9));
  expect(await ask(till, third, third)).toBe(tooMany);
  await till.clock.advance(30_000);
  expect(await checkStatement(till)).toMatchObject({ pushes: 6 });
  expect(await refusals(till)).toEqual({ ...counted('cool_down', 1), ...counted('dialler_limit', 1) });
});

test('whoever asks another number reads that the owner of it must agree; for the own number nobody does', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, other);
  await phone.dial();
  expect(await phone.type('2', payer, '20')).toContain("The number's owner must agree.");
  await phone.press('No');
  await phone.dial();
  expect(await phone.type('2', other, '20')).not.toContain("The number's owner must agree.");
  await phone.press('No');
  await phone.dial();
  expect(await phone.type('1', '20')).not.toContain("The number's owner must agree.");
  expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
});
