import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { summarizePayment } from '../../../src/gateway/collection/payment-summary.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import { createBench, number } from './bench.ts';
import { collectionIn, intent, minute, type Situation, second } from './support.ts';

test.each<[Situation, string]>([
  ['accepted', 'waiting'],
  ['created', 'waiting'],
  ['initiating', 'waiting'],
  ['initiated', 'waiting'],
  ['paid', 'paid'],
  ['paid, unconfirmed', 'confirming'],
  ['paid at quote', 'paid'],
  ['failed', 'failed'],
  ['expired', 'failed'],
  ['abandoned', 'failed'],
  ['review, suspended', 'unknown'],
  ['review, no money', 'unknown'],
])('a collection that is %s has the state %s', (situation, expected) => {
  expect(summarizePayment(collectionIn(situation)).state).toBe(expected);
});

test('a lapsed collection is neither waiting nor failed', () => {
  const lapsed = { ...collectionIn('initiated'), lapsedAt: intent.openedAt + 6 * minute };
  expect(summarizePayment(lapsed).state).toBe('unknown');
});

test('a paid collection that is flagged for review stays paid', () => {
  expect(summarizePayment({ ...collectionIn('paid'), review: 'failed_after_paid' }).state).toBe('paid');
});

test('the amounts of a wrong quote are not shown', () => {
  const refused = { ...collectionIn('abandoned'), amountMinor: 2_021, reason: 'quote_amount' };
  expect(summarizePayment(refused).chargeMinor).toBe(2_000);
  expect(summarizePayment({ ...refused, shownTotalMinor: 2_020 }).chargeMinor).toBe(2_020);
  // A consistent quote with another total is correct: a new prompt would ask for it.
  expect(summarizePayment({ ...refused, reason: 'quote_shown_total', amountMinor: 2_040 }).chargeMinor).toBe(
    2_040,
  );
});

test('the reference is absent when the short reference replaces it', () => {
  const { reference, shortReference } = intent;
  expect(summarizePayment(collectionIn('paid'))).toEqual({
    id: 'col_1',
    payer: intent.payer,
    dialler: intent.dialler,
    amountMinor: 2_000,
    reference,
    shortReference,
    network: intent.network,
    chargeMinor: 2_020,
    at: intent.openedAt,
    state: 'paid',
  });
  const unasked = { ...collectionIn('paid'), reference: '48217362' };
  expect(summarizePayment(unasked)).not.toHaveProperty('reference');
});

test.each([
  ['the quoted amount', { amountMinor: 2_030, shownTotalMinor: 2_020 }, 2_030],
  ['before a quote, the total shown', { amountMinor: null, shownTotalMinor: 2_020 }, 2_020],
  ['without either, the price', { amountMinor: null, shownTotalMinor: null }, 2_000],
])('the charge is %s', (_, amounts, chargeMinor) => {
  expect(summarizePayment({ ...collectionIn('initiated'), ...amounts } as Collection).chargeMinor).toBe(
    chargeMinor,
  );
});

test.each([
  ['a quote with another total', 'abandoned', 'quote_shown_total', 0, true],
  ['a fee above the cap', 'abandoned', 'quote_fee_too_high', 0, true],
  ['a quote with another price', 'abandoned', 'quote_goods', 0, true],
  ['a merchant that is not approved', 'abandoned', 'offline_mode_not_enabled', 0, true],
  ['a key without the permission', 'abandoned', 'offline_scope_required', 0, true],
  ['a key that is not approved for prompts', 'abandoned', 'offline_scope_required', 1, true],
  ['a number that the service rejects', 'abandoned', 'invalid_msisdn', 0, true],
  ['a create call that the service rejects', 'abandoned', 'some_code', 0, true],
  ['another amount that was charged', 'failed', 'amount_mismatch', 1, true],
  ['a rejected prompt', 'abandoned', 'rail_refused', 1, false],
  ['the prompt deadline', 'abandoned', 'prompt_deadline', 0, false],
  ['a lost prompt', 'abandoned', 'never_prompted', 1, false],
  ['a corrected clock', 'abandoned', 'clock_ahead', 0, false],
  ['a restore', 'abandoned', 'restored', 0, false],
  ['a declined prompt', 'failed', 'declined', 1, false],
  ['too little money', 'failed', 'insufficient_funds', 1, false],
  ['no wallet', 'failed', 'wallet_not_registered', 1, true],
  ['a limit of the wallet', 'failed', 'limit_exceeded', 1, true],
  ['a blocked PIN', 'failed', 'pin_limit', 1, true],
  ['an expired prompt', 'expired', 'prompt_expired', 1, false],
] as const)('after %s (%s, %s, %i sends) a retry is excluded: %s', (_, status, reason, initiateSends, is) => {
  const ended = { ...collectionIn(status), reason, initiateSends };
  expect(summarizePayment(ended).isRetryExcluded ?? false).toBe(is);
});

test('a short reference finds its collection only at its merchant and in its mode', async () => {
  const { open, collections } = createBench();
  const { row } = await open({ reference: 'INV-7' });
  const key = { merchantId: 'demo-shop', livemode: 0, shortReference: row.shortReference ?? '' } as const;
  expect(await collections.findByShortReference(key)).toMatchObject({ id: row.id, reference: 'INV-7' });
  expect(await collections.findByShortReference({ ...key, merchantId: 'other-shop' })).toBeUndefined();
  expect(await collections.findByShortReference({ ...key, livemode: 1 })).toBeUndefined();
  expect(await collections.findByShortReference({ ...key, shortReference: 'INV-7' })).toBeUndefined();
});

const [ama, kofi, esi] = [number(1), number(2), number(3)] as const;

/** The key of Ama's recent collections in a session whose payer is Ama. */
const recentOfAma = { merchantId: 'demo-shop', livemode: 0, dialler: ama, payer: null } as const;

test('recent returns the collections that the dialler pays or started, newest first, and none of other phones', async () => {
  const bench = createBench();
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
  const key = { ...recentOfAma, since };
  const recent = async (changed = {}) =>
    (await bench.collections.recent({ ...key, ...changed })).map(({ id }) => id);
  expect(await recent()).toEqual([forAma, forEsi, own]);
  // Kofi is the chosen payer, and what another phone requested from Kofi stays out.
  expect(await recent({ payer: kofi })).toEqual([forAma, forEsi, own]);
  expect(await recent({ since: since + 4 * second })).toEqual([forAma, forEsi]);
  expect(await recent({ merchantId: 'other-shop' })).toEqual([]);
  expect(await recent({ livemode: 1 })).toEqual([]);
  expect(await recent({ dialler: kofi })).toEqual([forAma, ofKofi, ofEsi]);
});

test('a dialler with many collections does not displace those of the chosen payer', async () => {
  const bench = createBench();
  const since = bench.clock.now();
  const first = await bench.open({ dialler: ama, payer: kofi });
  for (let n = 0; n < 100; n++) {
    await bench.clock.advance(second);
    await bench.open({ dialler: ama, payer: number(100 + n) });
  }
  const key = { ...recentOfAma, payer: kofi, since };
  const recent = await bench.collections.recent(key);
  expect(recent.length).toBeLessThanOrEqual(32);
  expect(recent[0]?.payer).toBe(number(199));
  expect(recent.at(-1)?.id).toBe(first.row.id);
});
