import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isDialString } from '../aggregators/dial-string.ts';
import { promptFailures } from '../contract/service/end-reason.ts';
import { closedStatuses, openStatuses } from '../gateway/collection/collection.ts';
import type { LookupHandlers } from '../menu/effects/lookup.ts';
import { loadMenu } from '../menu/file/load.ts';
import type { Menu } from '../menu/schema.ts';
import { isProgram } from '../menu/typescript/read-program.ts';
import { mapOrEmpty } from '../shared/json.ts';
import { operators } from '../shared/msisdn.ts';
import { readShortReference } from '../shared/short-reference.ts';
import { readTextFile } from '../shared/text-file.ts';
import { parseDuration } from '../shared/time-text.ts';
import { type FileError, readYaml, schemaErrors, sortErrors } from '../shared/yaml.ts';
import { createHandlers, lookupAnswers } from './answers.ts';
import {
  addErrors,
  amount,
  expectQuoted,
  fees,
  type Handlers,
  instant,
  type LimitOptions,
  limitErrors,
  lookupErrors,
  merchantName,
  merchantTimeZone,
  number,
  promptLifetime,
  type TimingOptions,
  tillChannelSchema,
  timingErrors,
  toErrors,
  validated,
} from './options.ts';

/* The schema of transcripts: the actions of payers on their phones, and the expected screens and payments. */

const maxSteps = 1_000;
const maxTextLength = 1_000;
const maxWaitMs = 24 * 3_600_000;

const codeExpected = expectQuoted('a code', "'*713*5#'");
const inputExpected = expectQuoted('an input', "'1'");
const pinExpected = expectQuoted('a PIN of four digits', "'1234'");
const timeExpected = 'expected a time of at most 24h, such as 500ms, 30s, 6m or 2h';
const textExpected = `expected the text of a screen, at most ${maxTextLength} characters`;
const text = z
  .string(textExpected)
  .max(maxTextLength, textExpected)
  // A block scalar in YAML ends with a line break that screens do not have.
  .transform((value) => value.replace(/\n$/, ''));
const answerExpected =
  'expected answers by name, each a text in quotes, such as { class: "JHS 1", seats: "3" }';
const shortReferenceExpected = expectQuoted('a short reference', '"4821 7362"');
const alone = z.literal(true, 'expected no value');

const phoneExpected = expectQuoted('a mobile number', '"0201234567"');
const operator = z.enum(operators, `expected one of ${operators.join(', ')}`);

/** A phone whose network differs from its prefix. */
const otherPhone = z.strictObject({ msisdn: number, operator: operator.optional() }, phoneExpected);

const steps = {
  dial: z.string(codeExpected).refine(isDialString, { message: codeExpected }),
  send: z.string(inputExpected).max(182, 'expected at most 182 characters'),
  screen: text,
  end: text,
  wait: z.string(timeExpected).transform((value, context) => {
    const ms = parseDuration(value);
    if (ms !== undefined && ms <= maxWaitMs) return ms;
    context.addIssue({ code: 'custom', message: timeExpected });
    return z.NEVER;
  }),
  /** The next step takes place exactly then, without time to read. */
  until: instant,
  drop: alone,
  repeat: alone,
  leave: alone,
  timeout: alone,
  prompt: z.union(
    [
      alone,
      z.strictObject({
        /** The total charged: price and fee. */
        amount: amount.optional(),
        /** The phone of the prompt, if it is not the dialler. */
        msisdn: number.optional(),
      }),
    ],
    'expected no value, or a map of amount and msisdn',
  ),
  approve: z.string(pinExpected).regex(/^\d{4}$/, pinExpected),
  decline: alone,
  fail: z.enum(promptFailures, `expected one of ${promptFailures.join(', ')}`),
  charge: amount,
  /** The following steps use another phone, with its own session. */
  phone: z.unknown().transform((value, context) => {
    const parsed = typeof value === 'string' ? number.safeParse(value) : otherPhone.safeParse(value);
    if (!parsed.success) addErrors(context, toErrors(parsed.error));
    else return typeof parsed.data === 'string' ? { msisdn: parsed.data } : parsed.data;
    return z.NEVER;
  }),
  expect: z.strictObject({
    status: z.enum(
      ['none', ...openStatuses, ...closedStatuses],
      `expected one of none, ${[...openStatuses, ...closedStatuses].join(', ')}`,
    ),
    /** The price, without the fee. */
    amount: amount.optional(),
    fee: amount.optional(),
    payer: number.optional(),
    reference: z.string(expectQuoted('a reference', '"INV-1234"')).max(64).optional(),
    /** Each answer of the payment by its name, and no others. */
    answers: z.record(z.string(), z.string(answerExpected), answerExpected).optional(),
    reason: z.string('expected the reason of the status').max(64).optional(),
    /** The collection repeats an earlier one. */
    retry_of: z.boolean('expected true or false').optional(),
    /** As shown on the screens of this rehearsal. */
    short_reference: z
      .string(shortReferenceExpected)
      .refine((value) => readShortReference(value) !== undefined, { message: shortReferenceExpected })
      .optional(),
  }),
} as const;

export type StepKind = keyof typeof steps;

/** One step: its name and its value. */
export type TranscriptStep = { [K in StepKind]: { kind: K; value: z.output<(typeof steps)[K]> } }[StepKind];

const kinds = Object.keys(steps) as StepKind[];
const stepExpected = `expected one of ${kinds.join(', ')}, one for each step`;

/** A step is a map of one key, or the key alone for a step without a value. */
const step = z.unknown().transform((value, context): TranscriptStep => {
  const entries: [string, unknown][] =
    typeof value === 'string' ? [[value, true]] : Object.entries(mapOrEmpty(value));
  const [name, content] = entries[0] ?? [''];
  const kind = kinds.find((one) => one === name);
  if (entries.length !== 1 || kind === undefined) {
    context.addIssue({ code: 'custom', message: stepExpected });
    return z.NEVER;
  }
  const parsed = steps[kind].safeParse(content ?? true);
  if (parsed.success) return { kind, value: parsed.data } as TranscriptStep;
  addErrors(context, toErrors(parsed.error), [kind]);
  return z.NEVER;
});

const transcript = z.strictObject({
  /** Relative to the transcript. */
  menu: z.string('expected the path of a menu file').min(1, 'expected the path of a menu file'),
  merchant: merchantName,
  channel: tillChannelSchema,
  /** The dialler. */
  msisdn: number,
  /** The dialler's network, if it differs from the prefix. */
  operator: operator.optional(),
  /** The start time. All transcripts without it start at the same time. */
  time: instant.optional(),
  /** The time zone of the merchant. */
  timeZone: merchantTimeZone,
  /** The numbers of the merchant's attendants. */
  attendants: z
    .array(number, 'expected a list of numbers')
    .max(100, 'expected at most 100 numbers')
    .optional(),
  /** The answers of the merchant's own system. */
  lookups: lookupAnswers.optional(),
  limits: validated<LimitOptions>(limitErrors),
  timings: validated<TimingOptions>(timingErrors),
  /** The service's fees of some prices. Other prices have its default fee. */
  fees: fees.optional(),
  /** How long a prompt waits for an answer. */
  promptLifetime: promptLifetime.optional(),
  steps: z
    .array(step, 'expected a list of steps')
    .min(1, 'expected at least one step')
    .max(maxSteps, `expected at most ${maxSteps} steps`),
});

/** A transcript with its loaded menu. */
export type Transcript = Omit<z.output<typeof transcript>, 'menu' | 'lookups'> & {
  menu: Menu;
  handlers: LookupHandlers;
  lookups: Handlers;
  file: string;
  /** The text of the file. */
  text: string;
  /** Returns the line of a step in the file. */
  lineOf(step: number): number;
};

export type ReadTranscript = { ok: true; transcript: Transcript } | { ok: false; errors: FileError[] };

export type TranscriptOptions = {
  /** Runs the menu if it is a program. A transcript is data, and can come from another person. */
  allowPrograms?: boolean;
};

const menuExpected =
  'expected a menu in YAML, found a program, which this command would run. If you trust it, add --allow-programs';

/** Reads a transcript and its menu. Returns all errors with their files and lines if one is invalid. */
export function readTranscript(
  file: string,
  { allowPrograms = false }: TranscriptOptions = {},
): ReadTranscript {
  const text = readTextFile(file);
  if (text === undefined) return refused({ file, line: 1, path: '', message: 'expected a readable file' });
  const source = readYaml(text, file);
  if (!source.ok) return source;
  const parsed = transcript.safeParse(source.value);
  if (!parsed.success || source.errors.length > 0) {
    const faults = parsed.success ? [] : schemaErrors(source, transcript);
    return { ok: false, errors: sortErrors([...source.errors, ...faults]) };
  }
  const { menu: path, lookups = {}, ...rest } = parsed.data;
  const menuFile = resolve(dirname(file), path);
  if (readTextFile(menuFile, 'regular') === undefined) {
    return refused(source.errorAt(['menu'], `expected a readable menu file, found ${menuFile}`));
  }
  if (isProgram(menuFile) && !allowPrograms) return refused(source.errorAt(['menu'], menuExpected));
  const loaded = loadMenu(menuFile);
  if (!loaded.ok) return loaded;
  const toLine = (step: number) => source.errorAt(['steps', step], '').line;
  const { menu, handlers } = loaded;
  const faults = lookupErrors(menu, lookups).map((one) => {
    return source.errorAt(['lookups', ...one.path], one.message);
  });
  if (faults.length > 0) return { ok: false, errors: faults };
  const answered = createHandlers(menu, lookups);
  return { ok: true, transcript: { ...rest, menu, handlers, lookups: answered, file, text, lineOf: toLine } };
}

function refused(fault: FileError): ReadTranscript {
  return { ok: false, errors: [fault] };
}
