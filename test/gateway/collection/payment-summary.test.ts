import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { summarizePayment } from '../../../src/gateway/collection/payment-summary.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import { number, openBench } from './bench.ts';
import { collectionIn, minute, opening, type Situation, second } from './support.ts';

test.each<[Situation, string]>([
  ['accepted', 'waiting'],
  ['created', 'waiting'],
  ['initiating', 'waiting'],
  ['initiated', 'waiting'],
  ['paid', 'paid'],
  ['paid at quote', 'paid'],
  ['failed', 'failed'],
  ['expired', 'failed'],
  ['abandoned', 'failed'],
  ['review, suspended', 'unknown'],
  ['review, no money', 'unknown'],
])('what is %s stands as %s', (situation, expected) => {
  expect(summarizePayment(collectionIn(situation)).state).toBe(expected);
});

test('what nobody answered in time is neither waited for nor failed', () => {
  const lapsed = { ...collectionIn('initiated'), lapsedAt: opening.openedAt + 6 * minute };
  expect(summarizePayment(lapsed).state).toBe('unknown');
});

test('a payment that a person must look at stays paid', () => {
  expect(summarizePayment({ ...collectionIn('paid'), review: 'failed_after_paid' }).state).toBe('paid');
});

test('nobody is told the amounts of a quote that was refused', () => {
  const refused = { ...collectionIn('abandoned'), amountMinor: 2_021, reason: 'quote_amount' };
  expect(summarizePayment(refused).chargeMinor).toBe(2_000);
  expect(summarizePayment({ ...refused, shownTotalMinor: 2_020 }).chargeMinor).toBe(2_020);
  // Another fee than was agreed to is true all the same: it is what a new prompt would ask for.
  expect(summarizePayment({ ...refused, reason: 'quote_shown_total', amountMinor: 2_040 }).chargeMinor).toBe(
    2_040,
  );
});

test('it names what the payer typed, and nothing where the short reference stands in for it', () => {
  const { reference, shortReference } = opening;
  expect(summarizePayment(collectionIn('paid'))).toEqual({
    id: 'col_1',
    payer: opening.payer,
    dialler: opening.dialler,
    amountMinor: 2_000,
    reference,
    shortReference,
    network: opening.network,
    chargeMinor: 2_020,
    at: opening.openedAt,
    state: 'paid',
  });
  const unasked = { ...collectionIn('paid'), reference: '48217362' };
  expect(summarizePayment(unasked)).not.toHaveProperty('reference');
});

test.each([
  ['what the service has said', { amountMinor: 2_030, shownTotalMinor: 2_020 }, 2_030],
  ['before that, what the screen has named', { amountMinor: null, shownTotalMinor: 2_020 }, 2_020],
  ['before that, the goods alone', { amountMinor: null, shownTotalMinor: null }, 2_000],
])('the prompt asks for %s', (_, amounts, chargeMinor) => {
  expect(summarizePayment({ ...collectionIn('initiated'), ...amounts } as Collection).chargeMinor).toBe(
    chargeMinor,
  );
});

test('that it ended for another fee than the one that was agreed to is told, and of nothing else', () => {
  const ended = collectionIn('abandoned');
  expect(summarizePayment({ ...ended, reason: 'quote_shown_total' }).isFeeChanged).toBe(true);
  expect(summarizePayment({ ...ended, reason: 'prompt_deadline' })).not.toHaveProperty('isFeeChanged');
});

test('a short reference finds its collection, at its merchant and in its mode alone', async () => {
  const { open, collections } = openBench();
  const { row } = await open({ reference: 'INV-7' });
  const key = { merchantId: 'demo-shop', livemode: 0, shortReference: row.shortReference ?? '' } as const;
  expect(await collections.findByShortReference(key)).toEqual(row);
  expect(await collections.findByShortReference({ ...key, merchantId: 'other-shop' })).toBeUndefined();
  expect(await collections.findByShortReference({ ...key, livemode: 1 })).toBeUndefined();
  expect(await collections.findByShortReference({ ...key, shortReference: 'INV-7' })).toBeUndefined();
});

const [ama, kofi, esi] = [number(1), number(2), number(3)] as const;

/** Turns of a session that would charge these numbers, one after the other; null charges the one who dialled. */
async function turns(
  { store, clock }: ReturnType<typeof openBench>,
  ...payers: (string | null)[]
): Promise<void> {
  const sql = `INSERT INTO turn (channel, session, sequence, dialogue_id, merchant_id, dialler, operator, payer, state,
               reply, screen, at) VALUES ('ch', 's-1', ?, 'dlg_1', 'demo-shop', ?, 'mtn', ?, '{}', 'continue', '', ?)`;
  await store.apply(
    payers.map((payer, index) => ({ sql, args: [index + 1, ama, payer, clock.now()], rows: 1 })),
  );
}

test('a dialogue is told of what its dialler pays and asked for, and of whom it would charge, the newest first', async () => {
  const bench = openBench();
  const since = bench.clock.now();
  const opened: string[] = [];
  for (const [dialler, payer] of [
    [ama, ama],
    [kofi, esi],
    [esi, kofi],
    [ama, esi],
    [kofi, ama],
  ] as const) {
    await bench.clock.advance(second);
    const { row } = await bench.open({ dialler, payer, goodsMinor: 500 as AmountMinor });
    await bench.end(row, { status: 'failed' });
    opened.push(row.id);
  }
  const [own, ofEsi, ofKofi, forEsi, forAma] = opened;
  const key = {
    merchantId: 'demo-shop',
    livemode: 0,
    dialler: ama,
    channel: 'ch',
    session: 's-1',
    since,
  } as const;
  const recent = async (changed = {}) =>
    (await bench.collections.recent({ ...key, ...changed })).map(({ id }) => id);
  expect(await recent()).toEqual([forAma, forEsi, own]);
  await turns(bench, null, esi, kofi);
  expect(await recent()).toEqual([forAma, forEsi, ofKofi, own]);
  expect(await recent({ session: 's-2' })).toEqual([forAma, forEsi, own]);
  expect(await recent({ channel: 'other' })).toEqual([forAma, forEsi, own]);
  expect(await recent({ since: since + 4 * second })).toEqual([forAma, forEsi]);
  expect(await recent({ merchantId: 'other-shop' })).toEqual([]);
  expect(await recent({ livemode: 1 })).toEqual([]);
  expect(await recent({ dialler: kofi })).toEqual([forAma, ofKofi, ofEsi]);
});

test('one who asks for many is told of the latest, and never without those of whom the dialogue would charge', async () => {
  const bench = openBench();
  const since = bench.clock.now();
  const first = await bench.open({ dialler: ama, payer: kofi });
  for (let n = 0; n < 100; n++) {
    await bench.clock.advance(second);
    await bench.open({ dialler: ama, payer: number(100 + n) });
  }
  await turns(bench, kofi);
  const key = {
    merchantId: 'demo-shop',
    livemode: 0,
    dialler: ama,
    channel: 'ch',
    session: 's-1',
    since,
  } as const;
  const recent = await bench.collections.recent(key);
  expect(recent.length).toBeLessThanOrEqual(32);
  expect(recent[0]?.payer).toBe(number(199));
  expect(recent.at(-1)?.id).toBe(first.row.id);
});
