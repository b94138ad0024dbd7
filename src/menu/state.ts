import type { AmountMinor } from '../shared/money.ts';
import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { UssdReply } from '../ussd/turn.ts';
import type { MessageName } from './schema.ts';

/** What the payer has said so far. */
export type Answers = {
  readonly amountMinor?: AmountMinor;
  /** Another payer's number; absent while the dialler pays. */
  readonly payer?: Msisdn;
  /** The network that the payer named for that other number. */
  readonly operator?: Operator;
  readonly reference?: string;
  readonly texts?: Readonly<Record<string, string>>;
};

/** A dialogue between two turns: plain JSON, stored with each turn. */
export type MenuState = {
  /** A screen of the menu, or one of `closings` once the dialogue is over without an end screen. */
  readonly screen: string;
  readonly language: string;
  readonly answers: Answers;
  /** Unusable inputs in a row on this screen. */
  readonly mistakes: number;
  /** The input that led to this screen, while a repeat of it could still arrive. */
  readonly lastInput?: string;
  /** The page of this screen that is shown; absent on the first. */
  readonly page?: number;
  /** Why the screen is shown again, which stands on top of it. */
  readonly notice?: MessageName;
  /** The screens that the payer can go back to, the nearest last, each with the answers as they were there. */
  readonly trail?: readonly Stop[];
};

/** A screen that a payer has left. */
export type Stop = { readonly screen: string; readonly answers: Answers };

/** Where a dialogue stands that ended without an end screen. No screen of a menu can have such a name. */
export const closings = { cancelled: '(cancelled)', mistakes: '(mistakes)', lost: '(lost)' } as const;

/** What a menu may know about the world around a dialogue. */
export type MenuContext = {
  /** The merchant's name as payers read it. */
  readonly merchant: string;
  readonly dialler: Msisdn;
  readonly operator: Operator;
  /** Whether the channel tells a repeated request from a next step with the same input. */
  readonly sequenced: boolean;
  /** Septets that one screen may hold. */
  readonly limit: number;
  /** How to approve by hand at an operator. */
  approvals(operator: Operator): string;
};

/** A payer's yes. */
export type Intent = {
  readonly payer: Msisdn;
  readonly amountMinor: AmountMinor;
  /** What the payer typed or chose; without one the collection makes its own. */
  readonly reference: string | undefined;
  /** The payer's network where someone knows it; otherwise only the prefix is left to guess from. */
  readonly operatorHint?: Operator;
};

/** What one turn comes to. `intent` is present exactly when the payer said yes on a confirm screen. */
export type Step = { readonly state: MenuState; readonly reply: UssdReply; readonly intent?: Intent };
