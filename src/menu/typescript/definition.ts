import type { Operator } from '../../shared/msisdn.ts';
import type { MessageName } from '../schema.ts';
import type { LookupRequest, ProxyRequest } from '../state/state.ts';

/*
 * The types of a menu in TypeScript, with the same keys as a menu file. `To` is the union of the screen names that a part
 * leads to.
 */

/** One text for all languages, or one text per language. */
export type Text = string | { readonly [language: string]: string };

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
/** An amount in cedis, such as `'12.00'`. Use `cedis` and `pesewas` for computed amounts. */
export type Cedis = `${bigint}` | `${bigint}.${Digit}` | `${bigint}.${Digit}${Digit}`;

/** An amount, or the name of a value that holds one, such as `'{due}'`. */
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
type SituationCondition = {
  /** The network of the payer. */
  readonly operator?: OneOrMore<Operator>;
  /** `own` when the dialler pays, `other` for another number. */
  readonly payer?: 'own' | 'other';
  /** The dialler is an attendant. */
  readonly dialler?: 'attendant';
  readonly language?: OneOrMore<string>;
};
type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';
/** The time at which the dialogue starts, in the time zone of the merchant. */
export type TimeCondition = {
  /** Times of day, such as `'08:00-17:00'`. */
  readonly time?: OneOrMore<`${string}:${string}-${string}:${string}`>;
  readonly weekday?: OneOrMore<Weekday | `${Weekday}-${Weekday}`>;
  /** The first day, such as `'2026-03-01'`. */
  readonly from?: string;
  /** The last day. */
  readonly until?: string;
};
type Absent<T> = { readonly [K in keyof T]?: never };

/** A condition holds when all of its keys hold. `value` is `amount`, `reference` or a name of the menu. */
export type Condition = SituationCondition &
  TimeCondition &
  (({ readonly value: string } & Comparison) | Absent<{ value: string } & Comparison>);

export type Branch<To extends string> = { readonly when: Condition; readonly to: To };

/** The next screen: a name, or a list of conditions with a name as the last entry. */
export type Route<To extends string> = To | readonly [...Branch<To>[], To];

/** Answers that an option sets for the payer. */
export type Preset = {
  readonly payer?: 'own';
  readonly amount?: CedisOrName;
  readonly reference?: string;
  /** The network of another payer's wallet. */
  readonly operator?: Exclude<Operator, 'unknown'>;
  readonly values?: { readonly [name: string]: string };
};

export type OptionExtras = {
  /** The option is shown only when this holds. */
  readonly when?: Condition;
  readonly set?: Preset;
  /** Changes the language of all later screens, to the named one or, with `next`, to the next of the menu's list. */
  readonly language?: string;
};
/** An item of a list in the menu: a text, which is its field `name`, or fields. An amount has two decimals: `'20.00'`. */
export type ListItem = string | { readonly [field: string]: string | number };
export type Option<To extends string> = OptionExtras & {
  readonly label: Text;
  readonly to: Route<To>;
} & (
    | {
        /** Repeats the option for each item of this looked-up list. */
        readonly each?: string;
        readonly list?: never;
      }
    | {
        /** Repeats the option for each of these items. */
        readonly list: readonly ListItem[];
        readonly each?: never;
      }
  );

export type Choice<To extends string> = { readonly text: Text; readonly options: readonly Option<To>[] };

type Question<To extends string> = {
  readonly text: Text;
  /** The notice for an invalid answer. */
  readonly error?: Text;
  readonly to: Route<To>;
};
/** An amount, the name of a value that holds one, or a part of it, such as `'{due}/2'`. */
export type CedisOrPart = CedisOrName | `{${string}}/${bigint}`;

export type AmountQuestion<To extends string> = Question<To> & {
  readonly min: CedisOrPart;
  readonly max: CedisOrPart;
  readonly example?: string;
};
export type MsisdnQuestion<To extends string> = Question<To> & { readonly example?: string };
export type ReferenceQuestion<To extends string> = Question<To> & {
  /** A regular expression for the whole reference. */
  readonly pattern: string;
  readonly example: string;
};
export type TextQuestion<To extends string> = Question<To> & {
  /** The name of the answer in placeholders of later screens. */
  readonly name: string;
  /** At most 64. Default: 40. */
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly example?: string;
};
export type NumberQuestion<To extends string> = Question<To> & {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The price of one: the amount is the number times this price. */
  readonly each?: CedisOrName;
  readonly example?: string;
};

type FieldName = {
  /** The name of the field in the answer, when it differs from the name here. */
  readonly from?: string;
};
/** A text with its maximum length, an amount with its maximum, or a whole number with its maximum. */
export type Field = FieldName &
  ({ readonly text: number } | { readonly amount: Cedis } | { readonly number: number });
/** A list with its maximum number of items, and the fields of an item. */
export type ListField = FieldName & {
  readonly list: number;
  readonly of: { readonly [name: string]: Field };
};
/** The fields that a lookup takes from its answer, with their bounds. `operator: {}` is the network of the payer's number. */
export type Take = { readonly [name: string]: Field | ListField | FieldName };

type Value<F> = F extends { readonly text: number }
  ? string
  : F extends { readonly list: number; readonly of: infer Of }
    ? readonly Found<Of>[]
    : F extends { readonly amount: Cedis } | { readonly number: number }
      ? number
      : string;
/** The answer to a lookup with these fields: texts, whole numbers, and amounts in pesewas. */
export type Found<Fields> = {
  readonly [K in keyof Fields as Fields[K] extends { readonly from: infer From extends string }
    ? From
    : K]: Value<Fields[K]>;
};

/** Answers a lookup; `undefined` when nothing was found. The signal aborts when the budget is used up. */
export type Find<Answer> = (
  request: LookupRequest,
  options: { signal: AbortSignal },
) => Promise<Answer | undefined>;

export type LookupRoutes<To extends string> = {
  readonly found: Route<To>;
  /** The next screen when nothing was found. Without it, the payer is asked again. */
  readonly notFound?: Route<To>;
  /** The next screen when no usable answer arrived in time. */
  readonly fallback?: Route<To>;
};

/** The answer to one request of a proxy screen: a screen, or the fields that end the part. */
export type ProxyAnswer<Fields> =
  | { readonly text: string; readonly state?: string; readonly done?: false }
  | (Fields & { readonly done: true });

/** Answers a proxy screen; `undefined` leads to `fallback`. The signal aborts when the budget is used up. */
export type Answer<Fields> = (
  request: ProxyRequest,
  options: { signal: AbortSignal },
) => Promise<ProxyAnswer<Fields> | undefined>;

export type ProxyRoutes<To extends string> = {
  /** The maximum number of requests from the first screen of the part to its end, from 1 to 20. Default: 8. */
  readonly maxTurns?: number;
  readonly done: Route<To>;
  /** The next screen when no usable answer arrived in time, or after too many turns. */
  readonly fallback?: Route<To>;
};

export type Confirmation<To extends string> = { readonly text: Text; readonly to: To };
export type Ending = {
  readonly text: Text;
  /** Texts for payers of single operators, in place of `text`. */
  readonly operators?: { readonly [O in Operator]?: Text };
};
/** A screen whose options and answers are built in. */
export type ScreenText = { readonly text: Text };

/** The content of a screen, with its kind. */
export type Kind<K extends string, Content> = Content & { readonly kind: K };
export type Ask<Answer extends string, Content> = Kind<'ask', Content> & { readonly answer: Answer };
export type LookupScreen<To extends string> = LookupRoutes<To> & {
  readonly kind: 'lookup';
  readonly take: Take;
} & ({ readonly url: string; readonly find?: never } | { readonly find: Find<object>; readonly url?: never });
export type ProxyScreen<To extends string> = ProxyRoutes<To> & {
  readonly kind: 'proxy';
  readonly take: Take;
} & (
    | { readonly url: string; readonly answer?: never }
    | { readonly answer: Answer<object>; readonly url?: never }
  );

export type Screen<To extends string> =
  | Kind<'choose', Choice<To>>
  | Ask<'amount', AmountQuestion<To>>
  | Ask<'msisdn', MsisdnQuestion<To>>
  | Ask<'reference', ReferenceQuestion<To>>
  | Ask<'text', TextQuestion<To>>
  | Ask<'number', NumberQuestion<To>>
  | LookupScreen<To>
  | ProxyScreen<To>
  | Kind<'confirm', Confirmation<To>>
  | Kind<'end', Ending>
  | Kind<'status' | 'requests', ScreenText>;

export type MenuDefinition<Name extends string> = {
  /** Language codes. The first one is the default for new payers. */
  readonly languages: readonly [string, ...string[]];
  /** True when new payers choose a language first. Default: true for several languages. */
  readonly askLanguage?: boolean;
  readonly languageNames?: { readonly [language: string]: string };
  /** The first screen: a name, or a list of conditions on the time with a name as the last entry. */
  readonly start:
    | NoInfer<Name>
    | readonly [...{ readonly when: TimeCondition; readonly to: NoInfer<Name> }[], NoInfer<Name>];
  /** Keys of every screen. */
  readonly keys?: {
    readonly back?: string | false;
    readonly home?: string | false;
    readonly more?: readonly string[];
  };
  /** Texts that replace the messages of the gateway. */
  readonly messages?: { readonly [M in MessageName]?: Text };
  /** Labels of what payers type and choose, by name, in the payment; false keeps an answer out of it. */
  readonly answers?: { readonly [name: string]: string | false };
  readonly screens: { readonly [N in Name]: Screen<NoInfer<Name>> };
};
