import type { InitiatedSession, OfflineSession, SessionStatusResult } from '../../contract/session.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Session } from './session-store.ts';
import { isTerminal } from './states.ts';

/** How soon a caller should poll an open session again. */
const pollAfterSeconds = 3;

/** ISO 8601 in UTC with milliseconds, the interface's form of a time. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** The answer of an offline create: these fields and no others, in the interface's order. */
export function createdView(session: Session): OfflineSession {
  return {
    id: session.id,
    mode: session.mode,
    channel: session.channel,
    network: session.network,
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.netMinor,
    status: session.status,
    reference: session.reference,
    payer_msisdn: `0${session.payer.slice(3)}`,
  };
}

/** The answer of an offline initiate. */
export function initiatedView(session: Session): InitiatedSession {
  return { id: session.id, status: 'initiated', mode: session.mode, channel: session.channel };
}

/** The answer of a status poll. */
export function statusView(session: Session): SessionStatusResult {
  const terminal = isTerminal(session.status);
  return {
    id: session.id,
    status: session.status,
    terminal,
    ...(session.paidAt === null ? {} : { paid_at: isoTime(session.paidAt) }),
    retry_after_seconds: terminal ? null : pollAfterSeconds,
  };
}
