import { expect, test } from 'vitest';
import { type Collection, closedStatuses, openStatuses } from '../../../src/gateway/collection/collection.ts';
import { decide } from '../../../src/gateway/collection/decide/decide.ts';
import {
  type DecideContext,
  type Decision,
  maxRequestDelayMs,
  watchMs,
} from '../../../src/gateway/collection/decide/decision.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import { evolve, type Fact } from '../../../src/gateway/collection/fact.ts';
import {
  collectionIn,
  context,
  day,
  minute,
  opening,
  paidEvidence,
  polled,
  promptAt,
  type Situation,
  second,
  session,
  situations,
} from './support.ts';

/*
 * The transition table, cell by cell. A row is a piece of evidence, a column a way in which the collection stands.
 *
 *   .         nothing at all is written            =         written down, and nothing else happens
 *   alarm     written down, and a person hears     send      initiating: initiate goes out now
 *   booked    paid, merchant and fee are booked    suspense  review: the money goes into suspense
 *   review    review: nothing is booked            flag      stays as it is, a person must look
 *   lapsed    shown as unanswered, watched on      created, initiated, failed, expired, abandoned: the new status
 *   wrong     abandoned, and a person hears        confirm   the amounts are now known from an event
 *   release   a person says paid: suspense to the merchant      upheld    a person says paid: what is booked stays
 *   return    a person says not paid: suspense to the payer     reversal  a person says not paid: taken back
 *   closed    a person says not paid: nothing was booked
 */
const open = `
                                      accepted   created    initiating  initiated
create unanswered                     =          =          =           =
create refused                        abandoned  =          =           =
initiate refused                      =          =          =           =
create answered                       created    .          .           .
create answered, a second session     created    =          =           =
create answered, a wrong quote        wrong      .          .           .
create answered, driven by another    review     .          .           .
create answered, the agreed total     created    .          .           .
create answered, another than agreed  wrong      .          .           .
initiate answered                     =          =          initiated   =
polled created                        =          =          =           =
polled created, after the grace       =          =          send        =
polled created, grace and no lease    =          =          =           =
polled created, after the deadline    =          =          =           =
polled created, long after            =          =          abandoned   =
polled initiated                      =          =          initiated   =
polled paid                           =          suspense   booked      booked
polled paid, not final                =          =          =           =
polled failed                         =          failed     failed      failed
polled failed, not final              =          =          =           =
polled expired                        =          expired    expired     expired
polled expired, not final             =          =          =           =
polled an unknown status              =          =          =           =
polled an unknown status, final       review     review     review      review
event paid                            suspense   suspense   booked      booked
event paid, other amount              suspense   suspense   suspense    suspense
event paid, other fee and net         suspense   suspense   suspense    suspense
event failed                          =          failed     failed      failed
event failed, expired                 =          expired    expired     expired
event of a mismatch                   suspense   suspense   suspense    suspense
event of a mismatch, no amount        review     review     review      review
event of a second charge              suspense   suspense   suspense    suspense
event of another type                 =          =          =           =
stale event paid                      review     review     claim       claim
stale event paid, other amount        review     review     flag        flag
stale event of a mismatch             review     review     flag        flag
stale event of a second charge        review     review     flag        flag
stale event failed                    =          =          =           =
due too early                         .          .          .           .
due                                   .          send       .           .
due without lease                     .          .          .           .
due at the deadline                   abandoned  abandoned  .           .
due when the payer had long enough    abandoned  abandoned  lapsed      lapsed
due after the watch                   abandoned  abandoned  review      review
clock put right                       .          .          .           .
clock put right, all of it ahead      abandoned  abandoned  =           =
decision paid                         .          .          .           .
decision not paid                     .          .          .           .
`;

const closed = `
                                      paid  paid at quote  failed    expired   abandoned  review, suspended  review, no money
create unanswered                     =     =              =         =         =          =                  =
create refused                        =     =              =         =         =          =                  =
initiate refused                      =     =              =         =         =          =                  =
create answered                       .     .              .         .         .          .                  .
create answered, a second session     =     =              =         =         =          =                  =
create answered, a wrong quote        .     .              .         .         .          .                  .
create answered, driven by another    .     .              .         .         .          .                  .
create answered, the agreed total     .     .              .         .         .          .                  .
create answered, another than agreed  .     .              .         .         .          .                  .
initiate answered                     =     =              =         =         =          =                  =
polled created                        =     =              =         =         =          =                  =
polled created, after the grace       =     =              =         =         =          =                  =
polled created, grace and no lease    =     =              =         =         =          =                  =
polled created, after the deadline    =     =              =         =         =          =                  =
polled created, long after            =     =              =         =         =          =                  =
polled initiated                      =     =              =         =         =          =                  =
polled paid                           =     =              suspense  suspense  suspense   alarm              suspense
polled paid, not final                =     =              =         =         =          =                  =
polled failed                         flag  flag           =         =         =          =                  =
polled failed, not final              =     =              =         =         =          =                  =
polled expired                        flag  flag           =         =         =          =                  =
polled expired, not final             =     =              =         =         =          =                  =
polled an unknown status              =     =              =         =         =          =                  =
polled an unknown status, final       =     =              =         =         =          =                  =
event paid                            =     confirm        suspense  suspense  suspense   alarm              suspense
event paid, other amount              flag  review         suspense  suspense  suspense   alarm              suspense
event paid, other fee and net         flag  review         suspense  suspense  suspense   alarm              suspense
event failed                          flag  flag           =         =         =          =                  =
event failed, expired                 flag  flag           =         =         =          =                  =
event of a mismatch                   flag  review         suspense  suspense  suspense   alarm              suspense
event of a mismatch, no amount        flag  review         review    review    review     alarm              alarm
event of a second charge              flag  flag           suspense  suspense  suspense   alarm              suspense
event of another type                 =     =              =         =         =          =                  =
stale event paid                      =     =              review    review    review     =                  =
stale event paid, other amount        flag  flag           review    review    review     =                  =
stale event of a mismatch             flag  flag           review    review    review     =                  =
stale event of a second charge        flag  flag           review    review    review     =                  =
stale event failed                    =     =              =         =         =          =                  =
due too early                         .     .              .         .         .          .                  .
due                                   .     .              .         .         .          .                  .
due without lease                     .     .              .         .         .          .                  .
due at the deadline                   .     .              .         .         .          .                  .
due when the payer had long enough    .     .              .         .         .          .                  .
due after the watch                   .     .              .         .         .          .                  .
clock put right                       .     .              .         .         .          .                  .
clock put right, all of it ahead      .     .              .         .         .          .                  .
decision paid                         .     .              .         .         .          release            .
decision not paid                     .     .              .         .         .          return             closed
`;

/** `shownTotalMinor`: what the screen named before the payer said yes; most screens of the table named no fee. */
type Case = { evidence: Evidence; context?: Partial<DecideContext>; shownTotalMinor?: number };

const after = (ms: number) => ({ requestedAt: promptAt + ms });
const event = { eventId: 'evt_1', type: 'some.event' };
const stale = (content: EventEvidence): Evidence => ({ kind: 'event_stale', ...event, event: content });
const long = promptAt + 10 * minute;

const cases: Record<string, Case> = {
  'create unanswered': {
    evidence: { kind: 'call_unknown', call: 'create', outcome: 'unknown', detail: 'timeout', ms: 12_000 },
  },
  'create refused': {
    evidence: { kind: 'call_rejected', call: 'create', code: 'invalid_msisdn', httpStatus: 400, ms: 9 },
  },
  'initiate refused': {
    evidence: { kind: 'call_rejected', call: 'initiate', code: 'rail_refused', httpStatus: 422, ms: 9 },
  },
  'create answered': { evidence: { kind: 'create_answered', session, ms: 80 } },
  'create answered, a second session': {
    evidence: { kind: 'create_answered', session: { ...session, id: 'pay_2' }, ms: 80 },
  },
  'create answered, a wrong quote': {
    evidence: { kind: 'create_answered', session: { ...session, amount_minor: 2_021 }, ms: 80 },
  },
  'create answered, driven by another': {
    evidence: { kind: 'create_answered', session: { ...session, status: 'initiated' }, ms: 80 },
  },
  'create answered, the agreed total': {
    evidence: { kind: 'create_answered', session, ms: 80 },
    shownTotalMinor: 2_020,
  },
  'create answered, another than agreed': {
    evidence: { kind: 'create_answered', session, ms: 80 },
    shownTotalMinor: 2_015,
  },
  'initiate answered': { evidence: { kind: 'initiate_answered', ms: 90 } },
  'polled created': { evidence: polled('created') },
  'polled created, after the grace': { evidence: polled('created', after(15 * second)) },
  'polled created, grace and no lease': {
    evidence: polled('created', after(15 * second)),
    context: { maySend: false },
  },
  'polled created, after the deadline': {
    evidence: polled('created', { requestedAt: opening.promptDeadline - 1 }),
    context: { now: opening.promptDeadline },
  },
  'polled created, long after': {
    evidence: polled('created', { requestedAt: long }),
    context: { now: long },
  },
  'polled initiated': { evidence: polled('initiated') },
  'polled paid': { evidence: polled('paid') },
  'polled paid, not final': { evidence: polled('paid', { terminal: false }) },
  'polled failed': { evidence: polled('failed') },
  'polled failed, not final': { evidence: polled('failed', { terminal: false }) },
  'polled expired': { evidence: polled('expired') },
  'polled expired, not final': { evidence: polled('expired', { terminal: false }) },
  'polled an unknown status': { evidence: polled('on_hold') },
  'polled an unknown status, final': { evidence: polled('on_hold', { terminal: true }) },
  'event paid': { evidence: paidEvidence() },
  'event paid, other amount': { evidence: paidEvidence({ amountMinor: 1_020, netMinor: 1_000 }) },
  'event paid, other fee and net': { evidence: paidEvidence({ feeMinor: 30, netMinor: 1_990 }) },
  'event failed': { evidence: { kind: 'event_failed', ...event, status: 'failed' } },
  'event failed, expired': { evidence: { kind: 'event_failed', ...event, status: 'expired' } },
  'event of a mismatch': { evidence: { kind: 'event_review', ...event, amountMinor: 1_020 } },
  'event of a mismatch, no amount': { evidence: { kind: 'event_review', ...event, amountMinor: null } },
  'event of a second charge': {
    evidence: { kind: 'event_review', ...event, amountMinor: 2_020, secondCharge: true },
  },
  'event of another type': { evidence: { kind: 'event_other', ...event } },
  'stale event paid': { evidence: stale(paidEvidence()) },
  'stale event paid, other amount': {
    evidence: stale(paidEvidence({ amountMinor: 1_020, netMinor: 1_000 })),
  },
  'stale event of a mismatch': { evidence: stale({ kind: 'event_review', ...event, amountMinor: 1_020 }) },
  'stale event of a second charge': {
    evidence: stale({ kind: 'event_review', ...event, amountMinor: 2_020, secondCharge: true }),
  },
  'stale event failed': { evidence: stale({ kind: 'event_failed', ...event, status: 'failed' }) },
  'due too early': { evidence: { kind: 'due' }, context: { now: opening.promptNotBefore - 1 } },
  due: { evidence: { kind: 'due' } },
  'due without lease': { evidence: { kind: 'due' }, context: { maySend: false } },
  'due at the deadline': { evidence: { kind: 'due' }, context: { now: opening.promptDeadline } },
  'due when the payer had long enough': {
    evidence: { kind: 'due' },
    context: { now: promptAt + context.retryAllowedAfterMs },
  },
  'due after the watch': { evidence: { kind: 'due' }, context: { now: promptAt + watchMs } },
  'clock put right': { evidence: { kind: 'clock_corrected' } },
  'clock put right, all of it ahead': {
    evidence: { kind: 'clock_corrected' },
    context: { now: opening.openedAt - 30 * day },
  },
  'decision paid': { evidence: { kind: 'decision', outcome: 'paid', by: 'ama', reason: 'statement' } },
  'decision not paid': {
    evidence: { kind: 'decision', outcome: 'not_paid', by: 'ama', reason: 'statement' },
  },
};

/** Every kind of evidence there is: the compiler refuses this list when one is missing. */
const kinds = Object.keys({
  call_unknown: true,
  call_rejected: true,
  create_answered: true,
  initiate_answered: true,
  polled: true,
  event_paid: true,
  event_failed: true,
  event_review: true,
  event_other: true,
  event_stale: true,
  due: true,
  clock_corrected: true,
  decision: true,
} satisfies Record<Evidence['kind'], true>);

type Cell = { example: string; situation: Situation; word: string };

/** Cells of a grid: columns are separated by two blanks or more. */
function read(grid: string): Cell[] {
  const [head = [], ...rows] = grid
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  if (grid === open) head.splice(0, head.length, ...head.flatMap((name) => name.split(' ')));
  return rows.flatMap(([example = '', ...words]) => {
    if (words.length !== head.length) throw new Error(`the row "${example}" has ${words.length} cells`);
    return words.map((word, index) => {
      const situation = situations.find((one) => one === head[index]);
      if (!situation) throw new Error(`no situation "${head[index]}"`);
      return { example, situation, word };
    });
  });
}

const cells = [...read(open), ...read(closed)];

/** What a decision amounts to, in the table's words. */
function wordFor(situation: Situation, { facts, bookings, send, alarm }: Decision): Record<string, unknown> {
  const before = collectionIn(situation);
  const state = facts.reduce((one, fact) => evolve(one, fact, context.now), before);
  return {
    written: facts.length > 0,
    status: state.status,
    booked: bookings.map((one) => one.kind).join(),
    send: send === 'initiate',
    alarm: alarm !== undefined,
    newReview: state.review !== null && before.review === null,
    decided: before.review !== null && state.review === null,
    newLapse: state.lapsedAt !== null && before.lapsedAt === null,
    source: state.amountSource !== before.amountSource && before.amountSource === 'quote',
  };
}

const quiet = {
  written: true,
  booked: '',
  send: false,
  alarm: false,
  newReview: false,
  decided: false,
  newLapse: false,
  source: false,
};

function meaning(situation: Situation, word: string): Record<string, unknown> {
  const { status, review } = collectionIn(situation);
  const asIs = { ...quiet, status };
  const decided = (to: 'paid' | 'failed', booked: string) => ({
    ...quiet,
    status: to,
    booked,
    decided: true,
  });
  const newReview = review === null;
  switch (word) {
    case '.':
      return { ...asIs, written: false };
    case '=':
      return asIs;
    case 'alarm':
      return { ...asIs, alarm: true };
    case 'flag':
      return { ...asIs, alarm: true, newReview };
    case 'claim':
      return { ...asIs, newReview };
    case 'send':
      return { ...quiet, status: 'initiating', send: true };
    case 'booked':
      return { ...quiet, status: 'paid', booked: 'paid' };
    case 'suspense':
      return { ...quiet, status: 'review', booked: 'suspense', alarm: true, newReview };
    case 'review':
      return { ...quiet, status: 'review', alarm: true, newReview };
    case 'lapsed':
      return { ...asIs, newLapse: true };
    case 'wrong':
      return { ...quiet, status: 'abandoned', alarm: true };
    case 'confirm':
      return { ...asIs, source: true };
    case 'release':
      return decided('paid', 'release');
    case 'return':
      return decided('failed', 'return');
    case 'closed':
      return decided('failed', '');
    case 'created':
    case 'initiated':
    case 'failed':
    case 'expired':
    case 'abandoned':
      return { ...quiet, status: word };
    default:
      throw new Error(`the table says "${word}"`);
  }
}

test.each(cells)('$situation, $example: $word', ({ example, situation, word }) => {
  const one = cases[example];
  if (!one) throw new Error(`no evidence "${example}"`);
  const collection = { ...collectionIn(situation), shownTotalMinor: one.shownTotalMinor ?? null };
  const decision = decide(collection, one.evidence, { ...context, ...one.context });
  expect(wordFor(situation, decision)).toEqual(meaning(situation, word));
  // Written down means one fact: what was seen, and no conclusion beside it.
  if (word === '=') expect(decision.facts).toHaveLength(1);
});

test('the table has a row for every status and every kind of evidence', () => {
  const pairs = (statuses: readonly string[], evidence: readonly (string | undefined)[]) =>
    new Set(statuses.flatMap((status) => evidence.map((kind) => `${status} × ${kind}`)));
  const covered = new Set(
    cells.map((cell) => `${collectionIn(cell.situation).status} × ${cases[cell.example]?.evidence.kind}`),
  );
  expect(covered).toEqual(pairs([...openStatuses, ...closedStatuses], kinds));
  expect(new Set(cells.map((cell) => cell.example))).toEqual(new Set(Object.keys(cases)));
  expect(new Set(cells.map((cell) => cell.situation))).toEqual(new Set(situations));
});

test.each([
  ['goods', { goods_minor: 1_999 }, 'quote_goods'],
  ['an amount that is not goods and fee', { amount_minor: 2_000 }, 'quote_amount'],
  ['a net that is not the goods', { expected_net_minor: 1_980 }, 'quote_net'],
  ['a payer', { payer_msisdn: '0244123457' }, 'quote_payer'],
  ['a number that cannot be read', { payer_msisdn: '***3456' }, 'quote_payer'],
  ['a reference', { reference: 'INV-8' }, 'quote_reference'],
  ['a network', { network: 'telecel' }, 'quote_network'],
])('a quote with another %s is never initiated', (_, changed, reason) => {
  const answer: Evidence = { kind: 'create_answered', session: { ...session, ...changed }, ms: 80 };
  const decision = decide(collectionIn('accepted'), answer, context);
  expect(decision.facts.at(-1)).toEqual({ kind: 'abandoned', data: { reason } });
  expect(decision).toMatchObject({ bookings: [], alarm: reason });
});

test('a fee that has grown since the payer agreed is never prompted for', () => {
  const agreed = { ...collectionIn('accepted'), shownTotalMinor: 2_020 };
  const dearer = { ...session, amount_minor: 2_030, expected_fee_minor: 30 };
  const decision = decide(agreed, { kind: 'create_answered', session: dearer, ms: 80 }, context);
  expect(decision.facts.map(({ kind }) => kind)).toEqual(['created', 'abandoned']);
  expect(decision.facts.at(-1)).toEqual({ kind: 'abandoned', data: { reason: 'quote_shown_total' } });
  expect(decision).toMatchObject({ bookings: [], alarm: 'quote_shown_total' });
});

test('a refusal after a second send proves nothing: the first one may have pushed', () => {
  const sentTwice = { ...collectionIn('initiating'), initiateSends: 2 };
  const refusal: Evidence = { kind: 'call_rejected', call: 'initiate', code: 'x', httpStatus: 409, ms: 9 };
  expect(decide(sentTwice, refusal, context).facts.map((fact) => fact.kind)).toEqual(['called']);
});

test('a proof that comes after the payer had long enough is booked and marked late, whether or not anybody looked', () => {
  const overdue = promptAt + context.retryAllowedAfterMs;
  const lapsed = { ...collectionIn('initiated'), lapsedAt: overdue };
  for (const proof of [paidEvidence(), polled('paid')]) {
    const late = (collection: Collection, now: number) =>
      decide(collection, proof, { ...context, now }).facts.map(
        (fact) => fact.kind === 'paid' && fact.data.late,
      );
    expect(late(collectionIn('initiated'), overdue - 1)).toEqual([false, 0]);
    expect(late(collectionIn('initiated'), overdue)).toEqual([false, 1]);
    expect(late(lapsed, overdue + 1)).toEqual([false, 1]);
  }
});

test('a poll books at the quote, an event at what it states', () => {
  const { bookings } = decide(collectionIn('initiated'), polled('paid'), context);
  expect(bookings).toEqual([
    {
      kind: 'paid',
      postings: [
        { account: 'payers', amountMinor: -2_020 },
        { account: 'merchant:demo-shop', amountMinor: 2_000 },
        { account: 'service_fees', amountMinor: 20 },
      ],
    },
  ]);
  const mismatch = decide(collectionIn('initiated'), paidEvidence({ amountMinor: 5 }), context);
  expect(mismatch.bookings).toEqual([
    {
      kind: 'suspense',
      postings: [
        { account: 'payers', amountMinor: -5 },
        { account: 'suspense', amountMinor: 5 },
      ],
    },
  ]);
});

test('a person cannot say paid where no money was seen', () => {
  const decision: Evidence = { kind: 'decision', outcome: 'paid', by: 'ama', reason: 'the payer says so' };
  expect(decide(collectionIn('review, no money'), decision, context)).toEqual({ facts: [], bookings: [] });
});

test.each([
  { booked: 'paid', first: 'not_paid', moves: 'reversal', again: { paid: undefined, not_paid: '' } },
  { booked: 'suspense', first: 'not_paid', moves: 'return', again: { paid: undefined, not_paid: '' } },
  { booked: 'suspense', first: 'paid', moves: 'release', again: { paid: '', not_paid: 'reversal' } },
] as const)(
  'after $moves a second decision never moves the same money again',
  ({ booked, first, moves, again }) => {
    const by = { kind: 'decision', by: 'ama', reason: 'statement' } as const;
    const review: Collection = { ...collectionIn('review, suspended'), booked };
    const one = decide(review, { ...by, outcome: first }, context);
    expect(one.bookings.map(({ kind }) => kind)).toEqual([moves]);
    const settled = one.facts.reduce((state, fact) => evolve(state, fact, context.now), review);
    const reopened: Fact = { kind: 'review_opened', data: { reason: 'paid_while_failed' } };
    const reviewed = evolve(settled, reopened, context.now);
    for (const outcome of ['paid', 'not_paid'] as const) {
      const { facts, bookings } = decide(reviewed, { ...by, outcome }, context);
      const told = facts.length === 0 ? undefined : bookings.map(({ kind }) => kind).join();
      expect(told).toBe(again[outcome]);
    }
  },
);

test.each([
  ['created', 1, 'when no copy of it can be under way', maxRequestDelayMs, 'abandoned'],
  ['created', 1, 'while a copy of it may be under way', maxRequestDelayMs - 1, 'initiating'],
  ['created', 2, 'when no copy of it can be under way', maxRequestDelayMs, 'initiating'],
  ['initiated', 1, 'at once', 0, 'initiated'],
  ['paid', 1, 'at once', 0, 'paid'],
] as const)(
  'a refused initiate is settled by the poll: %s after %i sends, %s (%i ms), is %s',
  (status, sends, _when, afterMs, expected) => {
    const open = collectionIn('initiating');
    const refused: Collection = { ...open, initiateRejection: 'rail_refused', initiateSends: sends };
    const evidence = { ...polled(status), requestedAt: (open.initiateSentAt ?? 0) + afterMs };
    const { facts } = decide(refused, evidence, { ...context, maySend: false });
    const after = facts.reduce((one, fact) => evolve(one, fact, context.now), refused);
    expect(after.status).toBe(expected);
    expect(after.reason).toBe(expected === 'abandoned' ? 'rail_refused' : null);
  },
);

test.each([
  ['polled failed', polled('failed')],
  ['polled expired', polled('expired')],
  ['told that it failed', { kind: 'event_failed', ...event, status: 'failed' } as const],
  [
    'polled created for so long that nobody was asked',
    polled('created', { requestedAt: opening.promptDeadline + day }),
  ],
])('money that a stale event told of is never ended without: %s, it is for a person', (_, evidence) => {
  const open = collectionIn('initiating');
  const claimed = decide(open, stale(paidEvidence()), context).facts;
  const row = claimed.reduce((one, fact) => evolve(one, fact, context.now), open);
  const late = { ...context, now: opening.promptDeadline + day, maySend: false };
  const { facts, alarm } = decide(row, evidence, late);
  const after = facts.reduce((one, fact) => evolve(one, fact, late.now), row);
  expect(after).toMatchObject({ status: 'review', review: 'stale_event', booked: null });
  expect(alarm).toBe('stale_event');
});

test('a key that the service says was used for another body raises the alarm', () => {
  const reused = {
    kind: 'call_rejected',
    call: 'create',
    code: 'idempotency_key_reused',
    httpStatus: 409,
    ms: 1,
  } as const;
  const decision = decide(collectionIn('accepted'), reused, context);
  expect(decision).toMatchObject({ alarm: 'idempotency_key_reused', facts: [{}, { kind: 'abandoned' }] });
});

test.each([
  [401, 'invalid_api_key', 'create'],
  [401, 'http_401', 'status'],
  [403, 'scope_required', 'initiate'],
  [403, 'offline_scope_required', 'create'],
  [403, 'offline_mode_not_enabled', 'create'],
] as const)(
  "%i %s is about the merchant's key: a person hears, whatever was asked",
  (httpStatus, code, call) => {
    const evidence: Evidence = { kind: 'call_rejected', call, code, httpStatus, ms: 1 };
    const lost: Collection = { ...collectionIn('accepted'), restoredAt: context.now };
    for (const collection of [...situations.map(collectionIn), lost]) {
      expect(decide(collection, evidence, context).alarm).toBe('key_rejected');
    }
  },
);

test('403 for what the payer or the sender may not do is no matter of the key', () => {
  const evidence: Evidence = {
    kind: 'call_rejected',
    call: 'create',
    code: 'barred',
    httpStatus: 403,
    ms: 1,
  };
  expect(decide(collectionIn('accepted'), evidence, context).alarm).toBeUndefined();
});
