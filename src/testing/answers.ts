import { z } from 'zod';
import type { LookupHandler } from '../menu/effects/handler.ts';
import type { LookupScreen, Menu } from '../menu/schema.ts';
import type { LookupRequest } from '../menu/state/state.ts';
import { operators, parseMsisdn } from '../shared/msisdn.ts';
import type { Handlers } from './lookups.ts';
import { amount, asIssues, number } from './transcript-values.ts';

/*
 * What the merchant's own system answers in a transcript.
 */

const answerExpected = 'expected a map of fields, not_found or none';
/** The fields as that system sends them, amounts in pesewas; or under the names that the menu gives them. */
const answer = z.union(
  [z.literal('not_found'), z.literal('none'), z.record(z.string(), z.unknown())],
  answerExpected,
);

/** What must be asked for an answer to be given: all of what is said here. */
const asked = z
  .strictObject({
    dialler: number,
    payer: number,
    operator: z.enum(operators, `expected one of ${operators.join(', ')}`),
    language: z.string('expected a language code such as en'),
    amount,
    reference: z.string('expected a reference in quotes').max(64),
    values: z.record(
      z.string(),
      z.union([z.string(), z.number()], 'expected a text in quotes, or a number (amounts in pesewas)'),
    ),
  })
  .partial();

const entry = z.strictObject({
  asked: asked.optional(),
  /** Given once, and then no more: what is asked again has changed. */
  once: z.literal(true, 'expected true').optional(),
  answer,
});

const entries = z
  .array(entry)
  .min(1, 'expected at least one answer')
  .max(100, 'expected at most 100 answers');

/** One answer for whatever is asked, or a list of which the first that fits is given. */
const answers = z.unknown().transform((value, context): Entry[] => {
  const parsed = Array.isArray(value) ? entries.safeParse(value) : answer.safeParse(value);
  if (!parsed.success) {
    asIssues(context, parsed.error);
    return z.NEVER;
  }
  return Array.isArray(parsed.data) ? parsed.data : [{ answer: parsed.data }];
});

/** By the names of the menu's look-ups. */
export const lookupAnswers = z.record(z.string(), answers, 'expected a map of look-ups');

type Entry = z.output<typeof entry>;
type Asked = z.output<typeof asked>;

/** Handlers that give the answers of a transcript. Where nothing fits, there is no such thing. */
export function handlersOfAnswers(menu: Menu, lookups: z.output<typeof lookupAnswers>): Handlers {
  return Object.fromEntries(
    Object.entries(lookups).map(([name, all]) => {
      const screen = menu.screens[name];
      return [name, answering(all, screen?.kind === 'lookup' ? screen.take : {})];
    }),
  );
}

function answering(all: readonly Entry[], take: LookupScreen['take']): LookupHandler {
  const given = new Set<Entry>();
  return async (request) => {
    const found = all.find((one) => !given.has(one) && fits(one.asked ?? {}, request));
    if (found?.once) given.add(found);
    if (found === undefined || found.answer === 'not_found') return undefined;
    if (found.answer === 'none') throw new Error('the transcript has no answer');
    return named(take, found.answer);
  };
}

function fits({ amount: amountMinor, dialler, payer, values = {}, ...same }: Asked, request: LookupRequest) {
  const pairs: [expected: unknown, got: unknown][] = [
    [amountMinor, request.amountMinor],
    [dialler && parseMsisdn(dialler), request.dialler],
    [payer && parseMsisdn(payer), request.payer],
    [same.operator, request.operator],
    [same.language, request.language],
    [same.reference, request.reference],
    ...Object.entries(values).map(([name, value]): [unknown, unknown] => [value, request.values[name]]),
  ];
  return pairs.every(([expected, got]) => expected === undefined || expected === got);
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields also under the names that the merchant's system has for them, where the menu has others. */
function named(take: LookupScreen['take'], fields: Fields): Fields {
  const renamed = Object.entries(take).flatMap(([name, { from, of }]): [string, unknown][] => {
    const key = from ?? name;
    const value = Object.hasOwn(fields, key) ? fields[key] : fields[name];
    if (value === undefined) return [];
    return [[key, of && Array.isArray(value) ? value.map((item) => namedItem(of, item)) : value]];
  });
  return { ...fields, ...Object.fromEntries(renamed) };
}

function namedItem(of: LookupScreen['take'], item: unknown): unknown {
  return typeof item === 'object' && item !== null ? named(of, item as Fields) : item;
}
