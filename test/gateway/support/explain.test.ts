import { expect, test } from 'vitest';
import type { CollectionWithJob } from '../../../src/gateway/collection/collection.ts';
import type { TurnRow } from '../../../src/gateway/dialogue/turn-store.ts';
import { book } from '../../../src/gateway/ledger/posting.ts';
import type { CollectionRecord, FactRow } from '../../../src/gateway/support/collection-query.ts';
import { describeNextStep, explain } from '../../../src/gateway/support/explain.ts';
import { timeline } from '../../../src/gateway/support/timeline.ts';
import type { Missing } from '../../../src/gateway/support/transcript/history-query.ts';
import { toTranscript } from '../../../src/gateway/support/transcript/transcript.ts';
import { day, intent, minute, promptAt, rowIn, type Situation, second } from '../collection/support.ts';

const factRow = (version: number, kind: string, data: object, at: number): FactRow => ({
  seq: version,
  subjectId: 'col_1',
  merchantId: 'demo-shop',
  version,
  kind,
  data: JSON.stringify(data),
  at,
});

const quoted = {
  sessionId: 'pay_1',
  goodsMinor: 2_000,
  amountMinor: 2_020,
  feeMinor: 20,
  netMinor: 2_000,
  ms: 80,
};

function recordOf(collection: CollectionWithJob, changed: Partial<CollectionRecord> = {}): CollectionRecord {
  const facts = [factRow(1, 'accepted', intent, intent.openedAt), factRow(2, 'created', quoted, promptAt)];
  return {
    collection,
    retriedAs: null,
    turns: [],
    facts,
    postings: [],
    events: [],
    charges: [],
    actions: [],
    ...changed,
  };
}

const explained = (situation: Situation, changed: Partial<CollectionWithJob> = {}, now = promptAt) =>
  explain(recordOf(rowIn(situation, changed)), now);

test.each([
  ['accepted', 'The payer confirmed, and no prompt was sent yet; no money was taken.'],
  [
    'initiated',
    'A prompt was requested, and the service has reported no result; whether money was taken is not known.',
  ],
  ['paid', 'The payment is paid and confirmed; GHS 20.20 was received.'],
  [
    'paid, unconfirmed',
    'An event reports the payment, and no poll has confirmed it; GHS 20.20 is reported, and not confirmed.',
  ],
  ['failed', 'The payer declined the prompt; no money was taken.'],
  ['expired', 'The payer did not approve the prompt in time; no money was taken.'],
  ['review, suspended', 'Another amount than the quoted one arrived; GHS 20.20 arrived and is in suspense.'],
  [
    'review, no money',
    'A prompt was requested, and no result came within seven days; whether money was taken is not known.',
  ],
] as const)(
  'one sentence says what happened to a collection (%s), and whether money moved',
  (situation, text) => {
    expect(explained(situation).summary).toBe(text);
  },
);

test.each([
  ['accepted', {}, 0, 'Next request to the service 09:00:02 UTC; no prompt is sent after 09:03:00 UTC.'],
  ['created', {}, 0, 'Prompt 09:00:02 UTC; none is sent after 09:03:00 UTC.'],
  ['initiated', { nextAt: promptAt + minute }, 0, 'Next check 09:01:02 UTC, watched until 13 March.'],
  ['initiated', { nextAt: promptAt + day }, 0, 'Next check 7 March 09:00:02 UTC, watched until 13 March.'],
  [
    'initiated',
    {},
    10 * minute,
    'Next check was due 09:00:02 UTC: check whether the gateway runs, watched until 13 March.',
  ],
  [
    'initiated',
    { restoredAt: promptAt + day, initiateSentAt: null },
    0,
    'Next check 09:00:02 UTC, watched until 14 March.',
  ],
  [
    'paid, unconfirmed',
    { review: 'unconfirmed_paid' },
    0,
    'Next check 09:00:02 UTC, watched until 13 March; a person must decide, too.',
  ],
  ['paid', { nextAt: null }, 0, 'The result is final.'],
  ['failed', { nextAt: null }, 0, 'The result is final.'],
  ['paid', { nextAt: null, review: 'second_charge' }, 0, 'A person must decide.'],
  ['review, no money', { nextAt: null }, 0, 'A person must decide.'],
  [
    'review, suspended',
    { awaitsServiceSince: promptAt },
    0,
    'The service decides; there is nothing to do before 13 March. Next check 09:00:02 UTC.',
  ],
] as const)(
  'the next step of a collection (%s %j) has its time and its end',
  (situation, changed, later, text) => {
    expect(explained(situation, changed, promptAt + later).nextStep.text).toBe(text);
  },
);

test('expected amounts are those of the quote, and received amounts those of the postings', () => {
  const collection = rowIn('review, suspended', { amountMinor: 1_010, shownTotalMinor: 2_020 });
  const { postings } = book({ kind: 'suspense', suspendedMinor: 1_010 });
  const row = {
    seq: 1,
    subjectId: 'col_1',
    merchantId: 'demo-shop',
    livemode: 0,
    version: 5,
    booking: 'suspense',
    at: promptAt,
  };
  const record = recordOf(collection, { postings: postings.map((one) => ({ ...row, ...one })) });
  expect(explain(record, promptAt)).toMatchObject({
    expected: { priceMinor: 2_000, shownTotalMinor: 2_020, feeMinor: 20, totalMinor: 2_020, netMinor: 2_000 },
    received: { amountMinor: 1_010, feeMinor: 0, netMinor: 0, suspendedMinor: 1_010, source: 'webhook' },
  });
  expect(explain(recordOf(rowIn('failed')), promptAt).received).toBeNull();
});

const turnRow = (sequence: number, at: number, changed: Partial<TurnRow> = {}): TurnRow => ({
  channel: 'till',
  session: 's-1',
  sequence,
  dialogueId: intent.dialogueId,
  merchantId: 'demo-shop',
  dialler: intent.dialler,
  operator: 'mtn',
  input: sequence === 1 ? null : String(sequence),
  position: null,
  payer: null,
  ussdRef: null,
  ending: null,
  state: '{}',
  reply: 'continue',
  screen: `screen ${sequence}`,
  collectionId: null,
  at,
  ...changed,
});

const inboxRow = {
  merchantId: 'demo-shop',
  eventId: 'evt_1',
  livemode: 0,
  type: 'payment.session.paid',
  sessionId: 'pay_1',
  body: '',
  state: 'handled',
  nextAt: null,
  leaseUntil: 0,
  attempts: 1,
  stale: 0,
} as const;

test('the next step has its times in the zone of a merchant, or in UTC with the name of it', () => {
  const now = Date.parse('2026-03-06T22:58:10Z');
  const step = {
    kind: 'create',
    at: now + 5 * second,
    until: now + 4 * minute,
    needsDecision: false,
  } as const;
  expect(describeNextStep(step, now)).toBe(
    'Next request to the service 22:58:15 UTC; no prompt is sent after 23:02:10 UTC.',
  );
  expect(describeNextStep(step, now, 'Africa/Lagos')).toBe(
    'Next request to the service 23:58; no prompt is sent after 7 March 00:02.',
  );
});

test('the timeline keeps causes before effects when the clock was corrected between them', () => {
  const at = intent.openedAt;
  const record = recordOf(rowIn('paid'), {
    // The clock was ahead while the payer dialled, and while the event arrived.
    turns: [
      turnRow(1, at + minute),
      turnRow(2, at + minute + second, { collectionId: 'col_1', reply: 'end' }),
      turnRow(3, at + minute + second, { ending: 'ended', reply: 'end' }),
    ],
    facts: [
      factRow(1, 'accepted', intent, at),
      factRow(2, 'created', quoted, at + second),
      factRow(3, 'event', { eventId: 'evt_1', type: 'payment.session.paid' }, at + 2 * second),
      factRow(4, 'confirmed', {}, at + second),
    ],
    events: [{ ...inboxRow, receivedAt: at + day }],
  });
  expect(timeline(record).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'payer: dialled',
    'screen: screen 1',
    'payer: entered 2',
    'screen: screen 2 (END)',
    'status: accepted: price GHS 20.00, reference INV-7',
    'call: create: payment session pay_1, total GHS 20.20, fee GHS 0.20',
    'webhook: received payment.session.paid evt_1',
    'webhook: processed payment.session.paid evt_1',
    'status: confirmed: a poll agrees that it is paid',
    'notice: the aggregator reports: session ended',
  ]);
});

test('a call has its duration beside its text', () => {
  const entries = timeline(recordOf(rowIn('created')));
  expect(entries.map(({ kind, ms }) => [kind, ms])).toEqual([
    ['status', null],
    ['call', 80],
  ]);
});

const collection = rowIn('accepted');

type StoredTurn = { input: string | null; screen: string; state: object };

/** Returns the masked transcript of a dialogue with these turns. */
function mask(turns: readonly StoredTurn[], missing: readonly Missing[] = []): string {
  const rows = turns.map(
    ({ input, screen, state }, index): TurnRow => ({
      ...{ channel: 'till', session: 's-1', sequence: index + 1, dialogueId: 'dlg_1', merchantId: 'shop' },
      ...{ dialler: intent.dialler, operator: 'mtn', position: null, payer: null, ussdRef: null },
      ...{ ending: null, reply: 'continue', collectionId: null, at: intent.openedAt + index },
      ...{ input, screen, state: JSON.stringify(state) },
    }),
  );
  return toTranscript({ collection, turns: rows, opened: [], missing: new Set(missing) }, {}, true);
}

test('names in lookup answers are replaced, also in lists and on screens in upper case', () => {
  const found = { student: 'Ama Serwaa', due: { amountMinor: 12_000 }, fees: [{ name: 'Hostel of Kofi' }] };
  const lookedUp = [
    { key: 'q', answer: 'not_found' },
    { key: 'r', answer: found },
  ];
  const text = mask([
    { input: null, screen: 'Student number:', state: { answers: {} } },
    {
      input: '7',
      screen: 'Pay for AMA SERWAA?\n1 Hostel of Kofi',
      state: { answers: { values: found }, lookedUp },
    },
    {
      input: '120',
      screen: 'Ama Serwaa owes GHS 120.00, not found',
      state: { answers: { values: found, amountMinor: 12_000 }, lookedUp },
    },
  ]);
  expect(text).not.toMatch(/ama|serwaa|kofi/i);
  expect(text).toContain('Pay for MAS MASKED?');
  expect(text).toContain('1 Masked ma Mask');
  expect(text).toContain('Mas Masked owes GHS 120.00, not found');
  expect(text).toContain("- send: '120'");
});

test('an input of letters or of more than two digits is replaced, on screens too', () => {
  const text = mask([
    { input: null, screen: 'Room:', state: { answers: {} } },
    { input: 'B 117', screen: 'Room B 117: pay?', state: { answers: { values: { room: 'B 117' } } } },
    { input: '4711', screen: 'Invalid option.\nRoom B 117: pay?', state: { answers: {} } },
  ]);
  expect(text).not.toMatch(/117|4711/);
  expect(text).toContain("- send: 'M 000'");
  expect(text).toContain('Room M 000: pay?');
  expect(text).toContain("- send: '0000'");
});

test('keys, amounts and short numbers that the menu accepted stay', () => {
  const values = { class: '2', tickets: { number: 150 } };
  const text = mask([
    { input: null, screen: 'Which class?\n1. Class 1\n2. Class 2', state: { answers: {} } },
    { input: '2', screen: 'Tickets:', state: { answers: { values } } },
    { input: '150', screen: 'Amount:', state: { answers: { values } } },
    { input: '350.50', screen: 'Class 2, 150 tickets?', state: { answers: { values, amountMinor: 35_050 } } },
  ]);
  for (const input of ['2', '150', '350.50']) expect(text).toContain(`- send: '${input}'`);
  expect(text).toContain('Class 2, 150 tickets?');
});

test('a reference becomes the example of the screen, and a long number of a lookup keeps its first digit', () => {
  const found = { account: { number: 4_123_456 }, due: { amountMinor: 12_050 } };
  const asked = { lookup: 'meter', dialler: intent.dialler, payer: intent.dialler, values: {} };
  const lookedUp = [{ key: JSON.stringify([null, { ...asked, reference: '14253647' }]), answer: found }];
  const text = mask([
    { input: null, screen: 'Meter, such as 10000001:', state: { answers: {} } },
    {
      input: '14253647',
      screen: 'Meter 14253647, account 4,123,456 or 4123456, owes GHS 120.50',
      state: { answers: { reference: '14253647', values: found }, lookedUp },
    },
  ]);
  expect(text).toContain("- send: '10000001'");
  expect(text).toContain('Meter 10000001, account 4,000,000 or 4000000, owes GHS 120.50');
  expect(text).toContain('account: 4000000\n        due: 12050\n');
  expect(text).toContain('reference: "10000001"\n');
  expect(text).not.toMatch(/14253647|4,?123,?456/);
});

test('inputs of earlier dialogues that are not in the transcript are replaced', () => {
  const interrupted = { answers: { reference: 'KA1024', values: { giver: 'Abena' } } };
  const screen = 'Continue: KA1024 for Abena?\n1. Yes';
  const text = mask(
    [{ input: null, screen, state: { answers: {}, callerHistory: { interrupted } } }],
    ['resume'],
  );
  expect(text).toContain('Continue: MA0000 for Maske?');
});
