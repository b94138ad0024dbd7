import { expect, test } from 'vitest';
import { outcomes as triggered } from '../../src/cli/commands/trigger/simulated-payer.ts';
import { unpaidReasons } from '../../src/contract/merchant/payment-reason.ts';
import { type MagicName, magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import { inSuspense, type PostingTuple, paidInFull } from '../kit/scenes.ts';
import { createTill } from '../kit/till.ts';

type Ended = { status: string; reason?: string; review?: string; late?: number; amountSource?: string };

const unpaid = (reason: string, status = 'failed'): Ended => ({ status, reason });
const mismatch: Ended = { status: 'review', review: 'amount_mismatch' };
const secondCharge: Ended = { status: 'paid', review: 'second_charge' };
const paid: Ended = { status: 'paid', late: 0 };

/** The result of a payment by each magic number, and its bookings in the ledger. */
const outcomes: readonly [name: MagicName, ended: Ended, booked: PostingTuple[]][] = [
  ['paid', { ...paid, amountSource: 'webhook' }, paidInFull],
  ['declined', unpaid('declined'), []],
  ['insufficient_funds', unpaid('insufficient_funds'), []],
  ['no_result', unpaid('no_result', 'expired'), []],
  ['late_approval', mismatch, inSuspense(2_020)],
  ['paid_short', mismatch, inSuspense(1_010)],
  ['rail_refused', unpaid('rail_refused'), []],
  ['rail_slow', paid, paidInFull],
  ['rail_unknown', paid, paidInFull],
  ['prompt_expired', unpaid('prompt_expired', 'expired'), []],
  ['pin_limit', unpaid('pin_limit'), []],
  ['wallet_not_registered', unpaid('wallet_not_registered'), []],
  ['limit_exceeded', unpaid('limit_exceeded'), []],
  ['cancelled', unpaid('cancelled'), []],
  ['network_down', unpaid('network_down'), []],
  ['paid_over', mismatch, inSuspense(2_120)],
  ['second_charge', secondCharge, paidInFull],
  ['event_twice', paid, paidInFull],
  ['events_reversed', secondCharge, paidInFull],
  ['report_lost', paid, paidInFull],
];

test('the table contains every magic number', () => {
  expect(outcomes.map(([name]) => name)).toEqual(magicNumbers.map(({ name }) => name));
});

test('a magic number has the name of the reason in the ledger', () => {
  const named = outcomes.filter(([name]) => unpaidReasons.some((reason) => reason === name));
  expect(named.length).toBeGreaterThan(8);
  for (const [name, ended] of named) expect(ended.reason).toBe(name);
  for (const { reason, review } of triggered)
    expect(outcomes.find(([name]) => name === reason)?.[1].review, reason).toBe(review);
});

test.each(outcomes)(
  'a payment by the magic number "%s" has its documented result',
  async (name, ended, booked) => {
    const number = `0244000${magicNumbers.find((one) => one.name === name)?.ending}`;
    // Shorter than the default of 24 hours, so that the long stop is within the test.
    const till = await createTill({ service: { session: { longStopMs: 10 * 60_000 } } });
    await till.pay(number);
    await till.clock.advance(15 * 60_000);
    const row = await till.only(number);
    expect(row).toMatchObject(ended);
    expect(await till.booked(row.id)).toEqual(booked);
    const book = await till.service.statement();
    expect(book).toMatchObject({
      sessions: [{ sessionId: row.sessionId }],
      pushes: name === 'rail_refused' ? 0 : 1,
    });
    // A person decides about a second charge.
    const unbookedMinor = ended === secondCharge ? 2_020 : 0;
    const chargedMinor = Math.abs(booked[0]?.[2] ?? 0) + unbookedMinor;
    expect(chargedMinor).toBe(book.chargedMinor);
    expect(till.callsOf('create')).toBe(1);
    expect(till.callsOf('initiate')).toBe(1);
    expect(till.alarms()).toEqual(ended.review === undefined ? [] : [ended.review]);
    expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
  },
);
