import { expect, test } from 'vitest';
import type { Collection, DecisionOutcome } from '../../../src/gateway/collection/collection.ts';
import type { Evidence, EvidenceOf } from '../../../src/gateway/collection/evidence.ts';
import type { UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  collectionIn,
  context,
  decideOn,
  paidEvidence,
  polled,
  quote,
  type Situation,
  unplaced,
} from './support.ts';

/* Decisions about money: of people here, and of the service while a person there decides. */

const paidAt = '2026-03-06T09:00:10.000Z';
const grounds = { by: 'ama', approvedBy: 'kofi', evidence: 'statement' };

/** Returns the facts, the bookings as postings, and why a decision is refused. */
function written(collection: Collection, evidence: Evidence, charges: readonly UnplacedPayment[] = []) {
  const { facts, bookings, alarm, refused } = decideOn(collection, evidence, context, charges);
  const moved = bookings.map(({ kind, postings }) => [kind, ...postings.map((one) => one.amountMinor)]);
  return { facts, moved, alarm, refused };
}

function decided(collection: Collection, outcome: DecisionOutcome, charges: readonly UnplacedPayment[] = []) {
  const evidence: Evidence = { kind: 'decision', outcome, versionSeen: collection.version, grounds };
  return written(collection, evidence, charges);
}

const refusal = (refused: string) => ({ facts: [], moved: [], alarm: undefined, refused });

test.each<[string, Situation, Partial<Collection>, DecisionOutcome]>([
  ['still_polled', 'initiated', { review: 'stale_event' }, 'not_paid'],
  ['still_polled', 'paid, unconfirmed', { review: 'unconfirmed_paid' }, 'not_paid'],
  ['service_decides', 'review, at the service', {}, 'accept'],
  ['no_review', 'paid', {}, 'not_paid'],
  ['impossible', 'review, no money', {}, 'accept'],
  ['impossible', 'review, no money', {}, 'returned'],
  ['impossible', 'review, suspended', {}, 'paid'],
  ['impossible', 'review, suspended', { booked: 'returned' }, 'accept'],
  ['impossible', 'review, suspended', { booked: 'reversed' }, 'returned'],
  ['impossible', 'review, no money', { amountMinor: null }, 'paid'],
  ['impossible', 'review, no money', { feeMinor: null }, 'paid'],
  ['impossible', 'review, no money', { netMinor: null }, 'paid'],
  ['impossible', 'review, no money', { amountMinor: 2_021 }, 'paid'],
  ['impossible', 'review, no money', { amountMinor: 0, feeMinor: 0, netMinor: 0 }, 'paid'],
  ['impossible', 'review, no money', { amountMinor: -20, feeMinor: 0, netMinor: -20 }, 'paid'],
])('a decision is refused as %s: %s %j, %s', (reason, situation, changed, outcome) => {
  expect(decided({ ...collectionIn(situation), ...changed }, outcome)).toStrictEqual(refusal(reason));
});

test('a decision about a version that its people did not see is refused first', () => {
  const review = collectionIn('review, no money');
  const evidence: Evidence = {
    kind: 'decision',
    outcome: 'accept',
    versionSeen: review.version - 1,
    grounds,
  };
  expect(written(review, evidence)).toStrictEqual(refusal('changed'));
});

test.each<[DecisionOutcome, string, Partial<Collection>, unknown[]]>([
  ['accept', 'suspended money goes to the merchant', {}, [['release', -2_020, 2_000, 20]]],
  ['accept', 'less money than the fee is the fee', { amountMinor: 15 }, [['release', -15, 15]]],
  ['accept', 'money without a quote has no fee', { feeMinor: null }, [['release', -2_020, 2_020]]],
  ['accept', 'money of the merchant stays', { booked: 'paid' }, []],
  ['accept', 'released money stays', { booked: 'released' }, []],
  ['returned', 'suspended money goes back', {}, [['return', -2_020, 2_020]]],
  [
    'returned',
    'money of the merchant goes back with its fee',
    { booked: 'paid' },
    [['reversal', 2_020, -2_000, -20]],
  ],
  ['returned', 'released money goes back', { booked: 'released', amountMinor: 15 }, [['reversal', 15, -15]]],
  [
    'returned',
    'released money without a fee goes back',
    { booked: 'released', feeMinor: null },
    [['reversal', 2_020, -2_020]],
  ],
  ['not_paid', 'suspended money goes back', {}, [['return', -2_020, 2_020]]],
  ['not_paid', 'money of the merchant goes back', { booked: 'paid' }, [['reversal', 2_020, -2_000, -20]]],
  ['not_paid', 'money that went back does not go again', { booked: 'reversed' }, []],
  ['not_paid', 'no money arrived', { booked: null }, []],
  ['paid', 'the quote is what the payer was charged', { booked: null }, [['paid', -2_020, 2_000, 20]]],
])('the decision %s: %s', (outcome, _, changed, moved) => {
  const collection = { ...collectionIn('review, suspended'), ...changed };
  const versionSeen = collection.version;
  const data = { outcome, source: 'staff', ...grounds, versionSeen };
  expect(decided(collection, outcome)).toStrictEqual({
    ...{ facts: [{ kind: 'decided', data }], moved, alarm: undefined, refused: undefined },
  });
});

test('a decision books no money of the session that people have given away, and still decides about other money', () => {
  const returned = unplaced(1, { state: 'returned', suspendedMinor: 0 });
  expect(decided(collectionIn('review, no money'), 'paid', [returned])).toStrictEqual(refusal('given_away'));
  expect(decided(collectionIn('review, no money'), 'not_paid', [returned]).facts).toHaveLength(1);
  expect(decided(collectionIn('review, suspended'), 'accept', [returned]).moved).toHaveLength(1);
});

type Matched = EvidenceOf<'payment_matched'>['payment'];

function match(collection: Collection, changed: Partial<Matched> = {}, versionSeen = collection.version) {
  const stated = { goodsMinor: 2_000, feeMinor: 20, netMinor: 2_000, paidAt };
  const payment = { unplacedId: 'unp_1', chargedMinor: 2_020, ...stated, ...changed };
  return written(collection, { kind: 'payment_matched', payment, versionSeen, grounds });
}

test.each<[string, Situation, Partial<Collection>]>([
  ['already_booked', 'review, suspended', {}],
  ['already_booked', 'paid', {}],
  ['still_polled', 'initiated', {}],
  ['still_polled', 'paid, unconfirmed', { booked: null }],
])('a match is refused as %s: %s', (reason, situation, changed) => {
  expect(match({ ...collectionIn(situation), ...changed })).toStrictEqual(refusal(reason));
});

test('a match with a version that its people did not see is refused first', () => {
  expect(match(collectionIn('paid'), {}, 0)).toStrictEqual(refusal('changed'));
});

const unquoted = { amountMinor: null, feeMinor: null, netMinor: null };
const dearer = { chargedMinor: 2_050, feeMinor: 50 };
const dearerAmounts = { amountMinor: 2_050, feeMinor: 50, netMinor: 2_000 };

test.each<[string, Partial<Collection>, Partial<Matched>, typeof quote | undefined]>([
  ['the quote', {}, {}, quote],
  [
    'the quote, when the event states no price',
    {},
    { goodsMinor: null, feeMinor: null, netMinor: null },
    quote,
  ],
  ['the quote, when the event states another fee', {}, { feeMinor: 50, netMinor: 1_970 }, quote],
  ['nothing for another price', {}, { goodsMinor: 1_999 }, undefined],
  ['nothing for another total', {}, dearer, undefined],
  ['what the event states, without a quote', unquoted, dearer, dearerAmounts],
  ['nothing without a quote and a price', unquoted, { ...dearer, goodsMinor: null }, undefined],
  ['nothing without a quote and a fee', unquoted, { ...dearer, feeMinor: null }, undefined],
  ['nothing for the price alone', unquoted, { chargedMinor: 2_000, feeMinor: null }, undefined],
  ['nothing without a quote and a net', unquoted, { ...dearer, netMinor: null }, undefined],
  ['nothing for another net', unquoted, { chargedMinor: 2_020, feeMinor: 30, netMinor: 1_990 }, undefined],
  ['nothing for amounts that have another sum', unquoted, { chargedMinor: 2_021 }, undefined],
  [
    'what the event states, after a quote that has another sum',
    { amountMinor: 2_021 },
    dearer,
    dearerAmounts,
  ],
  [
    'nothing for the total of a quote that has another sum',
    { amountMinor: 2_021 },
    { chargedMinor: 2_021 },
    undefined,
  ],
  ['what the event states, after a quote of another net', { feeMinor: 30, netMinor: 1_990 }, {}, quote],
  [
    'what the event states, after a quote of nothing',
    { amountMinor: 0, feeMinor: 0, netMinor: 0 },
    dearer,
    dearerAmounts,
  ],
  [
    'nothing for no money',
    { goodsMinor: 0 as Collection['goodsMinor'], ...unquoted },
    { chargedMinor: 0, goodsMinor: 0, feeMinor: 0, netMinor: 0 },
    undefined,
  ],
])('a match books %s', (_, changed, payment, amounts) => {
  const collection = { ...collectionIn('review, no money'), ...changed };
  const versionSeen = collection.version;
  if (!amounts) {
    expect(match(collection, payment)).toStrictEqual(refusal('other_amount'));
    return;
  }
  const { amountMinor, netMinor, feeMinor } = amounts;
  const data = { ...amounts, unplacedId: 'unp_1', paidAt, ...grounds, versionSeen };
  expect(match(collection, payment)).toStrictEqual({
    facts: [{ kind: 'matched', data }],
    moved: [['paid', -amountMinor, netMinor, feeMinor]],
    ...{ alarm: undefined, refused: undefined },
  });
});

const undecided = { kind: 'service_undecided', data: { reason: 'contradiction' } };
const corrected = (amountMinor: number, at: string | null) => ({
  kind: 'suspense_corrected',
  data: { amountMinor, source: 'poll', paidAt: at },
});
const byService = (outcome: DecisionOutcome) => ({ kind: 'decided', data: { outcome, source: 'service' } });
const correction = [['correction', 1_000, -1_000]];
const alarm = 'amount_mismatch';
const half = { review: { amountMinor: 1_020 } };

test.each<[string, Evidence, object]>([
  [
    'accepts the money',
    polled('paid'),
    { facts: [byService('accept')], moved: [['release', -2_020, 2_000, 20]], alarm: undefined },
  ],
  [
    'accepts the amount that it states',
    polled('paid', { paidMinor: 2_020 }),
    { facts: [byService('accept')], moved: [['release', -2_020, 2_000, 20]], alarm: undefined },
  ],
  [
    'rejects the money',
    polled('failed'),
    { facts: [byService('returned')], moved: [['return', -2_020, 2_020]], alarm: undefined },
  ],
  [
    'accepts another amount',
    polled('paid', { paidMinor: 1_020 }),
    { facts: [corrected(1_020, paidAt), undecided], moved: correction, alarm },
  ],
  ['ends without a decision', polled('expired'), { facts: [undecided], moved: [], alarm }],
  [
    'ends without a decision about another amount',
    polled('expired', half),
    { facts: [corrected(1_020, paidAt), undecided], moved: correction, alarm },
  ],
  [
    'ends without a decision, after a second charge',
    polled('expired', { review: { amountMinor: 1_020, secondCharge: true } }),
    { facts: [undecided], moved: [], alarm },
  ],
  ['has not decided', polled('paid', { terminal: false }), { facts: [], moved: [], alarm: undefined }],
  [
    'has not decided about another amount',
    polled('initiated', half),
    { facts: [corrected(1_020, paidAt)], moved: correction, alarm },
  ],
  [
    'has not decided about the same amount',
    polled('initiated', { review: { amountMinor: 2_020 } }),
    { facts: [], moved: [], alarm: undefined },
  ],
  [
    'has not decided after a second charge',
    polled('initiated', { review: { amountMinor: 1_020, secondCharge: true } }),
    { facts: [], moved: [], alarm: undefined },
  ],
])('while a person at the service decides, a poll shows that it %s', (_, evidence, expected) => {
  const { facts, moved, alarm: raised } = written(collectionIn('review, at the service'), evidence);
  expect(facts[0]?.kind).toBe('polled');
  expect({ facts: facts.slice(1), moved, alarm: raised }).toStrictEqual(expected);
});

test('the service accepts only money that is there: otherwise people here decide', () => {
  const gone: Collection = { ...collectionIn('review, at the service'), booked: 'returned' };
  expect(written(gone, polled('paid')).facts.slice(1)).toStrictEqual([undecided]);
  const stays: Collection = { ...collectionIn('review, at the service'), booked: 'released' };
  expect(written(stays, polled('paid'))).toMatchObject({ facts: [{}, byService('accept')], moved: [] });
});

test('a paid event of a review at the service agrees with the money, or people here decide', () => {
  const held = collectionIn('review, at the service');
  const noted = { kind: 'event', data: { eventId: 'evt_1', type: 'payment.session.paid' } };
  expect(written(held, paidEvidence())).toMatchObject({ facts: [noted], moved: [], alarm: undefined });
  const data = { amountMinor: 1_020, source: 'webhook', paidAt };
  expect(written(held, paidEvidence({ amountMinor: 1_020 }))).toMatchObject({
    ...{ facts: [noted, { kind: 'suspense_corrected', data }, undecided], moved: correction, alarm },
  });
});
