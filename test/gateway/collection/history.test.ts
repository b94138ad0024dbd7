import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  awaitsService,
  type Collection,
  type CollectionWithJob,
  decisionOutcomes,
  isOpen,
  isScheduled,
  type Status,
} from '../../../src/gateway/collection/collection.ts';
import { decide } from '../../../src/gateway/collection/decide/decide.ts';
import type { Evidence } from '../../../src/gateway/collection/evidence.ts';
import { type RecordedFact, replayFacts } from '../../../src/gateway/collection/fact.ts';
import type { ChainedPosting } from '../../../src/gateway/ledger/chain.ts';
import type { Booking } from '../../../src/gateway/ledger/posting.ts';
import { postingFaults } from '../../../src/gateway/ledger/verify.ts';
import type { UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import { context, day, intent, polled, rowIn, session } from './support.ts';

/* The rules hold after every step of a random history of evidence. */

const amount = fc.constantFrom(0, 1, 20, 1_000, 2_000, 2_020);
const call = fc.constantFrom('create', 'initiate', 'status');
const event = { eventId: 'evt_1', type: 'some.event' } as const;

const evidence: fc.Arbitrary<Evidence> = fc.oneof(
  fc.record({
    kind: fc.constant('call_unknown'),
    call,
    outcome: fc.constantFrom('unknown', 'rate_limited'),
    detail: fc.constant('timeout'),
    ms: fc.nat(),
  }),
  fc.record({
    kind: fc.constant('call_rejected'),
    call,
    code: fc.constant('refused'),
    httpStatus: fc.constantFrom(400, 404, 422),
    ms: fc.nat(),
  }),
  fc
    .record({
      id: fc.constantFrom('pay_1', 'pay_1', 'pay_2'),
      amount_minor: fc.constantFrom(2_020, 2_020, 2_020, 2_021),
      status: fc.constantFrom('created', 'created', 'initiated', 'paid'),
    })
    .map((changed) => ({ kind: 'create_answered', session: { ...session, ...changed }, ms: 1 })),
  fc.constant({ kind: 'initiate_answered', ms: 1 }),
  fc
    .record({
      status: fc.constantFrom('created', 'initiated', 'paid', 'failed', 'expired', 'on_hold'),
      terminal: fc.boolean(),
      requestedAt: fc.integer({ min: intent.openedAt, max: intent.openedAt + day }),
    })
    .map(({ status, ...changed }) => polled(status, changed)),
  fc
    .record({ goodsMinor: amount, amountMinor: amount, feeMinor: amount, netMinor: amount })
    .map((amounts) => ({ kind: 'event_paid', ...event, amounts, paidAt: '2026-03-06T09:00:10.000Z' })),
  fc.constant({
    kind: 'event_paid',
    ...event,
    amounts: { goodsMinor: 2_000, amountMinor: 2_020, feeMinor: 20, netMinor: 2_000 },
    paidAt: '2026-03-06T09:00:10.000Z',
  }),
  fc.record({
    kind: fc.constant('event_failed'),
    eventId: fc.constant('evt_2'),
    type: fc.constant('payment.session.failed'),
    status: fc.constantFrom('failed', 'expired'),
  }),
  fc.record({
    kind: fc.constant('event_review'),
    eventId: fc.constant('evt_3'),
    type: fc.constant('some.event'),
    amountMinor: fc.option(amount),
    isUndecided: fc.constantFrom(true, undefined),
  }),
  fc.record({
    kind: fc.constant('event_review'),
    eventId: fc.constant('evt_4'),
    type: fc.constant('some.event'),
    amountMinor: fc.constantFrom(1_010, 2_020),
    secondCharge: fc.constant(true),
    paidAt: fc.constantFrom('2026-03-06T09:05:00.000Z', '2026-03-06T09:06:00.000Z'),
  }),
  fc.record({
    kind: fc.constant('event_refund'),
    eventId: fc.constant('evt_5'),
    type: fc.constant('some.event'),
    amountMinor: fc.constantFrom(1_010, 2_020),
    reference: fc.constant('MP26030'),
    by: fc.constant('Ama'),
    secondCharge: fc.constantFrom(true, undefined),
    paidAt: fc.constantFrom('2026-03-06T09:05:00.000Z', undefined),
  }),
  fc.constant({ kind: 'event_other', ...event }),
  fc.constant({ kind: 'due' }),
  fc.record({
    kind: fc.constant('decision'),
    outcome: fc.constantFrom(...decisionOutcomes),
    // The version is filled in when the step is played: the current one, or an older one.
    versionSeen: fc.constantFrom(0, 0, 1),
    grounds: fc.constant({ by: 'ama', approvedBy: 'kofi', evidence: 'statement' }),
  }),
) as fc.Arbitrary<Evidence>;

type Step = { evidence: Evidence; maySend: boolean; waitMs: number };

/** Mostly seconds, sometimes a day. */
const step: fc.Arbitrary<Step> = fc.record({
  evidence,
  maySend: fc.boolean(),
  waitMs: fc.oneof({ weight: 9, arbitrary: fc.nat(20_000) }, { weight: 1, arbitrary: fc.nat(3 * day) }),
});

/** Starts a history like most collections, so that random evidence meets every status. */
const begun: Step[] = [
  { evidence: { kind: 'create_answered', session, ms: 1 }, maySend: true, waitMs: 500 },
  { evidence: { kind: 'due' }, maySend: true, waitMs: 1_500 },
];
const history = fc
  .tuple(fc.boolean(), fc.array(step, { maxLength: 40 }))
  .map(([begin, steps]) => (begin ? [...begun, ...steps] : steps));

type Played = {
  before: Collection;
  after: Collection;
  step: Step;
  sent: boolean;
  facts: RecordedFact[];
  postings: ChainedPosting[];
  /** The unplaced payments of the session, and the bookings of all of them. */
  charges: readonly UnplacedPayment[];
  beside: readonly Booking[];
};

/** Returns evidence as people see the collection: a decision has the current version, or an older one. */
function evidenceAt({ version }: Collection, one: Evidence): Evidence {
  return one.kind === 'decision' ? { ...one, versionSeen: version - one.versionSeen } : one;
}

/** Applies a history as `apply` does, and returns each step. */
function* play(steps: readonly Step[]): Generator<Played> {
  let now = intent.openedAt;
  let row: CollectionWithJob = { ...rowIn('accepted'), updatedAt: now };
  let charges: readonly UnplacedPayment[] = [];
  const facts: RecordedFact[] = [{ kind: 'accepted', data: intent, at: now }];
  const postings: ChainedPosting[] = [];
  const beside: Booking[] = [];
  for (const one of steps) {
    now += one.waitMs;
    const at = now;
    const before = row;
    const evidence = evidenceAt(before, one.evidence);
    const decision = decide({ row, charges }, evidence, {
      ...{ ...context, now, maySend: one.maySend, unplacedId: `unp_${charges.length}` },
    });
    row = decision.next;
    for (const { before: known, after, bookings } of decision.charges) {
      charges = [...charges.filter(({ id }) => id !== known?.id), after];
      beside.push(...bookings);
    }
    facts.push(...decision.facts.map((fact) => ({ ...fact, at })));
    for (const { kind: booking, postings: sides } of decision.bookings) {
      for (const side of sides) {
        postings.push({
          seq: postings.length + 1,
          subjectId: intent.id,
          merchantId: intent.merchantId,
          livemode: 0,
          version: row.version,
          booking,
          ...side,
          at,
        });
      }
    }
    const sent = decision.send !== undefined;
    yield { before, after: row, step: one, sent, facts, postings, charges, beside };
  }
}

/** Checks every step of many random histories. */
function always(check: (played: Played) => void): void {
  fc.assert(
    fc.property(history, (steps) => {
      for (const played of play(steps)) check(played);
    }),
    { numRuns: 1_000 },
  );
}

function balance(postings: readonly ChainedPosting[], account: string): number {
  return postings.filter((one) => one.account === account).reduce((sum, one) => sum + one.amountMinor, 0);
}

test('the ledger audit reports no fault of the postings', () => {
  always(({ after, postings }) => expect(postingFaults(after.status, postings)).toEqual([]));
});

test('the books hold the money of a collection once, and no money after a decision has booked it back', () => {
  always(({ after, postings }) => {
    const closing = postings.filter(
      (one) => one.account === 'payers' && /^(paid|suspense)$/.test(one.booking),
    );
    expect(closing.length).toBeLessThanOrEqual(1);
    const isHere = ['paid', 'suspense', 'released'].includes(String(after.booked));
    expect(0 - balance(postings, 'payers')).toBe(isHere ? after.amountMinor : 0);
  });
});

test('no account of a collection is overdrawn, and no payer gets back more than they paid', () => {
  always(({ postings }) => {
    expect(balance(postings, 'suspense')).toBeGreaterThanOrEqual(0);
    expect(balance(postings, 'merchant:demo-shop')).toBeGreaterThanOrEqual(0);
    expect(balance(postings, 'service_fees')).toBeGreaterThanOrEqual(0);
    expect(balance(postings, 'payers')).toBeLessThanOrEqual(0);
  });
});

test('initiate is sent only by the holder of the lease, before the deadline, and on an open session', () => {
  always(({ before, after, step, sent, facts }) => {
    if (!sent) return;
    expect(step.maySend).toBe(true);
    expect(['created', 'initiating']).toContain(before.status);
    expect(after).toMatchObject({ status: 'initiating', initiateSends: before.initiateSends + 1 });
    expect(facts.at(-1)?.at).toBeLessThan(intent.promptDeadline);
    // A second send requires a poll that reports no first one.
    if (before.initiateSends > 0) expect(step.evidence).toMatchObject({ kind: 'polled', status: 'created' });
  });
});

/** The statuses that may follow a closed status. */
const contradictions: Partial<Record<Status, Status[]>> = {
  paid: ['review', 'failed'],
  failed: ['review'],
  expired: ['review'],
  abandoned: ['review'],
  review: ['paid', 'failed'],
};

test('a closed collection never opens again, and its status changes only by review or decision', () => {
  always(({ before, after, step }) => {
    if (isOpen(before.status) || after.status === before.status) return;
    expect(contradictions[before.status]).toContain(after.status);
    const isDecided = after.status === 'paid' || after.status === 'failed';
    const isAtService = awaitsService(before) && step.evidence.kind === 'polled' && step.evidence.terminal;
    expect(step.evidence.kind === 'decision' || isAtService).toBe(isDecided);
  });
});

test('a session is pinned once, and an abandoned collection was never prompted or was rejected', () => {
  always(({ before, after, step }) => {
    if (before.sessionId !== null) expect(after.sessionId).toBe(before.sessionId);
    const left = before.status !== 'abandoned' && after.status === 'abandoned';
    if (!left || before.initiateSends === 0) return;
    const { evidence } = step;
    const refused = evidence.kind === 'call_rejected' && before.initiateSends === 1;
    const unsent = evidence.kind === 'polled' && evidence.status === 'created';
    expect(refused || unsent).toBe(true);
  });
});

test('a collection is paid or suspended only by a final poll, a signed event, or a decision', () => {
  always(({ before, after, step: { evidence } }) => {
    if (after.booked === before.booked) return;
    // An unconfirmed payment leaves the merchant's account when a poll refutes it, or when no poll confirms it in time.
    if (before.booked === 'paid' && before.confirmedAt === null && after.booked === 'suspense') {
      expect(after.status).toBe('review');
      expect(['polled', 'due']).toContain(evidence.kind);
      return;
    }
    const status = awaitsService(before) && after.booked === 'returned' ? 'failed' : 'paid';
    const poll = evidence.kind === 'polled' && evidence.status === status && evidence.terminal;
    const proof = poll || ['event_paid', 'event_review', 'decision'].includes(evidence.kind);
    expect(proof).toBe(true);
  });
});

test('a payment is confirmed only by a final poll that reports it or by a decision, and stays confirmed', () => {
  always(({ before, after, step: { evidence } }) => {
    if (before.confirmedAt !== null) expect(after.confirmedAt).toBe(before.confirmedAt);
    if (after.confirmedAt === before.confirmedAt) return;
    const isPoll = evidence.kind === 'polled' && evidence.status === 'paid' && evidence.terminal;
    expect(isPoll || evidence.kind === 'decision').toBe(true);
    expect(after.status).toBe('paid');
  });
});

test('a payment that no poll has confirmed is in the merchant account only while its status is paid', () => {
  always(({ after, postings }) => {
    if (after.status === 'paid' || after.confirmedAt !== null) return;
    expect(balance(postings, 'merchant:demo-shop')).toBe(0);
    expect(balance(postings, 'service_fees')).toBe(0);
  });
});

test('replaying the facts gives the collection', () => {
  always(({ after, facts }) => expect(after).toMatchObject(replayFacts(facts) ?? {}));
});

test('a charge beside the payment is in suspense once, until it is returned', () => {
  always(({ charges, beside }) => {
    const moved = (account: string) =>
      beside.flatMap(({ postings }) => postings).filter((one) => one.account === account);
    const sum = (sides: { amountMinor: number }[]) =>
      sides.reduce((total, one) => total + one.amountMinor, 0);
    const suspended = charges.reduce((total, one) => total + one.suspendedMinor, 0);
    expect(sum(moved('suspense'))).toBe(suspended);
    expect(0 - sum(moved('payers'))).toBe(suspended);
    expect(new Set(charges.map(({ charge }) => charge)).size).toBe(charges.length);
  });
});

test('facts that do not start with accepted give no collection', () => {
  expect(replayFacts([])).toBeUndefined();
  expect(replayFacts([{ kind: 'lapsed', data: {}, at: 1 }])).toBeUndefined();
});

test('a decision on facts that its people have not seen changes nothing', () => {
  always(({ before, after, step: { evidence } }) => {
    if (evidence.kind === 'decision' && evidence.versionSeen > 0) expect(after).toEqual(before);
  });
});

test('a collection without work left never gets work again, so that it has one job in its life', () => {
  always(({ before, after }) => {
    if (!isScheduled(before)) expect(isScheduled(after)).toBe(false);
  });
});
