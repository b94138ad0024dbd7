import { expect, test } from 'vitest';
import { backUpTill, restoreTill, untilRecovered } from '../kit/backup-till.ts';
import { needsFile } from '../kit/engine.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, minute, paidEvent, payer, type Till, webhookSecret } from '../kit/till.ts';
import { balancesOf, expectValid, onlyUnplaced, paidOf, payUnanswered, unplacedIn } from '../kit/unplaced.ts';

/* Two merchants use one account of the service, each with a webhook address and a secret of its own. */

const secrets = { 'demo-shop': webhookSecret, 'second-shop': 'whsec_second_0123456789abcdef' } as const;
type Merchant = keyof typeof secrets;

const paid = { payers: -2_020, 'merchant:demo-shop': 2_000, service_fees: 20 };

/** Creates a till with a second merchant: with the key of the first one, unless another key is named. */
function createSharedTill(key?: string): Promise<Till> {
  return createTill({
    configure(config) {
      const [first] = config.merchants;
      if (!first) throw new Error('the test configuration has no merchant');
      const webhookSecrets = [secrets['second-shop']];
      config.merchants.push({ ...first, id: 'second-shop', key: key ?? first.key, webhookSecrets });
    },
  });
}

async function deliverTo(till: Till, merchant: Merchant, event: object): Promise<void> {
  expect((await till.deliver(event, { merchant, secret: secrets[merchant] })).status).toBe(200);
  await till.clock.advance(1_000);
}

test.each<Merchant[]>([
  ['demo-shop', 'second-shop'],
  ['second-shop', 'demo-shop'],
])(
  'S18: an event that reaches %s and then %s is booked once, on the collection of the session',
  async (...both) => {
    const till = await createSharedTill();
    till.loseWebhooks();
    const row = await till.prompted(payer);
    await till.approve();
    for (const merchant of both) await deliverTo(till, merchant, paidEvent(row));
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(await unplacedIn(till)).toEqual([]);
    expect((await till.inbox()).map(({ state }) => state)).toEqual(['handled', 'handled']);
    expect(await balancesOf(till)).toEqual(paid);
    await expectValid(till);
  },
);

test.each<Merchant[]>([
  ['demo-shop', 'second-shop'],
  ['second-shop', 'demo-shop'],
])(
  'S18: an event that reaches %s and then %s before the collection is in suspense once, and joins it',
  async (...both) => {
    const till = await createSharedTill();
    till.loseWebhooks();
    const { session, answer } = await payUnanswered(till, payer);
    for (const merchant of both) await deliverTo(till, merchant, paidOf(session));
    expect(await onlyUnplaced(till)).toMatchObject({ merchant_id: both[0], suspended_minor: 2_020 });
    expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
    await expectValid(till);
    answer();
    await till.until(async () => (await till.only(payer)).booked !== null, 10 * minute);
    const { id } = await till.only(payer);
    expect(await onlyUnplaced(till)).toMatchObject({
      state: 'placed',
      collection_id: id,
      suspended_minor: 0,
    });
    expect((await balancesOf(till)).payers).toBe(-2_020);
    expect((await till.inbox()).map(({ state }) => state)).toEqual(['handled', 'handled']);
    await expectValid(till);
  },
);

test('S18: events that reach both merchants at the same time are in suspense once', async () => {
  const till = await createSharedTill();
  const deliver = (merchant: Merchant) =>
    till.deliver(paidOf('pay_elsewhere_1'), { merchant, secret: secrets[merchant] });
  await Promise.all([deliver('demo-shop'), deliver('second-shop')]);
  await till.clock.advance(2 * minute);
  expect(await onlyUnplaced(till)).toMatchObject({ suspended_minor: 2_020 });
  expect((await till.inbox()).map(({ state }) => state)).toEqual(['parked', 'parked']);
  await expectValid(till);
});

needsFile('restores a backup of the file')(
  'S32: after the restore of an older copy, the events at both addresses are booked once',
  async () => {
    const till = await createSharedTill();
    till.loseWebhooks();
    const empty = await backUpTill(till);
    const { answer } = await payUnanswered(till, payer);
    const accepted = await backUpTill(till);
    answer();
    const row = await till.untilStatus(payer, 'initiated', 2 * minute);
    await till.approved(payer, 5 * minute);
    for (const { file } of [empty, accepted]) {
      await restoreTill(till, file);
      for (const merchant of ['second-shop', 'demo-shop'] as const)
        await deliverTo(till, merchant, paidEvent(row));
      await untilRecovered(till);
      const known = (await till.find(payer)).length > 0;
      expect((await balancesOf(till)).payers).toBe(-2_020);
      expect((await unplacedIn(till)).map(({ state }) => state)).toEqual(known ? [] : ['open']);
      await expectValid(till);
    }
  },
);

test('a merchant with another key has sessions of its own: the event does not reach the collection', async () => {
  const till = await createSharedTill('sk_test_0123456789abcdef');
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await deliverTo(till, 'second-shop', paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', booked: null });
  expect(await onlyUnplaced(till)).toMatchObject({ merchant_id: 'second-shop', suspended_minor: 2_020 });
});
