import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn, Operator } from '../../shared/msisdn.ts';
import type { Alphabet } from '../../shared/screen-text.ts';
import type { LocalTime } from '../../shared/time-text.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import type { MessageName } from '../schema.ts';
import type { Values } from '../text/format.ts';

/** The payer's answers so far, and the values that were looked up for them. */
export type Answers = {
  readonly amountMinor?: AmountMinor;
  /** Another payer's number; absent while the dialler pays. */
  readonly payer?: Msisdn;
  /** The network that the payer chose for that other number. */
  readonly operator?: Operator;
  readonly reference?: string;
  /** Values under the names that the menu gives them. */
  readonly values?: Values;
};

/** A dialogue between two turns: plain JSON, stored with each turn. */
export type MenuState = {
  /** A screen of the menu, a built-in screen, or one of `endStates`. */
  readonly screen: string;
  readonly language: string;
  readonly answers: Answers;
  /** When the dialogue started, for the conditions of the menu on the time; absent when it has none. */
  readonly startedAt?: LocalTime;
  /** Invalid inputs in a row on this screen. */
  readonly invalidInputs: number;
  /** The input that led to this screen, while a repeat of it can still arrive. */
  readonly lastInput?: string;
  /** The input before that, on the duplicate screen: a late repeat of it must not confirm anything either. */
  readonly previousInput?: string;
  /** The page of this screen, counted from 0; absent on the first page. */
  readonly page?: number;
  /** True when the last input turned the page and selects something here, too. The same input again is then an answer. */
  readonly turnsAgain?: true;
  /** The message above a screen that is shown again. */
  readonly notice?: MessageName;
  /** The screens that the payer can go back to, the latest last. */
  readonly history?: readonly HistoryEntry[];
  /** Answered lookups of this dialogue, the newest last: the same request is not sent twice. */
  readonly lookedUp?: readonly LookedUp[];
  /** Lookups in a row that found nothing. */
  readonly notFoundCount?: number;
  /** The quote for the answers at the time of the request. */
  readonly quoted?: Quoted;
  /** The caller history, while a built-in screen still needs it. */
  readonly callerHistory?: CallerHistory;
  /** Answers of the dialled suffix that wait until an effect has its result. */
  readonly pendingInputs?: readonly string[];
  /** The earlier payment that the duplicate screen shows. */
  readonly duplicate?: PaymentSummary;
  /** The answer that a proxy screen shows. */
  readonly proxied?: Proxied;
};

/** A screen that the merchant's own system has answered. */
export type Proxied = {
  /** The request that it answers: 1 for the first one of the proxy screen. */
  readonly turn: number;
  readonly text: string;
  /** The next request returns it to the merchant's system, unread. */
  readonly state?: string;
};

/** An answered lookup, or the end of a proxy screen. `key` is equal for equal requests only. */
export type LookedUp = { readonly key: string; readonly answer: Found | 'not_found' };
/** The fields that a lookup has returned, by the names of the menu. */
export type Found = Values;

/** A quote. `key` identifies the request that it answers. */
export type Quoted = { readonly key: string; readonly quote: Quote };

/** A screen that the payer left, with the answers at that time. */
export type HistoryEntry = { readonly screen: string; readonly answers: Answers };

/** The screen of a state whose dialogue ended without an end screen of the menu. No menu can use these names. */
export const endStates = {
  cancelled: '(cancelled)',
  invalidInputs: '(invalid-inputs)',
  /** The state has no screen that can be shown. */
  lost: '(lost)',
  /** A message of the gateway was the last screen. */
  closed: '(closed)',
  /** The collection was rejected. */
  rejected: '(rejected)',
} as const;

/** The messages that state why no collection is opened. */
export const rejectionMessages = [
  'rejectedPayer',
  'rejectedTooMany',
  'rejectedCoolDown',
  'paymentNotPossible',
  'networkNotOffered',
] as const satisfies readonly MessageName[];
export type RejectionMessage = (typeof rejectionMessages)[number];

/** The data about a dialler when a dialogue starts. */
export type CallerHistory = {
  /** The language that the dialler chose last. */
  readonly language?: string;
  /** An open or recent collection that the dialler pays or requested. */
  readonly payment?: PaymentSummary;
  /** The state of a recently interrupted dialogue. */
  readonly interrupted?: MenuState;
  /** The dialled suffix: `*713*5*1*20#` -> `['1', '20']`. */
  readonly suffix?: readonly string[];
  /** The last input of the previous dialogue of the session: a repeat of it can still arrive. */
  readonly lastInput?: string;
};

/** The part of a collection that payers and attendants may see. */
export type PaymentSummary = {
  readonly id: string;
  readonly payer: Msisdn;
  readonly dialler: Msisdn;
  /** The price: the confirmed amount without the fee. */
  readonly amountMinor: AmountMinor;
  /** The reference that the payer typed or chose; absent when the collection generated its own. */
  readonly reference?: string;
  readonly shortReference: string;
  /** The payer's network, when the collection has it. */
  readonly operator?: Operator;
  /** The total that the confirm screen named; absent when it named no fee. */
  readonly shownTotalMinor?: number;
  /** The amount of the prompt, as far as it is known. */
  readonly chargeMinor: number;
  /** True when a retry is useless, or unsafe because the payer may have been charged. */
  readonly isRetryExcluded?: boolean;
  /** Why the gateway would reject the same payment. Read once, at the start of the dialogue, so that the keys keep their meaning. */
  readonly retryRejection?: RejectionMessage;
  /** The time of the confirmation. */
  readonly at: EpochMs;
  /**
   * - `waiting`: the collection is open, and the payer can approve a prompt.
   * - `confirming`: an event reports the payment, and no poll has confirmed it.
   * - `paid`: the service proved the payment.
   * - `failed`: the collection is final, and nothing was taken.
   * - `unknown`: there is no proof yet, or the collection is in review.
   */
  readonly state: 'waiting' | 'confirming' | 'paid' | 'failed' | 'unknown';
  /** Why it failed, where the payer can understand or change it. */
  readonly cause?: UnpaidCause;
};

/** The causes of failed payments that payers may read. */
export type UnpaidCause = 'no_wallet' | 'no_money' | 'limit' | 'pin' | 'declined' | 'timed_out';

/** Everything outside the dialogue's own state that a menu step depends on. */
export type MenuContext = {
  /** The merchant's name as payers read it. */
  readonly merchant: string;
  readonly dialler: Msisdn;
  readonly operator: Operator;
  /** True when the channel distinguishes a repeated request from a next step with the same input. */
  readonly sequenced: boolean;
  /** The maximum length of one screen, in septets. */
  readonly limit: number;
  readonly alphabet: Alphabet;
  /** The line break on the wire, which a screen's length includes (default: a line feed). */
  readonly lineBreak?: string | undefined;
  readonly now: EpochMs;
  /** The same time in the time zone of the merchant. */
  readonly localTime: LocalTime;
  /** Returns the short reference of the collection that this turn may open. */
  readonly shortReference: () => string;
  /** True when the dialler is an attendant of the merchant. */
  readonly isAttendant: boolean;
  /** True when the dialler's own number blocks requests from other phones. */
  readonly blocksRequests: boolean;
  /** The service does not answer, but payers can still pay: confirm screens show a warning. */
  readonly isServiceUnavailable?: boolean;
  /** The service's network code for each operator; null where the service does not offer it. */
  readonly networks: Readonly<Record<Operator, string | null>>;
  /** How to approve a prompt in the menu of each operator. */
  readonly approvals: Readonly<Record<Operator, string>>;
};

/** A named value that the payer typed or chose, as part of the payment. Names and labels are those of the menu at that time. */
export type PaymentAnswer = { readonly name: string; readonly label: string; readonly value: string };

/** A confirmed payment, from which a collection is opened. */
export type Intent = {
  readonly payer: Msisdn;
  readonly amountMinor: AmountMinor;
  /** The reference that the payer typed or chose; otherwise the collection generates its own. */
  readonly reference: string | undefined;
  /** Identifies the collection to attendants and support staff; also its reference when there is no other. */
  readonly shortReference: string;
  /** Absent without answers. Also absent in a retry, which has the answers of the first collection. */
  readonly answers?: readonly PaymentAnswer[];
  /** The payer's network, as the aggregator or the payer named it. Absent when only the prefix of the number suggests it. */
  readonly operatorHint?: Operator;
  /** The quote whose total the screen named. */
  readonly quote?: Quote;
  /** The final, unpaid collection that this one repeats. */
  readonly retryOf?: string;
  /** The total that the screen of that collection named. */
  readonly shownTotalMinor?: number;
};

/** The amounts that the service would charge for a payment, in pesewas. */
export type Quote = {
  readonly id: string;
  /** The reference in the request for the quote. */
  readonly reference: string;
  readonly feeMinor: number;
  /** Price and fee. */
  readonly totalMinor: number;
};

/** The body of the request that the merchant's system receives. */
export type LookupRequest = {
  /** The name of the lookup's screen. */
  readonly lookup: string;
  readonly dialler: Msisdn;
  readonly payer: Msisdn;
  readonly operator: Operator;
  readonly language: string;
  readonly amountMinor?: AmountMinor;
  readonly reference?: string;
  readonly values: Readonly<Record<string, string | number>>;
};

/** One request of a proxy screen. */
export type ProxyTurn = {
  /** 1 for the first request of the proxy screen, which has no input. */
  readonly turn: number;
  /** The input of the payer on the screen of the previous answer. */
  readonly input?: string;
  /** The state of the previous answer. */
  readonly state?: string;
};

/** The body of a proxy screen's request. `lookup` is the name of the screen. */
export type ProxyRequest = LookupRequest & ProxyTurn;

/** The payment that a quote is requested for. */
export type QuoteRequest = Omit<Intent, 'answers' | 'quote' | 'retryOf' | 'shownTotalMinor'>;

/** Outside data that a step needs for a better screen, or before an intent. `applyEffectResult` continues from `state`. */
export type Effect =
  | {
      readonly kind: 'lookup';
      readonly state: MenuState;
      /** The URL with its placeholders filled; absent when a handler of the merchant's program answers. */
      readonly url?: string;
      readonly request: LookupRequest;
    }
  | {
      readonly kind: 'proxy';
      readonly state: MenuState;
      /** As in a lookup. */
      readonly url?: string;
      readonly request: ProxyRequest;
    }
  | { readonly kind: 'quote'; readonly state: MenuState; readonly request: QuoteRequest }
  | { readonly kind: 'status'; readonly state: MenuState; readonly shortReference: string }
  /** Looks for the same payment within the duplicate window. The step's intent is valid only if none is found. */
  | { readonly kind: 'duplicate'; readonly state: MenuState; readonly intent: Intent };

/** The answer to an effect of the same kind. */
export type EffectResult =
  | { readonly kind: 'lookup' | 'proxy'; readonly answer: LookupAnswer }
  /** `rejected`: the service refused the payment, and would refuse it again. `undefined`: no usable answer in time. */
  | { readonly kind: 'quote'; readonly quote: Quote | 'rejected' | undefined }
  | { readonly kind: 'status'; readonly found: PaymentSummary | undefined }
  | { readonly kind: 'duplicate'; readonly found: PaymentSummary | undefined };

/** The answer to a lookup. `none`: no usable answer arrived in time. */
export type LookupAnswer =
  | { readonly kind: 'found'; readonly fields: unknown }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'none' };

/** A preference of the dialler that a step changes. */
export type PreferenceChange =
  | { readonly kind: 'language'; readonly language: string }
  /** True when the number blocks requests from other phones. */
  | { readonly kind: 'requests'; readonly blocksRequests: boolean };

/**
 * The result of one input. `intent` is present only after a confirmation. With an `effect`, the other fields
 * hold if no answer comes in time. A confirmation with a `duplicate` effect never holds without
 * that result.
 */
export type Step = {
  readonly state: MenuState;
  readonly reply: UssdReply;
  readonly intent?: Intent;
  readonly effect?: Effect;
  readonly preferences?: readonly PreferenceChange[];
};
