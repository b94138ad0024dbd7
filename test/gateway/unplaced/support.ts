import { changeUnplaced, type UnplacedFact } from '../../../src/gateway/unplaced/fact.ts';
import type {
  StatedPayment,
  UnplacedPayment,
  UnplacedReason,
} from '../../../src/gateway/unplaced/unplaced.ts';

export const now = Date.parse('2026-03-06T09:00:00.000Z');
export const people = { by: 'ama', approvedBy: 'kofi', evidence: 'statement', versionSeen: 1 };
export const session = { merchantId: 'demo-shop', livemode: 0, sessionId: 'pay_1' };

/** What an event states: the payment of 20.20, unless changed. */
export function stating(changed: Partial<StatedPayment> = {}): StatedPayment {
  return {
    ...{ eventId: 'evt_1', eventType: 'payment.session.paid', chargedMinor: 2_020, reports: 'payment' },
    ...{ goodsMinor: null, feeMinor: null, netMinor: null, payer: null, reference: null },
    ...{ clientTransId: null, channel: null, paidAt: null },
    ...changed,
  };
}

type Reported = Extract<UnplacedFact, { kind: 'reported' }>['data'];

export function reported(
  stated: Partial<StatedPayment> = {},
  { reason = 'unknown_session', ...more }: Partial<Reported> & { reason?: UnplacedReason } = {},
): UnplacedFact {
  const data = { ...session, id: 'unp_1', charge: 1, reason, stated: stating(stated), ...more };
  return { kind: 'reported', data };
}

/** The payment after facts, which were recorded one second ago. */
export function folded(...facts: [UnplacedFact, ...UnplacedFact[]]): UnplacedPayment {
  return changeUnplaced(undefined, facts, now - 1_000).after;
}

export const placed: UnplacedFact = { kind: 'placed', data: { collectionId: 'col_1', ...people } };
export const returned: UnplacedFact = { kind: 'returned', data: { ...people, reference: 'MP1' } };
export const refunded: UnplacedFact = {
  kind: 'refunded',
  data: { amountMinor: 500, reference: 'MP2', by: 'operator' },
};
export const foreign: UnplacedFact = { kind: 'declared_foreign', data: people };
