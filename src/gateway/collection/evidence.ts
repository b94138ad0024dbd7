import type { OfflineSession } from '../../contract/session.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Amounts } from './collection.ts';
import type { CallName } from './fact.ts';

/** Everything that can change a collection. Nothing enters by another door than `decide`. */
export type Evidence =
  /** A call got no answer that proves anything: time-out, reset, 5xx, 409, 429, an unreadable 2xx. */
  | {
      kind: 'call_unknown';
      call: CallName;
      outcome: 'unknown' | 'throttled';
      detail: string;
      httpStatus?: number;
      retryAfterMs?: number;
      ms: number;
    }
  /** The service answered a definite no (4xx with a meaning). */
  | { kind: 'call_rejected'; call: CallName; code: string; httpStatus: number; ms: number }
  | { kind: 'create_answered'; session: OfflineSession; ms: number }
  | { kind: 'initiate_answered'; initiatedAt?: string; ms: number }
  | {
      kind: 'polled';
      status: string;
      terminal: boolean;
      paidAt: string | null;
      retryAfterSeconds: number | null;
      /** When the poll was sent: an answer says nothing about what came after the question. */
      askedAt: EpochMs;
      ms: number;
    }
  | EventEvidence
  /** An event that was signed well, and not now: its words are the service's, their time is not known. */
  | { kind: 'event_stale'; eventId: string; type: string; news: EventEvidence }
  /** Time passed: the worker looked at the collection, and nothing else happened. */
  | {
      kind: 'due';
      /** No later than this, however far the clock has jumped: the time of the last send and its age at an even pace. */
      asOf?: EpochMs;
    }
  /** The gateway was started with a clock that is far behind the last time of the collection. */
  | { kind: 'clock_corrected' }
  /** A person decided, with a reason. */
  | { kind: 'decision'; outcome: 'paid' | 'not_paid'; by: string; reason: string };

/** What a webhook says that came in time. */
export type EventEvidence =
  | {
      kind: 'event_paid';
      eventId: string;
      type: string;
      amounts: Amounts & { goodsMinor: number };
      paidAt: string;
    }
  | { kind: 'event_failed'; eventId: string; type: string; status: 'failed' | 'expired'; reason?: string }
  | {
      kind: 'event_review';
      eventId: string;
      type: string;
      amountMinor: number | null;
      /** The money is none that was asked for: more was taken after the session's own. */
      secondCharge?: true;
    }
  | { kind: 'event_other'; eventId: string; type: string };
