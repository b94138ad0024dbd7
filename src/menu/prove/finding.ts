/**
 * The problems that a menu can have.
 *
 * - `invalid`: the file is not a valid menu. Nothing else was checked.
 * - `missing_translation`: a text lacks one of the languages.
 * - `unreachable`: no input leads to the screen.
 * - `dead_end`: no answer leads on from the screen, for some payers at least, or no option is left.
 * - `never_open`: a condition on the time never holds where its screen is reached, or only before the present day.
 * - `loop`: screens or lookups lead to each other and never to an end screen. Going back is not counted as progress.
 * - `no_fallback`: the dialogue ends when the lookup has no answer in time.
 * - `lost`: an input ends the dialogue because the menu has no screen for it.
 * - `too_long`: a text exceeds the limit of a channel.
 * - `unread`: the key for the next page is an answer on this screen, so the page cannot be shown.
 * - `blank`: a screen or an option has no words, because its placeholders have no values.
 * - `hidden_amount`: a payer can confirm an amount that the screen does not show.
 * - `unbounded`: a bound of an amount has no value, so that any amount is valid.
 * - `no_network`: no choice of the network belongs to another payer's number, whose prefix can be that of an earlier network.
 * - `secret`: the question asks for a PIN or a password, which belongs in no menu.
 * - `too_many_options`: the screen has more than 200 options.
 * - `too_many_inputs`: an end screen takes too many inputs.
 * - `no_payment`: no input opens a collection.
 * - `too_large`: the menu has too many states to search.
 */
export type FindingKind =
  | 'invalid'
  | 'missing_translation'
  | 'unreachable'
  | 'dead_end'
  | 'never_open'
  | 'loop'
  | 'no_fallback'
  | 'lost'
  | 'too_long'
  | 'unread'
  | 'blank'
  | 'hidden_amount'
  | 'unbounded'
  | 'no_network'
  | 'secret'
  | 'too_many_options'
  | 'too_many_inputs'
  | 'no_payment'
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
