import { z } from 'zod';
import { amountMinor, parseCedis } from '../shared/money.ts';
import { operators } from '../shared/msisdn.ts';
import { referenceCharacters } from './state/pattern.ts';
import type { Item, Scalar } from './text/format.ts';

/*
 * The schema of a menu file. Rules between parts, such as a `to` that names no screen or a text that lacks a language,
 * are checked in `check/`.
 */

const identifier = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'expected a name of lower-case letters, digits, _ and -');
const languageExpected = 'expected a language code such as en';
const language = z.string(languageExpected).regex(/^[a-z]{2,3}$/, languageExpected);

/** One text for all languages, or a text for each language. */
const text = z.union(
  [z.string(), z.record(z.string(), z.string())],
  'expected a text, or a text per language',
);
export type Text = z.output<typeof text>;

/** A text that `parse` reads. Texts for which it returns `undefined` are invalid. */
const parsed = <T>(expected: string, parse: (raw: string) => T | undefined) =>
  z.string(expected).transform((raw, context) => {
    const value = parse(raw);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: expected });
    return z.NEVER;
  });

const amountExpected = 'expected an amount in quotes, such as "1.00"';
const parsePositive = (raw: string) => {
  const amount = parseCedis(raw);
  return amount !== undefined && amount > 0 ? amount : undefined;
};
const cedis = parsed(amountExpected, parsePositive);

/** The name of a value in braces, such as `{due}`, or a field of a list item, such as `{item.price}`. */
const nameInBraces = /^\{([a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)?)\}$/;

/** A fixed amount, or the name of a value that holds an amount. */
const amountOrName = parsed(`${amountExpected}, or the name of one, such as "{due}"`, (raw) => {
  const from = nameInBraces.exec(raw)?.[1];
  return from === undefined ? parsePositive(raw) : { from };
});

/** A name in braces, or a part of its value: `{due}/2`. */
const partInBraces = /^(\{[^{}]*\})(?:\/([2-9]|[1-9]\d))?$/;
const amountBoundExpected = `${amountExpected}, or the name of one, such as "{due}" or "{due}/2"`;
/** A bound of an amount: fixed, or the value of a name, or that value divided by a whole number up to 99. */
const amountBound = parsed(amountBoundExpected, (raw) => {
  const [, name = '', divisor = '1'] = partInBraces.exec(raw) ?? [];
  const from = nameInBraces.exec(name)?.[1];
  return from === undefined ? parsePositive(raw) : { from, divisor: Number(divisor) };
});

const oneOrMore = <T extends z.ZodType>(item: T) =>
  z
    .union([item, z.array(item).min(1).max(20)])
    .transform((value) => (Array.isArray(value) ? value : [value]));

const boundExpected = 'expected an amount in quotes, such as "1.00", or a whole number';
/** A bound of a comparison. Amounts are compared with amounts, and numbers with numbers. */
const bound = z.union([z.int(), z.string()], boundExpected).transform((raw, context) => {
  if (typeof raw === 'number') return { number: raw };
  const amountMinor = parseCedis(raw);
  if (amountMinor !== undefined) return { amountMinor };
  context.addIssue({ code: 'custom', message: boundExpected });
  return z.NEVER;
});

const valueName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,31}(\.[a-z][a-z0-9_-]{0,31})?$/,
    'expected the name of a value, such as amount, reference, or one that a screen asks for or looks up',
  );
const exactly = oneOrMore(z.union([z.string(), z.int()], 'expected a text or a whole number'));

const spanExpected = 'expected a time span such as "08:00-17:00"';
const span = z
  .string(spanExpected)
  .regex(/^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/, spanExpected)
  .refine((text) => text.slice(0, 5) !== text.slice(6), { message: spanExpected });
const weekdayExpected = 'expected a weekday such as mon, or a range such as mon-fri';
const weekday = z
  .string(weekdayExpected)
  .regex(/^(mon|tue|wed|thu|fri|sat|sun)(-(mon|tue|wed|thu|fri|sat|sun))?$/, weekdayExpected);
const dateExpected = 'expected a date such as 2026-03-07';
const date = z.iso
  .date({ error: dateExpected, abort: true })
  .refine((text) => text.startsWith('20'), { message: dateExpected });

/** Keys that depend on the time at which a dialogue starts, in the time zone of the merchant. */
const timeKeys = {
  /** The times of day: from the first one, up to and not including the second one. */
  time: oneOrMore(span).optional(),
  weekday: oneOrMore(weekday).optional(),
  /** The first day. */
  from: date.optional(),
  /** The last day. */
  until: date.optional(),
};
const keyInCondition = 'expected at least one key in a condition';
const daysExpected = 'expected until not before from';
const isInOrder = ({ from, until }: { from?: string | undefined; until?: string | undefined }) =>
  from === undefined || until === undefined || from <= until;

const timeCondition = z
  .strictObject(timeKeys)
  .refine((one) => Object.keys(one).length > 0, keyInCondition)
  .refine(isInOrder, daysExpected);

/** A condition holds when all of its keys hold. */
const condition = z
  .strictObject({
    /** The value that `known`, `is`, `not` and the bounds apply to. */
    value: valueName.optional(),
    known: z.boolean('expected true or false').optional(),
    is: exactly.optional(),
    not: exactly.optional(),
    above: bound.optional(),
    below: bound.optional(),
    atLeast: bound.optional(),
    atMost: bound.optional(),
    /** The network of the payer. */
    operator: oneOrMore(z.enum(operators)).optional(),
    /** `own` when the dialler pays, `other` for another number. */
    payer: z.enum(['own', 'other']).optional(),
    /** True for attendants, whose numbers the configuration lists. */
    dialler: z.literal('attendant').optional(),
    language: oneOrMore(language).optional(),
    ...timeKeys,
  })
  .refine((one) => Object.keys(one).length > 0, keyInCondition)
  .refine(isInOrder, daysExpected)
  .refine(({ value, known, is, not, above, below, atLeast, atMost }) => {
    const compared = [known, is, not, above, below, atLeast, atMost].some((one) => one !== undefined);
    return compared === (value !== undefined);
  }, 'expected value together with known, is, not, above, below, atLeast or atMost');

const routeEntry = <T extends z.ZodType>(when: T) =>
  z.union(
    [z.strictObject({ when, to: identifier }), identifier],
    'expected the name of a screen, or when and to',
  );

const routeSchema = <T extends z.ZodType>(when: T) =>
  z
    .union(
      [identifier, z.array(routeEntry(when)).max(10)],
      'expected the name of a screen, or a list of conditions with one',
    )
    .refine(
      (to) =>
        typeof to === 'string' ||
        (typeof to.at(-1) === 'string' && to.slice(0, -1).every((one) => typeof one !== 'string')),
      'expected the name of a screen as the last entry, for when no condition holds',
    );

/** The next screen: a name, or a list of conditions with a name as the last entry. */
const route = routeSchema(condition);

const referenceExpected = 'expected 1 to 64 letters, digits, blanks or . / -, and names in braces';

/** Answers that an option sets, so that the payer is not asked for them. */
const preset = z.strictObject({
  payer: z.literal('own').optional(),
  amount: amountOrName.optional(),
  reference: z
    .string()
    .regex(
      new RegExp(`^(?=.{1,64}$)([${referenceCharacters}]|\\{[a-z0-9_.-]+(:[a-z]+)?\\})+$`),
      referenceExpected,
    )
    .optional(),
  /** The network of another payer's wallet. Numbers are portable, so the prefix does not determine it. */
  operator: z.enum(operators).exclude(['unknown']).optional(),
  /** Values under names of the menu: texts that may contain placeholders. */
  values: z.record(identifier, z.string().min(1).max(64)).optional(),
});

const itemExpected =
  'expected a text of 1 to 40 characters, or fields with texts, amounts in quotes and whole numbers';
/** Written as an amount: `"20.00"`. Other digits stay a text, such as a house number. */
const writtenAmount = /^\d[\d,]*\.\d\d$/;

function getScalar(raw: string | number): Scalar {
  if (typeof raw === 'number') return { number: raw };
  const amount = writtenAmount.test(raw) ? parseCedis(raw) : undefined;
  return amount === undefined ? raw : { amountMinor: amountMinor(amount) };
}

const itemText = z.string().min(1).max(40);
/** An item of a list in the menu. A text alone is the field `name`. */
const listItem = z
  .union(
    [itemText, z.record(identifier, z.union([itemText, z.int().min(0).max(1_000_000_000)]))],
    itemExpected,
  )
  .transform((item): Item => {
    const fields = typeof item === 'string' ? { name: item } : item;
    return Object.fromEntries(Object.entries(fields).map(([name, raw]) => [name, getScalar(raw)]));
  });

/** The kind of each field of an item, to compare items. */
const toShape = (item: Item) =>
  Object.entries(item)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? 'text' : Object.keys(value)[0]}`)
    .sort()
    .join();

const maxItems = 200;
const maxItemFields = 6;
const countExpected = `expected 1 to ${maxItems} items`;
const staticList = z
  .array(listItem)
  .min(1, countExpected)
  .max(maxItems, countExpected)
  .refine(
    (items) => items.every((item) => toShape(item) === toShape(items[0] ?? {})),
    'expected the same fields in every item, each with one kind of value',
  )
  .refine(
    ([first = {}]) => Object.keys(first).length >= 1 && Object.keys(first).length <= maxItemFields,
    `expected 1 to ${maxItemFields} fields in an item`,
  );

const option = z
  .strictObject({
    label: text,
    /** Repeats the option for each of these items; their fields are `{item.…}`. */
    list: staticList.optional(),
    /** As `list`, with the items of this looked-up list. */
    each: identifier.optional(),
    /** The option is shown only when this holds. */
    when: condition.optional(),
    set: preset.optional(),
    /** Changes the language of all later screens, to the named one or to the next of the menu's list. */
    language: z
      .union([z.literal('next'), language], 'expected a language code such as en, or next')
      .optional(),
    to: route,
  })
  .refine(({ list, each }) => list === undefined || each === undefined, 'expected one of list and each');

const choose = z.strictObject({
  kind: z.literal('choose').describe('A list of options, numbered from 1'),
  text,
  options: z
    .array(option)
    .min(1, 'expected at least one option')
    .max(9, 'expected at most 9 options: an option with list or each can stand for 200 items'),
});

const question = {
  kind: z.literal('ask').describe('A question that the payer answers by typing'),
  text,
  /** The notice for an invalid answer, in place of the gateway's message. */
  error: text.optional(),
  to: route,
};
const example = z.string().min(1).max(64);
/** A regular expression for the whole answer. */
const pattern = z.string().min(1).max(100);
const ask = z.discriminatedUnion('answer', [
  z.strictObject({
    ...question,
    answer: z.literal('amount'),
    min: amountBound,
    max: amountBound,
    example: example.optional(),
  }),
  z.strictObject({ ...question, answer: z.literal('msisdn'), example: example.optional() }),
  z.strictObject({ ...question, answer: z.literal('reference'), pattern, example }),
  z.strictObject({
    ...question,
    answer: z.literal('text'),
    /** The name of the answer in placeholders of later screens. */
    name: identifier,
    maxLength: z.int().min(1).max(64).default(40),
    pattern: pattern.optional(),
    example: example.optional(),
  }),
  z.strictObject({
    ...question,
    answer: z.literal('number'),
    name: identifier,
    min: z.int().min(0).max(1_000_000_000),
    max: z.int().min(0).max(1_000_000_000),
    /** The price of one item. The amount is the number times this price. */
    each: amountOrName.optional(),
    example: example.optional(),
  }),
]);

const boundedCount = (expected: string, max: number) => z.int(expected).min(1, expected).max(max, expected);
const fieldExpected = 'expected one of text, amount and number';
const field = {
  /** A text, with its maximum number of characters. */
  text: boundedCount('expected the maximum number of characters, from 1 to 40', 40).optional(),
  /** An amount, with its maximum. */
  amount: cedis.optional(),
  /** A whole number, with its maximum. */
  number: z.int().min(0).max(1_000_000_000).optional(),
  /** The name of the field in the answer, when it differs from the name here. */
  from: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected the name of a field of the answer')
    .optional(),
};
const isExactlyOne = (...values: unknown[]) => values.filter((value) => value !== undefined).length === 1;
const itemField = z
  .strictObject(field)
  .refine(({ text: letters, amount, number }) => isExactlyOne(letters, amount, number), fieldExpected);
const takenField = z
  .strictObject({
    ...field,
    /** A list, with its maximum number of items; `of` has the fields of an item. */
    list: boundedCount(`expected the maximum number of items, from 1 to ${maxItems}`, maxItems).optional(),
    of: z
      .record(identifier, itemField)
      .refine(
        (fields) => Object.keys(fields).length <= maxItemFields,
        `expected at most ${maxItemFields} fields in an item`,
      )
      .optional(),
  })
  .refine(({ list, of }) => (list === undefined) === (of === undefined), 'expected list and of together');

/** Returns whether a field of an answer is the network of the payer's number, and no value: `operator: {}`. */
export function isNetwork(name: string, { from: _, ...kinds }: Taken): boolean {
  return name === 'operator' && Object.values(kinds).every((kind) => kind === undefined);
}

/** Returns whether the answer of a screen can set the network of the payer's number. */
export const takesNetwork = ({ take: { operator } }: Pick<MerchantScreen, 'take'>): boolean =>
  operator !== undefined && isNetwork('operator', operator);

/** Returns the fields of an answer that are values under their names. */
export const listValues = (take: MerchantScreen['take']): [name: string, taken: Taken][] =>
  Object.entries(take).filter(([name, taken]) => !isNetwork(name, taken));

/** The largest number of values in all lists of an answer. */
const maxListValues = 600;
const getValues = ({ list = 0, of = {} }: { list?: number | undefined; of?: object | undefined }) =>
  list * Object.keys(of).length;

/** A path below the merchant's `lookups.url`. Placeholders are replaced. */
const path = z
  .string()
  .regex(/^\/[^\s#\\]{1,300}$/, "expected a path under the merchant's lookups.url, such as /bills");

/** The fields that are taken from an answer, with their bounds. */
const take = z
  .record(identifier, takenField)
  .superRefine((fields, { addIssue }) => {
    for (const [name, taken] of Object.entries(fields)) {
      const { text: letters, amount, number, list } = taken;
      if (isExactlyOne(letters, amount, number, list) || isNetwork(name, taken)) continue;
      addIssue({ code: 'custom', path: [name], message: `${fieldExpected}, or list` });
    }
  })
  .refine((fields) => Object.keys(fields).length <= 20, 'expected at most 20 fields')
  // Bounded, because the row of each turn stores all lists.
  .refine(
    (fields) => Object.values(fields).filter(({ list }) => list !== undefined).length <= 5,
    'expected at most 5 lists',
  )
  .refine(
    (fields) => Object.values(fields).reduce((sum, one) => sum + getValues(one), 0) <= maxListValues,
    `expected at most ${maxListValues} values in all lists together: items times fields`,
  );

const lookup = z.strictObject({
  kind: z.literal('lookup').describe("A request to the merchant's own system; has no screen text"),
  url: path.optional(),
  take,
  found: route,
  /** The next screen when nothing was found. Without it, the payer is asked again. */
  notFound: route.optional(),
  /** The next screen when no usable answer arrived in time. */
  fallback: route.optional(),
});

const turnsExpected = 'expected the maximum number of requests, from 1 to 20';

const proxy = z.strictObject({
  kind: z.literal('proxy').describe("A part of the dialogue whose screens the merchant's own system answers"),
  url: path.optional(),
  /** The largest number of requests from the first screen of the part to its end. */
  maxTurns: boundedCount(turnsExpected, 20).default(8),
  take,
  done: route,
  /** The next screen when no usable answer arrived in time, or after too many turns. */
  fallback: route.optional(),
});

const confirm = z.strictObject({
  kind: z.literal('confirm').describe('The question whether to pay; its text must contain {amount}'),
  text,
  to: identifier,
});

const end = z.strictObject({
  kind: z.literal('end').describe('The last screen'),
  text,
  /** Texts for payers of single operators, in place of `text`. */
  operators: z.partialRecord(z.enum(operators), text).default({}),
});

const status = z.strictObject({
  kind: z
    .literal('status')
    .describe('Asks an attendant for a short reference, and shows the status of its payment'),
  text,
});

const requests = z.strictObject({
  kind: z.literal('requests').describe('Lets a payer block or allow requests from other phones'),
  text,
});

export const screenSchema = z.discriminatedUnion('kind', [
  choose,
  ask,
  lookup,
  proxy,
  confirm,
  end,
  status,
  requests,
]);

/** The messages of the gateway, which a menu can replace: notices, key lines, and built-in screens. */
export const messageNames = [
  'invalidOption',
  'invalidAmount',
  'amountTooSmall',
  'amountTooLarge',
  'invalidMsisdn',
  'invalidReference',
  'invalidReferenceCharacters',
  'invalidText',
  'invalidNumber',
  'numberTooSmall',
  'numberTooLarge',
  'invalidShortReference',
  'notFound',
  'typeAgain',
  'tooManyInvalidInputsNotPaid',
  'tooManyInvalidInputs',
  'cancelled',
  'alreadyWaiting',
  'sessionLost',
  'fault',
  'slow',
  'lookupFailed',
  'yes',
  'no',
  'back',
  'more',
  'feeMayApply',
  'paymentMayFail',
  'feeAndTotal',
  'chosenNetwork',
  'consent',
  'resume',
  'continue',
  'startOver',
  'anotherPhone',
  'paymentWaiting',
  'paymentConfirming',
  'paymentPaid',
  'paymentFailed',
  'failedNoWallet',
  'failedNoMoney',
  'failedLimit',
  'failedPin',
  'failedDeclined',
  'failedTimedOut',
  'paymentUnknown',
  'howToApprove',
  'sendPromptAgain',
  'newPayment',
  'blockRequests',
  'allowRequests',
  'leaveUnchanged',
  'requestsOn',
  'requestsOff',
  'approve',
  'promptSentAgain',
  'duplicate',
  'statusConfirming',
  'statusPaid',
  'statusWaiting',
  'statusFailed',
  'statusUnknown',
  'statusNotFound',
  'statusUnavailable',
  'attendantsOnly',
  'requestsBlocked',
  'requestsAllowed',
  'unchanged',
  'rejectedPayer',
  'rejectedTooMany',
  'rejectedCoolDown',
  'paymentNotPossible',
  'networkNotOffered',
  'numberNotSupported',
] as const;
export type MessageName = (typeof messageNames)[number];

export const textSchema = text;

const keyExpected = 'expected # or digits that no option uses, such as 0 or 00';
const key = z.string(keyExpected).regex(/^(#|0[0-9]?|[4-9][0-9])$/, keyExpected);
const keyOrNone = z.union([key, z.literal(false)], `${keyExpected}, or false`);

/** Keys that work on every screen. A screen that accepts a key as an answer takes it as the answer. */
const keys = z
  .strictObject({
    back: keyOrNone.default('0'),
    home: keyOrNone.default('00'),
    /** Keys for the next page. The first one is shown. */
    more: z
      .array(key)
      .min(1, 'expected at least one key')
      .max(3, 'expected at most 3 keys')
      .default(['#', '99']),
  })
  .refine(({ back, home, more }) => {
    const used = [back, home, ...more].filter((one) => one !== false);
    return new Set(used).size === used.length;
  }, 'expected each key only once');

/** Gives each option with a list of its own the name `<screen>.<position>` in `each`. No list of a lookup can have that name. */
export function withListNames<S extends Screen | undefined>(screens: Record<string, S>): Record<string, S> {
  const named = Object.entries(screens).map(([name, one]): [string, S] => {
    if (one?.kind !== 'choose') return [name, one];
    const options = one.options.map((each, i) => (each.list ? { ...each, each: `${name}.${i}` } : each));
    return [name, { ...one, options }];
  });
  return Object.fromEntries(named);
}

export const menuSchema = z.strictObject({
  languages: z
    .tuple([language], language, 'expected a list of at least one language, such as [en]')
    .describe('Language codes. The first one is the default for new payers'),
  askLanguage: z
    .boolean('expected true or false')
    .optional()
    .describe('Whether new payers choose a language first. Default: true for several languages'),
  languageNames: z
    .record(language, z.string().regex(/^[A-Za-z ()'-]{1,16}$/, 'expected 1 to 16 plain letters'))
    .default({})
    .describe('Names of languages on the screen that asks for one'),
  include: z
    .array(z.string('expected the path of a file').min(1).max(255))
    .max(16, 'expected at most 16 files')
    .default([])
    .describe('Files with more screens and messages, relative to this file'),
  start: routeSchema(timeCondition).describe(
    'The first screen, or a list of conditions on the time with one',
  ),
  keys: keys.prefault({}).describe('Keys of every screen: back, home, next page'),
  messages: z
    .partialRecord(z.enum(messageNames), text)
    .default({})
    .describe('Texts that replace the messages of the gateway'),
  answers: z
    .record(
      identifier,
      z.union(
        [z.string().min(1).max(40), z.literal(false)],
        'expected a label of 1 to 40 characters, or false to keep the answer out of the payment',
      ),
    )
    .optional()
    .describe(
      'Labels of what payers type and choose, by name, in the payment. false keeps an answer out of it',
    ),
  screens: z
    .record(identifier, screenSchema)
    .transform((screens) => withListNames(screens))
    .describe('Screens by name'),
});

export type Menu = z.output<typeof menuSchema>;
export type Preset = z.output<typeof preset>;
export type Screen = z.output<typeof screenSchema>;
export type ChooseScreen = z.output<typeof choose>;
export type AskScreen = z.output<typeof ask>;
export type LookupScreen = z.output<typeof lookup>;
export type ProxyScreen = z.output<typeof proxy>;
/** A screen that the merchant's own system answers. */
export type MerchantScreen = LookupScreen | ProxyScreen;
/** A question for a number of items. */
export type CountScreen = Extract<AskScreen, { answer: 'number' }>;
export type ConfirmScreen = z.output<typeof confirm>;
export type Option = z.output<typeof option>;
export type Condition = z.output<typeof condition>;
/** The keys of a condition that depend on the time. */
export type TimeCondition = z.output<typeof timeCondition>;
export type Route = z.output<typeof route>;
/** A field that a lookup takes from its answer. */
export type Taken = z.output<typeof takenField>;
export type ItemField = z.output<typeof itemField>;
export type AmountOrName = z.output<typeof amountOrName>;
export type AmountBound = z.output<typeof amountBound>;
export type AmountScreen = Extract<AskScreen, { answer: 'amount' }>;

/** True for a screen that the merchant's own system answers. */
export function isMerchantScreen(screen: Screen | undefined): screen is MerchantScreen {
  return screen?.kind === 'lookup' || screen?.kind === 'proxy';
}

/** A route from a screen: its path in the screen, and the option that it belongs to. */
export type PlacedRoute = {
  readonly path: readonly (string | number)[];
  readonly to: Route;
  readonly option?: Option;
};

const routeKeys = ['to', 'found', 'notFound', 'done', 'fallback'] as const;

export function listRoutes(screen: Screen | undefined): PlacedRoute[] {
  if (screen?.kind === 'choose')
    return screen.options.map((option, i) => ({ path: ['options', i, 'to'], to: option.to, option }));
  const routes: { kind?: string } & Partial<Record<(typeof routeKeys)[number], Route | undefined>> =
    screen ?? {};
  return routeKeys.flatMap((key) => {
    const to = routes[key];
    return to === undefined ? [] : { path: [key], to };
  });
}

/** Returns the minimum number that a payer can enter. With a price per item it is at least 1, because no amount may be zero. */
export function getMinCount({ min, each }: CountScreen): number {
  return each === undefined ? min : Math.max(1, min);
}

/** The names of all screens that a route can lead to. */
export function listTargets(to: Route): string[] {
  return typeof to === 'string' ? [to] : to.map((one) => (typeof one === 'string' ? one : one.to));
}
