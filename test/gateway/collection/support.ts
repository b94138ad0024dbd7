import type { OfflineSession } from '../../../src/contract/service/reading.ts';
import type {
  Collection,
  CollectionIntent,
  CollectionWithJob,
} from '../../../src/gateway/collection/collection.ts';
import { decide } from '../../../src/gateway/collection/decide/decide.ts';
import type { DecideContext, Transition } from '../../../src/gateway/collection/decide/decision.ts';
import type { Evidence, EvidenceOf } from '../../../src/gateway/collection/evidence.ts';
import { type Fact, type RecordedFact, replayFacts } from '../../../src/gateway/collection/fact.ts';
import type { Limits } from '../../../src/gateway/collection/opening/limits.ts';
import { changeUnplaced } from '../../../src/gateway/unplaced/fact.ts';
import type { StatedPayment, UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** When the collections of these tests are opened, and when their prompts are requested. */
const openedAt = Date.parse('2026-03-06T09:00:00Z');
export const promptAt = openedAt + 2 * second;

export const intent: CollectionIntent = {
  id: 'col_1',
  merchantId: 'demo-shop',
  livemode: 0,
  channel: 'africastalking',
  dialogueId: 'dlg_1',
  dialler: '233244123456' as Msisdn,
  payer: '233244123456' as Msisdn,
  requestedBy: 'payer',
  network: 'mtn',
  reference: 'INV-7',
  answers: null,
  shortReference: '48217362',
  retryOf: null,
  goodsMinor: 2_000 as AmountMinor,
  shownTotalMinor: null,
  createKey: 'col_1.create.0123456789abcdef',
  createBody: '{}',
  initiateKey: 'col_1.initiate.0123456789abcdef',
  openedAt,
  promptNotBefore: openedAt + 1_500,
  promptDeadline: openedAt + 3 * minute,
};

const none = { perHour: null, perDay: null };

export const noLimits: Limits = {
  dialler: none,
  payer: none,
  merchant: { perMinute: null },
  requests: { payer: none, dialler: none },
  declines: { maxDeclines: null, coolDownMs: hour },
  attendants: { ...none, maxDeclines: null },
};

/** The service's answer to the create call of this collection. */
export const session: OfflineSession = {
  id: 'pay_1',
  mode: 'offline',
  channel: 'ussd',
  network: 'mtn',
  goods_minor: 2_000,
  amount_minor: 2_020,
  expected_fee_minor: 20,
  expected_net_minor: 2_000,
  status: 'created',
  reference: 'INV-7',
  payer_msisdn: '0244123456',
};

export const quote = { amountMinor: 2_020, feeMinor: 20, netMinor: 2_000 };

export const context: DecideContext = {
  now: promptAt + 10 * second,
  random: 0,
  lease: 'held',
  maySend: true,
  unplacedId: 'unp_new',
  resendGraceMs: 15 * second,
  retryAllowedAfterMs: 6 * minute,
  unconfirmedAlarmAfterMs: 5 * minute,
  feeCap: { maxPercent: 2, maxAmountMinor: 1_000, alwaysAllowedMinor: 50 },
};

const created: Fact = {
  kind: 'created',
  data: { sessionId: 'pay_1', goodsMinor: 2_000, ...quote, ms: 80 },
};
const prompted: Fact[] = [created, { kind: 'prompt_requested', data: { send: 1 } }];
const initiated: Fact[] = [...prompted, { kind: 'initiated', data: { ms: 90 } }];
const paid = (source: 'webhook' | 'quote'): Fact => ({
  kind: 'paid',
  data: { ...quote, source, paidAt: '2026-03-06T09:00:10.000Z', late: 0 },
});
const suspended: Fact[] = [
  { kind: 'suspended', data: { amountMinor: 2_020, source: 'webhook', paidAt: '2026-03-06T09:00:10.000Z' } },
  { kind: 'review_opened', data: { reason: 'amount_mismatch' } },
];

/** States of a collection, each as the facts that lead to it. */
const histories = {
  accepted: [],
  created: [created],
  initiating: prompted,
  initiated,
  paid: [...initiated, paid('webhook'), { kind: 'confirmed', data: { ms: 40 } }],
  'paid, unconfirmed': [...initiated, paid('webhook')],
  'paid at quote': [...initiated, paid('quote')],
  failed: [...initiated, { kind: 'failed', data: { reason: 'declined' } }],
  expired: [...initiated, { kind: 'expired', data: { reason: 'prompt_expired' } }],
  abandoned: [created, { kind: 'abandoned', data: { reason: 'prompt_deadline' } }],
  'review, suspended': [...initiated, ...suspended],
  'review, at the service': [...initiated, ...suspended, { kind: 'service_decides', data: {} }],
  'failed, returned': [
    ...initiated,
    ...suspended,
    {
      kind: 'decided',
      data: { outcome: 'returned', source: 'staff', by: 'ama', approvedBy: 'kofi', evidence: 'statement' },
    },
  ],
  'review, no money': [...initiated, { kind: 'review_opened', data: { reason: 'no_outcome' } }],
} satisfies Record<string, Fact[]>;

export type Situation = keyof typeof histories;
export const situations = Object.keys(histories) as Situation[];

/** Returns the facts of a situation, from the first one. */
function recordedFacts(situation: Situation): RecordedFact[] {
  return [
    { kind: 'accepted', data: intent, at: openedAt },
    ...histories[situation].map((fact: Fact) => ({ ...fact, at: promptAt })),
  ];
}

export function collectionIn(situation: Situation): Collection {
  const collection = replayFacts(recordedFacts(situation));
  if (!collection) throw new Error('a history must start with accepted');
  return collection;
}

/** A collection that was open in a restored copy of the ledger. */
export function restored(situation: Situation, restoredAt = promptAt): Collection {
  return { ...collectionIn(situation), restoredAt };
}

export const abandoned = (reason: string) => ({ kind: 'abandoned', data: { reason } }) satisfies Fact;
export const opened = (reason: string) => ({ kind: 'review_opened', data: { reason } }) satisfies Fact;
export const flagged = (reason: string) => ({ kind: 'flagged', data: { reason } }) satisfies Fact;

/** An unplaced payment of the session: its own payment, or a further charge. */
export function unplaced(charge: number, changed: Partial<UnplacedPayment> = {}): UnplacedPayment {
  const stated: StatedPayment = {
    ...{ eventId: 'evt_0', eventType: 'some.event', chargedMinor: 760, paidAt: null },
    ...{ reports: charge === 1 ? 'payment' : 'second_charge', payer: null, reference: null },
    ...{ goodsMinor: null, feeMinor: null, netMinor: null, clientTransId: null, channel: null },
  };
  const key = { id: `unp_${charge}`, merchantId: 'demo-shop', livemode: 0, sessionId: 'pay_1', charge };
  const data = { ...key, reason: 'unknown_session', stated } as const;
  return { ...changeUnplaced(undefined, [{ kind: 'reported', data }], promptAt).after, ...changed };
}

/** A collection as the worker claims it: due now, on its first attempt. */
const claimed = { nextAt: promptAt, leaseUntil: 0, home: null, fence: 1, attempts: 1, updatedAt: promptAt };

/** Returns the row of a situation as the worker claims it. */
export function rowIn(situation: Situation, changed: Partial<CollectionWithJob> = {}): CollectionWithJob {
  return { ...collectionIn(situation), ...claimed, ...changed };
}

/** Decides about a collection that the worker has claimed. */
export function decideOn(
  collection: Collection,
  evidence: Evidence,
  changed: DecideContext = context,
  charges: readonly UnplacedPayment[] = [],
): Transition {
  return decide({ row: { ...claimed, ...collection }, charges }, evidence, changed);
}

export function polled(
  status: string,
  changed: Partial<Extract<Evidence, { kind: 'polled' }>> = {},
): Evidence {
  const terminal = ['paid', 'failed', 'expired'].includes(status);
  return {
    kind: 'polled',
    status,
    terminal,
    paidAt: status === 'paid' ? '2026-03-06T09:00:10.000Z' : null,
    retryAfterSeconds: terminal ? null : 3,
    requestedAt: promptAt + 10 * second,
    ms: 40,
    ...changed,
  };
}

export function paidEvidence(
  changed: Partial<typeof quote & { goodsMinor: number }> = {},
): EvidenceOf<'event_paid'> {
  return {
    kind: 'event_paid',
    eventId: 'evt_1',
    type: 'payment.session.paid',
    amounts: { goodsMinor: 2_000, ...quote, ...changed },
    paidAt: '2026-03-06T09:00:10.000Z',
  };
}
