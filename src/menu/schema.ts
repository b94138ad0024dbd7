import { z } from 'zod';
import { parseCedis } from '../shared/money.ts';
import { operators } from '../shared/msisdn.ts';

/*
 * The shape of a menu file. What one part says about another (a `to` that names no screen, a language that a
 * text lacks) is checked in `checks.ts`.
 */

const identifier = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'expected a name of small letters, digits, _ and -');
const languageExpected = 'expected a language code such as en';
const language = z.string(languageExpected).regex(/^[a-z]{2,3}$/, languageExpected);

/** A text for all languages, or one for each. */
const text = z.union(
  [z.string(), z.record(z.string(), z.string())],
  'expected a text, or a text per language',
);
export type Text = z.output<typeof text>;

const amountExpected = 'expected an amount in quotes, such as "1.00"';
const cedis = z.string(amountExpected).transform((raw, context) => {
  const amount = parseCedis(raw);
  if (amount !== undefined && amount > 0) return amount;
  context.addIssue({ code: 'custom', message: amountExpected });
  return z.NEVER;
});

/** Answers that an option gives on the payer's behalf. */
const preset = z.strictObject({
  payer: z.literal('own').optional(),
  amount: cedis.optional(),
  reference: z
    .string()
    .regex(/^[A-Za-z0-9 ./-]{1,64}$/, 'expected 1 to 64 letters, digits, blanks or . / -')
    .optional(),
  /** The network of another payer's wallet: numbers are portable, so only the payer knows. */
  operator: z.enum(operators).exclude(['unknown']).optional(),
});

const option = z.strictObject({
  label: text,
  set: preset.optional(),
  /** Changes the language of all later screens: to the one named, or to the next of the menu's list. */
  language: z.union([z.literal('next'), language], 'expected a language code such as en, or next').optional(),
  to: identifier,
});

const choose = z.strictObject({
  kind: z.literal('choose').describe('A list of options, numbered from 1'),
  text,
  options: z.array(option).min(1, 'expected at least one option').max(9, 'expected at most 9 options'),
});

const question = {
  kind: z.literal('ask').describe('A question that the payer answers by typing'),
  text,
  to: identifier,
};
const ask = z.discriminatedUnion('answer', [
  z.strictObject({ ...question, answer: z.literal('amount'), min: cedis, max: cedis }),
  z.strictObject({ ...question, answer: z.literal('msisdn') }),
  z.strictObject({
    ...question,
    answer: z.literal('reference'),
    /** A regular expression for the whole reference. */
    pattern: z.string().min(1).max(100),
    example: z.string().min(1).max(64),
  }),
  z.strictObject({
    ...question,
    answer: z.literal('text'),
    /** The placeholder under which later screens show the answer. */
    name: identifier,
    maxLength: z.int().min(1).max(64).default(40),
  }),
]);

const confirm = z.strictObject({
  kind: z.literal('confirm').describe('The question whether to pay: needs {amount} in its text'),
  text,
  to: identifier,
});

const end = z.strictObject({
  kind: z.literal('end').describe('The last screen'),
  text,
  /** Texts for payers of one operator, instead of `text`. */
  operators: z.partialRecord(z.enum(operators), text).default({}),
});

export const screenSchema = z.discriminatedUnion('kind', [choose, ask, confirm, end]);

export const messageNames = [
  'badChoice',
  'badAmount',
  'amountTooSmall',
  'amountTooLarge',
  'badNumber',
  'badReference',
  'badText',
  'typedAgain',
  'tooManyMistakes',
  'cancelled',
  'waiting',
  'sessionLost',
  'fault',
  'slow',
  'yes',
  'no',
  'back',
  'more',
] as const;
export type MessageName = (typeof messageNames)[number];

export const textSchema = text;

const keyExpected = 'expected a key of # or digits that no option can have, such as 0 or 00';
const key = z.string(keyExpected).regex(/^(#|0[0-9]?|[1-9][0-9])$/, keyExpected);
const keyOrNone = z.union([key, z.literal(false)], `${keyExpected}, or false`);

/** Keys that work on every screen, except where the screen takes them as an answer. */
const keys = z
  .strictObject({
    back: keyOrNone.default('0'),
    home: keyOrNone.default('00'),
    /** To the next page of a screen. The first is shown. */
    more: z
      .array(key)
      .min(1, 'expected at least one key')
      .max(3, 'expected at most 3 keys')
      .default(['#', '99']),
  })
  .refine(({ back, home, more }) => {
    const used = [back, home, ...more].filter((one) => one !== false);
    return new Set(used).size === used.length;
  }, 'expected each key once');

export const menuSchema = z.strictObject({
  languages: z
    .tuple([language], language, 'expected a list of at least one language, such as [en]')
    .describe('The languages of all texts; a dialogue starts in the first'),
  start: identifier.describe('The first screen'),
  keys: keys.prefault({}).describe('Keys that work on every screen: back, home, the next page'),
  messages: z
    .partialRecord(z.enum(messageNames), text)
    .default({})
    .describe('What the gateway says by itself, in your words'),
  screens: z.record(identifier, screenSchema).describe('Screens by their names'),
});

export type Menu = z.output<typeof menuSchema>;
export type Preset = z.output<typeof preset>;
export type Screen = z.output<typeof screenSchema>;
export type ChooseScreen = z.output<typeof choose>;
export type AskScreen = z.output<typeof ask>;
export type ConfirmScreen = z.output<typeof confirm>;
