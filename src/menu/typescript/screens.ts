import { amountMinor, formatCedis, parseCedis } from '../../shared/money.ts';
import type {
  AmountQuestion,
  Answer,
  Ask,
  Branch,
  Cedis,
  Choice,
  Condition,
  Confirmation,
  Ending,
  Find,
  Found,
  Kind,
  ListItem,
  LookupRoutes,
  LookupScreen,
  MenuDefinition,
  MsisdnQuestion,
  NumberQuestion,
  Option,
  OptionExtras,
  ProxyRoutes,
  ProxyScreen,
  ReferenceQuestion,
  Route,
  ScreenText,
  Take,
  Text,
  TextQuestion,
} from './definition.ts';

/**
 * Returns the menu unchanged, with types: the compiler checks that every `to` names a screen of the menu. All other rules
 * are checked when the menu is loaded.
 */
export function defineMenu<const Name extends string>(menu: MenuDefinition<Name>): MenuDefinition<Name> {
  return menu;
}

/** A screen with a list of options, numbered from 1. */
export function choose<const To extends string>(choice: Choice<To>): Kind<'choose', Choice<To>> {
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

/** One option for each item of a list: the name of a looked-up one, or the items. Their fields are `{item.…}`. */
export function each<const To extends string>(
  list: string | readonly ListItem[],
  label: Text,
  to: Route<To>,
  extras: OptionExtras = {},
): Option<To> {
  return typeof list === 'string' ? { each: list, label, to, ...extras } : { list, label, to, ...extras };
}

/** A conditional route: `to: [when({ value: 'due', above: '0.00' }, 'pay'), 'nothing']`. */
export function when<const To extends string>(condition: Condition, to: To): Branch<To> {
  return { when: condition, to };
}

/** Questions that the payer answers by typing. */
export const ask = {
  /** An amount in cedis between `min` and `max`. */
  amount: <const To extends string>(question: AmountQuestion<To>): Ask<'amount', AmountQuestion<To>> => {
    return { kind: 'ask', answer: 'amount', ...question };
  },
  /** The mobile number of another payer. */
  msisdn: <const To extends string>(question: MsisdnQuestion<To>): Ask<'msisdn', MsisdnQuestion<To>> => {
    return { kind: 'ask', answer: 'msisdn', ...question };
  },
  /** A reference that matches `pattern`, such as an invoice number. */
  reference: <const To extends string>(
    question: ReferenceQuestion<To>,
  ): Ask<'reference', ReferenceQuestion<To>> => {
    return { kind: 'ask', answer: 'reference', ...question };
  },
  /** A text that later screens show as `{name}`. */
  text: <const To extends string>(question: TextQuestion<To>): Ask<'text', TextQuestion<To>> => {
    return { kind: 'ask', answer: 'text', ...question };
  },
  /** A whole number, such as a number of tickets. */
  number: <const To extends string>(question: NumberQuestion<To>): Ask<'number', NumberQuestion<To>> => {
    return { kind: 'ask', answer: 'number', ...question };
  },
} as const;

/**
 * A request to the merchant's own system: to `url`, or to the function `find`, which runs inside the gateway and resolves
 * to the fields in `take`. Amounts in the answer are pesewas.
 */
export function lookup<const T extends Take, const To extends string>(
  question: LookupRoutes<To> & { readonly take: T } & (
      | { readonly url: string; readonly find?: never }
      | { readonly find: Find<Found<NoInfer<T>>>; readonly url?: never }
    ),
): LookupScreen<To> {
  return { kind: 'lookup', ...question };
}

/**
 * A part of the dialogue whose screens the merchant's own system answers: at `url`, or the function `answer`, which runs
 * inside the gateway. It ends with the fields in `take`.
 */
export function proxy<const T extends Take, const To extends string>(
  part: ProxyRoutes<To> & { readonly take: T } & (
      | { readonly url: string; readonly answer?: never }
      | { readonly answer: Answer<Found<NoInfer<T>>>; readonly url?: never }
    ),
): ProxyScreen<To> {
  return { kind: 'proxy', ...part };
}

/** The question whether to pay. Its text must contain `{amount}`. */
export function confirm<const To extends string>(
  confirmation: Confirmation<To>,
): Kind<'confirm', Confirmation<To>> {
  return { kind: 'confirm', ...confirmation };
}

/** The last screen. */
export function end(ending: Ending): Kind<'end', Ending> {
  return { kind: 'end', ...ending };
}

/** Asks an attendant for a short reference, and shows the status of its payment. */
export function status(screen: ScreenText): Kind<'status', ScreenText> {
  return { kind: 'status', ...screen };
}

/** Lets a payer block or allow requests from other phones. */
export function requests(screen: ScreenText): Kind<'requests', ScreenText> {
  return { kind: 'requests', ...screen };
}

/** Converts a text to an amount in cedis: `12`, `12.5`, `12.50`, `1,200.00`. @throws RangeError when the text is not an amount. */
export function cedis(text: string): Cedis {
  const amount = parseCedis(text);
  if (amount === undefined)
    throw new RangeError(`expected an amount such as '12.00', found ${JSON.stringify(text)}`);
  return toCedis(amount);
}

/** Converts an amount in pesewas to cedis: `pesewas(1250)` is `'12.50'`. @throws RangeError when the number is not an amount. */
export function pesewas(amount: number): Cedis {
  return toCedis(amountMinor(amount));
}

function toCedis(amount: number): Cedis {
  return formatCedis(amount).replace('GHS ', '') as Cedis;
}
