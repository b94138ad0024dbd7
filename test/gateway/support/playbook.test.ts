import { expect, test } from 'vitest';
import { apiErrors } from '../../../src/contract/service/api-errors.ts';
import { documentedErrors, sessionEndReasons } from '../../../src/contract/service/end-reason.ts';
import { sessionStatuses } from '../../../src/contract/service/session.ts';
import { type Collection, closedStatuses, openStatuses } from '../../../src/gateway/collection/collection.ts';
import { watchMs } from '../../../src/gateway/collection/decide/decision.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import { evolve } from '../../../src/gateway/collection/fact.ts';
import { endRows } from '../../../src/gateway/support/playbook/end-rows.ts';
import { getOutcome } from '../../../src/gateway/support/playbook/playbook.ts';
import { payerTexts } from '../../../src/gateway/support/playbook/playbook-row.ts';
import { reviewRows } from '../../../src/gateway/support/playbook/review-rows.ts';
import { stateRows, unknownReview, unpaidRows } from '../../../src/gateway/support/playbook/state-rows.ts';
import { countGsmSeptets } from '../../../src/shared/screen-text.ts';
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
  session,
  situations,
} from '../collection/support.ts';

const rows = [
  ...Object.entries(stateRows),
  ...Object.entries(endRows),
  ...Object.entries(reviewRows),
  ...Object.entries(unpaidRows),
  ['unknown review', unknownReview] as const,
];

test.each(Object.entries(payerTexts))(
  'the text "%s" for payers fits one SMS in each language',
  (_, texts) => {
    for (const text of [texts.en, texts.tw]) {
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThanOrEqual(160);
      expect(countGsmSeptets(text)).toBeLessThanOrEqual(160);
    }
  },
);

test.each(rows)('the row %s says what happened, what to do, and what never to do', (_, row) => {
  expect(row.happened).toMatch(/^[A-Z][^.]*\.$/);
  for (const line of [row.action, row.never]) expect(line).toMatch(/^[A-Z].*\.$/);
  expect(Object.values(payerTexts)).toContain(row.tellPayer);
  // A row of proven unpaid money never asks the payer to wait for a decision, and the reverse.
  if (row.money === 'not_taken') expect(row.tellPayer).not.toBe(payerTexts.moneyChecked);
});

const event = { eventId: 'evt_1', type: 'some.event' };
const events: EventEvidence[] = [
  paidEvidence(),
  paidEvidence({ amountMinor: 1_020, netMinor: 1_000 }),
  ...[undefined, ...sessionEndReasons].map(
    (reason) => ({ kind: 'event_failed', ...event, status: 'failed', ...(reason && { reason }) }) as const,
  ),
  { kind: 'event_failed', ...event, status: 'expired' },
  { kind: 'event_unreadable', ...event },
  { kind: 'event_other_currency', ...event, currency: 'USD', amountMinor: 2_020 },
  { kind: 'event_review', ...event, amountMinor: 1_020 },
  { kind: 'event_review', ...event, amountMinor: null },
  { kind: 'event_review', ...event, amountMinor: 2_020, secondCharge: true },
];
const answers = [
  session,
  { ...session, goods_minor: 1_999 },
  { ...session, amount_minor: 2_021 },
  { ...session, expected_net_minor: 1_999 },
  { ...session, payer_msisdn: '0200000000' },
  { ...session, reference: 'INV-8' },
  { ...session, network: 'at' },
  { ...session, mode: 'web' },
  { ...session, amount_minor: 3_000, expected_fee_minor: 1_000 },
  { ...session, status: 'initiated' },
];
const sentLater = (terminal: boolean) => ({ terminal, requestedAt: promptAt + 10 * minute });
const evidence: Evidence[] = [
  ...events,
  ...events.map((one) => ({ kind: 'event_stale', ...event, event: one }) as const),
  ...answers.map((one) => ({ kind: 'create_answered', session: one, ms: 80 }) as const),
  { kind: 'create_answered', session, isTaken: true, ms: 80 },
  ...Object.entries(documentedErrors).map(
    ([code, httpStatus]) => ({ kind: 'call_rejected', call: 'create', code, httpStatus, ms: 9 }) as const,
  ),
  ...[...sessionStatuses, 'on_hold'].flatMap((status) =>
    [true, false].map((terminal) => polled(status, sentLater(terminal))),
  ),
  { kind: 'due' },
  { kind: 'clock_corrected' },
];
const times = [promptAt, promptAt + 10 * minute, promptAt + watchMs, intent.openedAt - 30 * day];

/** The collection of a situation, also as one of a restored copy, and with a total on its confirm screen. */
function variantsOf(collection: Collection): Collection[] {
  return [
    collection,
    { ...collection, shownTotalMinor: 2_019 },
    { ...collection, restoredAt: promptAt },
    { ...collection, restoredAt: promptAt, shownTotalMinor: 2_019 },
    ...sessionEndReasons.map((reason) => ({ ...collection, reportedFailure: reason })),
  ];
}

/** Every collection that a piece of evidence leads to, from every situation. */
const reached = situations
  .flatMap((situation) => variantsOf(collectionIn(situation)))
  .flatMap((before) => evidence.flatMap((one) => times.map((now) => ({ before, one, now }))))
  .map(({ before, one, now }) =>
    decideOn(before, one, { ...context, now }).facts.reduce(
      (state, fact) => evolve(state, fact, now),
      before,
    ),
  );

/** Codes of the general rows, for reasons that the playbook does not know. */
const isGeneral = (code: string) =>
  /^(failed|expired|abandoned|review)$/.test(code) ||
  (code.startsWith('review.') && !Object.hasOwn(reviewRows, code.slice(7))) ||
  (/^(failed|expired|abandoned)\./.test(code) && !Object.hasOwn(endRows, code.split('.')[1] ?? ''));

test('every reason that the gateway can record has a row of its own', () => {
  const codes = new Set(reached.map((one) => getOutcome(one).code));
  expect([...codes].filter(isGeneral)).toEqual([]);
  // The evidence above reaches these, among others.
  expect([...codes]).toEqual(
    expect.arrayContaining(
      [
        ...sessionEndReasons.map((reason) => `failed.${reason}`),
        ...Object.keys(documentedErrors).map((code) => `abandoned.${code}`),
        ...'goods amount net payer reference network mode shown_total fee_too_high'
          .split(' ')
          .flatMap((fault) => [`abandoned.quote_${fault}`, `review.quote_${fault}`]),
        ...['abandoned.session_taken', 'review.session_taken'],
        ...['prompt_deadline', 'never_prompted', 'clock_ahead', 'restored'].map((one) => `abandoned.${one}`),
        ...[
          ...'amount_mismatch second_charge stale_event unreadable_event unconfirmed_paid'.split(' '),
          'no_outcome',
        ],
        ...['unknown_final_status', 'session_already_driven', 'restored_unknown', 'failed_after_paid'],
        ...['paid_while_created', 'paid_while_failed', 'paid_while_expired', 'paid_while_abandoned'],
      ].map((code) => (code.includes('.') ? code : `review.${code}`)),
    ),
  );
});

test('no outcome says that no money was taken while money is booked, or while a source claims a payment', () => {
  expect(reached.length).toBeGreaterThan(1_000);
  for (const collection of reached) {
    const { money } = getOutcome(collection);
    // People who decided that it was never paid have undone its booking.
    const isUndone = collection.status === 'failed' && collection.reason === 'decided_not_paid';
    const isClaimed = (collection.booked !== null && !isUndone) || collection.review !== null;
    if (isClaimed) expect(money, JSON.stringify(collection)).not.toBe('not_taken');
    if (money === 'received') expect(['paid', 'released']).toContain(collection.booked);
    if (money === 'suspended') expect(collection.booked).toBe('suspense');
  }
});

const grounds = { by: 'ama', approvedBy: 'kofi', evidence: 'statement of the service' };

test.each([
  ['paid', 'not_paid', 'failed.decided_not_paid', 'not_taken', payerTexts.notPaid],
  ['review, suspended', 'not_paid', 'failed.decided_not_paid', 'not_taken', payerTexts.notPaid],
  ['review, no money', 'not_paid', 'failed.decided_not_paid', 'not_taken', payerTexts.notPaid],
  ['review, suspended', 'returned', 'decided.returned', 'returned', payerTexts.returned],
  ['review, suspended', 'accept', 'decided.released', 'received', payerTexts.paid],
  ['review, no money', 'paid', 'decided.paid', 'received', payerTexts.paid],
  ['paid', 'accept', 'decided.kept', 'received', payerTexts.paid],
] as const)('%s, decided %s: the outcome is %s', (situation, outcome, code, money, tellPayer) => {
  const before: Collection = { ...collectionIn(situation), review: 'second_charge' };
  const { version: versionSeen } = before;
  const decision = decideOn(before, { kind: 'decision', outcome, versionSeen, grounds }, context);
  const after = decision.facts.reduce((state, fact) => evolve(state, fact, promptAt), before);
  expect(getOutcome(after)).toMatchObject({ code, money, tellPayer });
});

test('money of the right amount after the end is called late, and not another amount', () => {
  const suspended = { ...collectionIn('review, suspended'), review: 'amount_mismatch' as const };
  const late = { ...suspended, status: 'expired' as const, shownTotalMinor: suspended.amountMinor };
  expect(getOutcome(late)).toMatchObject({
    code: 'review.amount_mismatch',
    happened: 'Money arrived after the prompt had expired.',
    tellPayer: payerTexts.moneyChecked,
  });
  for (const other of [suspended, { ...late, amountMinor: 1 }, { ...late, booked: null }])
    expect(getOutcome(other).happened).toBe(reviewRows.amount_mismatch.happened);
});

test('a reported payment whose polls have ended is for a person, and no text says that the gateway still polls', () => {
  const polled = { ...collectionIn('paid, unconfirmed'), review: 'unconfirmed_paid' as const };
  expect(getOutcome(polled)).toMatchObject({ tellPayer: payerTexts.confirming, money: 'reported' });
  const ended = { ...collectionIn('review, suspended'), review: 'unconfirmed_paid' as const };
  const outcome = getOutcome(ended);
  expect(outcome).toMatchObject({
    code: 'review.unconfirmed_paid',
    happened: 'An event reports the payment, and no poll confirmed it in seven days.',
    money: 'suspended',
    tellPayer: payerTexts.personChecks,
    never: 'Never hand over the goods before the decision.',
  });
  expect(outcome.action).not.toContain('polls');
});

test('while the service decides, the payer reads that the service checks the payment', () => {
  const held = { ...collectionIn('review, suspended'), review: 'amount_mismatch' as const };
  expect(getOutcome(held).tellPayer).toBe(payerTexts.amountChecked);
  const { tellPayer } = getOutcome({ ...held, awaitsServiceSince: promptAt });
  expect(tellPayer).toBe(payerTexts.serviceChecks);
  expect(tellPayer.en).not.toContain('person');
});

test('a payment without a result in time has no text that advises a new payment', () => {
  const { happened, tellPayer, action } = getOutcome({ ...collectionIn('initiated'), lapsedAt: promptAt });
  expect(happened).toContain('no longer blocks a new payment');
  expect(action).toContain('Do not advise a new payment');
  expect(`${happened} ${action}`).not.toMatch(/may start|before a new payment/);
  expect(tellPayer).toBe(payerTexts.checking);
});

test('every status has an outcome, and the money of an open prompt is unknown', () => {
  const codes = [...openStatuses, ...closedStatuses].map(
    (status) => getOutcome({ ...collectionIn('accepted'), status }).code,
  );
  expect(codes).toEqual([
    ...['open.prompt_pending', 'open.prompt_pending', 'open.awaiting_pin', 'open.awaiting_pin'],
    ...['paid.unconfirmed', 'failed', 'expired', 'abandoned', 'review'],
  ]);
  expect(getOutcome(collectionIn('initiated')).money).toBe('unknown');
});

test('an error code of the service without a row of its own has the safe row of a payment without a prompt', () => {
  const before = collectionIn('accepted');
  for (const code of Object.keys(apiErrors).filter((one) => !Object.hasOwn(endRows, one))) {
    const rejected = evolve(before, { kind: 'abandoned', data: { reason: code } }, promptAt);
    expect(getOutcome(rejected)).toEqual({
      ...unpaidRows.abandoned,
      code: `abandoned.${code}`,
      money: 'not_taken',
    });
  }
});

test('a reason that this version does not know has the general row of its status', () => {
  const review = { ...collectionIn('review, no money'), review: 'reason_of_a_newer_version' };
  expect(getOutcome(review)).toMatchObject({ happened: unknownReview.happened, money: 'unknown' });
  // A name that every object has is no row.
  expect(getOutcome({ ...review, review: 'constructor' })).toMatchObject({
    happened: unknownReview.happened,
  });
});

test('nobody who was asked to pay by another phone is told to dial again', () => {
  for (const requestedBy of ['attendant', 'other'] as const)
    for (const collection of reached) {
      const { tellPayer, action } = getOutcome({ ...collection, requestedBy });
      expect(tellPayer.en, JSON.stringify(collection)).not.toMatch(/\bdial again\b/i);
      expect(action).not.toMatch(/\bdial again\b.*\.$/i);
    }
});
