import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { type DecideContext, watchMs } from '../../../src/gateway/collection/decide/decision.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import { evolve } from '../../../src/gateway/collection/fact.ts';
import {
  collectionIn,
  context,
  day,
  decideOn,
  minute,
  paidEvidence,
  polled,
  promptAt,
  second,
  session,
} from './support.ts';

/* Collections that were open in a restored copy: each row is a piece of evidence and its effect on every open status. */

const restoredAt = promptAt + 10 * minute;
const open = ['accepted', 'created', 'initiating', 'initiated'] as const;
type Open = (typeof open)[number];

function restored(situation: Open): Collection {
  return evolve(collectionIn(situation), { kind: 'restored', data: { takenAt: promptAt } }, restoredAt);
}

function after(situation: Open, evidence: Evidence, changed: Partial<DecideContext> = {}) {
  const before = restored(situation);
  const now = restoredAt + minute;
  const decision = decideOn(before, evidence, { ...context, now, ...changed });
  const row = decision.facts.reduce((state, fact) => evolve(state, fact, changed.now ?? now), before);
  const booked = decision.bookings.map(({ kind }) => kind).join();
  return { sent: decision.send, is: [row.status, row.reason ?? '', booked].join(' ').trim(), row };
}

const asked = (ms: number) => ({ requestedAt: restoredAt + ms });
const rejected = (call: 'create' | 'status', httpStatus = 404): Evidence => ({
  kind: 'call_rejected',
  call,
  code: 'not_found',
  httpStatus,
  ms: 9,
});
const failed: Evidence = { kind: 'event_failed', eventId: 'evt_1', type: 'failed', status: 'failed' };
const late = restoredAt + watchMs;

test.each<[says: string, evidence: Evidence, context: Partial<DecideContext>, is: Record<Open, string>]>([
  ['create answered', { kind: 'create_answered', session, ms: 1 }, {}, states({ accepted: 'created' })],
  [
    'create answered, already paid',
    { kind: 'create_answered', session: { ...session, status: 'paid' }, ms: 1 },
    {},
    states({ accepted: 'created' }),
  ],
  [
    'create answered, another quote',
    { kind: 'create_answered', session: { ...session, amount_minor: 2_021 }, ms: 1 },
    {},
    states({ accepted: 'review quote_amount' }),
  ],
  ['create rejected', rejected('create'), {}, states({ accepted: 'review restored_unknown' })],
  ['create rejected because of the key', rejected('create', 401), {}, states({})],
  ['an unknown session', rejected('status'), {}, states({})],
  ['polled created, while a lost request may still arrive', polled('created', asked(minute)), {}, states({})],
  [
    'polled created, when no lost request can arrive',
    polled('created', asked(2 * minute)),
    {},
    states({ created: 'abandoned restored', initiating: 'abandoned restored' }),
  ],
  ['polled initiated', polled('initiated'), {}, states({ created: 'initiated', initiating: 'initiated' })],
  [
    'polled paid',
    polled('paid'),
    {},
    states({ created: 'paid  paid', initiating: 'paid  paid', initiated: 'paid  paid' }),
  ],
  [
    'event paid',
    paidEvidence(),
    {},
    states({
      accepted: 'review paid_while_accepted suspense',
      ...{ created: 'paid  paid', initiating: 'paid  paid', initiated: 'paid  paid' },
    }),
  ],
  [
    'event paid, other amount',
    paidEvidence({ amountMinor: 1_000 }),
    {},
    states({
      accepted: 'review paid_while_accepted suspense',
      ...{ created: mismatch(), initiating: mismatch(), initiated: mismatch() },
    }),
  ],
  // The service's own poll decides.
  ['event failed', failed, {}, states({})],
  ['due at the deadline', { kind: 'due' }, {}, states({})],
  [
    'due after the watch',
    { kind: 'due' },
    { now: late },
    states({
      ...{ accepted: 'review restored_unknown', created: 'review restored_unknown' },
      ...{ initiating: 'review no_outcome', initiated: 'review no_outcome' },
    }),
  ],
])('restored, then %s', (_, evidence, changed, is) => {
  for (const situation of open) {
    expect([situation, after(situation, evidence, changed).is]).toEqual([situation, is[situation]]);
  }
});

/** Returns the expected states. A status that is not named does not change. */
function states(changed: Partial<Record<Open, string>>): Record<Open, string> {
  return {
    accepted: 'accepted',
    created: 'created',
    initiating: 'initiating',
    initiated: 'initiated',
    ...changed,
  };
}

function mismatch(): string {
  return 'review amount_mismatch suspense';
}

const stale = (event: EventEvidence): Evidence => ({
  kind: 'event_stale',
  eventId: 'evt_1',
  type: 'some.event',
  event,
});
const mismatched = { kind: 'event_review', eventId: 'evt_1', type: 'mismatch', amountMinor: 1_020 } as const;

test.each<[says: string, news: EventEvidence, review: string]>([
  ['of the requested amount is left to the poll', paidEvidence(), 'stale_event'],
  ['of another price is flagged besides the poll', restated(1_000), 'amount_mismatch'],
  ['of a mismatch is flagged besides the poll', mismatched, 'amount_mismatch'],
  ['of a second charge is flagged besides the poll', { ...mismatched, secondCharge: true }, 'second_charge'],
])('restored, then a stale event %s', (_, news, review) => {
  for (const situation of open) {
    const { is, row } = after(situation, stale(news));
    expect([is, row.review]).toEqual([situation, review]);
    // The poll that the event triggers books the quote.
    if (situation === 'accepted') continue;
    const polledNow = { ...context, now: restoredAt + minute };
    const booked = decideOn(row, polled('paid'), polledNow);
    expect(booked.bookings).toMatchObject([{ kind: 'paid' }]);
    const closed = booked.facts.reduce((one, fact) => evolve(one, fact, polledNow.now), row);
    expect(closed.review).toBe(review === 'stale_event' ? null : review);
  }
});

/** Returns a paid event with another price and the same fee. */
function restated(goodsMinor: number): EventEvidence {
  return paidEvidence({ goodsMinor, amountMinor: goodsMinor + 20, netMinor: goodsMinor });
}

test('after a clock correction, a restored collection is polled from the correction on', () => {
  for (const situation of open) {
    const now = promptAt - 30 * day;
    const right = after(situation, { kind: 'clock_corrected' }, { now }).row;
    expect([right.status, right.restoredAt, right.promptDeadline]).toEqual([situation, now, now]);
    const asked = { ...context, now: now + 2 * minute };
    const { facts, send } = decideOn(right, polled('created', { requestedAt: asked.now }), asked);
    expect(send).toBeUndefined();
    const ends = situation === 'created' || situation === 'initiating';
    expect(facts.at(-1)).toMatchObject(ends ? { kind: 'abandoned' } : { kind: 'polled' });
  }
});

test('a restored collection lapses after the usual time, and polling continues', () => {
  for (const situation of ['accepted', 'created'] as const) {
    const now = restoredAt + context.retryAllowedAfterMs;
    expect(after(situation, { kind: 'due' }, { now: now - 1 }).row.lapsedAt).toBeNull();
    expect(after(situation, { kind: 'due' }, { now }).row.lapsedAt).toBe(now);
  }
});

test('no evidence ever prompts a collection that was open in a restored copy', () => {
  const answers = fc.array(
    fc.tuple(
      fc.constantFrom<Evidence>(
        polled('created'),
        polled('initiated'),
        { kind: 'due' },
        { kind: 'create_answered', session, ms: 1 },
        { kind: 'call_unknown', call: 'status', outcome: 'unknown', detail: 'timeout', ms: 1 },
        rejected('create'),
        failed,
        paidEvidence(),
        paidEvidence({ amountMinor: 1 }),
      ),
      fc.nat(3 * minute),
    ),
    { maxLength: 30 },
  );
  const property = fc.property(fc.constantFrom(...open), answers, (situation, steps) => {
    let now = restoredAt;
    let row = restored(situation);
    for (const [evidence, waitMs] of steps) {
      now += waitMs;
      const at = evidence.kind === 'polled' ? { ...evidence, requestedAt: now } : evidence;
      // The prompt deadline never passes, so only the restore prevents a prompt.
      const { facts, send } = decideOn({ ...row, promptDeadline: now + minute }, at, {
        ...context,
        now,
        resendGraceMs: second,
      });
      expect(send).toBeUndefined();
      row = facts.reduce((state, fact) => evolve(state, fact, now), row);
    }
  });
  fc.assert(property, { numRuns: 300 });
});
