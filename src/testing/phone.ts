import type { Status } from '../gateway/collection/collection.ts';
import type { Collected } from './collected.ts';

/*
 * What a test sees of a phone. Kept apart from what makes one, so that nobody's types depend on a database's.
 */

/** What a phone shows: a screen that waits for an answer, or the end of the session. */
export type Screen = { kind: 'continue' | 'end'; text: string };

/** A mobile-money prompt, waiting for a PIN. */
export type Prompt = {
  /** What the prompt asks for, in pesewas: goods and fee. */
  readonly amountMinor: number;
  /** Types a PIN: any of four digits is right, but 0000. @throws UserError when it is refused. */
  approve(pin?: string): Promise<void>;
  /** @throws UserError when it is refused. */
  decline(): Promise<void>;
};

/** A phone behind a simulated aggregator. What cannot be done, such as an answer without a screen, is a UserError. */
export type Phone = {
  /**
   * Opens a session with the channel's code, or one that has answers dialled along: `*713*5*20#`. One that is still open
   * is cut off, as on a phone that lost its network: nobody tells the gateway.
   */
  dial(code?: string): Promise<Screen>;
  /** Answers the screen, after the time that a person takes to read it. */
  send(input: string): Promise<Screen>;
  /** The text that the phone shows. */
  screen(): string;
  /** The same with its kind; `undefined` before anything was dialled. */
  shown(): Screen | undefined;
  /** True when no session is open. */
  ended(): boolean;
  /** @throws Error when the phone shows anything else, or the session is over. */
  expectScreen(text: string): void;
  /** @throws Error when the session goes on, or the phone shows another text than this. */
  expectEnd(text?: string): void;
  /** Loses the last answer on its way: the phone shows what it showed before. The gateway knows nothing of it. */
  drop(): void;
  /** The aggregator sends the last request again, byte for byte. */
  repeat(): Promise<Screen>;
  /** The payer hangs up, and the aggregator says so. @throws UserError where it never does. */
  leave(): Promise<void>;
  /** The payer does nothing until the network ends the session; the aggregator says so, if it ever does. */
  timeout(): Promise<void>;
  /** Moves the till's time on. */
  advance(ms: number): Promise<void>;
  /**
   * Moves the till's time on to that moment, such as `2026-03-06T09:00:59.900Z`, unless it is past. The next dial or answer
   * comes right then: nobody reads first. @throws UserError for what is no time, or more than 24 hours away.
   */
  until(time: string): Promise<void>;
  /** Waits up to 30 s for the prompt on this phone, or on another one. @throws UserError when none comes. */
  prompt(options?: { msisdn?: string }): Promise<Prompt>;
  /** What the last payment that was agreed to on this phone came to; `undefined` when there was none. */
  collection(): Promise<Collected | undefined>;
  /** Waits up to 30 s, or as long as said. @throws UserError when it does not come to that. */
  untilStatus(status: Status, withinMs?: number): Promise<Collected>;
  /** When the phone last dialled, by the till's clock. */
  dialledAt(): number;
};
