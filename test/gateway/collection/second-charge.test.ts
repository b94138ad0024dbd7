import { expect, test } from 'vitest';
import type { Evidence } from '../../../src/gateway/collection/evidence.ts';
import { evolve } from '../../../src/gateway/collection/fact.ts';
import { collectionIn, context, decideOn, polled } from './support.ts';

/* The payer is charged again while a person at the service decides about the first charge. */

const heldMinor = collectionIn('review, at the service').amountMinor ?? 0;
const second = { amountMinor: 760, secondCharge: true } as const;

/** Returns the collection after a poll of the service's decision, and what the decision books. */
function afterPoll(evidence: Evidence) {
  const before = collectionIn('review, at the service');
  const { facts, bookings, alarm } = decideOn(before, evidence, context);
  const after = facts.reduce((one, fact) => evolve(one, fact, context.now), before);
  return { after, alarm, kinds: facts.map(({ kind }) => kind), booked: bookings.map(({ kind }) => kind) };
}

test('a second charge outlives the decision that accepts the first one: it needs a review of its own', () => {
  const { after, alarm, booked, kinds } = afterPoll(polled('paid', { paidMinor: heldMinor, review: second }));
  expect(after).toMatchObject({ status: 'paid', reason: 'service_accepted', review: 'second_charge' });
  expect(after).toMatchObject({ booked: 'released', amountMinor: heldMinor });
  expect({ alarm, booked }).toEqual({ alarm: 'second_charge', booked: ['release'] });
  expect(kinds.filter((kind) => kind === 'polled')).toHaveLength(1);
});

test('a second charge after a decision that rejects the first one needs a new review, and is not the money of the collection', () => {
  const { after, booked } = afterPoll(polled('failed', { review: second }));
  expect(after).toMatchObject({ status: 'review', reason: 'second_charge', booked: 'returned' });
  expect(booked).toEqual(['return']);
});

test('a decision without a second charge leaves no review', () => {
  for (const [status, end] of [
    ['paid', 'paid'],
    ['failed', 'failed'],
  ] as const) {
    const { after, booked } = afterPoll(polled(status, { review: { amountMinor: heldMinor } }));
    expect(after).toMatchObject({ status: end, review: null });
    expect(booked).toHaveLength(1);
  }
});
