import type { Operator } from '../../shared/msisdn.ts';
import type { MessageName } from '../schema.ts';
import type { LookupRequest } from '../state/state.ts';

/*
 * The menu language as TypeScript: the same words as in a menu file, each with its type. `To` are the names of the
 * screens that something leads to.
 */

/** A text for all languages, or one for each. */
export type Text = string | { readonly [language: string]: string };

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
/** An amount in cedis, such as `'12.00'`; see `cedis` and `pesewas` for one that is worked out. */
export type Cedis = `${bigint}` | `${bigint}.${Digit}` | `${bigint}.${Digit}${Digit}`;

/** An amount, or the name of one, such as `'{due}'`. */
export type CedisOrName = Cedis | `{${string}}`;

type OneOrMore<T> = T | readonly T[];
type Bound = Cedis | number;
type Comparison = {
  readonly known?: boolean;
  readonly is?: OneOrMore<string | number>;
  readonly not?: OneOrMore<string | number>;
  readonly above?: Bound;
  readonly below?: Bound;
  readonly atLeast?: Bound;
  readonly atMost?: Bound;
};
type Circumstance = {
  /** The network of who pays. */
  readonly operator?: OneOrMore<Operator>;
  /** Whose wallet pays. */
  readonly payer?: 'own' | 'other';
  /** Who dials. */
  readonly dialler?: 'attendant';
  readonly language?: OneOrMore<string>;
};
type Nothing<T> = { readonly [K in keyof T]?: never };

/** What must hold: all of it. Comparisons are about `value`: `amount`, `reference`, or a name of the menu's own. */
export type Condition = Circumstance &
  (({ readonly value: string } & Comparison) | Nothing<{ value: string } & Comparison>);

export type Branch<To extends string> = { readonly when: Condition; readonly to: To };

/** The next screen: one, or the first whose condition holds, and one for all others. */
export type Route<To extends string> = To | readonly [...Branch<To>[], To];

/** Answers that an option gives on the payer's behalf. */
export type Preset = {
  readonly payer?: 'own';
  readonly amount?: CedisOrName;
  readonly reference?: string;
  /** The network of another payer's wallet. */
  readonly operator?: Exclude<Operator, 'unknown'>;
  readonly values?: { readonly [name: string]: string };
};

export type OptionExtras = {
  /** The option is there only when this holds. */
  readonly when?: Condition;
  readonly set?: Preset;
  /** Changes the language of all later screens: to the one named, or to the next of the menu's list. */
  readonly language?: string;
};
export type Option<To extends string> = OptionExtras & {
  readonly label: Text;
  /** Stands for every item of this list, which a look-up has brought. */
  readonly each?: string;
  readonly to: Route<To>;
};

export type Choice<To extends string> = { readonly text: Text; readonly options: readonly Option<To>[] };

type Question<To extends string> = {
  readonly text: Text;
  /** What is said of an answer that cannot be used. */
  readonly error?: Text;
  readonly to: Route<To>;
};
export type AmountQuestion<To extends string> = Question<To> & {
  readonly min: Cedis;
  readonly max: Cedis;
  readonly example?: string;
};
export type NumberOfPayerQuestion<To extends string> = Question<To> & { readonly example?: string };
export type ReferenceQuestion<To extends string> = Question<To> & {
  /** A regular expression for the whole reference. */
  readonly pattern: string;
  readonly example: string;
};
export type TextQuestion<To extends string> = Question<To> & {
  /** The placeholder under which later screens show the answer. */
  readonly name: string;
  /** Up to 64; 40 unless said. */
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly example?: string;
};
export type CountQuestion<To extends string> = Question<To> & {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** What one costs: the amount is as many times that. */
  readonly each?: CedisOrName;
  readonly example?: string;
};

type Named = {
  /** What the answer calls it, where that is not its name here. */
  readonly from?: string;
};
/** A text and the most characters it has, an amount and the largest it is, or a whole number and the largest it is. */
export type Field = Named &
  ({ readonly text: number } | { readonly amount: Cedis } | { readonly number: number });
/** The most items that a list has, and what each holds. */
export type ListField = Named & { readonly list: number; readonly of: { readonly [name: string]: Field } };
/** What a look-up takes from its answer, and how much room each field needs at most. */
export type Take = { readonly [name: string]: Field | ListField };

type Value<F> = F extends { readonly text: number }
  ? string
  : F extends { readonly list: number; readonly of: infer Of }
    ? readonly Found<Of>[]
    : number;
/** What answers a look-up that takes these fields: texts, whole numbers, and amounts in pesewas. */
export type Found<Fields> = {
  readonly [K in keyof Fields as Fields[K] extends { readonly from: infer From extends string }
    ? From
    : K]: Value<Fields[K]>;
};

/** Answers a look-up; `undefined`: there is no such thing. The signal aborts once nobody waits any more. */
export type Find<Answer> = (
  asked: LookupRequest,
  around: { signal: AbortSignal },
) => Promise<Answer | undefined>;

export type LookupRoutes<To extends string> = {
  readonly found: Route<To>;
  /** Where there is no such thing. Without it, the payer is asked again. */
  readonly notFound?: Route<To>;
  /** Where nothing that can be used came in time. */
  readonly fallback?: Route<To>;
};

export type Confirmation<To extends string> = { readonly text: Text; readonly to: To };
export type Ending = {
  readonly text: Text;
  /** Texts for payers of one operator, instead of `text`. */
  readonly operators?: { readonly [O in Operator]?: Text };
};
export type Words = { readonly text: Text };

type Ask<Answer extends string, Content> = Content & { readonly kind: 'ask'; readonly answer: Answer };
export type AskAmount<To extends string> = Ask<'amount', AmountQuestion<To>>;
export type AskMsisdn<To extends string> = Ask<'msisdn', NumberOfPayerQuestion<To>>;
export type AskReference<To extends string> = Ask<'reference', ReferenceQuestion<To>>;
export type AskText<To extends string> = Ask<'text', TextQuestion<To>>;
export type AskNumber<To extends string> = Ask<'number', CountQuestion<To>>;
export type ChooseScreen<To extends string> = Choice<To> & { readonly kind: 'choose' };
export type LookupScreen<To extends string> = LookupRoutes<To> & {
  readonly kind: 'lookup';
  readonly take: Take;
} & ({ readonly url: string; readonly find?: never } | { readonly find: Find<object>; readonly url?: never });
export type ConfirmScreen<To extends string> = Confirmation<To> & { readonly kind: 'confirm' };
export type EndScreen = Ending & { readonly kind: 'end' };
export type StatusScreen = Words & { readonly kind: 'status' };
export type RequestsScreen = Words & { readonly kind: 'requests' };

export type Screen<To extends string> =
  | ChooseScreen<To>
  | AskAmount<To>
  | AskMsisdn<To>
  | AskReference<To>
  | AskText<To>
  | AskNumber<To>
  | LookupScreen<To>
  | ConfirmScreen<To>
  | EndScreen
  | StatusScreen
  | RequestsScreen;

export type MenuDefinition<Name extends string> = {
  /** A dialogue starts in the first. */
  readonly languages: readonly [string, ...string[]];
  /** Whether new payers choose a language first; unless said, where there are several. */
  readonly askLanguage?: boolean;
  readonly languageNames?: { readonly [language: string]: string };
  readonly start: NoInfer<Name>;
  /** Keys that work on every screen. */
  readonly keys?: {
    readonly back?: string | false;
    readonly home?: string | false;
    readonly more?: readonly string[];
  };
  /** What the gateway says by itself, in your words. */
  readonly messages?: { readonly [M in MessageName]?: Text };
  readonly screens: { readonly [N in Name]: Screen<NoInfer<Name>> };
};
