import { z } from 'zod';
import { operators } from '../../shared/msisdn.ts';
import { endings } from '../../shared/ussd.ts';
import type { Template } from '../description/template.ts';
import { validateTemplate } from './validate-template.ts';

/*
 * How a channel describes an aggregator for which no dialect ships. What the schema has read, it reads again to the
 * same result.
 */

const maxLength = 64;
const maxNames = 8;
const maxValues = 32;

const namesExpected = `expected the name of a field, such as sessionId or payload.input, or a list of up to ${maxNames}`;
const name = z
  .string(namesExpected)
  .max(maxLength, namesExpected)
  .regex(/^[\w-]+(\.[\w-]+){0,2}$/, namesExpected);

/** One field, or the names under which it may come, in the order in which they are looked for. */
const names = z.union(
  [name.transform((one) => [one]), z.array(name).min(1, namesExpected).max(maxNames, namesExpected)],
  namesExpected,
);

const valueExpected = `expected a text of 1 to ${maxLength} characters, in quotes where it is a number`;
const value = z.string(valueExpected).min(1, valueExpected).max(maxLength, valueExpected);

const flag = z.boolean('expected true or false');

const valuesExpected = `expected 1 to ${maxValues} values`;
const values = z.array(value).min(1, valuesExpected).max(maxValues, valuesExpected);
const fewEnough = (entries: Readonly<Record<string, unknown>>) => Object.keys(entries).length <= maxValues;

const operatorCodes = z
  .record(value, z.enum(operators, `expected one of ${operators.join(', ')}`), 'expected codes and operators')
  .refine(fewEnough, valuesExpected);

const first = z
  .strictObject(
    {
      field: names,
      /** The values that open a session; true and false stand for all spellings of a yes and a no. */
      is: z
        .union(
          [z.boolean(), value.transform((one) => [one]), values],
          'expected true, false, a text in quotes or a list of them',
        )
        .optional(),
      /** Instead of `is`: the field in which the same value opens a session. */
      sameAs: names.optional(),
      /** Later requests may look like a first one: only a dialled string, or no input at all, opens a session. */
      needsDial: flag.default(false),
    },
    'expected a map with field and is',
  )
  .refine(({ is, sameAs }) => (is === undefined) !== (sameAs === undefined), 'expected either is or sameAs');

const endingExpected = `expected one of ${endings.join(', ')}`;
const allEnded = (values: readonly string[]) =>
  Object.fromEntries(values.map((one) => [one, 'ended' as const]));

const ended = z.strictObject(
  {
    field: names,
    /** The values of notices; left out, the field is one by being there. */
    is: z
      .union(
        [
          value.transform((one) => allEnded([one])),
          values.transform(allEnded),
          z.record(value, z.enum(endings, endingExpected)).refine(fewEnough, valuesExpected),
        ],
        `expected a text in quotes, a list of them, or a map from them to ${endings.join(', ')}`,
      )
      .optional(),
    /** What any other value of the field means. */
    others: z.enum(['input', ...endings], `expected one of input, ${endings.join(', ')}`).optional(),
  },
  'expected a map with field and is',
);

const request = z
  .strictObject(
    {
      /** How the aggregator asks. The gateway reads either; the simulated phone asks like this. */
      method: z.enum(['POST', 'GET'], 'expected POST or GET').default('POST'),
      session: names.optional(),
      /** Where no session id comes, the number that dialled stands in for it. */
      numberAsSession: flag.default(false),
      number: names,
      operator: names.optional(),
      /** Codes that are no names of operators. */
      operators: operatorCodes.default({}),
      input: names,
      /** The input is everything typed since the dial, joined with *. */
      cumulative: flag.default(false),
      /** Which request opens a session; left out, one whose input is a dialled string. */
      first: first.optional(),
      /** Which request is no request but a notice that the session is over. */
      ended: ended.optional(),
      /** Where the dialled string stands, when not in the input. */
      dialled: names.optional(),
      /** Where the answers dialled along stand, already cut off the code. */
      suffix: names.optional(),
      /** A value that a repeated request has too and the next one has not. */
      mark: names.optional(),
      /** What the aggregator's payment side knows the session by. */
      ussdRef: names.optional(),
    },
    'expected a map with session, number and input',
  )
  .check(({ value: { session, numberAsSession, cumulative, dialled, suffix, first, ended }, issues }) => {
    const report = (path: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, input: undefined });
    if (!session && !numberAsSession) report('session', 'expected the name of a field, or numberAsSession');
    if (dialled && suffix) report('dialled', 'expected dialled or suffix, not both');
    for (const [path, said] of Object.entries({ dialled, suffix, first })) {
      if (cumulative && said) report(path, 'expected nothing here: a cumulative input says it');
    }
    const all = ended && (!ended.is || (ended.others ?? 'input') !== 'input');
    if (all && first?.field.some((one) => ended.field.includes(one))) {
      report('ended', 'expected is, and no others: the first request is told by the same field');
    }
  });

/** A reply: a text that is the body itself, or a map that is sent as JSON. */
const template = z.unknown().transform((given, { addIssue }): Template => {
  for (const fault of validateTemplate(given)) addIssue({ code: 'custom', continue: false, ...fault });
  return given as Template;
});

const contentTypePattern = /^[a-z]+\/[a-z0-9.+-]+(; ?charset=[A-Za-z0-9-]+)?$/;
const contentTypeExpected = 'expected a content type, such as application/json';

const reply = z
  .strictObject(
    {
      /** JSON for maps and plain text for texts, unless said otherwise. */
      contentType: z
        .string(contentTypeExpected)
        .max(maxLength, contentTypeExpected)
        .regex(contentTypePattern, { error: contentTypeExpected, abort: true })
        .optional(),
      /** The reply begins with all fields of the request; the template's own come over them. */
      echo: flag.default(false),
      continue: template,
      end: template,
      /** The answer to a notice; like end when left out. */
      notice: template.optional(),
    },
    'expected a map with continue and end',
  )
  .check(({ value: { contentType, echo, continue: goOn, end, notice }, issues }) => {
    const report = (path: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, input: undefined });
    for (const [path, one] of Object.entries({ continue: goOn, end })) {
      if (!JSON.stringify(one).includes('{text}'))
        report(path, 'expected {text} in it, where the screen goes');
    }
    if (JSON.stringify(goOn) === JSON.stringify(end)) {
      report('end', 'expected another reply than continue: nothing would end a session');
    }
    const asText = typeof goOn === 'string';
    for (const [path, one] of Object.entries({ end, notice })) {
      if (one === undefined || (typeof one === 'string') === asText) continue;
      report(path, `expected ${asText ? 'a text' : 'a map'}, as continue is`);
    }
    if (contentType !== undefined && contentType.includes('json') === asText) {
      report('contentType', `expected ${asText ? 'no JSON for a text' : 'JSON for a map'}`);
    }
    if (echo && asText) report('echo', 'expected false: only a map can begin with the request');
  });

export const genericSettings = z.strictObject({ request, reply }, 'expected a map with request and reply');

/** An aggregator as a channel's settings describe it. */
export type GenericSettings = z.output<typeof genericSettings>;

/** The content type of replies. */
export function contentTypeOf({ contentType, continue: goOn }: GenericSettings['reply']): string {
  return contentType ?? (typeof goOn === 'string' ? 'text/plain; charset=utf-8' : 'application/json');
}
