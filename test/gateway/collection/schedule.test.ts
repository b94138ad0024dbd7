import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Collection, isScheduled } from '../../../src/gateway/collection/collection.ts';
import type { Evidence } from '../../../src/gateway/collection/evidence.ts';
import {
  createBackoffMs,
  getUrgency,
  nextDue,
  nextPollMs,
} from '../../../src/gateway/collection/schedule.ts';
import {
  collectionIn,
  day,
  hour,
  intent,
  minute,
  paidEvidence,
  polled,
  promptAt,
  rowIn,
  type Situation,
  second,
  situations,
} from './support.ts';

test('polls follow the plan: seconds at first, then minutes, quarter hours and days', () => {
  const every = (from: number, to: number, step: number) =>
    Array.from({ length: (to - from) / step }, (_, index) => from + (index + 1) * step);
  const plan = [
    ...[5, 10, 20, 30, 60].map((seconds) => seconds * second),
    ...every(minute, 10 * minute, minute),
    ...every(10 * minute, hour, 5 * minute),
    ...every(hour, day, 15 * minute),
    ...every(day, 7 * day, day),
  ];
  const polls: number[] = [];
  for (let at = nextPollMs(0); at <= 7 * day && polls.length <= plan.length; at = nextPollMs(at))
    polls.push(at);
  expect(polls).toEqual(plan);
  expect(nextPollMs(7 * day)).toBe(8 * day);
});

test('the next poll of the plan is always later, and at most a day later', () => {
  fc.assert(
    fc.property(fc.nat(30 * day), (elapsed) => {
      const next = nextPollMs(elapsed);
      expect(next).toBeGreaterThan(elapsed);
      expect(next - elapsed).toBeLessThanOrEqual(day);
    }),
  );
});

test.each([
  [0, 500],
  [1, 500],
  [2, 1_000],
  [3, 2_000],
  [4, 4_000],
  [5, 5_000],
  [60, 5_000],
])('after %i attempts create waits %i ms, plus at most a quarter', (attempts, ms) => {
  expect(createBackoffMs(attempts, 0)).toBe(ms);
  expect(createBackoffMs(attempts, 0.999_999)).toBeCloseTo(ms * 1.25, -1);
});

const lost = (changed: { retryAfterMs?: number } = {}): Evidence => ({
  kind: 'call_unknown',
  call: 'status',
  outcome: 'rate_limited',
  detail: 'http_429',
  httpStatus: 429,
  ms: 5,
  ...changed,
});

test.each<[string, Evidence, number]>([
  ['the plan, when the service requests less', polled('initiated', { retryAfterSeconds: 1 }), 5 * second],
  [
    'the plan, when the service requests nothing',
    polled('initiated', { retryAfterSeconds: null }),
    5 * second,
  ],
  ['the service, when it requests more', polled('initiated', { retryAfterSeconds: 42 }), 42 * second],
  ['the service, up to a day', polled('initiated', { retryAfterSeconds: 10 * 24 * 3600 }), day],
  ['Retry-After, when it is longer', lost({ retryAfterMs: 42 * second }), 42 * second],
  ['Retry-After, up to an hour', lost({ retryAfterMs: day }), hour],
  ['the plan after a call without an answer', lost(), 5 * second],
])('the next poll waits for %s', (_, evidence, waitMs) => {
  const after = collectionIn('initiated');
  expect(nextDue(rowIn('initiated'), after, evidence, { now: promptAt, random: 0 })).toBe(promptAt + waitMs);
});

test('jitter delays polls by up to a tenth and never brings them forward', () => {
  const at = (random: number) =>
    nextDue(rowIn('initiated'), collectionIn('initiated'), polled('initiated'), {
      now: promptAt + minute,
      random,
    });
  expect(at(0)).toBe(promptAt + 2 * minute);
  expect(at(0.999_999)).toBe(promptAt + 2 * minute + 6 * second);
});

test('a collection is due at once when it is opened, with backoff after a lost create, and at its prompt time', () => {
  const now = intent.openedAt + 100;
  const accepted = (evidence: Evidence, attempts = 1) =>
    nextDue(rowIn('accepted', { attempts }), collectionIn('accepted'), evidence, { now, random: 0 });
  const create: Evidence = { kind: 'call_unknown', call: 'create', outcome: 'unknown', detail: 'x', ms: 1 };
  expect(accepted({ kind: 'due' })).toBe(now);
  expect(accepted(create)).toBe(now + 500);
  expect(accepted(create, 3)).toBe(now + 2_000);
  const prompt = nextDue(rowIn('accepted'), collectionIn('created'), { kind: 'due' }, { now, random: 0.5 });
  expect(prompt).toBe(intent.promptNotBefore);
});

test('an event that changes nothing does not move the next poll', () => {
  const note: Evidence = { kind: 'event_other', eventId: 'evt_1', type: 'some.event' };
  const row = rowIn('initiated', { nextAt: promptAt + 7_777 });
  expect(nextDue(row, collectionIn('initiated'), note, { now: promptAt, random: 0 })).toBe(promptAt + 7_777);
});

test.each(situations)('%s: has a due time exactly while work remains', (situation) => {
  const after = collectionIn(situation);
  for (const evidence of [polled('initiated'), lost(), { kind: 'due' } as const]) {
    const next = nextDue(rowIn('accepted'), after, evidence, { now: promptAt, random: 0.5 });
    expect(next !== null).toBe(isScheduled(after));
  }
});

const event: Evidence = { kind: 'event_other', eventId: 'evt_2', type: 'some.event' };

test('the poll that confirms a payment is due at once, whatever an earlier poll requested', () => {
  const after = collectionIn('paid, unconfirmed');
  const row = rowIn('initiated', { nextAt: promptAt + hour });
  expect(nextDue(row, after, event, { now: promptAt + 7, random: 0 })).toBe(promptAt + 7);
});

test('the answer of a poll that was sent before the event leaves the confirming poll due at once', () => {
  const unclaimed = rowIn('paid, unconfirmed', { attempts: 0 });
  const answer = polled('initiated', { retryAfterSeconds: 120 });
  const now = promptAt + 9;
  expect(nextDue(unclaimed, collectionIn('paid, unconfirmed'), answer, { now, random: 0 })).toBe(now);
});

test.each([
  ['initiated', 0, 5 * second],
  ['initiated', 42, 42 * second],
])(
  'after a confirming poll with %s the next one follows the plan and the requested wait of %i s',
  (status, retryAfterSeconds, waitMs) => {
    const claimed = rowIn('paid, unconfirmed', { attempts: 1 });
    const now = promptAt;
    const next = nextDue(claimed, collectionIn('paid, unconfirmed'), polled(status, { retryAfterSeconds }), {
      now,
      random: 0,
    });
    expect(next).toBe(now + waitMs);
  },
);

test('a second event about an unconfirmed payment does not bring its next poll forward', () => {
  const row = rowIn('paid, unconfirmed', { attempts: 3, nextAt: promptAt + minute });
  const next = nextDue(row, collectionIn('paid, unconfirmed'), event, { now: promptAt, random: 0 });
  expect(next).toBe(promptAt + minute);
});

const report: Evidence = {
  kind: 'event_failed',
  eventId: 'evt_3',
  type: 'payment.session.failed',
  status: 'failed',
};
const reported = (situation: 'initiating' | 'initiated') => ({
  ...collectionIn(situation),
  reportedFailure: 'declined',
});

test.each(['initiating', 'initiated'] as const)(
  'the poll after an event that reports a failure is due at once, whatever an earlier poll requested (%s)',
  (situation) => {
    const row = rowIn(situation, { nextAt: promptAt + hour, attempts: 4 });
    const next = nextDue(row, reported(situation), report, { now: promptAt + 7, random: 0 });
    expect(next).toBe(promptAt + 7);
  },
);

test('the answer of a poll that was sent before the reported failure leaves the next poll due at once', () => {
  const unclaimed = rowIn('initiated', { reportedFailure: 'declined', attempts: 0 });
  const answer = polled('initiated', { retryAfterSeconds: 120 });
  const now = promptAt + 9;
  expect(nextDue(unclaimed, reported('initiated'), answer, { now, random: 0 })).toBe(now);
});

test('after the poll that followed a reported failure, polling continues, and further reports change nothing', () => {
  const claimed = rowIn('initiated', {
    reportedFailure: 'declined',
    attempts: 1,
    nextAt: promptAt + minute,
  });
  const at = (evidence: Evidence) =>
    nextDue(claimed, reported('initiated'), evidence, { now: promptAt, random: 0 });
  expect(at(polled('initiated', { retryAfterSeconds: 42 }))).toBe(promptAt + 42 * second);
  expect(at(report)).toBe(promptAt + minute);
});

test('a payment that an event reports after a false failure is confirmed by a poll at once', () => {
  const claimed = rowIn('initiated', {
    reportedFailure: 'declined',
    attempts: 3,
    nextAt: promptAt + hour,
  });
  const after = { ...collectionIn('paid, unconfirmed'), reportedFailure: 'declined' };
  expect(nextDue(claimed, after, event, { now: promptAt + 7, random: 0 })).toBe(promptAt + 7);
});

/** Returns how long the next step of a collection waits. The row was due in an hour. */
function waitOf(
  {
    before,
    after = before,
    changed = {},
  }: { before: Situation; after?: Situation; changed?: Partial<Collection> },
  evidence: Evidence,
  now = promptAt,
): number {
  const row = { ...rowIn(before, { nextAt: now + hour }), ...changed };
  return Number(nextDue(row, { ...collectionIn(after), ...changed }, evidence, { now, random: 0 })) - now;
}

const due: Evidence = { kind: 'due' };
const unreadable: Evidence = { kind: 'event_unreadable', eventId: 'evt_4', type: 'payment.session.paid' };
const failedCall = (
  kind: 'call_unknown' | 'call_rejected',
  call: 'create' | 'initiate' | 'status',
): Evidence =>
  kind === 'call_unknown'
    ? { ...{ kind, call, outcome: 'unknown', detail: 'timeout' }, ms: 1 }
    : { kind, call, code: 'not_found', httpStatus: 404, ms: 1 };

test('calls that open a payment come first, then the poll that confirms one, then the others', () => {
  const statuses = ['accepted', 'created', 'paid', 'initiating', 'initiated', 'review'] as const;
  expect(statuses.map(getUrgency)).toEqual([0, 0, 1, 2, 2, 2]);
});

test('an event without readable amounts makes a collection due at once when it opens a review, and only then', () => {
  const row = rowIn('initiated', { nextAt: promptAt + hour });
  const after = { ...collectionIn('initiated'), review: 'amount_unreadable' };
  const next = (reviewed: boolean, evidence: Evidence) =>
    nextDue(row, reviewed ? after : collectionIn('initiated'), evidence, { now: promptAt, random: 0 });
  expect(next(true, unreadable)).toBe(promptAt);
  expect(next(false, unreadable)).toBe(promptAt + hour);
  expect(next(true, polled('initiated'))).toBe(promptAt + 5 * second);
});

test.each([
  [paidEvidence(), 0],
  [report, 0],
  [event, hour],
])('the event of a decision at the service makes the collection due at once (%#)', (evidence, waitMs) => {
  expect(waitOf({ before: 'review, at the service' }, evidence)).toBe(waitMs);
});

test.each<[string, Evidence, number]>([
  ['an answered initiate', { kind: 'initiate_answered', ms: 1 }, hour],
  ['a lost initiate', failedCall('call_unknown', 'initiate'), hour],
  ['a rejected initiate', failedCall('call_rejected', 'initiate'), hour],
  ['a lost poll', failedCall('call_unknown', 'status'), 5 * second],
  ['a rejected poll', failedCall('call_rejected', 'status'), 5 * second],
])('after %s, the wait that an earlier poll requested holds only for an initiate', (_, evidence, waitMs) => {
  expect(waitOf({ before: 'initiating', after: 'initiated' }, evidence)).toBe(waitMs);
});

test('an accepted collection is due at its prompt deadline, whatever the service requests, unless it was restored', () => {
  const evidence: Evidence = { ...lost({ retryAfterMs: hour }), call: 'create' } as Evidence;
  expect(waitOf({ before: 'accepted' }, evidence)).toBe(intent.promptDeadline - promptAt);
  expect(waitOf({ before: 'accepted' }, evidence, intent.promptDeadline + 1)).toBe(0);
  expect(waitOf({ before: 'accepted', changed: { restoredAt: promptAt } }, evidence)).toBe(hour);
  expect(waitOf({ before: 'created' }, evidence)).toBe(hour);
});

test.each<[Situation, Partial<Collection>]>([
  ['initiating', {}],
  ['initiated', {}],
  ['paid, unconfirmed', {}],
  ['review, at the service', {}],
  ['created', { restoredAt: promptAt }],
])('a look at a collection that is polled does not move its poll (%s %o)', (before, changed) => {
  expect(waitOf({ before, changed }, due)).toBe(hour);
});

test('a look at a collection that waits for its prompt leaves it due at the time of the prompt', () => {
  expect(waitOf({ before: 'created' }, due, intent.openedAt)).toBe(intent.promptNotBefore - intent.openedAt);
});

test('an event that changes the status begins the plan', () => {
  expect(waitOf({ before: 'initiating', after: 'initiated' }, event)).toBe(5 * second);
});

const since = promptAt + 8 * minute;

test.each<[string, Situation, Partial<Collection>]>([
  ['a review at the service begins with its event', 'review, at the service', { awaitsServiceSince: since }],
  ['a restored collection begins with the restore', 'initiated', { restoredAt: since }],
])('the plan of %s', (_, before, changed) => {
  expect(
    waitOf({ before, changed }, polled('initiated', { requestedAt: since + 4 * minute }), since + 4 * minute),
  ).toBe(minute);
});

test('a poll is placed in the plan by its request when the clock has jumped for more than a minute since', () => {
  const wait = (requestedAt: number, now: number) =>
    waitOf({ before: 'initiated' }, polled('initiated', { requestedAt }), now);
  expect(wait(promptAt + 4 * minute, promptAt + 12 * minute)).toBe(minute);
  expect(wait(promptAt + 9.5 * minute, promptAt + 10.5 * minute)).toBe(4.5 * minute);
});
