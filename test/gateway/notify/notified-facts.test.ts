import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { evolve, type Fact } from '../../../src/gateway/collection/fact.ts';
import { isNotifiedFact } from '../../../src/gateway/database/schema.ts';
import { listEventTypes } from '../../../src/gateway/notify/payment-events.ts';

const amounts = { amountMinor: 7, feeMinor: 1, netMinor: 6 };
const source = { source: 'webhook', paidAt: null } as const;
const people = { by: 'ama', approvedBy: 'kofi', evidence: 'statement', versionSeen: 1 };

/** One fact of each kind. */
const facts: { [Kind in Exclude<Fact['kind'], 'accepted'>]: Extract<Fact, { kind: Kind }>['data'] } = {
  called: { call: 'create', outcome: 'ok', ms: 1 },
  created: { ...amounts, sessionId: 's', goodsMinor: 6, ms: 1 },
  orphaned: { sessionId: 's' },
  prompt_requested: { send: 1 },
  initiated: {},
  polled: { status: 'paid', terminal: true, ms: 1 },
  event: { eventId: 'e', type: 'paid' },
  paid: { ...amounts, ...source, late: 0 },
  amounts_confirmed: { eventId: 'e' },
  confirmed: { ms: 40 },
  suspended: { amountMinor: 9, ...source },
  suspense_corrected: { amountMinor: 9, ...source },
  failure_reported: { reason: 'declined' },
  other_currency_reported: { currency: 'USD', amountMinor: 1 },
  failed: { reason: 'declined' },
  expired: { reason: 'timeout' },
  abandoned: { reason: 'deadline' },
  review_opened: { reason: 'paid_after_failed' },
  flagged: { reason: 'second_charge' },
  lapsed: {},
  restored: { takenAt: null },
  prompt_confirmed: {},
  clock_corrected: { now: 1 },
  refund_reported: { amountMinor: 1, reference: 'r', by: 'x', endsReview: true },
  service_decides: {},
  service_undecided: { reason: 'no_outcome' },
  decided: { outcome: 'not_paid', source: 'staff' },
  matched: { ...amounts, ...people, unplacedId: 'u', paidAt: null },
};

/** Facts that come only in the states before a result, in which they change none. */
const early = new Set(['created', 'prompt_requested', 'initiated', 'prompt_confirmed']);

const open = { status: 'initiated', confirmedAt: null, review: null, lapsedAt: null, amountMinor: 1 };
const states = [
  open,
  { ...open, status: 'paid' },
  { ...open, status: 'paid', confirmedAt: 1, review: 'second_charge' },
  { ...open, status: 'failed' },
  { ...open, status: 'review', review: 'paid_after_failed', booked: 'suspense' },
];

test('each kind of fact that a merchant is notified of is in the index of events, and no other', () => {
  const notified = Object.entries(facts).flatMap(([kind, data]) => {
    const fact = { kind, data } as Fact;
    const before = early.has(kind) ? [open] : states;
    const types = before.flatMap((state) => {
      const collection = { version: 1, promptNotBefore: 1, ...state } as Collection;
      return listEventTypes(collection, evolve(collection, fact, 5));
    });
    return types.length > 0 ? [kind] : [];
  });
  const listed = [...JSON.stringify(isNotifiedFact).matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  expect(['accepted', ...notified].sort()).toEqual(listed.sort());
});
