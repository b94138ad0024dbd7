import type { EpochMs } from '../shared/clock.ts';
import type { Livemode } from './schema.ts';

/** One prompt to be shown on a payer's handset. */
export type Push = {
  sessionId: string;
  livemode: Livemode;
  merchantName: string;
  payer: string;
  network: string;
  amountMinor: number;
};

export type PushAnswer = { kind: 'accepted' } | { kind: 'refused'; reason: string };

/** How a prompt ended. */
export type RailResult = {
  sessionId: string;
  at: EpochMs;
} & (
  | {
      outcome: 'approved';
      /** What the payer's wallet was charged; it should be the amount that was pushed. */
      chargedMinor: number;
    }
  | { outcome: 'declined' | 'pin_limit' | 'insufficient_funds' | 'expired' }
);

/** Takes a result. Resolves once it is durable; the rail repeats what was not taken. */
export type Report = (result: RailResult) => Promise<void>;

/** What carries prompts to handsets and money back. */
export interface Rail {
  /**
   * Resolves when the rail has accepted or refused the push, long before the payer answers. A throw, or an abort
   * of `signal`, means that nobody knows whether a prompt is out. Never called twice for a session.
   */
  push(push: Push, signal: AbortSignal): Promise<PushAnswer>;
  /**
   * One bounded round of the rail's own work, such as reporting what it could not report before. Resolves with the
   * time at which it wants the next: not in the future while it has more to report.
   */
  round(): Promise<EpochMs | undefined>;
}

/** The rail of a mode, or `undefined` where none is attached. */
export type Rails = (livemode: Livemode) => Rail | undefined;
