/** The problems that a menu can have, as docs/menus.md describes them. */
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
