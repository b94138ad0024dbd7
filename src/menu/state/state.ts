import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn, Operator } from '../../shared/msisdn.ts';
import type { Alphabet } from '../../shared/screen-text.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import type { MessageName } from '../schema.ts';
import type { Values } from './value.ts';

/** What the payer has said so far, and what was looked up for it. */
export type Answers = {
  readonly amountMinor?: AmountMinor;
  /** Another payer's number; absent while the dialler pays. */
  readonly payer?: Msisdn;
  /** The network that the payer named for that other number. */
  readonly operator?: Operator;
  readonly reference?: string;
  /** By the names that the menu gives them. */
  readonly values?: Values;
};

/** A dialogue between two turns: plain JSON, stored with each turn. */
export type MenuState = {
  /** A screen of the menu, or one of `endStates` once the dialogue is over without an end screen. */
  readonly screen: string;
  readonly language: string;
  readonly answers: Answers;
  /** Unusable inputs in a row on this screen. */
  readonly invalidInputs: number;
  /** The input that led to this screen, while a repeat of it could still arrive. */
  readonly lastInput?: string;
  /** The input before that, where a copy of it must say nothing either. */
  readonly previousInput?: string;
  /** The page of this screen that is shown; absent on the first. */
  readonly page?: number;
  /** Why the screen is shown again, which stands on top of it. */
  readonly notice?: MessageName;
  /** The screens that the payer can go back to, the nearest last, each with the answers as they were there. */
  readonly history?: readonly HistoryEntry[];
  /** What this dialogue has looked up, newest last: the same question is not asked twice. */
  readonly lookedUp?: readonly LookedUp[];
  /** Look-ups in a row that found nothing. */
  readonly notFoundCount?: number;
  /** What the service would take, for the answers as they were when it was asked. */
  readonly quoted?: Quoted;
  /** What was known of the dialler when the code was dialled, while a screen of the gateway's own still needs it. */
  readonly callerHistory?: CallerHistory;
  /** Answers dialled along that are still to be typed, once what is wanted first has come. */
  readonly pendingInputs?: readonly string[];
  /** The payment like the one that the payer is about to agree to. */
  readonly duplicate?: PaymentSummary;
};

/** A look-up that was answered: `question` is equal exactly for equal requests. */
export type LookedUp = { readonly question: string; readonly answer: Found | 'not_found' };
export type Found = Values;

/** A quote, and the request that it answers. */
export type Quoted = { readonly question: string; readonly quote: Quote };

/** A screen that a payer has left. */
export type HistoryEntry = { readonly screen: string; readonly answers: Answers };

/** Where a dialogue stands that ended without an end screen. No screen of a menu can have such a name. */
export const endStates = {
  cancelled: '(cancelled)',
  invalidInputs: '(invalid-inputs)',
  lost: '(lost)',
  /** A screen of the gateway's own has said the last word. */
  closed: '(closed)',
  /** What the payer agreed to was refused. */
  rejected: '(rejected)',
} as const;

/** What is known of a dialler when the code is dialled. */
export type CallerHistory = {
  /** The language of the payer's last choice. */
  readonly language?: string;
  /** An open or recent collection of the dialler, or asked for by the dialler. */
  readonly payment?: PaymentSummary;
  /** Where a dialogue stood that was cut off a short while ago. */
  readonly interrupted?: MenuState;
  /** Answers dialled along: `*713*5*1*20#` -> `['1', '20']`. */
  readonly suffix?: readonly string[];
  /** Of the dialogue before in the same session, where a number stands in for one: a copy of it can still arrive. */
  readonly lastInput?: string;
  /** The input before that, where a copy of it must say nothing either. */
  readonly previousInput?: string;
};

/** How a collection stands, as payers and attendants see it. */
export type PaymentSummary = {
  readonly id: string;
  readonly payer: Msisdn;
  readonly dialler: Msisdn;
  /** What the payer agreed to, without the fee. */
  readonly amountMinor: AmountMinor;
  /** What the payer typed or chose; absent where the collection made its own. */
  readonly reference?: string;
  readonly shortReference: string;
  /** The payer's network, where the collection says it. */
  readonly operator?: Operator;
  /** Goods and fee as the screen named them; absent where it named no fee. */
  readonly shownTotalMinor?: number;
  /** What the prompt asks for, as far as it is known. */
  readonly chargeMinor: number;
  /** It ended because the service would take something else than the screen had named. */
  readonly isFeeChanged?: boolean;
  /** When the payer agreed. */
  readonly at: EpochMs;
  /**
   * `waiting` for the PIN; `paid`; `failed`: final and unpaid, by evidence; `unknown`: nobody can tell yet, or a person
   * must look.
   */
  readonly state: 'waiting' | 'paid' | 'failed' | 'unknown';
};

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
  readonly alphabet: Alphabet;
  readonly now: EpochMs;
  /** For the collection that this turn may open. */
  readonly shortReference: string;
  /** The dialler works for the merchant. */
  readonly isAttendant: boolean;
  /** The dialler's own number does not accept requests from other phones. */
  readonly blocksRequests: boolean;
  /** How to approve by hand at an operator. */
  approvals(operator: Operator): string;
  /** A recent collection from the same payer, of the same amount and reference. */
  duplicateOf(intent: Intent): PaymentSummary | undefined;
};

/** A payer's yes. */
export type Intent = {
  readonly payer: Msisdn;
  readonly amountMinor: AmountMinor;
  /** What the payer typed or chose; without one the collection makes its own. */
  readonly reference: string | undefined;
  /** By which attendants and support find it; the reference too, where there is no other. */
  readonly shortReference: string;
  /** The payer's network where someone knows it; otherwise only the prefix is left to guess from. */
  readonly operatorHint?: Operator;
  /** What the screen said would be taken. */
  readonly quote?: Quote;
  /** The collection that is asked for again: final, and unpaid. */
  readonly retryOf?: string;
  /** What that collection's screen said would be taken. */
  readonly shownTotalMinor?: number;
};

/** What the service would take from the wallet. */
export type Quote = {
  readonly id: string;
  /** The one that the service was told. */
  readonly reference: string;
  readonly feeMinor: number;
  /** Goods and fee. */
  readonly totalMinor: number;
};

/** The body of a look-up: what a merchant's system is told. */
export type LookupRequest = {
  /** The name of the look-up's screen. */
  readonly lookup: string;
  readonly dialler: Msisdn;
  readonly payer: Msisdn;
  readonly operator: Operator;
  readonly language: string;
  readonly amountMinor?: AmountMinor;
  readonly reference?: string;
  readonly values: Readonly<Record<string, string | number>>;
};

/** What the service is asked for to make a quote. */
export type QuoteRequest = Omit<Intent, 'quote' | 'retryOf' | 'shownTotalMinor'>;

/** What would make a screen better and the menu cannot know. `at` is where the dialogue stands without it. */
export type Effect =
  | {
      readonly kind: 'lookup';
      readonly at: MenuState;
      /** Filled; absent where a handler of the merchant's program answers. */
      readonly url?: string;
      readonly asked: LookupRequest;
    }
  | { readonly kind: 'quote'; readonly at: MenuState; readonly asked: QuoteRequest }
  | { readonly kind: 'status'; readonly at: MenuState; readonly shortReference: string };

/** What came of a want in time. */
export type EffectResult =
  | { readonly kind: 'lookup'; readonly answer: LookupAnswer }
  | { readonly kind: 'quote'; readonly quote: Quote | undefined }
  | { readonly kind: 'status'; readonly found: PaymentSummary | undefined };

/** `none`: nothing that can be used came in time. */
export type LookupAnswer =
  | { readonly kind: 'found'; readonly fields: unknown }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'none' };

/** What is to be remembered of the dialler. */
export type PreferenceChange =
  | { readonly kind: 'language'; readonly language: string }
  /** Whether the number takes requests from other phones. */
  | { readonly kind: 'requests'; readonly isClosed: boolean };

/**
 * What one turn comes to. `intent` is present exactly when the payer said yes. With a `want`, the rest is what holds
 * when nothing comes of it in time: whoever leaves wants alone has a whole step all the same.
 */
export type Step = {
  readonly state: MenuState;
  readonly reply: UssdReply;
  readonly intent?: Intent;
  readonly effect?: Effect;
  readonly preferences?: readonly PreferenceChange[];
};
