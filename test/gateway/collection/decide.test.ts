import { expect, test } from 'vitest';
import {
  awaitsService,
  type Collection,
  closedStatuses,
  type DecisionOutcome,
  openStatuses,
} from '../../../src/gateway/collection/collection.ts';
import {
  type DecideContext,
  maxRequestDelayMs,
  type Transition,
  watchMs,
} from '../../../src/gateway/collection/decide/decision.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import { evolve, type Fact } from '../../../src/gateway/collection/fact.ts';
import { changeUnplaced } from '../../../src/gateway/unplaced/fact.ts';
import type { StatedPayment, UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  collectionIn,
  context,
  day,
  decideOn,
  intent,
  minute,
  paidEvidence,
  polled,
  promptAt,
  type Situation,
  second,
  session,
  situations,
} from './support.ts';

/** Folds the facts of a decision, at the time of the context or another one. */
const apply = (one: Collection, { facts }: Pick<Transition, 'facts'>, at = context.now) =>
  facts.reduce((state, fact) => evolve(state, fact, at), one);

/*
 * The transition table. A row is a piece of evidence, a column is a state of the collection.
 *
 *   .         writes nothing                        =         records the evidence and nothing else
 *   alarm     records, and raises an alarm          send      initiating: initiate is sent now
 *   booked    paid: merchant and fee are booked     suspense  review: the money goes into suspense
 *   proven    booked, and confirmed                 agreed    the payment is confirmed
 *   refuted   review: the money moves from the merchant into suspense
 *   review    review: nothing is booked             flag      same status, flagged for review, with an alarm
 *   claim     flagged for review, without an alarm  lapsed    the payer may retry; polling continues
 *   reported  same status; a failure is reported, and a poll must agree
 *   wrong     abandoned, with an alarm              confirm   the source of the amounts becomes the webhook
 *   awaits    suspense, and a person at the service decides about it
 *   corrected the amount in suspense becomes the one that the evidence states, with an alarm
 *   settled   corrected, and the service does not decide: people here do
 *   further   review: money that arrives after earlier money went back goes into suspense
 *   undecided the service does not decide: people here do, with an alarm
 *   release   accepted: suspense to the merchant         return    returned, or not paid: suspense to the payer
 *   recorded  paid after all: the quote is booked        closed    not paid: nothing was booked
 *   matched   paid by an unplaced payment: the quote is booked
 *   a+flag    as a, and flagged for review, with an alarm     a+review  as a, and then a review, with an alarm
 *   created, initiated, failed, expired, abandoned: the new status
 */
const open = `
                                           accepted   created    initiating  initiated
create unanswered                          =          =          =           =
create rejected                            abandoned  =          =           =
initiate rejected                          =          =          =           =
create answered                            created    .          .           .
create answered, a second session          created    =          =           =
create answered, a session of another      wrong      =          =           =
create answered, a wrong quote             wrong      .          .           .
create answered, already initiated         review     .          .           .
create answered, the total shown           created    .          .           .
create answered, another total             wrong      .          .           .
create answered, an unshown fee            wrong      .          .           .
create answered, the fee of the total      created    .          .           .
initiate answered                          =          =          initiated   =
polled created                             =          =          =           =
polled created, after the grace            =          =          send        =
polled created, after the grace, no lease  =          =          =           =
polled created, after the deadline         =          =          =           =
polled created, after the request delay    =          =          abandoned   =
polled initiated                           =          =          initiated   =
polled paid                                =          suspense   proven      proven
polled paid, not final                     =          =          =           =
polled failed                              =          failed     failed      failed
polled failed, not final                   =          =          =           =
polled expired                             =          expired    expired     expired
polled expired, not final                  =          =          =           =
polled initiated, in review                suspense   suspense   suspense    suspense
polled expired, in review                  suspense   suspense   suspense    suspense
polled paid, other amount                  =          suspense   suspense    suspense
polled an unknown status                   =          =          =           =
polled an unknown status, final            review     review     review      review
event paid                                 suspense   suspense   booked      booked
event paid, other amount                   suspense   suspense   suspense    suspense
event paid, other fee and net              suspense   suspense   suspense    suspense
event paid, quoted but other amount paid   suspense   suspense   suspense    suspense
event failed                               =          =          reported    reported
event failed, expired                      =          =          reported    reported
event of a mismatch                        suspense   suspense   suspense    suspense
event of a mismatch, no amount             review     review     review      review
event of a review at the service           suspense   awaits     awaits      awaits
event of a second charge                   review     review     flag        flag
event paid, unreadable                     review     review     claim       claim
event paid in another currency             review     review     review      review
stale event paid in another currency       review     review     review      review
polled paid, charged again                 =          suspense   proven+flag  proven+flag
polled failed, charged again               review     review     review      review
polled paid in another currency            review     review     review      review
polled in review, in another currency      review     review     review      review
event of a refund                          note       note       note        note
event of the refund of a second charge     note       note       note        note
event of another type                      =          =          =           =
stale event paid                           review     review     claim       claim
stale event paid, other amount             review     review     flag        flag
stale event paid, quoted but other paid    review     review     flag        flag
stale event of a mismatch                  review     review     flag        flag
stale event of a second charge             review     review     flag        flag
stale event failed                         =          =          =           =
stale event of a refund                    note       note       note        note
stale event paid, unreadable               review     review     claim       claim
due too early                              .          .          .           .
due                                        .          send       .           .
due without lease                          .          .          .           .
due at the deadline                        abandoned  abandoned  .           .
due when the payer may retry               abandoned  abandoned  lapsed      lapsed
due after the watch                        abandoned  abandoned  review      review
clock corrected                            .          .          .           .
clock corrected, all times ahead           abandoned  abandoned  =           =
decision accept                            .          .          .           .
decision returned                          .          .          .           .
decision paid                              .          .          .           .
decision not paid                          .          .          .           .
decision on an older version               .          .          .           .
payment matched                            .          .          .           .
payment matched, other amount              .          .          .           .
payment matched on an older version        .          .          .           .
`;

const closed = `
                                           paid  paid, unconfirmed  paid at quote  failed    expired   abandoned  review, suspended  review, no money   review, at the service   failed, returned
create unanswered                          =     =                  =              =         =         =          =                  =                  =                        =
create rejected                            =     =                  =              =         =         =          =                  =                  =                        =
initiate rejected                          =     =                  =              =         =         =          =                  =                  =                        =
create answered                            .     .                  .              .         .         .          .                  .                  .                        .
create answered, a second session          =     =                  =              =         =         =          =                  =                  =                        =
create answered, a session of another      =     =                  =              =         =         =          =                  =                  =                        =
create answered, a wrong quote             .     .                  .              .         .         .          .                  .                  .                        .
create answered, already initiated         .     .                  .              .         .         .          .                  .                  .                        .
create answered, the total shown           .     .                  .              .         .         .          .                  .                  .                        .
create answered, another total             .     .                  .              .         .         .          .                  .                  .                        .
create answered, an unshown fee            .     .                  .              .         .         .          .                  .                  .                        .
create answered, the fee of the total      .     .                  .              .         .         .          .                  .                  .                        .
initiate answered                          =     =                  =              =         =         =          =                  =                  =                        =
polled created                             =     =                  =              =         =         =          =                  =                  =                        =
polled created, after the grace            =     =                  =              =         =         =          =                  =                  =                        =
polled created, after the grace, no lease  =     =                  =              =         =         =          =                  =                  =                        =
polled created, after the deadline         =     =                  =              =         =         =          =                  =                  =                        =
polled created, after the request delay    =     =                  =              =         =         =          =                  =                  =                        =
polled initiated                           =     =                  =              =         =         =          =                  =                  =                        =
polled paid                                =     agreed             =              suspense  suspense  suspense   alarm              suspense           release                  =
polled paid, not final                     =     =                  =              =         =         =          =                  =                  =                        =
polled failed                              flag  refuted            flag           =         =         =          =                  =                  return                   =
polled failed, not final                   =     =                  =              =         =         =          =                  =                  =                        =
polled expired                             flag  refuted            flag           =         =         =          =                  =                  undecided                =
polled expired, not final                  =     =                  =              =         =         =          =                  =                  =                        =
polled initiated, in review                flag  flag               review         suspense  suspense  suspense   corrected          suspense           corrected                further
polled expired, in review                  flag  refuted            review         suspense  suspense  suspense   alarm              suspense           undecided                =
polled paid, other amount                  move  move               move           suspense  suspense  suspense   corrected          suspense           settled                  further
polled an unknown status                   =     =                  =              =         =         =          =                  =                  =                        =
polled an unknown status, final            =     refuted            =              =         =         =          =                  =                  undecided                =
event paid                                 =     =                  confirm        suspense  suspense  suspense   alarm              suspense           =                        =
event paid, other amount                   flag  flag               move           suspense  suspense  suspense   corrected          suspense           settled                  further
event paid, other fee and net              flag  flag               review         suspense  suspense  suspense   alarm              suspense           =                        =
event paid, quoted but other amount paid   flag  flag               move           suspense  suspense  suspense   corrected          suspense           settled                  further
event failed                               flag  flag               flag           =         =         =          =                  =                  =                        =
event failed, expired                      flag  flag               flag           =         =         =          =                  =                  =                        =
event of a mismatch                        flag  flag               move           suspense  suspense  suspense   corrected          suspense           corrected                further
event of a mismatch, no amount             flag  flag               review         review    review    review     alarm              alarm              alarm                    review
event of a review at the service           flag  flag               move           suspense  suspense  suspense   corrected          suspense           corrected                further
event of a second charge                   flag  flag               flag           review    review    review     alarm              alarm              alarm                    review
event paid, unreadable                     =     =                  =              review    review    review     =                  =                  =                        review
event paid in another currency             flag  flag               refuted        review    review    review     alarm              alarm              undecided                review
stale event paid in another currency       flag  flag               refuted        review    review    review     alarm              alarm              undecided                review
polled paid, charged again                 flag  agreed+flag        flag           suspense  suspense  suspense   alarm              suspense           release+flag             =
polled failed, charged again               flag  refuted            flag           review    review    review     alarm              alarm              return+review            review
polled paid in another currency            refuted  refuted         refuted        review    review    review     alarm              alarm              undecided                review
polled in review, in another currency      refuted  refuted         refuted        review    review    review     alarm              alarm              undecided                review
event of a refund                          note  note               note           note      note      note       note               note               note                     note
event of the refund of a second charge     note  note               note           note      note      note       note               note               note                     note
event of another type                      =     =                  =              =         =         =          =                  =                  =                        =
stale event paid                           =     =                  =              review    review    review     =                  =                  =                        review
stale event paid, other amount             flag  flag               flag           review    review    review     =                  =                  =                        review
stale event paid, quoted but other paid    flag  flag               flag           review    review    review     =                  =                  =                        review
stale event of a mismatch                  flag  flag               flag           review    review    review     =                  =                  =                        review
stale event of a second charge             flag  flag               flag           review    review    review     =                  =                  =                        review
stale event of a refund                    note  note               note           note      note      note       note               note               note                     note
stale event failed                         =     =                  =              =         =         =          =                  =                  =                        =
stale event paid, unreadable               =     =                  =              review    review    review     =                  =                  =                        review
due too early                              .     .                  .              .         .         .          .                  .                  .                        .
due                                        .     .                  .              .         .         .          .                  .                  .                        .
due without lease                          .     .                  .              .         .         .          .                  .                  .                        .
due at the deadline                        .     .                  .              .         .         .          .                  .                  .                        .
due when the payer may retry               .     flag               .              .         .         .          .                  .                  .                        .
due after the watch                        .     refuted            .              .         .         .          .                  .                  undecided                .
clock corrected                            .     .                  .              .         .         .          .                  .                  .                        .
clock corrected, all times ahead           .     =                  .              .         .         .          .                  .                  =                        .
decision accept                            .     .                  .              .         .         .          release            .                  .                        .
decision returned                          .     .                  .              .         .         .          return             .                  .                        .
decision paid                              .     .                  .              .         .         .          .                  recorded           .                        .
decision not paid                          .     .                  .              .         .         .          return             closed             .                        .
decision on an older version               .     .                  .              .         .         .          .                  .                  .                        .
payment matched                            .     .                  .              matched   matched   matched    .                  matched            .                        .
payment matched, other amount              .     .                  .              .         .         .          .                  .                  .                        .
payment matched on an older version        .     .                  .              .         .         .          .                  .                  .                        .
`;

/** `shownTotalMinor` is the total on the confirm screen; absent when the screen showed no fee. */
type Case = {
  evidence: Evidence;
  context?: Partial<DecideContext>;
  shownTotalMinor?: number;
  /** Facts that arrived after the people of a decision saw the collection. */
  versionsSince?: number;
  /** The bookings of the second charge that the evidence reports. */
  charge?: string;
};

const grounds = { by: 'ama', approvedBy: 'kofi', evidence: 'statement of the service' };

/** A decision of people who saw the collection at this version. */
function decisionOf(outcome: DecisionOutcome, versionSeen = 0) {
  return { kind: 'decision', outcome, versionSeen, grounds } as const;
}

/** An unplaced payment that people match with the collection. */
function matchOf(chargedMinor: number, versionSeen = 0): Extract<Evidence, { kind: 'payment_matched' }> {
  const stated = { goodsMinor: 2_000, feeMinor: 20, netMinor: 2_000, paidAt: null };
  const payment = { unplacedId: 'unp_1', chargedMinor, ...stated };
  return { kind: 'payment_matched', payment, versionSeen, grounds };
}

const after = (ms: number) => ({ requestedAt: promptAt + ms });
const event = { eventId: 'evt_1', type: 'some.event' };
const stale = (content: EventEvidence): Evidence => ({ kind: 'event_stale', ...event, event: content });
/** The session with another fee. Without a shown total, the cap is 50 pesewas for this price. */
const withFee = (feeMinor: number) => ({
  ...session,
  amount_minor: session.goods_minor + feeMinor,
  expected_fee_minor: feeMinor,
});
const long = promptAt + 10 * minute;

const inDollars = { kind: 'event_other_currency', ...event, currency: 'USD', amountMinor: 2_020 } as const;
const refund = { amountMinor: 1_010, reference: 'MP26030', by: 'Ama' };
const chargedAgain = { amountMinor: 2_020, secondCharge: true } as const;

const cases: Record<string, Case> = {
  'create unanswered': {
    evidence: { kind: 'call_unknown', call: 'create', outcome: 'unknown', detail: 'timeout', ms: 12_000 },
  },
  'create rejected': {
    evidence: { kind: 'call_rejected', call: 'create', code: 'invalid_msisdn', httpStatus: 400, ms: 9 },
  },
  'initiate rejected': {
    evidence: { kind: 'call_rejected', call: 'initiate', code: 'rail_refused', httpStatus: 422, ms: 9 },
  },
  'create answered': { evidence: { kind: 'create_answered', session, ms: 80 } },
  'create answered, a second session': {
    evidence: { kind: 'create_answered', session: { ...session, id: 'pay_2' }, ms: 80 },
  },
  'create answered, a session of another': {
    evidence: { kind: 'create_answered', session, isTaken: true, ms: 80 },
  },
  'create answered, a wrong quote': {
    evidence: { kind: 'create_answered', session: { ...session, amount_minor: 2_021 }, ms: 80 },
  },
  'create answered, already initiated': {
    evidence: { kind: 'create_answered', session: { ...session, status: 'initiated' }, ms: 80 },
  },
  'create answered, the total shown': {
    evidence: { kind: 'create_answered', session, ms: 80 },
    shownTotalMinor: 2_020,
  },
  'create answered, another total': {
    evidence: { kind: 'create_answered', session, ms: 80 },
    shownTotalMinor: 2_015,
  },
  'create answered, an unshown fee': {
    evidence: { kind: 'create_answered', session: withFee(51), ms: 80 },
  },
  'create answered, the fee of the total': {
    evidence: { kind: 'create_answered', session: withFee(51), ms: 80 },
    shownTotalMinor: 2_051,
  },
  'initiate answered': { evidence: { kind: 'initiate_answered', ms: 90 } },
  'polled created': { evidence: polled('created') },
  'polled created, after the grace': { evidence: polled('created', after(15 * second)) },
  'polled created, after the grace, no lease': {
    evidence: polled('created', after(15 * second)),
    context: { maySend: false },
  },
  'polled created, after the deadline': {
    evidence: polled('created', { requestedAt: intent.promptDeadline - 1 }),
    context: { now: intent.promptDeadline },
  },
  'polled created, after the request delay': {
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
  'polled initiated, in review': { evidence: polled('initiated', { review: { amountMinor: 1_020 } }) },
  'polled expired, in review': { evidence: polled('expired', { review: { amountMinor: 2_020 } }) },
  'polled paid, other amount': { evidence: polled('paid', { paidMinor: 1_020 }) },
  'polled an unknown status': { evidence: polled('on_hold') },
  'polled an unknown status, final': { evidence: polled('on_hold', { terminal: true }) },
  'event paid': { evidence: paidEvidence() },
  'event paid, other amount': { evidence: paidEvidence({ amountMinor: 1_020, netMinor: 1_000 }) },
  'event paid, other fee and net': { evidence: paidEvidence({ feeMinor: 30, netMinor: 1_990 }) },
  'event paid, quoted but other amount paid': { evidence: { ...paidEvidence(), paidMinor: 1_020 } },
  'event failed': { evidence: { kind: 'event_failed', ...event, status: 'failed' } },
  'event failed, expired': { evidence: { kind: 'event_failed', ...event, status: 'expired' } },
  'event of a mismatch': { evidence: { kind: 'event_review', ...event, amountMinor: 1_020 } },
  'event of a mismatch, no amount': { evidence: { kind: 'event_review', ...event, amountMinor: null } },
  'event of a review at the service': {
    evidence: { kind: 'event_review', ...event, amountMinor: 1_020, isUndecided: true },
  },
  'event of a second charge': {
    evidence: { kind: 'event_review', ...event, ...chargedAgain },
    charge: 'suspense',
  },
  'event paid, unreadable': { evidence: { kind: 'event_unreadable', ...event } },
  'event paid in another currency': { evidence: inDollars },
  'stale event paid in another currency': { evidence: stale(inDollars) },
  'polled paid, charged again': {
    evidence: polled('paid', { paidMinor: 2_020, review: chargedAgain }),
    charge: 'suspense',
  },
  'polled failed, charged again': {
    evidence: polled('failed', { review: chargedAgain }),
    charge: 'suspense',
  },
  'polled paid in another currency': { evidence: polled('paid', { currency: 'USD' }) },
  'polled in review, in another currency': {
    evidence: polled('initiated', { currency: 'USD', review: { amountMinor: 2_020 } }),
  },
  'event of a refund': { evidence: { kind: 'event_refund', ...event, ...refund } },
  'event of the refund of a second charge': {
    evidence: { kind: 'event_refund', ...event, ...refund, ...chargedAgain },
    charge: 'suspense,return',
  },
  'event of another type': { evidence: { kind: 'event_other', ...event } },
  'stale event paid': { evidence: stale(paidEvidence()) },
  'stale event paid, other amount': {
    evidence: stale(paidEvidence({ amountMinor: 1_020, netMinor: 1_000 })),
  },
  'stale event paid, quoted but other paid': { evidence: stale({ ...paidEvidence(), paidMinor: 1_020 }) },
  'stale event of a mismatch': { evidence: stale({ kind: 'event_review', ...event, amountMinor: 1_020 }) },
  'stale event of a second charge': {
    evidence: stale({ kind: 'event_review', ...event, ...chargedAgain }),
  },
  'stale event paid, unreadable': { evidence: stale({ kind: 'event_unreadable', ...event }) },
  'stale event failed': { evidence: stale({ kind: 'event_failed', ...event, status: 'failed' }) },
  'stale event of a refund': { evidence: stale({ kind: 'event_refund', ...event, ...refund }) },
  'due too early': { evidence: { kind: 'due' }, context: { now: intent.promptNotBefore - 1 } },
  due: { evidence: { kind: 'due' } },
  'due without lease': { evidence: { kind: 'due' }, context: { maySend: false } },
  'due at the deadline': { evidence: { kind: 'due' }, context: { now: intent.promptDeadline } },
  'due when the payer may retry': {
    evidence: { kind: 'due' },
    context: { now: promptAt + context.retryAllowedAfterMs },
  },
  'due after the watch': { evidence: { kind: 'due' }, context: { now: promptAt + watchMs } },
  'clock corrected': { evidence: { kind: 'clock_corrected' } },
  'clock corrected, all times ahead': {
    evidence: { kind: 'clock_corrected' },
    context: { now: intent.openedAt - 30 * day },
  },
  'decision accept': { evidence: decisionOf('accept') },
  'decision returned': { evidence: decisionOf('returned') },
  'decision paid': { evidence: decisionOf('paid') },
  'decision not paid': { evidence: decisionOf('not_paid') },
  'decision on an older version': { evidence: decisionOf('not_paid'), versionsSince: 1 },
  'payment matched': { evidence: matchOf(2_020) },
  'payment matched, other amount': { evidence: matchOf(2_019) },
  'payment matched on an older version': { evidence: matchOf(2_020), versionsSince: 1 },
};

/** Every kind of evidence. The compiler rejects the list when one is missing. */
const kinds = Object.keys({
  call_unknown: true,
  call_rejected: true,
  create_answered: true,
  initiate_answered: true,
  polled: true,
  event_paid: true,
  event_unreadable: true,
  event_other_currency: true,
  event_failed: true,
  event_review: true,
  event_refund: true,
  event_other: true,
  event_stale: true,
  due: true,
  clock_corrected: true,
  decision: true,
  payment_matched: true,
} satisfies Record<Evidence['kind'], true>);

type Cell = { example: string; situation: Situation; word: string };

/** Reads the cells of a table. Columns are separated by two or more spaces. */
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

/** Each piece of evidence with its cells. One test for a row takes less time for each mutant than one for each cell. */
const rows = [...Map.groupBy(cells, ({ example }) => example)];

/** Returns the effect of a decision on its collection, to compare with the meaning of a cell. */
function effectOf(
  situation: Situation,
  { facts, bookings, send, alarm }: Transition,
): Record<string, unknown> {
  const before = collectionIn(situation);
  const state = apply(before, { facts });
  return {
    written: facts.length > 0,
    status: state.status,
    booked: bookings.map((one) => one.kind).join(),
    send: send === 'initiate',
    alarm: alarm !== undefined,
    newReview: state.review !== null && before.review === null,
    decided: before.review !== null && state.review === null,
    newLapse: state.lapsedAt !== null && before.lapsedAt === null,
    newReport: state.reportedFailure !== null && before.reportedFailure === null,
    confirmed: state.confirmedAt !== null && before.confirmedAt === null,
    source: state.amountSource !== before.amountSource && before.amountSource === 'quote',
    awaits: awaitsService(state) === awaitsService(before) ? '' : awaitsService(state) ? 'begins' : 'ends',
  };
}

const recorded = {
  written: true,
  booked: '',
  send: false,
  alarm: false,
  newReview: false,
  decided: false,
  newLapse: false,
  newReport: false,
  confirmed: false,
  source: false,
  awaits: '',
};

function meaning(situation: Situation, word: string): Record<string, unknown> {
  const { status, review } = collectionIn(situation);
  const asIs = { ...recorded, status };
  const decided = (to: 'paid' | 'failed', booked: string) => ({
    ...recorded,
    status: to,
    booked,
    decided: true,
    confirmed: to === 'paid',
    awaits: awaitsService(collectionIn(situation)) ? 'ends' : '',
  });
  const newReview = review === null;
  if (word.endsWith('+flag'))
    return { ...meaning(situation, word.replace('+flag', '')), alarm: true, newReview, decided: false };
  switch (word) {
    case '.':
      return { ...asIs, written: false };
    case '=':
    case 'note':
      return asIs;
    case 'alarm':
      return { ...asIs, alarm: true };
    case 'flag':
      return { ...asIs, alarm: true, newReview };
    case 'claim':
      return { ...asIs, newReview };
    case 'send':
      return { ...recorded, status: 'initiating', send: true };
    case 'booked':
      return { ...recorded, status: 'paid', booked: 'paid' };
    case 'proven':
      return { ...recorded, status: 'paid', booked: 'paid', confirmed: true };
    case 'agreed':
      return { ...asIs, confirmed: true };
    case 'suspense':
      return { ...recorded, status: 'review', booked: 'suspense', alarm: true, newReview };
    case 'awaits':
      return {
        ...{ ...recorded, status: 'review', booked: 'suspense', alarm: true, newReview },
        awaits: 'begins',
      };
    case 'corrected':
      return { ...asIs, booked: 'correction', alarm: true };
    case 'settled':
      return { ...asIs, booked: 'correction', alarm: true, awaits: 'ends' };
    case 'further':
      return { ...recorded, status: 'review', booked: 'further_suspense', alarm: true, newReview };
    case 'undecided':
      return { ...asIs, alarm: true, awaits: 'ends' };
    case 'recorded':
      return decided('paid', 'paid');
    case 'refuted':
      return { ...recorded, status: 'review', booked: 'reclassification', alarm: true, newReview };
    case 'move':
      return {
        ...meaning(situation, 'refuted'),
        booked: 'reclassification,correction',
        source: situation === 'paid at quote',
      };
    case 'review':
      return { ...recorded, status: 'review', alarm: true, newReview };
    case 'lapsed':
      return { ...asIs, newLapse: true };
    case 'reported':
      return { ...asIs, newReport: true };
    case 'wrong':
      return { ...recorded, status: 'abandoned', alarm: true };
    case 'confirm':
      return { ...asIs, source: true };
    case 'release':
      return decided('paid', 'release');
    case 'return':
      return decided('failed', 'return');
    case 'return+review':
      return { ...decided('failed', 'return'), status: 'review', alarm: true, decided: false };
    case 'closed':
      return decided('failed', '');
    case 'matched':
      return { ...recorded, status: 'paid', booked: 'paid', confirmed: true, decided: review !== null };
    case 'created':
    case 'initiated':
    case 'failed':
    case 'expired':
    case 'abandoned':
      return { ...recorded, status: word };
    default:
      throw new Error(`unknown word "${word}" in the table`);
  }
}

/** Decides about a cell, with these unplaced payments of the session. */
function decideCell({ example, situation }: Cell, charges: readonly UnplacedPayment[] = []): Transition {
  const one = cases[example];
  if (!one) throw new Error(`no evidence "${example}"`);
  const collection = { ...collectionIn(situation), shownTotalMinor: one.shownTotalMinor ?? null };
  const versionSeen = collection.version - (one.versionsSince ?? 0);
  const isByPeople = one.evidence.kind === 'decision' || one.evidence.kind === 'payment_matched';
  const evidence = isByPeople ? { ...one.evidence, versionSeen } : one.evidence;
  return decideOn(collection, evidence, { ...context, ...one.context }, charges);
}

const chargesBooked = ({ charges }: Transition) =>
  charges.flatMap(({ bookings }) => bookings.map(({ kind }) => kind)).join();

test.each(rows)('%s: each state of a collection changes as its cell says', (example, row) => {
  for (const cell of row) {
    const { situation, word } = cell;
    const decision = decideCell(cell);
    expect([situation, effectOf(situation, decision)]).toEqual([situation, meaning(situation, word)]);
    expect(chargesBooked(decision)).toBe(cases[example]?.charge ?? '');
    // `=` means exactly one fact: the evidence, without a conclusion.
    if (word === '=') expect(decision.facts).toHaveLength(1);
    // `note` adds what the evidence states, which changes nothing.
    if (word === 'note') expect(decision.facts).toHaveLength(2);
  }
});

/** Money of the session that was booked before the collection explained it. */
function unplaced(changed: Partial<UnplacedPayment>): UnplacedPayment {
  const stated: StatedPayment = {
    ...{ eventId: 'evt_0', eventType: 'some.event', reports: 'payment', chargedMinor: 2_020, paidAt: null },
    ...{ goodsMinor: null, feeMinor: null, netMinor: null, payer: null, reference: null },
    ...{ clientTransId: null, channel: null },
  };
  const key = { id: 'unp_0', merchantId: 'demo-shop', livemode: 0, sessionId: 'pay_1', charge: 1 };
  const data = { ...key, reason: 'unknown_session', stated } as const;
  const { after } = changeUnplaced(undefined, [{ kind: 'reported', data }], promptAt);
  return { ...after, ...changed };
}

/** Why people must decide, for a word that books money which people have returned before. */
function withoutBooking(situation: Situation, word: string): string {
  if (word === 'recorded') return '.';
  const isBooking = ['booked', 'proven', 'proven+flag', 'suspense', 'awaits'].includes(word);
  if (!isBooking) return word;
  return collectionIn(situation).status === 'review' ? 'alarm' : 'review';
}

test.each(rows)('%s, when the money was given away: it is never booked again', (example, row) => {
  for (const cell of row) {
    const { situation, word } = cell;
    const decision = decideCell(cell, [unplaced({ state: 'returned', suspendedMinor: 0 })]);
    const expected = withoutBooking(situation, word);
    expect([situation, effectOf(situation, decision)]).toEqual([situation, meaning(situation, expected)]);
    if (expected !== word && expected !== '.') expect(decision.alarm).toBe('unplaced_decided');
    expect(decision.refused === 'given_away').toBe(word === 'recorded');
    expect(chargesBooked(decision)).toBe(cases[example]?.charge ?? '');
  }
});

test.each(rows)(
  '%s, when the money is in suspense: it moves to the collection that books it',
  (example, row) => {
    for (const cell of row) {
      const { situation, word } = cell;
      const before = collectionIn(situation);
      const decision = decideCell(cell, [unplaced({})]);
      expect([situation, effectOf(situation, decision)]).toEqual([situation, meaning(situation, word)]);
      const isPlaced = chargesBooked(decision).includes('placement');
      const isBookedNow = decision.bookings.some(({ kind }) => kind === 'paid' || kind === 'suspense');
      const { kind } = cases[example]?.evidence ?? {};
      if (isBookedNow && before.booked === null && kind !== 'payment_matched') expect(isPlaced).toBe(true);
      if (decision.next.booked === null) expect(isPlaced).toBe(false);
    }
  },
);

test.each(rows)('%s, when a second charge was returned: it is flagged no more', (example, row) => {
  for (const cell of row) {
    const { situation, word } = cell;
    const known = unplaced({ id: 'unp_2', charge: 2, state: 'returned', suspendedMinor: 0 });
    const decision = decideCell(cell, [known]);
    const reportsIt = /second charge|charged again/.test(example) && !example.includes('refund');
    const expected = reportsIt ? word.replace(/^flag$/, '=').replace('+flag', '') : word;
    expect([situation, effectOf(situation, decision)]).toEqual([situation, meaning(situation, expected)]);
    if (reportsIt) expect(chargesBooked(decision)).toBe('');
  }
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
  ['price', { goods_minor: 1_999 }, 'quote_goods'],
  ['amount than price and fee', { amount_minor: 2_000 }, 'quote_amount'],
  ['net than the price', { expected_net_minor: 1_980 }, 'quote_net'],
  ['payer', { payer_msisdn: '0244123457' }, 'quote_payer'],
  ['payer, which is unreadable', { payer_msisdn: '***3456' }, 'quote_payer'],
  ['reference', { reference: 'INV-8' }, 'quote_reference'],
  ['network', { network: 'telecel' }, 'quote_network'],
  ['mode', { mode: 'web' }, 'quote_mode'],
])('a session with another %s is never initiated', (_, changed, reason) => {
  const answer: Evidence = { kind: 'create_answered', session: { ...session, ...changed }, ms: 80 };
  const decision = decideOn(collectionIn('accepted'), answer, context);
  expect(decision.facts.at(-1)).toEqual({ kind: 'abandoned', data: { reason } });
  expect(decision).toMatchObject({ bookings: [], alarm: reason });
});

test('a total that differs from the total shown is never prompted', () => {
  const confirmed = { ...collectionIn('accepted'), shownTotalMinor: 2_020 };
  const dearer = { ...session, amount_minor: 2_030, expected_fee_minor: 30 };
  const decision = decideOn(confirmed, { kind: 'create_answered', session: dearer, ms: 80 }, context);
  expect(decision.facts.map(({ kind }) => kind)).toEqual(['created', 'abandoned']);
  expect(decision.facts.at(-1)).toEqual({ kind: 'abandoned', data: { reason: 'quote_shown_total' } });
  expect(decision).toMatchObject({ bookings: [], alarm: 'quote_shown_total' });
});

test('a rejection after a second send proves nothing, because the first may have pushed a prompt', () => {
  const sentTwice = { ...collectionIn('initiating'), initiateSends: 2 };
  const rejection: Evidence = { kind: 'call_rejected', call: 'initiate', code: 'x', httpStatus: 409, ms: 9 };
  expect(decideOn(sentTwice, rejection, context).facts.map((fact) => fact.kind)).toEqual(['called']);
});

test('a payment after the payer may retry is booked and marked late, whether or not `lapsed` was recorded', () => {
  const overdue = promptAt + context.retryAllowedAfterMs;
  const lapsed = { ...collectionIn('initiated'), lapsedAt: overdue };
  for (const proof of [paidEvidence(), polled('paid')]) {
    const late = (collection: Collection, now: number) =>
      decideOn(collection, proof, { ...context, now }).facts.flatMap((fact) =>
        fact.kind === 'paid' ? [fact.data.late] : [],
      );
    expect(late(collectionIn('initiated'), overdue - 1)).toEqual([0]);
    expect(late(collectionIn('initiated'), overdue)).toEqual([1]);
    expect(late(lapsed, overdue + 1)).toEqual([1]);
  }
});

test('a poll that agrees with a reported failure ends the collection with the reason that the event states', () => {
  const endAfter = (reason: string | undefined, status: string) => {
    const report: Evidence = {
      ...{ kind: 'event_failed', ...event, status: 'failed' },
      ...(reason === undefined ? {} : { reason }),
    } as const;
    const { facts } = decideOn(collectionIn('initiated'), report, context);
    const reported = apply(collectionIn('initiated'), { facts });
    return decideOn(reported, polled(status), context).facts.at(-1);
  };
  expect(endAfter('declined', 'failed')).toEqual({ kind: 'failed', data: { reason: 'declined' } });
  expect(endAfter(undefined, 'failed')).toEqual({ kind: 'failed', data: { reason: 'service_failed' } });
  expect(endAfter(undefined, 'expired')).toEqual({ kind: 'expired', data: { reason: 'service_expired' } });
});

test('the reason that a poll states comes before the one of an event', () => {
  const reported = { ...collectionIn('initiated'), reportedFailure: 'declined' };
  const { facts } = decideOn(reported, polled('failed', { reason: 'pin_limit' }), context);
  expect(facts.at(-1)).toEqual({ kind: 'failed', data: { reason: 'pin_limit' } });
});

test('an amount that only a poll states is booked into suspense, with the poll as its source', () => {
  for (const evidence of [
    polled('initiated', { review: { amountMinor: 1_020 } }),
    polled('paid', { paidMinor: 1_020 }),
  ]) {
    const { facts } = decideOn(collectionIn('initiated'), evidence, context);
    expect(facts).toContainEqual({
      kind: 'suspended',
      data: expect.objectContaining({ amountMinor: 1_020, source: 'poll' }),
    });
  }
});

test.each(['initiated', 'paid, unconfirmed'] as const)(
  'a poll of a paid session that was charged again proves the payment and flags the second charge: %s',
  (situation) => {
    const review = { amountMinor: 2_020, secondCharge: true } as const;
    const evidence = polled('paid', { paidMinor: 2_020, review });
    const { facts, alarm } = decideOn(collectionIn(situation), evidence, context);
    const after = apply(collectionIn(situation), { facts });
    expect(after).toMatchObject({
      status: 'paid',
      booked: 'paid',
      amountMinor: 2_020,
      review: 'second_charge',
    });
    expect(after.confirmedAt).not.toBeNull();
    expect(alarm).toBe('second_charge');
  },
);

test('a failure that is reported again with the same reason is recorded once', () => {
  const report: Evidence = { kind: 'event_failed', ...event, status: 'failed', reason: 'declined' };
  const reported = { ...collectionIn('initiated'), reportedFailure: 'declined' };
  expect(decideOn(reported, report, context).facts.map(({ kind }) => kind)).toEqual(['event']);
});

/** Returns bookings in short form: each kind with its postings, in order. */
const moved = (bookings: Transition['bookings']) =>
  bookings.map(({ kind, postings }) => [kind, ...postings.map((one) => [one.account, one.amountMinor])]);

test('a poll books the quoted amounts, an event the stated ones', () => {
  const { bookings } = decideOn(collectionIn('initiated'), polled('paid'), context);
  expect(moved(bookings)).toEqual([
    ['paid', ['payers', -2_020], ['merchant:demo-shop', 2_000], ['service_fees', 20]],
  ]);
  const mismatch = decideOn(collectionIn('initiated'), paidEvidence({ amountMinor: 5 }), context);
  expect(moved(mismatch.bookings)).toEqual([['suspense', ['payers', -5], ['suspense', 5]]]);
});

test('a payment that a poll refutes leaves the merchant and the fees for suspense', () => {
  const { bookings } = decideOn(collectionIn('paid, unconfirmed'), polled('failed'), context);
  expect(moved(bookings)).toEqual([
    ['reclassification', ['merchant:demo-shop', -2_000], ['service_fees', -20], ['suspense', 2_020]],
  ]);
});

test.each([
  ['a poll refutes the payment', polled('failed'), promptAt + minute, 'failed_after_paid'],
  ['no poll confirms the payment', { kind: 'due' }, promptAt + watchMs, 'unconfirmed_paid'],
] as const)('a second charge stays flagged when %s, beside the new reason', (_, evidence, now, reason) => {
  const charge = cases['event of a second charge']?.evidence;
  if (!charge) throw new Error('no such case');
  const unconfirmed = collectionIn('paid, unconfirmed');
  const flagged = apply(unconfirmed, decideOn(unconfirmed, charge, context), now);
  const refuted = apply(flagged, decideOn(flagged, evidence, { ...context, now }), now);
  expect(refuted).toMatchObject({ status: 'review', review: 'second_charge', reason, booked: 'suspense' });
});

test('a decision that does not fit is refused with its reason, and writes nothing', () => {
  const refusal = (collection: Collection, outcome: DecisionOutcome, versionSeen = collection.version) =>
    decideOn(collection, decisionOf(outcome, versionSeen), context);
  const refused = (reason: string) => ({ facts: [], bookings: [], charges: [], refused: reason });
  expect(refusal(collectionIn('review, no money'), 'accept')).toMatchObject(refused('impossible'));
  expect(refusal(collectionIn('review, suspended'), 'paid')).toMatchObject(refused('impossible'));
  expect(refusal(collectionIn('review, suspended'), 'accept', 1)).toMatchObject(refused('changed'));
  expect(refusal(collectionIn('paid'), 'not_paid')).toMatchObject(refused('no_review'));
  const flagged: Collection = { ...collectionIn('initiated'), review: 'stale_event' };
  expect(refusal(flagged, 'not_paid')).toMatchObject(refused('still_polled'));
  const unconfirmed: Collection = { ...collectionIn('paid, unconfirmed'), review: 'unconfirmed_paid' };
  expect(refusal(unconfirmed, 'not_paid')).toMatchObject(refused('still_polled'));
});

test('paid after all books the quote, and the source of the amounts is the quote', () => {
  const review = collectionIn('review, no money');
  const { facts, bookings } = decideOn(review, decisionOf('paid', review.version), context);
  const [booking] = decideOn(collectionIn('initiated'), polled('paid'), context).bookings;
  expect(bookings).toEqual([booking]);
  const paid = apply(review, { facts });
  expect(paid).toMatchObject({ status: 'paid', booked: 'paid', amountSource: 'quote', review: null });
});

/** A collection of which the service has taken half, and a person there decides about it. */
function heldByService(): Collection {
  const review = { kind: 'event_review', ...event, amountMinor: 1_020, isUndecided: true } as const;
  return apply(collectionIn('initiated'), decideOn(collectionIn('initiated'), review, context));
}

test('the service accepts another amount: that amount is released, and its late event changes nothing', () => {
  const held = heldByService();
  const decision = decideOn(held, polled('paid'), context);
  expect(moved(decision.bookings)).toEqual([
    ['release', ['suspense', -1_020], ['merchant:demo-shop', 1_000], ['service_fees', 20]],
  ]);
  const paid = apply(held, decision);
  expect(paid).toMatchObject({ status: 'paid', amountMinor: 1_020, feeMinor: 20, netMinor: 1_000 });
  const late = decideOn(paid, paidEvidence({ amountMinor: 1_020, netMinor: 1_000 }), context);
  expect(late.facts.map(({ kind }) => kind)).toEqual(['event']);
});

test('the service rejects another amount: it goes back to the payer, and its repeated events change nothing', () => {
  const held = heldByService();
  const decision = decideOn(held, polled('failed'), context);
  expect(decision.bookings.map(({ kind }) => kind)).toEqual(['return']);
  const failed = apply(held, decision);
  expect(failed).toMatchObject({ status: 'failed', reason: 'service_rejected', booked: 'returned' });
  const again = { kind: 'event_review', ...event, amountMinor: 1_020, isUndecided: true } as const;
  expect(decideOn(failed, again, context).facts.map(({ kind }) => kind)).toEqual(['event']);
});

test.each([
  { booked: 'paid', first: 'not_paid', moves: 'reversal', again: { accept: undefined, not_paid: '' } },
  { booked: 'suspense', first: 'returned', moves: 'return', again: { accept: undefined, not_paid: '' } },
  { booked: 'suspense', first: 'accept', moves: 'release', again: { accept: '', not_paid: 'reversal' } },
] as const)(
  'after a $moves, a second decision never moves the same money again',
  ({ booked, first, moves, again }) => {
    const review: Collection = { ...collectionIn('review, suspended'), booked };
    const one = decideOn(review, decisionOf(first, review.version), context);
    expect(one.bookings.map(({ kind }) => kind)).toEqual([moves]);
    const settled = apply(review, one);
    const reopened: Fact = { kind: 'review_opened', data: { reason: 'paid_while_failed' } };
    const reviewed = evolve(settled, reopened, context.now);
    for (const outcome of ['accept', 'not_paid'] as const) {
      const { facts, bookings } = decideOn(reviewed, decisionOf(outcome, reviewed.version), context);
      const moved = facts.length === 0 ? undefined : bookings.map(({ kind }) => kind).join();
      expect(moved).toBe(again[outcome]);
    }
  },
);

test.each([
  ['created', 1, 'when no copy can still arrive', maxRequestDelayMs, 'abandoned'],
  ['created', 1, 'while a copy may still arrive', maxRequestDelayMs - 1, 'initiating'],
  ['created', 2, 'when no copy can still arrive', maxRequestDelayMs, 'initiating'],
  ['initiated', 1, 'at once', 0, 'initiated'],
  ['paid', 1, 'at once', 0, 'paid'],
] as const)(
  'after a rejected initiate, a poll with %s after %i sends, %s (%i ms), leads to %s',
  (status, sends, _when, afterMs, expected) => {
    const open = collectionIn('initiating');
    const rejected: Collection = { ...open, initiateRejection: 'rail_refused', initiateSends: sends };
    const evidence = { ...polled(status), requestedAt: (open.initiateSentAt ?? 0) + afterMs };
    const { facts } = decideOn(rejected, evidence, { ...context, maySend: false });
    const after = apply(rejected, { facts });
    expect(after.status).toBe(expected);
    expect(after.reason).toBe(expected === 'abandoned' ? 'rail_refused' : null);
  },
);

test.each([
  ['polled failed', polled('failed')],
  ['polled expired', polled('expired')],
  [
    'polled created after the prompt deadline',
    polled('created', { requestedAt: intent.promptDeadline + day }),
  ],
])('while a stale event claims money, an unpaid end (%s) becomes a review', (_, evidence) => {
  const open = collectionIn('initiating');
  const claimed = decideOn(open, stale(paidEvidence()), context);
  const row = apply(open, claimed);
  const late = { ...context, now: intent.promptDeadline + day, maySend: false };
  const { facts, alarm } = decideOn(row, evidence, late);
  const after = apply(row, { facts }, late.now);
  expect(after).toMatchObject({ status: 'review', review: 'stale_event', booked: null });
  expect(alarm).toBe('stale_event');
});

test('while a stale event claims money, an event that reports a failure ends nothing', () => {
  const open: Collection = { ...collectionIn('initiating'), review: 'stale_event' };
  const { facts } = decideOn(open, { kind: 'event_failed', ...event, status: 'failed' }, context);
  const after = apply(open, { facts });
  expect(after).toMatchObject({ status: 'initiating', review: 'stale_event', closedAt: null });
});

test('an idempotency key that was used with another body raises an alarm', () => {
  const reused = {
    kind: 'call_rejected',
    call: 'create',
    code: 'idempotency_key_reused',
    httpStatus: 409,
    ms: 1,
  } as const;
  const decision = decideOn(collectionIn('accepted'), reused, context);
  expect(decision).toMatchObject({ alarm: 'idempotency_key_reused', facts: [{}, { kind: 'abandoned' }] });
});

test.each([
  [401, 'invalid_api_key', 'create'],
  [401, 'http_401', 'status'],
  [403, 'scope_required', 'initiate'],
  [403, 'offline_scope_required', 'create'],
  [403, 'offline_mode_not_enabled', 'create'],
] as const)(
  "%i %s concerns the merchant's key and raises an alarm for every call",
  (httpStatus, code, call) => {
    const evidence: Evidence = { kind: 'call_rejected', call, code, httpStatus, ms: 1 };
    const lost: Collection = { ...collectionIn('accepted'), restoredAt: context.now };
    for (const collection of [...situations.map(collectionIn), lost]) {
      expect(decideOn(collection, evidence, context).alarm).toBe('key_rejected');
    }
  },
);

test.each([401, 403])('%i raises the key alarm by its status alone, whatever the body', (httpStatus) => {
  const common = { call: 'create', httpStatus, ms: 1 } as const;
  const answers: Evidence[] = [
    { ...common, kind: 'call_rejected', code: 'no_such_code' },
    { ...common, kind: 'call_unknown', outcome: 'unknown', detail: `http_${httpStatus}` },
  ];
  for (const evidence of answers) {
    for (const collection of situations.map(collectionIn)) {
      expect(decideOn(collection, evidence, context).alarm).toBe('key_rejected');
    }
  }
});

test('money of its own session on top of a matched payment is flagged as a second charge, and books nothing', () => {
  const { facts } = decideOn(collectionIn('failed'), matchOf(2_020, collectionIn('failed').version), context);
  const matched = apply(collectionIn('failed'), { facts });
  expect(matched).toMatchObject({ status: 'paid', unplacedId: 'unp_1', amountMinor: 2_020, review: null });
  for (const proof of [paidEvidence(), polled('paid')]) {
    const decision = decideOn(matched, proof, context);
    expect(decision).toMatchObject({ bookings: [], alarm: 'second_charge' });
    expect(decision.facts.at(-1)).toEqual({ kind: 'flagged', data: { reason: 'second_charge' } });
    expect(decision.charges).toMatchObject([
      { before: undefined, after: { id: context.unplacedId, charge: 1, suspendedMinor: 2_020 } },
    ]);
    // The matched payment can be the one of the session.
    expect(decideOn(matched, proof, context, [unplaced({ id: 'unp_1', state: 'placed' })]).charges).toEqual(
      [],
    );
  }
});

test('the payment that an event reports, and the poll that confirms it, are one fact each', () => {
  const { facts } = decideOn(collectionIn('initiated'), paidEvidence(), context);
  expect(facts).toMatchObject([{ kind: 'paid', data: { eventId: event.eventId } }]);
  const paid = apply(collectionIn('initiated'), { facts });
  expect(paid).not.toHaveProperty('eventId');
  expect(decideOn(paid, polled('paid'), context).facts).toMatchObject([{ kind: 'confirmed' }]);
});

test('a confirming poll that reports more than the payment keeps a fact of its own', () => {
  const review = { amountMinor: null, secondCharge: true } as const;
  const { facts } = decideOn(collectionIn('paid, unconfirmed'), polled('paid', { review }), context);
  expect(facts.map(({ kind }) => kind)).toEqual(['polled', 'confirmed', 'flagged']);
});
