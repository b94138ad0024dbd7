import type { AnswerView } from '../contract/merchant/notification.ts';
import type { PromptFailure } from '../contract/service/end-reason.ts';
import { toAnswers } from '../gateway/collection/answers.ts';
import type { CollectionRow, Status } from '../gateway/collection/collection.ts';
import { localForm } from '../shared/msisdn.ts';

/* The phone as tests see it. In a file of its own, so that its types do not depend on the database. */

/** A screen that waits for an input, or the last screen of the session. */
export type TillScreen = { kind: 'continue' | 'end'; text: string };

/** A mobile-money prompt that waits for a PIN. */
export type TillPrompt = {
  /** The total charged in pesewas: price and fee. */
  readonly amountMinor: number;
  /** Types a PIN. Every PIN of four digits except 0000 is correct. @throws UserError when the service rejects it. */
  approve(pin?: string): Promise<void>;
  /** Declines the prompt. @throws UserError when the service rejects it. */
  decline(): Promise<void>;
  /** Lets the network fail the prompt, for example because the wallet is empty. @throws UserError when it is closed. */
  fail(failure: PromptFailure): Promise<void>;
  /** Lets the network charge another amount, in pesewas, than the prompt names. @throws UserError when it is closed. */
  charge(amountMinor: number): Promise<void>;
};

/** A phone behind a simulated aggregator. An impossible action, such as an input without a screen, throws a UserError. */
export type TillPhone = {
  /**
   * Opens a session with the service code or a direct-dial string such as `*713*5*20#`. An open session is interrupted
   * without a notice to the gateway, as on a phone that loses its network.
   */
  dial(code?: string): Promise<TillScreen>;
  /**
   * Types an input, after the time that a person takes to read the screen. As in a transcript, the label of an option on the screen
   * stands for its key, regardless of case, and so do `yes`, `no`, `back` and `more`.
   */
  send(input: string): Promise<TillScreen>;
  /** The text on the phone. */
  screen(): string;
  /** The screen on the phone; `undefined` before the first dial. */
  shown(): TillScreen | undefined;
  /** True when no session is open. */
  ended(): boolean;
  /** @throws Error when the phone shows another screen, or the session has ended. */
  expectScreen(text: string): void;
  /** @throws Error when the session is open, or the phone shows another text. */
  expectEnd(text?: string): void;
  /** Loses the last reply on its way: the phone shows the screen before it. The gateway gets no notice. */
  drop(): void;
  /** Sends the last request of the aggregator again, byte for byte. */
  repeat(): Promise<TillScreen>;
  /** Ends the session as a payer who hangs up. An aggregator without end notices sends nothing to the gateway. */
  leave(): Promise<void>;
  /** Waits until the network ends the session, and sends the end notice of the aggregator, if it has one. */
  timeout(): Promise<void>;
  /** Advances the clock of the till. */
  advance(ms: number): Promise<void>;
  /**
   * Advances the clock of the till to a time such as `2026-03-06T09:00:59.900Z`, unless it is past. The next dial or input
   * arrives exactly then, without time to read. @throws UserError for an invalid time, or one more than 24 hours away.
   */
  until(time: string): Promise<void>;
  /** Waits up to 30 s for the prompt on this phone or another one. @throws UserError when none arrives. */
  prompt(options?: { msisdn?: string }): Promise<TillPrompt>;
  /** Returns the last collection that was opened on this phone; `undefined` without one. */
  collection(): Promise<Collected | undefined>;
  /** Waits up to 30 s, or `withinMs`, for a status. @throws UserError when the collection does not reach it. */
  untilStatus(status: Status, withinMs?: number): Promise<Collected>;
  /** The time of the last dial by the clock of the till. */
  dialledAt(): number;
};

/** A collection as tests see it. Amounts are pesewas. The fee and the total are null before the quote. */
export type Collected = {
  id: string;
  status: Status;
  /** The reason for the final status or the review. */
  reason: string | null;
  /** `0244123456` */
  payer: string;
  dialler: string;
  reference: string;
  /** Eight digits; screens show them as `4821 7362`. */
  shortReference: string;
  /** The answers of the payer, under names of the menu. */
  answers: readonly AnswerView[];
  /** The collection that this one repeats. */
  retryOf: string | null;
  /** The price, without the fee. */
  goodsMinor: number;
  feeMinor: number | null;
  /** The total charged: price and fee. */
  amountMinor: number | null;
  openedAt: number;
};

export function toCollected(row: CollectionRow): Collected {
  const { id, status, reason, payer, dialler, reference, retryOf } = row;
  const { goodsMinor, feeMinor, amountMinor, openedAt } = row;
  return {
    ...{ id, status, reason, reference, retryOf, goodsMinor, feeMinor, amountMinor, openedAt },
    shortReference: row.shortReference ?? reference,
    answers: toAnswers(row, 'whole'),
    payer: localForm(payer),
    dialler: localForm(dialler),
  };
}
