import type { EpochMs } from '../../shared/clock.ts';
import type { Livemode } from '../schema.ts';

/*
 * The port to what carries prompts to handsets and money back.
 *
 * A team that attaches a real rail passes `liveRail(report)` to `createService`: it gets the function that takes
 * results and gives back a `Rail`. Live sessions then go to that rail, test sessions to the simulated one. What the
 * service asks of it:
 *
 * - `push` resolves once the rail has accepted or refused, within `pushTimeoutMs`. When it cannot tell, it throws:
 *   the session then stays `initiated`, and is never pushed again, because a prompt may be out.
 * - Every prompt that was accepted, or may be out, is reported in the end: from the rail's callback, or from `round`
 *   by asking the rail. Results may come in any order, any number of times, and before `push` has resolved.
 * - A result counts as taken only when `report` has resolved; when it throws, the same result must come again. A
 *   rail that may lose results in a crash keeps them in a store of its own.
 * - A repeat says the same as the first time, `at` included; another `at` reads as another charge, and each charge
 *   that does not fit its session is put before a person.
 * - A result that cannot be read (an unknown outcome, an amount that is none) is told to the log, and counts as taken.
 * - `round` may throw: it is logged and made again, after 1 s to 60 s. As long as it throws, no live session is given
 *   up, because the result that it cannot fetch may be a payment. Test sessions do not notice.
 */

/** The rail accepts or refuses a push within this time, or its answer is unknown. */
export const pushTimeoutMs = 15_000;

/** How long after a prompt's own end its session waits for the rail's result before it is given up. */
export const resultGraceMs = 60_000;

/** One prompt to be shown on a payer's handset. */
export type PushRequest = {
  sessionId: string;
  livemode: Livemode;
  merchantName: string;
  payer: string;
  network: string;
  amountMinor: number;
};

/** `reason` is for the log, which shows no digit of it. */
export type PushResult = { kind: 'accepted' } | { kind: 'rejected'; reason: string };

/** How a prompt ended, and when. */
export type RailResult = {
  sessionId: string;
  at: EpochMs;
} & (
  | {
      outcome: 'approved';
      /** What the payer's wallet was charged; another amount than was pushed opens a review. */
      chargedMinor: number;
    }
  | { outcome: 'declined' | 'pin_limit' | 'insufficient_funds' | 'expired' }
);

/** Takes a result. Resolves once it is durable; the rail repeats what was not taken. */
export type ReportRailResult = (result: RailResult) => Promise<void>;

/** What carries prompts to handsets and money back. */
export interface Rail {
  /**
   * Resolves when the rail has accepted or refused the push, long before the payer answers. A throw, or an abort
   * of `signal`, means that nobody knows whether a prompt is out. Never called twice for a session.
   */
  push(push: PushRequest, signal: AbortSignal): Promise<PushResult>;
  /**
   * One bounded round of the rail's own work, such as reporting what it could not report before. Resolves with the
   * time at which it wants the next: not in the future while it has more to report.
   */
  round(): Promise<EpochMs | undefined>;
}

/** The rail of a mode, or `undefined` where none is attached. */
export type SelectRail = (livemode: Livemode) => Rail | undefined;
