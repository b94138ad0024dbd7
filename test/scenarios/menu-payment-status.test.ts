import Database from 'better-sqlite3';
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

async function declined(till: Till, number = payer): Promise<void> {
  await untilNewest(till, 'initiated');
  await decline(till, number);
  await untilNewest(till, 'failed');
}

describe("what another phone has asked for, and the payer has declined, is nobody's own payment", () => {
  /** A bill that the number which is typed next pays. */
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

  async function asked(): Promise<{ till: Till; line: PayerPhone }> {
    const till = await createShop({ menu: bills });
    const asking = createPayerPhone(till, other);
    await asking.dial();
    await asking.type('3', 'INV-6666', payer, '50');
    await asking.press('Yes');
    await declined(till);
    return { till, line: createPayerPhone(till, payer) };
  }

  test('its payer is told who asked and what for, and is not offered to send it again', async () => {
    const { till, line } = await asked();
    expect(await line.dial()).toBe(
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

  test('no key there asks for it once more', async () => {
    const { till, line } = await asked();
    for (const key of ['1', '2', '3', '4', '7', '8', '9']) {
      await line.dial();
      await line.type(key);
    }
    await till.clock.advance(30_000);
    expect(statuses(till)).toEqual(['failed']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('its payer can stop such requests there, and is asked for none after that', async () => {
    const { till, line } = await asked();
    await line.dial();
    expect(await line.press('Block requests')).toContain('Other phones can no longer ask you');
    const asking = createPayerPhone(till, other);
    await asking.dial();
    await asking.press('Send prompt again');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('one who has asked for it and paid nothing can ask once more, and reads what it is for', async () => {
    const { till } = await asked();
    const asking = createPayerPhone(till, other);
    expect(await asking.dial()).toMatch(/^GHS 50\.50 to Demo Shop was not paid\.\nFor INV-6666\n/);
    expect(offers(asking)).toEqual(['Send prompt again', 'New payment']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

describe('the network that a payer named for another number', () => {
  // The prefix says MTN.
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

  async function agreed(): Promise<{ till: Till; line: PayerPhone }> {
    const till = await createShop({ menu: moved });
    const phone = createPayerPhone(till, other);
    await phone.dial();
    await phone.press('Other number');
    await phone.type(payer);
    await phone.press('Telecel');
    await phone.type('50');
    await phone.press('Yes');
    return { till, line: phone };
  }

  test('is asked again when the prompt is sent again', async () => {
    const { till, line } = await agreed();
    await declined(till);
    await line.dial();
    expect(await line.press('Send prompt again')).toContain(till.config.approvals.telecel);
    await untilNewest(till, 'initiated');
    expect(networks(till)).toEqual(['telecel', 'telecel']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('is the one whose way to approve is told', async () => {
    const { till, line } = await agreed();
    await untilNewest(till, 'initiated');
    await line.dial();
    expect(await line.press('How to approve')).toContain(till.config.approvals.telecel);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

function networks(till: Till): unknown[] {
  const file = new Database(till.config.database.file, { readonly: true });
  try {
    return file.prepare('SELECT network FROM collection ORDER BY rowid').pluck().all();
  } finally {
    file.close();
  }
}

describe('after the service would take more than the screen had named', () => {
  async function dearer(): Promise<{ till: Till; line: PayerPhone }> {
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
    return { till, line: phone };
  }

  test('nothing is offered to be sent again, and no key does it', async () => {
    const { till, line } = await dearer();
    expect(storedCollections(till)).toMatchObject([{ reason: 'quote_shown_total' }]);
    for (const key of ['1', '2', '7', '8']) {
      expect(await line.dial()).toContain('was not paid.');
      expect(offers(line)).toEqual(['New payment']);
      expect(await line.type(key)).not.toContain('Approve');
    }
    await till.clock.advance(30_000);
    expect(storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0, chargedMinor: 0 });
  });

  test('a new payment names the new fee before its yes', async () => {
    const { till, line } = await dearer();
    await line.dial();
    await line.press('New payment', 'My number');
    expect(await line.type('20')).toContain('Fee GHS 0.30, total GHS 20.30');
    expect(storedCollections(till)).toHaveLength(1);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0, chargedMinor: 0 });
  });
});

test('how to approve names what the prompt asks for, also where no screen had named a fee', async () => {
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

test('of a payment that was made already, a third phone is told neither when nor by whom, and who made it is', async () => {
  const till = await createShop();
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  const third = createPayerPhone(till, other);
  await third.dial();
  await third.type('2', payer, '20');
  const told = await third.press('Yes');
  expect(told).toContain('GHS 20.00 to Demo Shop was requested from 0244***456');
  expect(told).not.toMatch(/\d\d:\d\d|\byou\b|paid/i);
  expect(third.kind()).toBe('continue');
  const own = createPayerPhone(till, payer);
  await own.dial();
  await own.press('New payment', 'My number');
  await own.type('20');
  expect(await own.press('Yes')).toMatch(/^You confirmed GHS 20\.00 to Demo Shop at \d\d:\d\d\./);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('who has asked another number for it is told when that was', async () => {
  const till = await createShop();
  const phone = createPayerPhone(till, other);
  const ask = async () => {
    await phone.type('2', payer, '20');
    return phone.press('Yes');
  };
  await phone.dial();
  await ask();
  await untilNewest(till, 'initiated');
  await approve(till);
  await untilNewest(till, 'paid');
  await phone.dial();
  await phone.press('New payment');
  expect(await ask()).toMatch(/^You confirmed GHS 20\.00 to Demo Shop at \d\d:\d\d\./);
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});
