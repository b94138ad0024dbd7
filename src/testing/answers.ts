import { z } from 'zod';
import type { LookupHandler } from '../menu/effects/lookup.ts';
import { isMerchantScreen, type Menu, type MerchantScreen } from '../menu/schema.ts';
import type { LookupRequest, ProxyTurn } from '../menu/state/state.ts';
import { isMap, type UncheckedMap } from '../shared/json.ts';
import { operators, parseMsisdn } from '../shared/msisdn.ts';
import { addErrors, amount, type Handlers, number, toErrors } from './options.ts';

/* The answers of the merchant's own system in a transcript. */

const answerExpected = 'expected a map of fields, not_found or none';
/** Fields by the names of the merchant's system or of the menu. Amounts are pesewas. */
const answer = z.union(
  [z.literal('not_found'), z.literal('none'), z.record(z.string(), z.unknown())],
  answerExpected,
);

/** The request that an answer is for. Absent fields match every request. */
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
    /** Of a proxy screen. */
    turn: z.int('expected the number of a request, such as 2'),
    input: z.string('expected an input in quotes'),
    state: z.string('expected a state in quotes'),
  })
  .partial();

const entry = z.strictObject({
  asked: asked.optional(),
  /** The answer is used for one request only, for a record that changes. */
  once: z.literal(true, 'expected true').optional(),
  answer,
});

const entries = z
  .array(entry)
  .min(1, 'expected at least one answer')
  .max(100, 'expected at most 100 answers');

/** One answer for every request, or a list of which the first match is used. */
const answers = z.unknown().transform((value, context): Entry[] => {
  const parsed = Array.isArray(value) ? entries.safeParse(value) : answer.safeParse(value);
  if (!parsed.success) {
    addErrors(context, toErrors(parsed.error));
    return z.NEVER;
  }
  return Array.isArray(parsed.data) ? parsed.data : [{ answer: parsed.data }];
});

/** By lookup. */
export const lookupAnswers = z.record(z.string(), answers, 'expected a map of lookups');

type Entry = z.output<typeof entry>;
type Asked = z.output<typeof asked>;

/** Creates handlers that return the answers of a transcript. A request without a match is not found. */
export function createHandlers(menu: Menu, lookups: z.output<typeof lookupAnswers>): Handlers {
  return Object.fromEntries(
    Object.entries(lookups).map(([name, all]) => {
      const screen = menu.screens[name];
      return [name, createHandler(all, isMerchantScreen(screen) ? screen.take : {})];
    }),
  );
}

function createHandler(all: readonly Entry[], take: MerchantScreen['take']): LookupHandler {
  const used = new Set<Entry>();
  return async (request) => {
    const found = all.find((one) => !used.has(one) && matches(one.asked ?? {}, request));
    if (found?.once) used.add(found);
    if (found === undefined || found.answer === 'not_found') return undefined;
    if (found.answer === 'none') throw new Error('the transcript has the answer none');
    return withSourceNames(take, found.answer);
  };
}

function matches(
  { amount: amountMinor, dialler, payer, values = {}, ...same }: Asked,
  request: LookupRequest & Partial<ProxyTurn>,
) {
  const pairs: [expected: unknown, actual: unknown][] = [
    [amountMinor, request.amountMinor],
    [dialler && parseMsisdn(dialler), request.dialler],
    [payer && parseMsisdn(payer), request.payer],
    [same.operator, request.operator],
    [same.language, request.language],
    [same.reference, request.reference],
    [same.turn, request.turn],
    [same.input, request.input],
    [same.state, request.state],
    ...Object.entries(values).map(([name, value]): [unknown, unknown] => [value, request.values[name]]),
  ];
  return pairs.every(([expected, actual]) => expected === undefined || expected === actual);
}

/** Adds the fields under the names of the merchant's system where the menu has other names. */
function withSourceNames(take: MerchantScreen['take'], fields: UncheckedMap): UncheckedMap {
  const renamed = Object.entries(take).flatMap(([name, { from, of }]): [string, unknown][] => {
    const key = from ?? name;
    const value = Object.hasOwn(fields, key) ? fields[key] : fields[name];
    if (value === undefined) return [];
    return [[key, of && Array.isArray(value) ? value.map((item) => itemWithSourceNames(of, item)) : value]];
  });
  return { ...fields, ...Object.fromEntries(renamed) };
}

function itemWithSourceNames(of: MerchantScreen['take'], item: unknown): unknown {
  return isMap(item) ? withSourceNames(of, item) : item;
}
