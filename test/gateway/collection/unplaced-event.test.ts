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

const isoPaidAt = '2026-03-06T08:59:00.000Z';
const statedBy = (eventType: string, changed: object) => ({
  ...{ eventId: 'evt_1', eventType, chargedMinor: null, ...stated },
  ...changed,
});
const unpriced = { goodsMinor: null, feeMinor: null, netMinor: null };

test.each<[string, EventEvidence, string, object]>([
  [
    'a payment',
    { ...paid, paidAt: isoPaidAt } as EventEvidence,
    'unknown_session',
    { reports: 'payment', chargedMinor: 2_020, paidAt: isoPaidAt },
  ],
  [
    'a payment of another amount',
    { ...paid, paidMinor: 1_500 } as EventEvidence,
    'unknown_session',
    { reports: 'payment', chargedMinor: 1_500 },
  ],
  [
    'an unreadable payment',
    event('event_unreadable', eventTypes.paid),
    'unknown_session',
    { reports: 'payment' },
  ],
  [
    'a payment in another currency',
    event('event_other_currency', eventTypes.paid, { currency: 'USD', amountMinor: 9 }),
    'other_currency',
    { reports: 'payment', other: { currency: 'USD', amountMinor: 9 }, ...unpriced },
  ],
  [
    'a review',
    event('event_review', mismatch, { amountMinor: 1_010 }),
    'unknown_session',
    { reports: 'payment', chargedMinor: 1_010 },
  ],
  ['a refund', event('event_refund', settled, refund), 'unknown_session', { reports: 'refund' }],
])('%s that no collection explains is recorded as it is stated', (_, evidence, reason, changed) => {
  const { changes, alarms } = decideOn({ evidence }, {});
  const data = { id: 'unp_new', ...session, charge: 1, reason, stated: statedBy(evidence.type, changed) };
  expect(changes.map(({ facts }) => facts)).toStrictEqual([[{ kind: 'reported', data, at: now }]]);
  expect(alarms).toStrictEqual([]);
});

test('a second charge that no collection explains, and its refund, are recorded as they are stated', () => {
  const data = {
    ...{ id: 'unp_new', ...session, charge: 2, reason: 'second_charge' },
    stated: statedBy(mismatch, { reports: 'second_charge', chargedMinor: 500 }),
  };
  const charged = decideOn({ evidence: secondCharge }, {});
  expect(charged.changes.map(({ facts }) => facts)).toStrictEqual([[{ kind: 'reported', data, at: now }]]);
  expect(charged.alarms).toStrictEqual([{ alarm: 'second_charge' }]);
  const returned = decideOn({ evidence: refundOfSecond }, {});
  const reportedFirst = { ...data, stated: { ...data.stated, eventType: settled } };
  expect(returned.changes.map(({ facts }) => facts)).toStrictEqual([
    [
      { kind: 'reported', data: reportedFirst, at: now },
      { kind: 'refunded', data: refund, at: now },
    ],
  ]);
  expect(returned.alarms).toStrictEqual([]);
});

test.each<
  [string, UnplacedEvidence, Partial<UnplacedEventCase>, string | null, UnplacedEventDecision['alarms']]
>([
  ['without a session', paid, {}, null, [{ alarm: 'event_without_session' }]],
  [
    'of the other mode',
    paid,
    { details: { ...details, isOfOtherMode: true } },
    'pay_1',
    [{ alarm: 'event_of_other_mode' }],
  ],
  [
    'of the other mode, without a session',
    paid,
    { details: { ...details, isOfOtherMode: true } },
    null,
    [{ alarm: 'event_without_session' }, { alarm: 'event_of_other_mode' }],
  ],
  [
    'of a refund that fits two charges',
    refundOfSecond,
    columns.two ?? {},
    'pay_1',
    [{ alarm: 'refund_unclear' }],
  ],
  [
    'that contradicts a placed payment',
    event('event_review', mismatch, { amountMinor: 1_010 }),
    columns.placed ?? {},
    'pay_1',
    [{ alarm: 'unplaced_contradicted', unplaced: 'unp_1', state: 'placed', note: 'amount_mismatch' }],
  ],
  [
    'that contradicts a returned payment',
    event('event_failed', eventTypes.failed, { status: 'failed' }),
    columns.returned ?? {},
    'pay_1',
    [{ alarm: 'unplaced_contradicted', unplaced: 'unp_1', state: 'returned', note: 'failure_reported' }],
  ],
])('an event %s says what a person must act on', (_, evidence, known, sessionId, alarms) => {
  const base = { ...session, details, charges: [], parkedFailure: null, hasOtherChannels: false };
  const decision = decideUnplacedEvent({ ...base, ...known, sessionId }, evidence, {
    now,
    unplacedId: 'unp_new',
  });
  expect(decision.alarms).toStrictEqual(alarms);
});

test.each<
  [string, UnplacedEvidence, Partial<typeof details> | { channel: string }, boolean, string | null, string]
>([
  ['its own channel, beside others', paid, { channel: 'ussd' }, true, 'pay_1', 'unknown_session'],
  ['no channel, beside others', paid, {}, true, 'pay_1', 'other_channels'],
  ['no channel, without others', paid, {}, false, 'pay_1', 'unknown_session'],
  ['another channel', paid, { channel: 'web' }, false, 'pay_1', 'stated_channel'],
  ['another channel and no session', paid, { channel: 'web' }, false, null, 'stated_channel'],
  ['no session, beside other channels', paid, {}, true, null, 'no_session'],
  ['a second charge of another channel', secondCharge, { channel: 'web' }, false, 'pay_1', 'stated_channel'],
  ['a second charge beside other channels', secondCharge, {}, true, 'pay_1', 'other_channels'],
  ['a second charge without a session', secondCharge, {}, false, null, 'no_session'],
])(
  'the payment of an event with %s has the reason why nothing explains it',
  (_, evidence, changed, hasOtherChannels, sessionId, reason) => {
    const { changes } = decideOn({ evidence, details: changed }, { hasOtherChannels }, sessionId);
    expect(changes.map(({ after }) => [after.reason, after.sessionId])).toStrictEqual([[reason, sessionId]]);
  },
);

test('a payment after a parked failure names that failure, and needs no further proof that none is parked', () => {
  const { changes, expectsNoFailure } = decideOn({ evidence: paid }, { parkedFailure: 'evt_failed' });
  expect(changes[0]?.facts).toMatchObject([{ data: { failedBefore: 'evt_failed' } }]);
  expect(expectsNoFailure).toBeUndefined();
  const unmarked = decideOn({ evidence: paid }, {});
  expect(unmarked.expectsNoFailure).toBe(true);
  expect(unmarked.changes[0]?.facts[0]?.data).not.toHaveProperty('failedBefore');
  expect(decideOn({ evidence: paid }, {}, null).expectsNoFailure).toBeUndefined();
});

test('an event without a session is parked nowhere', () => {
  expect(decideOn({ evidence: paid }, {})).toMatchObject({ state: 'parked', sessionId: 'pay_1' });
  expect(decideOn({ evidence: paid }, {}, null)).not.toHaveProperty('sessionId');
});

test('a further report of a known payment is recorded with what it states', () => {
  const { changes } = decideOn({ evidence: paid }, { charges: [charge(2), charge(1)] });
  const data = { stated: statedBy(eventTypes.paid, { reports: 'payment', chargedMinor: 2_020 }) };
  expect(changes.map(({ after, facts }) => [after.id, facts])).toStrictEqual([
    ['unp_1', [{ kind: 'reported_again', data, at: now }]],
  ]);
});

test('a refund of a second charge that was returned changes nothing', () => {
  const returned = charge(2, { kind: 'returned', data: { ...people, reference: 'MP1' } });
  expect(decideOn({ evidence: refundOfSecond }, { charges: [returned] })).toStrictEqual({
    ...{ state: 'parked', sessionId: 'pay_1', changes: [], alarms: [] },
  });
});
