/**
 * What can be wrong with a menu.
 *
 * - `invalid`: the file is no menu; nothing else was looked at.
 * - `missing_translation`: a text that lacks one of the languages.
 * - `unreachable`: a screen that no input leads to.
 * - `dead_end`: a screen that nothing leads on from, for some payers at least, or that offers them nothing.
 *   `loop`: screens, or look-ups, that lead to each other and never to an END. Going back does not count as a way on.
 * - `no_fallback`: a look-up after which the dialogue ends when nothing comes in time.
 * - `lost`: an input that ends the dialogue because the menu has no answer to it.
 * - `too_long`: a text longer than a channel shows.
 * - `unread`: a page that cannot be turned to, because its key is an answer on this screen.
 * - `blank`: a screen or an option without words, since nothing fills its placeholders.
 * - `hidden_amount`: a payer can agree to an amount that the screen does not show.
 * - `too_many_options`: more options than two digits choose.
 * - `too_many_hops`: an END that takes too many inputs. `no_payment`: no input ever asks for money.
 * - `unproven`: a pattern whose longest text cannot be told, or a number whose amount in words cannot. `too_large`: more states than are looked at.
 */
export type FindingKind =
  | 'invalid'
  | 'missing_translation'
  | 'unreachable'
  | 'dead_end'
  | 'loop'
  | 'no_fallback'
  | 'lost'
  | 'too_long'
  | 'unread'
  | 'blank'
  | 'hidden_amount'
  | 'too_many_options'
  | 'too_many_hops'
  | 'no_payment'
  | 'unproven'
  | 'too_large';

export type Finding = {
  readonly kind: FindingKind;
  /** The screen, or one of `endStates`, or a message in parentheses; absent for the menu as a whole. */
  readonly screen?: string;
  /** Absent where it is so in every language. */
  readonly language?: string;
  readonly message: string;
  /** What to type, from the first screen, to see it. */
  readonly inputs?: readonly string[];
  /** What must be known of the dialler, and what look-ups and the like must answer on the way, in order. */
  readonly answered?: readonly string[];
  /** Where in the file it is to be put right. */
  readonly path: readonly (string | number)[];
};
