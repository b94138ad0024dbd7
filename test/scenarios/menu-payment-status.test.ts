import { describe, expect, test } from 'vitest';
import {
  checkStatement,
  createPayerPhone,
  createShop,
  decline,
  dialAndConfirm,
  other,
  type PayerPhone,
  payer,
  statuses,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import type { Till } from '../kit/till.ts';

const offers = (phone: PayerPhone) =>
  phone
    .text()
    .split('\n')
    .flatMap((one) => /^\d\. (.*)$/.exec(one)?.[1] ?? []);

async function declinePrompt(till: Till, number = payer): Promise<void> {
  await untilNewest(till, 'initiated');
  await decline(till, number);
  await untilNewest(till, 'failed');
}

describe('a declined request of another phone', () => {
  /** A menu in which the bill is followed by the number that pays. */
  const bills = shopMenu({
    screens: {
      bill: {
        kind: 'ask',
        answer: 'reference',
        pattern: 'INV-\\d{4}',
        example: 'INV-1234',
        text: 'Bill:',
        to: 'number',
      },
    },
  });

  async function requestAndDecline(): Promise<{ till: Till; phone: PayerPhone }> {
    const till = await createShop({ menu: bills });
    const requester = createPayerPhone(till, other);
    await requester.dial();
    await requester.type('3', 'INV-6666', payer, '50');
    await requester.press('Yes');
    await declinePrompt(till);
    return { till, phone: createPayerPhone(till, payer) };
  }

  test('is shown to its payer with its purpose, without an offer to send the prompt again', async () => {
    const { till, phone } = await requestAndDecline();
    expect(await phone.dial()).toBe(
      [
        'Requested by another phone:',
        'GHS 50.50 to Demo Shop was not paid.',
        'For INV-6666',
        '1. New payment',
        '2. Block requests',
      ].join('\n'),
    );
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('is not repeated by any key on that screen', async () => {
    const { till, phone } = await requestAndDecline();
    for (const key of ['1', '2', '3', '4', '7', '8', '9']) {
      await phone.dial();
      await phone.type(key);
    }
    await till.clock.advance(30_000);
    expect(await statuses(till)).toEqual(['failed']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('lets its payer block requests on that screen, and no request follows', async () => {
    const { till, phone } = await requestAndDecline();
    await phone.dial();
    expect(await phone.press('Block requests')).toContain('Other phones can no longer ask you');
    const requester = createPayerPhone(till, other);
    await requester.dial();
    await requester.press('Send prompt again');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('can be repeated by the phone that requested it, whose screen shows its purpose', async () => {
    const { till } = await requestAndDecline();
    const requester = createPayerPhone(till, other);
    expect(await requester.dial()).toMatch(/^GHS 50\.50 to Demo Shop was not paid\.\nFor INV-6666\n/);
    expect(offers(requester)).toEqual(['Send prompt again', 'New payment']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

describe('a network that the dialler chose for another number', () => {
  // The prefix of the number belongs to MTN.
  const moved = shopMenu({
    screens: {
      number: { kind: 'ask', answer: 'msisdn', text: 'Number that pays:', to: 'network' },
      network: {
        kind: 'choose',
        text: 'Network?',
        options: [
          { label: 'MTN', set: { operator: 'mtn' }, to: 'amount' },
          { label: 'Telecel', set: { operator: 'telecel' }, to: 'amount' },
        ],
      },
    },
  });

  async function confirmMoved(): Promise<{ till: Till; phone: PayerPhone }> {
    const till = await createShop({ menu: moved });
    const phone = createPayerPhone(till, other);
    await phone.dial();
    await phone.press('Other number');
    await phone.type(payer);
    await phone.press('Telecel');
    await phone.type('50');
    await phone.press('Yes');
    return { till, phone };
  }

  test('is used again when the prompt is sent again', async () => {
    const { till, phone } = await confirmMoved();
    await declinePrompt(till);
    await phone.dial();
    expect(await phone.press('Send prompt again')).toContain(till.config.approvals.telecel);
    await untilNewest(till, 'initiated');
    expect(await networks(till)).toEqual(['telecel', 'telecel']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('determines the instructions for approval', async () => {
    const { till, phone } = await confirmMoved();
    await untilNewest(till, 'initiated');
    await phone.dial();
    expect(await phone.press('How to approve')).toContain(till.config.approvals.telecel);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

async function networks(till: Till): Promise<string[]> {
  const rows = await till.ledger.rows<{ network: string }>(
    'SELECT network FROM collection ORDER BY opened_at, id',
  );
  return rows.map(({ network }) => network);
}

describe('after the service would charge more than the total shown', () => {
  async function createWithHigherFee(): Promise<{ till: Till; phone: PayerPhone }> {
    const till = await createShop();
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await phone.type('1', '20');
    till.faults.call = async ({ name }, pass) => {
      const passed = await pass();
      if (name !== 'create') return passed;
      const session = (await passed.json()) as object;
      return Response.json(
        { ...session, expected_fee_minor: 30, amount_minor: 2_030 },
        { status: passed.status },
      );
    };
    await phone.press('Yes');
    await untilNewest(till, 'abandoned');
    return { till, phone };
  }

  test('no retry is offered, and no key sends one', async () => {
    const { till, phone } = await createWithHigherFee();
    expect(await storedCollections(till)).toMatchObject([{ reason: 'quote_shown_total' }]);
    for (const key of ['1', '2', '7', '8']) {
      expect(await phone.dial()).toContain('was not paid.');
      expect(offers(phone)).toEqual(['New payment']);
      expect(await phone.type(key)).not.toContain('Approve');
    }
    await till.clock.advance(30_000);
    expect(await storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0, chargedMinor: 0 });
  });

  test('a new payment shows the new fee before its confirmation', async () => {
    const { till, phone } = await createWithHigherFee();
    await phone.dial();
    await phone.press('New payment', 'My number');
    expect(await phone.type('20')).toContain('Fee GHS 0.30, total GHS 20.30');
    expect(await storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0, chargedMinor: 0 });
  });
});

test('the instructions for approval contain the total of the prompt, also when no screen has shown a fee', async () => {
  const till = await createShop({ timings: { quoteTimeoutMs: 0 } });
  expect(await dialAndConfirm(till)).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  expect(await phone.press('How to approve')).toContain('GHS 20.20');
  await approve(till);
  await untilNewest(till, 'paid');
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('a third phone is not asked about a duplicate, and the payer reads the time of the first payment', async () => {
  const till = await createShop();
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  const own = createPayerPhone(till, payer);
  await own.dial();
  await own.press('New payment', 'My number');
  await own.type('20');
  expect(await own.press('Yes')).toMatch(/^You confirmed GHS 20\.00 to Demo Shop at \d\d:\d\d\./);
  const third = createPayerPhone(till, other);
  await third.dial();
  await third.type('2', payer, '20');
  expect(await third.press('Yes')).toMatch(/^Approve GHS 20\.00 with your PIN\.\nRef [\d ]+$/);
  await untilNewest(till, 'initiated');
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
});

test('the duplicate question shows the requester of another number the time of the first request', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, other);
  const request = async () => {
    await phone.type('2', payer, '20');
    return phone.press('Yes');
  };
  await phone.dial();
  await request();
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  await phone.dial();
  await phone.press('New payment');
  expect(await request()).toMatch(/^You confirmed GHS 20\.00 to Demo Shop at \d\d:\d\d\./);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});
