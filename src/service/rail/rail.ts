import type { PromptFailure } from '../../contract/service/end-reason.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import type { SmsSender } from '../otp/sms.ts';
import type { Livemode } from '../schema.ts';

/*
 * The port to the mobile-money networks.
 *
 * To attach a real rail, pass `liveRail(report)` to `createService`: it receives the function that accepts results and
 * returns a `Rail`. Live sessions then use that rail, test sessions the simulated one. The contract:
 *
 * - `push` resolves when the rail has accepted or rejected the prompt, within `pushTimeoutMs`. It throws when the outcome
 *   is unknown. The session then stays `initiated` and is never pushed again, because the payer may have a prompt.
 * - The result of every prompt that was accepted, or may have been, is reported in the end: from the rail's callback, or
 *   from `round` by polling the rail. Results may arrive in any order, repeatedly, and before `push` has resolved.
 * - `inquire` returns the rail's record of one session, within `inquiryTimeoutMs`. It is called for each session without
 *   a result after its prompt must have ended, until the session is final. It throws when the rail does not answer: silence
 *   ends no session before the long stop. "not_prompted" is proof: the rail has no prompt of the session and will never
 *   show one.
 * - A result is accepted when `report` has resolved. When `report` throws, the same result must be reported again. A
 *   rail that may lose results in a crash stores them itself.
 * - A repeated result equals the first one, `at` included. A different `at` is a different charge, and each charge that
 *   does not fit its session opens a review.
 * - An invalid result (an unknown outcome, an amount that is not a positive integer) is logged and counts as accepted.
 * - `round` may throw. It is logged and repeated after 1 s to 60 s. Until it succeeds, no live session expires, because
 *   a result that it could not fetch may be a payment. Test sessions are not affected.
 */

/** The rail accepts or rejects a push within this time. Otherwise the outcome is unknown. */
export const pushTimeoutMs = 15_000;

/** How long a session waits for the rail's result after its prompt has expired. Then the service inquires. */
const resultGraceMs = 60_000;

/** The rail answers an inquiry within this time. Otherwise it is silent. */
export const inquiryTimeoutMs = 10_000;

/** Returns the time from the initiate call to the first inquiry: no prompt can be answered any more. */
export function firstInquiryMs(promptLifetimeMs: number): number {
  return pushTimeoutMs + promptLifetimeMs + resultGraceMs;
}

/** One prompt for a payer's phone. */
export type PushRequest = {
  sessionId: string;
  livemode: Livemode;
  merchantName: string;
  payer: string;
  network: string;
  amountMinor: number;
};

/** `reason` goes to the log, with its digits masked. */
export type PushResult = { kind: 'accepted' } | { kind: 'rejected'; reason: string };

/** How a prompt ended, and when. */
export type RailResult = {
  sessionId: string;
  at: EpochMs;
} & (
  | {
      outcome: 'approved';
      /** The amount that the payer's wallet was charged. An amount other than the pushed one opens a review. */
      chargedMinor: number;
    }
  | { outcome: 'expired' | PromptFailure }
);

/** The rail's record of a session. `pending`: the prompt has no result yet. */
export type RailInquiry = { kind: 'result'; result: RailResult } | { kind: 'pending' | 'not_prompted' };

/** Accepts a result. Resolves when it is stored. The rail repeats a result that was rejected. */
export type ReportRailResult = (result: RailResult) => Promise<void>;

/**
 * Accepts a result of the simulated rail, whose records are in the service's own database.
 *
 * @param railWrites the rail's writes, in the batch that records the result; in a batch of their own when the result
 *   changes nothing. They are guarded: when they lose, the result was recorded before.
 */
export type RecordRailResult = (result: RailResult, railWrites?: readonly Write[]) => Promise<void>;

/** The mobile-money network that carries prompts and money. */
export interface Rail {
  /**
   * Sends a prompt. Resolves when the rail has accepted or rejected it, long before the payer answers. A throw, or an
   * abort of `signal`, means that the outcome is unknown. Never called twice for a session.
   */
  push(push: PushRequest, signal: AbortSignal): Promise<PushResult>;
  /** Returns the rail's record of a session that was pushed. When it throws, or `signal` aborts, there is no answer. */
  inquire(sessionId: string, signal: AbortSignal): Promise<RailInquiry>;
  /**
   * Does one bounded round of the rail's own work, such as fetching and reporting results. Resolves with the time of the
   * next round, which is not in the future while results remain.
   */
  round(): Promise<EpochMs | undefined>;
}

/** Returns the rail of a mode; `undefined` when the mode has none. */
export type SelectRail = (livemode: Livemode) => Rail | undefined;

/** The export of the module of `dialtill service start --live --rail`. */
export type RailModule = {
  /** Creates the rail of live sessions. `report` accepts results. */
  createRail(report: ReportRailResult): Rail;
  /** The SMS carrier of live mode. Without it, live one-time codes are rejected. */
  sms?: SmsSender;
};
