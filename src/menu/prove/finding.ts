/** The problems that a menu can have. */
export type FindingKind =
  /** The file is not a valid menu. Nothing else was checked. */
  | 'invalid'
  /** A text lacks one of the languages. */
  | 'missing_translation'
  /** No input leads to the screen. */
  | 'unreachable'
  /** No answer leads on from the screen, for some payers at least, or no option is left. */
  | 'dead_end'
  /** A condition on the time never holds where its screen is reached, or only before the present day. */
  | 'never_open'
  /** Screens or lookups lead to each other and never to an end screen. Going back is not counted as progress. */
  | 'loop'
  /** The dialogue ends when the lookup has no answer in time. */
  | 'no_fallback'
  /** An input ends the dialogue because the menu has no screen for it. */
  | 'lost'
  /** A text exceeds the limit of a channel. */
  | 'too_long'
  /** The key for the next page is an answer on this screen, so the page cannot be shown. */
  | 'unread'
  /** A screen or an option has no words, because its placeholders have no values. */
  | 'blank'
  /** A payer can confirm an amount that the screen does not show. */
  | 'hidden_amount'
  /** A bound of an amount has no value, so that any amount is valid. */
  | 'unbounded'
  /** No choice of the network belongs to the number of another payer, whose prefix can be that of an earlier network. */
  | 'no_network'
  /** The question asks for a PIN or a password, which belongs in no menu. */
  | 'secret'
  /** The screen has more than 200 options. */
  | 'too_many_options'
  /** An end screen takes too many inputs. */
  | 'too_many_inputs'
  /** No input opens a collection. */
  | 'no_payment'
  /** The menu has too many states to search. */
  | 'too_large';

export type Finding = {
  readonly kind: FindingKind;
  /** A screen, one of `endStates`, or a message in parentheses; absent for the menu as a whole. */
  readonly screen?: string;
  /** Absent for a finding that does not depend on the language. */
  readonly language?: string;
  readonly message: string;
  /** Inputs that lead to the problem, from the first screen; an option has the number that it has when all before it are shown. */
  readonly inputs?: readonly string[];
  /** The caller history and the effect results that lead to the problem, in order. */
  readonly assumptions?: readonly string[];
  /** The place to correct in the menu file. */
  readonly path: readonly (string | number)[];
};
