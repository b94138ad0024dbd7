import type {
  AmountQuestion,
  AskAmount,
  AskMsisdn,
  AskNumber,
  AskReference,
  AskText,
  Branch,
  Choice,
  ChooseScreen,
  Condition,
  Confirmation,
  ConfirmScreen,
  CountQuestion,
  Ending,
  EndScreen,
  Find,
  Found,
  LookupRoutes,
  LookupScreen,
  NumberOfPayerQuestion,
  Option,
  OptionExtras,
  ReferenceQuestion,
  RequestsScreen,
  Route,
  StatusScreen,
  Take,
  Text,
  TextQuestion,
  Words,
} from './definition.ts';

/** A list of options, numbered from 1. */
export function choose<const To extends string>(choice: Choice<To>): ChooseScreen<To> {
  return { kind: 'choose', ...choice };
}

/** One option of a list. */
export function option<const To extends string>(
  label: Text,
  to: Route<To>,
  extras: OptionExtras = {},
): Option<To> {
  return { label, to, ...extras };
}

/** An option for every item of a list that was looked up; the item's fields are `{item.…}`. */
export function each<const To extends string>(
  list: string,
  label: Text,
  to: Route<To>,
  extras: OptionExtras = {},
): Option<To> {
  return { each: list, label, to, ...extras };
}

/** A way that is taken when something holds: `to: [when({ value: 'due', above: '0.00' }, 'pay'), 'nothing']`. */
export function when<const To extends string>(condition: Condition, to: To): Branch<To> {
  return { when: condition, to };
}

/** Questions that the payer answers by typing. */
export const ask = {
  amount: <const To extends string>(question: AmountQuestion<To>): AskAmount<To> => {
    return { kind: 'ask', answer: 'amount', ...question };
  },
  /** The mobile number of another payer. */
  msisdn: <const To extends string>(question: NumberOfPayerQuestion<To>): AskMsisdn<To> => {
    return { kind: 'ask', answer: 'msisdn', ...question };
  },
  reference: <const To extends string>(question: ReferenceQuestion<To>): AskReference<To> => {
    return { kind: 'ask', answer: 'reference', ...question };
  },
  text: <const To extends string>(question: TextQuestion<To>): AskText<To> => {
    return { kind: 'ask', answer: 'text', ...question };
  },
  /** A whole number. */
  number: <const To extends string>(question: CountQuestion<To>): AskNumber<To> => {
    return { kind: 'ask', answer: 'number', ...question };
  },
} as const;

/**
 * A question to the merchant's own system: to an address, or to `find`, which runs inside the gateway and answers with
 * what is taken. Amounts are pesewas there.
 */
export function lookup<const T extends Take, const To extends string>(
  question: LookupRoutes<To> & { readonly take: T } & (
      | { readonly url: string; readonly find?: never }
      | { readonly find: Find<Found<NoInfer<T>>>; readonly url?: never }
    ),
): LookupScreen<To> {
  return { kind: 'lookup', ...question };
}

/** The question whether to pay: needs `{amount}` in its text. */
export function confirm<const To extends string>(confirmation: Confirmation<To>): ConfirmScreen<To> {
  return { kind: 'confirm', ...confirmation };
}

/** The last screen. */
export function end(ending: Ending): EndScreen {
  return { kind: 'end', ...ending };
}

/** Asks an attendant for a short reference, and says how it stands. */
export function status(words: Words): StatusScreen {
  return { kind: 'status', ...words };
}

/** Lets a payer stop or allow requests from other phones. */
export function requests(words: Words): RequestsScreen {
  return { kind: 'requests', ...words };
}
