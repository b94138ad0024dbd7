import { expect, test } from 'vitest';
import { eventTypes } from '../../../src/contract/service/event.ts';
import {
  decideUnplacedEvent,
  type UnplacedEventCase,
  type UnplacedEventDecision,
  type UnplacedEvidence,
} from '../../../src/gateway/collection/decide/unplaced-event.ts';
import type { EventEvidence } from '../../../src/gateway/collection/evidence.ts';
import { changeUnplaced, type UnplacedFact } from '../../../src/gateway/unplaced/fact.ts';
import type { StatedPayment, UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';

/*
 * The table of events whose session no collection has. A row is an event, a column is what the gateway has of the session.
 *
 *   .        parked, and nothing else             suspense  an open payment; what it states is in suspense
 *   foreign  a payment of another channel         again     recorded with the payment of the session
 *   second   a second charge, in suspense         refund    booked and returned: its charge was not known
 *   return   the second charge leaves suspense    +note     the payment has a note for people
 *   +alarm   raises an alarm
 */
const table = `
                     none           channels       failed         open          foreign       placed            returned          second         two
paid                 suspense       foreign        suspense+note  again         again         again             again             suspense       suspense
paid, other amount   suspense       foreign        suspense+note  again+note    again+note    again+note+alarm  again+note+alarm  suspense       suspense
paid, a web channel  foreign        foreign        foreign+note   again         again         again             again             foreign        foreign
unreadable           suspense       foreign        suspense+note  again         again         again             again             suspense       suspense
another currency     suspense       suspense       suspense+note  again+note    again+note    again+note+alarm  again+note+alarm  suspense       suspense
failed               .              .              .              again+note    again+note    again+note+alarm  again+note+alarm  .              .
review               suspense       foreign        suspense+note  again+note    again+note    again+note+alarm  again+note+alarm  suspense       suspense
second charge        second+alarm   foreign+alarm  second+alarm   second+alarm  second+alarm  second+alarm      second+alarm      .+alarm        .+alarm
refund               suspense+note  foreign+note   suspense+note  again+note    again+note    again+note+alarm  again+note+alarm  suspense+note  suspense+note
refund of a second   refund         refund         refund         refund        refund        refund            refund            return         .+alarm
other                .              .              .              .             .             .                 .                 .              .
stale paid           .              .              .              .             .             .                 .                 .              .
stale second charge  .              .              .              .             .             .                 .                 .              .
stale refund         .              .              .              .             .             .                 .                 .              .
of the other mode    .+alarm        .+alarm        .+alarm        .+alarm       .+alarm       .+alarm           .+alarm           .+alarm        .+alarm
`;

const now = Date.parse('2026-03-06T09:00:00.000Z');
const details = {
  ...{ goodsMinor: 2_000, feeMinor: 20, netMinor: 2_000, payer: '233244123456' },
  ...{ reference: 'order 7', clientTransId: null, channel: null, paidAt: null, isOfOtherMode: false },
};
const amounts = { goodsMinor: 2_000, amountMinor: 2_020, feeMinor: 20, netMinor: 2_000 };

const event = (kind: EventEvidence['kind'], type: string, more: object = {}) =>
  ({ kind, eventId: 'evt_1', type, ...more }) as EventEvidence;
const paid = event('event_paid', eventTypes.paid, { amounts, paidAt: null });
const mismatch = eventTypes.reviewAmountMismatch;
const settled = eventTypes.refundSettled;
const secondCharge = event('event_review', mismatch, { amountMinor: 500, secondCharge: true });
const refund = { amountMinor: 500, reference: 'MP2603.1', by: 'operator' };
const refundOfSecond = event('event_refund', settled, { ...refund, secondCharge: true });
const stale = (one: EventEvidence): UnplacedEvidence => ({
  ...{ kind: 'event_stale', eventId: 'evt_1', type: one.type, event: one },
});

type Row = { evidence: UnplacedEvidence; details?: Partial<typeof details> | { channel: string } };

const rows: Readonly<Record<string, Row>> = {
  paid: { evidence: paid },
  'paid, other amount': { evidence: { ...paid, paidMinor: 1_500 } as EventEvidence },
  'paid, a web channel': { evidence: paid, details: { channel: 'web' } },
  unreadable: { evidence: event('event_unreadable', eventTypes.paid) },
  'another currency': {
    evidence: event('event_other_currency', eventTypes.paid, { currency: 'USD', amountMinor: 9 }),
  },
  failed: { evidence: event('event_failed', eventTypes.failed, { status: 'failed' }) },
  review: { evidence: event('event_review', mismatch, { amountMinor: 1_010 }) },
  'second charge': { evidence: secondCharge },
  refund: { evidence: event('event_refund', settled, refund) },
  'refund of a second': { evidence: refundOfSecond },
  other: { evidence: event('event_other', 'payment.session.other') },
  'stale paid': { evidence: stale(paid) },
  'stale second charge': { evidence: stale(secondCharge) },
  'stale refund': { evidence: stale(refundOfSecond) },
  'of the other mode': { evidence: paid, details: { isOfOtherMode: true } },
};

const { isOfOtherMode: _mode, ...stated } = details;
const report: StatedPayment = {
  ...{
    eventId: 'evt_0',
    eventType: eventTypes.paid,
    chargedMinor: 2_020,
    reports: 'payment',
    ...stated,
  },
};
const people = { by: 'ama', approvedBy: 'kofi', evidence: 'statement', versionSeen: 1 };
const session = { merchantId: 'demo-shop', livemode: 0, sessionId: 'pay_1' };

function charge(number: number, ...facts: UnplacedFact[]): UnplacedPayment {
  const own = number === 1 ? report : { ...report, chargedMinor: 500, reports: 'second_charge' as const };
  const data = {
    ...session,
    id: `unp_${number}`,
    charge: number,
    reason: 'unknown_session',
    stated: own,
  } as const;
  return changeUnplaced(undefined, [{ kind: 'reported', data }, ...facts], now - 1_000).after;
}

const columns: Readonly<Record<string, Partial<UnplacedEventCase>>> = {
  none: {},
  channels: { hasOtherChannels: true },
  failed: { parkedFailure: 'evt_failed' },
  open: { charges: [charge(1)] },
  foreign: { charges: [charge(1, { kind: 'declared_foreign', data: people })] },
  placed: { charges: [charge(1, { kind: 'placed', data: { collectionId: 'col_1', ...people } })] },
  returned: { charges: [charge(1, { kind: 'returned', data: { ...people, reference: 'MP1' } })] },
  second: { charges: [charge(2)] },
  two: { charges: [charge(2), charge(3)] },
};

function decideOn(row: Row, known: Partial<UnplacedEventCase>, sessionId: string | null = 'pay_1') {
  const base = { ...session, sessionId, charges: [], parkedFailure: null, hasOtherChannels: false };
  const one: UnplacedEventCase = { ...base, ...known, details: { ...details, ...row.details } };
  return decideUnplacedEvent(one, row.evidence, { now, unplacedId: 'unp_new' });
}

function name({ changes, alarms }: UnplacedEventDecision): string {
  const [change, ...others] = changes;
  expect(others).toEqual([]);
  const alarm = alarms.length > 0 ? '+alarm' : '';
  if (!change) return `.${alarm}`;
  const { before, after, bookings } = change;
  // The ledger has what the row has in suspense.
  const bookedMinor = bookings
    .flatMap(({ postings }) => postings)
    .filter(({ account }) => account === 'suspense')
    .reduce((sum, { amountMinor }) => sum - amountMinor, 0);
  expect(Math.abs(bookedMinor)).toBe(Math.abs(after.suspendedMinor - (before?.suspendedMinor ?? 0)));
  const note = after.note !== null && after.note !== before?.note ? '+note' : '';
  const effect = before
    ? after.state === 'returned' && before.state === 'open'
      ? 'return'
      : 'again'
    : after.state === 'returned'
      ? 'refund'
      : after.state === 'foreign'
        ? 'foreign'
        : after.charge === 1
          ? 'suspense'
          : 'second';
  return `${effect}${note}${alarm}`;
}

const [head = '', ...lines] = table.trim().split('\n');
const headings = head.trim().split(/\s+/);
const cells = lines.flatMap((line) => {
  const [label = '', ...effects] = line.split(/\s{2,}/);
  return headings.map((heading, index) => [label, heading, effects[index] ?? ''] as const);
});

test.each(cells)('%s, with %s of the session: %s', (label, heading, effect) => {
  const row = rows[label];
  const known = columns[heading];
  if (!row || !known) throw new Error(`the table has no ${label} or ${heading}`);
  expect(name(decideOn(row, known))).toBe(effect);
});

test('the table has every event and every state of a session', () => {
  expect(new Set(cells.map(([label]) => label))).toEqual(new Set(Object.keys(rows)));
  expect(headings).toEqual(Object.keys(columns));
});

test.each([
  ['paid', 'dead', 'suspense+alarm'],
  ['second charge', 'dead', 'suspense+alarm'],
  ['refund', 'dead', '.+alarm'],
  ['stale paid', 'dead', '.+alarm'],
  ['failed', 'handled', '.'],
  ['other', 'handled', '.'],
] as const)('an event without a session: %s ends as %s, %s', (label, state, effect) => {
  const decision = decideOn(rows[label] as Row, {}, null);
  expect([decision.state, name(decision)]).toEqual([state, effect]);
});

test('only a new payment expects that no failure of its session is parked', () => {
  const expecting = cells.filter(
    ([label, heading]) => decideOn(rows[label] as Row, columns[heading] ?? {}).expectsNoFailure,
  );
  const isExpected = ([, heading, effect]: readonly [string, string, string]) =>
    heading !== 'failed' && /^(suspense|foreign)(?!\+alarm)/.test(effect);
  expect(expecting).toEqual(cells.filter(isExpected));
});
