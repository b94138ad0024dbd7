import { expect, test } from 'vitest';
import { outcomes as triggered } from '../../src/cli/commands/trigger/outcomes.ts';
import { unpaidReasons } from '../../src/contract/merchant/payment-reason.ts';
import { type MagicName, magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import { inSuspense, type PostingTuple, paidInFull } from '../kit/scenes.ts';
import { createTill } from '../kit/till.ts';

type MagicOutcome = {
  name: MagicName;
  collection: { status: string; reason?: string; review?: string; late?: number; amountSource?: string };
  booked: PostingTuple[];
  pushes: number;
  alarms?: string[];
  /** A second charge, which a person decides about. */
  unbookedMinor?: number;
};

/** The result of a payment by each magic number, in the ledger and at the rail. */
const outcomes: MagicOutcome[] = [
  {
    name: 'paid',
    collection: { status: 'paid', late: 0, amountSource: 'webhook' },
    booked: paidInFull,
    pushes: 1,
  },
  { name: 'declined', collection: { status: 'failed', reason: 'declined' }, booked: [], pushes: 1 },
  {
    name: 'insufficient_funds',
    collection: { status: 'failed', reason: 'insufficient_funds' },
    booked: [],
    pushes: 1,
  },
  { name: 'no_result', collection: { status: 'expired', reason: 'no_result' }, booked: [], pushes: 1 },
  {
    name: 'late_approval',
    collection: { status: 'review', review: 'amount_mismatch' },
    booked: inSuspense(2_020),
    pushes: 1,
    alarms: ['amount_mismatch'],
  },
  {
    name: 'paid_short',
    collection: { status: 'review', review: 'amount_mismatch' },
    booked: inSuspense(1_010),
    pushes: 1,
    alarms: ['amount_mismatch'],
  },
  { name: 'rail_refused', collection: { status: 'failed', reason: 'rail_refused' }, booked: [], pushes: 0 },
  { name: 'rail_slow', collection: { status: 'paid', late: 0 }, booked: paidInFull, pushes: 1 },
  { name: 'rail_unknown', collection: { status: 'paid', late: 0 }, booked: paidInFull, pushes: 1 },
  {
    name: 'prompt_expired',
    collection: { status: 'expired', reason: 'prompt_expired' },
    booked: [],
    pushes: 1,
  },
  { name: 'pin_limit', collection: { status: 'failed', reason: 'pin_limit' }, booked: [], pushes: 1 },
  {
    name: 'wallet_not_registered',
    collection: { status: 'failed', reason: 'wallet_not_registered' },
    booked: [],
    pushes: 1,
  },
  {
    name: 'limit_exceeded',
    collection: { status: 'failed', reason: 'limit_exceeded' },
    booked: [],
    pushes: 1,
  },
  { name: 'cancelled', collection: { status: 'failed', reason: 'cancelled' }, booked: [], pushes: 1 },
  { name: 'network_down', collection: { status: 'failed', reason: 'network_down' }, booked: [], pushes: 1 },
  {
    name: 'paid_over',
    collection: { status: 'review', review: 'amount_mismatch' },
    booked: inSuspense(2_120),
    pushes: 1,
    alarms: ['amount_mismatch'],
  },
  {
    name: 'second_charge',
    collection: { status: 'paid', review: 'second_charge' },
    booked: paidInFull,
    pushes: 1,
    alarms: ['second_charge'],
    unbookedMinor: 2_020,
  },
  { name: 'event_twice', collection: { status: 'paid', late: 0 }, booked: paidInFull, pushes: 1 },
  {
    name: 'events_reversed',
    collection: { status: 'paid', review: 'second_charge' },
    booked: paidInFull,
    pushes: 1,
    alarms: ['second_charge'],
    unbookedMinor: 2_020,
  },
  { name: 'report_lost', collection: { status: 'paid', late: 0 }, booked: paidInFull, pushes: 1 },
];

test('the table contains every magic number', () => {
  expect(outcomes.map(({ name }) => name)).toEqual(magicNumbers.map(({ name }) => name));
});

test('a magic number has the name of the reason in the ledger', () => {
  const named = outcomes.filter(({ name }) => unpaidReasons.some((reason) => reason === name));
  expect(named.length).toBeGreaterThan(8);
  for (const { name, collection } of named) expect(collection.reason).toBe(name);
  for (const { reason, review } of triggered)
    expect(outcomes.find(({ name }) => name === reason)?.collection.review, reason).toBe(review);
});

test.each(outcomes)('a payment by the magic number "$name" has its documented result', async (outcome) => {
  const number = `0244000${magicNumbers.find(({ name }) => name === outcome.name)?.ending}`;
  // Shorter than the default of 24 hours, so that the long stop is within the test.
  const till = await createTill({ service: { session: { longStopMs: 10 * 60_000 } } });
  await till.pay(number);
  await till.clock.advance(15 * 60_000);
  const row = await till.only(number);
  expect(row).toMatchObject(outcome.collection);
  expect(await till.booked(row.id)).toEqual(outcome.booked);
  const book = await till.service.statement();
  expect(book).toMatchObject({ sessions: [{ sessionId: row.sessionId }], pushes: outcome.pushes });
  const chargedMinor = Math.abs(outcome.booked[0]?.[2] ?? 0) + (outcome.unbookedMinor ?? 0);
  expect(chargedMinor).toBe(book.chargedMinor);
  expect(till.callsOf('create')).toBe(1);
  expect(till.callsOf('initiate')).toBe(1);
  expect(till.alarms()).toEqual(outcome.alarms ?? []);
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
});
