import { z } from 'zod';
import { operators } from '../../shared/msisdn.ts';
import { endings } from '../../shared/ussd.ts';
import { isXml, type Template } from '../description/template.ts';

type TemplateError = { path: string[]; message: string };

const maxDepth = 4;
const maxFields = 32;
const maxNameLength = 64;
const maxTextLength = 512;

const expected = 'expected a text, or a map of texts, numbers, true, false and further maps';

/** Returns every reason why a configured value is not the template of a reply. */
function validateTemplate(given: unknown): TemplateError[] {
  const errors: TemplateError[] = [];
  let fields = 0;
  const visit = (value: unknown, path: string[]) => {
    if (typeof value === 'string') {
      if (value.length > maxTextLength) {
        errors.push({ path, message: `expected at most ${maxTextLength} characters` });
      }
      return;
    }
    if (typeof value !== 'object' || value === null) {
      const isScalar = value === null || typeof value === 'boolean' || Number.isFinite(value);
      if (path.length === 0 || !isScalar) errors.push({ path, message: expected });
      return;
    }
    if (Array.isArray(value)) {
      errors.push({ path, message: expected });
      return;
    }
    if (path.length >= maxDepth) {
      errors.push({ path, message: `expected at most ${maxDepth} levels of maps` });
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      fields++;
      if (fields > maxFields) return;
      const innerPath = [...path, name];
      if (name === '' || name.length > maxNameLength) {
        errors.push({ path: innerPath, message: `expected a name of 1 to ${maxNameLength} characters` });
      }
      visit(inner, innerPath);
    }
  };
  visit(given, []);
  if (fields > maxFields) errors.push({ path: [], message: `expected at most ${maxFields} fields` });
  return errors;
}

/*
 * The schema of a channel's description of an aggregator. The schema accepts its own output and returns it unchanged.
 */

const maxLength = 64;
const maxNames = 8;
const maxValues = 32;

const namesExpected = `expected the name of a field, such as sessionId or payload.input, or a list of up to ${maxNames}`;
const name = z
  .string(namesExpected)
  .max(maxLength, namesExpected)
  .regex(/^[\w-]+(\.[\w-]+){0,2}$/, namesExpected);

/** One field name, or several in the order of preference. */
const names = z.union(
  [name.transform((one) => [one]), z.array(name).min(1, namesExpected).max(maxNames, namesExpected)],
  namesExpected,
);

const valueExpected = `expected a text of 1 to ${maxLength} characters, in quotes if it is a number`;
const value = z.string(valueExpected).min(1, valueExpected).max(maxLength, valueExpected);

const flag = z.boolean('expected true or false');

const valuesExpected = `expected 1 to ${maxValues} values`;
const values = z.array(value).min(1, valuesExpected).max(maxValues, valuesExpected);
const isWithinMaxValues = (entries: Readonly<Record<string, unknown>>) =>
  Object.keys(entries).length <= maxValues;

const operatorCodes = z
  .record(value, z.enum(operators, `expected one of ${operators.join(', ')}`), 'expected codes and operators')
  .refine(isWithinMaxValues, valuesExpected);

const first = z
  .strictObject(
    {
      field: names,
      /** The values that open a session. true and false match every spelling of a boolean. */
      is: z
        .union(
          [z.boolean(), value.transform((one) => [one]), values],
          'expected true, false, a text in quotes or a list of them',
        )
        .optional(),
      /** Instead of `is`: a field that has the same value in a first request. */
      sameAs: names.optional(),
      /** Later requests can have the value of a first one: only a dialled string, or an empty input, opens a session. */
      needsDial: flag.default(false),
    },
    'expected a map with field and is',
  )
  .refine(({ is, sameAs }) => (is === undefined) !== (sameAs === undefined), 'expected either is or sameAs');

const allEnded = (values: readonly string[]) =>
  Object.fromEntries(values.map((one) => [one, 'ended' as const]));

const ended = z.strictObject(
  {
    field: names,
    /** The values of notices. Without it, any request with the field is a notice. */
    is: z
      .union(
        [
          value.transform((one) => allEnded([one])),
          values.transform(allEnded),
          z.record(value, z.enum(endings)).refine(isWithinMaxValues, valuesExpected),
        ],
        `expected a text in quotes, a list of them, or a map from them to ${endings.join(', ')}`,
      )
      .optional(),
    /** The meaning of any other value of the field. */
    others: z.enum(['input', ...endings], `expected one of input, ${endings.join(', ')}`).optional(),
  },
  'expected a map with field and is',
);

const request = z
  .strictObject(
    {
      /** The method of the simulated phone. The gateway accepts both. */
      method: z.enum(['POST', 'GET'], 'expected POST or GET').default('POST'),
      session: names.optional(),
      /** The number of the dialler is the session id in requests without one. */
      numberAsSession: flag.default(false),
      number: names,
      operator: names.optional(),
      /** Operator codes that are not names of operators. */
      operators: operatorCodes.default({}),
      input: names,
      /** The input has everything since the dial, joined with *. It can begin with the code; with `answers`, it never does. */
      cumulative: z
        .union([z.boolean(), z.literal('answers')], 'expected true, false or answers')
        .default(false),
      /**
       * The requests that open a session. Without it, a request whose input is the dialled string, and an empty input in a session
       * that is not known.
       */
      first: first.optional(),
      /** The requests that are end notices. */
      ended: ended.optional(),
      /** The field of the dialled string, if it is not the input. */
      dialled: names.optional(),
      /** The field of the dialled suffix. It can begin with the whole service code. */
      suffix: names.optional(),
      /** A value that is equal in a repeated request and different in the next one. */
      mark: names.optional(),
      /** The id of the session at the aggregator's payment interface. */
      ussdRef: names.optional(),
    },
    'expected a map with session, number and input',
  )
  .check(({ value: { session, numberAsSession, cumulative, dialled, suffix, first, ended }, issues }) => {
    const report = (path: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, input: undefined });
    if (!session && !numberAsSession) report('session', 'expected the name of a field, or numberAsSession');
    if (dialled && suffix) report('dialled', 'expected dialled or suffix, not both');
    for (const [path, given] of Object.entries({ dialled, suffix, first })) {
      if (cumulative && given) report(path, 'expected no value: a cumulative input contains it');
    }
    const endsByDefault = ended && (!ended.is || (ended.others ?? 'input') !== 'input');
    if (endsByDefault && first?.field.some((one) => ended.field.includes(one))) {
      report('ended', 'expected `is` without `others`, because `first` uses the same field');
    }
  });

/** A reply: a text is the body itself, a map is sent as JSON. */
const template = z.unknown().transform((given, { addIssue }): Template => {
  for (const error of validateTemplate(given)) addIssue({ code: 'custom', continue: false, ...error });
  return given as Template;
});

const contentTypePattern = /^[a-z]+\/[a-z0-9.+-]+(; ?charset=[A-Za-z0-9-]+)?$/;
const contentTypeExpected = 'expected a content type, such as application/json';

const reply = z
  .strictObject(
    {
      /** The default is JSON for a map and plain text for a text. */
      contentType: z
        .string(contentTypeExpected)
        .max(maxLength, contentTypeExpected)
        .regex(contentTypePattern, { error: contentTypeExpected, abort: true })
        .optional(),
      /** The reply starts with all fields of the request. Fields of the template replace them. */
      echo: flag.default(false),
      continue: template,
      end: template,
      /** The answer to a notice (default: `end`). */
      notice: template.optional(),
    },
    'expected a map with continue and end',
  )
  .check(({ value: { contentType, echo, continue: continued, end, notice }, issues }) => {
    const report = (path: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, input: undefined });
    for (const [path, given] of Object.entries({ continue: continued, end })) {
      if (!JSON.stringify(given).includes('{text}'))
        report(path, 'expected the placeholder {text} for the screen');
    }
    if (JSON.stringify(continued) === JSON.stringify(end)) {
      report('end', 'expected a reply that differs from continue, so that sessions can end');
    }
    const isText = typeof continued === 'string';
    for (const [path, given] of Object.entries({ end, notice })) {
      if (given === undefined || (typeof given === 'string') === isText) continue;
      report(path, `expected ${isText ? 'a text' : 'a map'}, like continue`);
    }
    if (contentType !== undefined && contentType.includes('json') === isText) {
      report('contentType', `expected ${isText ? 'no JSON type for a text' : 'a JSON type for a map'}`);
    }
    for (const [path, given] of Object.entries({ continue: continued, end, notice })) {
      if (typeof given !== 'string') continue;
      if (contentType === undefined && given.trimStart().startsWith('<')) {
        report('contentType', 'expected a content type, such as text/xml, for a reply that begins with <');
        break;
      }
      if (contentType !== undefined && isXml(contentType) && /<!\[CDATA\[/i.test(given))
        report(path, 'expected no CDATA: the placeholders of an XML reply are escaped');
    }
    if (echo && isText) report('echo', 'expected false: only a map can start with the fields of the request');
  });

export const genericSettings = z.strictObject({ request, reply }, 'expected a map with request and reply');

/** The validated description. */
export type GenericSettings = z.output<typeof genericSettings>;
