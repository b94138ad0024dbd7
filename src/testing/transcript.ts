import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isDialString } from '../aggregators/dialled.ts';
import { closedStatuses, openStatuses } from '../gateway/collection/collection.ts';
import type { LookupHandlers } from '../menu/effects/handler.ts';
import { loadMenu } from '../menu/file/load.ts';
import type { Menu } from '../menu/schema.ts';
import { operators } from '../shared/msisdn.ts';
import { readShortReference } from '../shared/short-reference.ts';
import { type FileError, readYaml, schemaErrors, sortErrors } from '../shared/yaml.ts';
import { handlersOfAnswers, lookupAnswers } from './answers.ts';
import { channelSchema, merchantName } from './channel.ts';
import type { Handlers } from './lookups.ts';
import {
  instantExpected,
  type LimitOptions,
  limitFaults,
  lookupFaults,
  type OptionFault,
  readInstant,
  type TimingOptions,
  timingFaults,
} from './options.ts';
import { readTime } from './time.ts';
import { amount, asIssues, number, quoted } from './transcript-values.ts';

/*
 * The shape of a transcript: what payers do on their phones, and what comes of it, step by step.
 */

const maxSteps = 1_000;
const longestText = 1_000;
const maxWaitMs = 24 * 3_600_000;

const codeExpected = quoted('a code', "'*713*5#'");
const inputExpected = quoted('what is typed', "'1'");
const pinExpected = quoted('a PIN of four digits', "'1234'");
const timeExpected = 'expected a time of at most 24h, such as 500ms, 30s, 6m or 2h';
const textExpected = `expected the text of a screen, at most ${longestText} characters`;
const text = z
  .string(textExpected)
  .max(longestText, textExpected)
  // A block of text in YAML ends with a line break that no screen has.
  .transform((value) => value.replace(/\n$/, ''));
const shortReferenceExpected = quoted('a short reference', '"4821 7362"');
const alone = z.literal(true, 'expected nothing behind it');

const phoneExpected = quoted('a mobile number', '"0201234567"');
const operator = z.enum(operators, `expected one of ${operators.join(', ')}`);

/** Where its network is not the one of its prefix. */
const otherPhone = z.strictObject({ msisdn: number, operator: operator.optional() }, phoneExpected);

const steps = {
  dial: z.string(codeExpected).refine(isDialString, { message: codeExpected }),
  send: z.string(inputExpected).max(182, 'expected at most 182 characters'),
  screen: text,
  end: text,
  wait: z.string(timeExpected).transform((value, context) => {
    const ms = readTime(value);
    if (ms !== undefined && ms <= maxWaitMs) return ms;
    context.addIssue({ code: 'custom', message: timeExpected });
    return z.NEVER;
  }),
  /** What is done next is done then, without the time for reading. */
  until: z
    .string(instantExpected)
    .refine((value) => readInstant(value) !== undefined, { message: instantExpected }),
  drop: alone,
  repeat: alone,
  leave: alone,
  timeout: alone,
  prompt: z.union(
    [
      alone,
      z.strictObject({
        /** What the prompt asks for: goods and fee. */
        amount: amount.optional(),
        /** The phone on which it comes, where that is not the one that dialled. */
        msisdn: number.optional(),
      }),
    ],
    'expected nothing, or a map of amount and msisdn',
  ),
  approve: z.string(pinExpected).regex(/^\d{4}$/, pinExpected),
  decline: alone,
  /** From here on another phone, with a session of its own. */
  phone: z.unknown().transform((value, context) => {
    const parsed = typeof value === 'string' ? number.safeParse(value) : otherPhone.safeParse(value);
    if (!parsed.success) asIssues(context, parsed.error);
    else return typeof parsed.data === 'string' ? { msisdn: parsed.data } : parsed.data;
    return z.NEVER;
  }),
  expect: z.strictObject({
    status: z.enum(
      ['none', ...openStatuses, ...closedStatuses],
      `expected one of none, ${[...openStatuses, ...closedStatuses].join(', ')}`,
    ),
    /** What the payer agreed to on the screen, without the fee. */
    amount: amount.optional(),
    fee: amount.optional(),
    payer: number.optional(),
    reference: z.string(quoted('a reference', '"INV-1234"')).max(64).optional(),
    reason: z.string('expected the reason why it ended').max(64).optional(),
    /** Whether it asked for an earlier one again. */
    retry_of: z.boolean('expected true or false').optional(),
    /** As the screens of this rehearsal show it. */
    short_reference: z
      .string(shortReferenceExpected)
      .refine((value) => readShortReference(value) !== undefined, { message: shortReferenceExpected })
      .optional(),
  }),
} as const;

export type StepKind = keyof typeof steps;

/** One step: its name, and what stands behind it. */
export type Step = { [K in StepKind]: { kind: K; value: z.output<(typeof steps)[K]> } }[StepKind];

const kinds = Object.keys(steps) as StepKind[];
const stepExpected = `expected one of ${kinds.join(', ')}, one to a step`;

/** A step is a map of one key, or the key alone where nothing stands behind it. */
const step = z.unknown().transform((value, context): Step => {
  const entries: [string, unknown][] =
    typeof value === 'string'
      ? [[value, true]]
      : Object.entries(typeof value === 'object' && value !== null ? value : {});
  const [name, said] = entries[0] ?? [''];
  const kind = kinds.find((one) => one === name);
  if (entries.length !== 1 || kind === undefined) {
    context.addIssue({ code: 'custom', message: stepExpected });
    return z.NEVER;
  }
  const parsed = steps[kind].safeParse(said ?? true);
  if (parsed.success) return { kind, value: parsed.data } as Step;
  asIssues(context, parsed.error, [kind]);
  return z.NEVER;
});

/** Checked, and left as it is written: who opens a till reads it anew. */
function asWritten<T>(faultsOf: (value: unknown) => OptionFault[]) {
  return z
    .unknown()
    .transform((value, context): T | undefined => {
      if (value === undefined) return undefined;
      const faults = faultsOf(value);
      for (const { path, message } of faults) context.addIssue({ code: 'custom', message, path: [...path] });
      return faults.length === 0 ? (value as T) : z.NEVER;
    })
    .optional();
}

const transcript = z.strictObject({
  /** As seen from the transcript. */
  menu: z.string('expected the path of a menu file').min(1, 'expected the path of a menu file'),
  merchant: merchantName,
  channel: channelSchema,
  /** The number that dials. */
  msisdn: number,
  /** Its network, where that is not the one of its prefix. */
  operator: operator.optional(),
  /** When the till opens. Without it all rehearsals begin at the same time. */
  time: z
    .string(instantExpected)
    .refine((value) => readInstant(value) !== undefined, { message: instantExpected })
    .optional(),
  /** Numbers of those who work for the merchant. */
  attendants: z
    .array(number, 'expected a list of numbers')
    .max(100, 'expected at most 100 numbers')
    .optional(),
  /** What the merchant's own system answers. */
  lookups: lookupAnswers.optional(),
  limits: asWritten<LimitOptions>(limitFaults),
  timings: asWritten<TimingOptions>(timingFaults),
  steps: z
    .array(step, 'expected a list of steps')
    .min(1, 'expected at least one step')
    .max(maxSteps, `expected at most ${maxSteps} steps`),
});

/** A transcript whose menu was read. */
export type Transcript = Omit<z.output<typeof transcript>, 'menu' | 'lookups'> & {
  menu: Menu;
  handlers: LookupHandlers;
  lookups: Handlers;
  file: string;
  /** The whole file, for who writes it anew. */
  text: string;
  /** Where a step stands in the file. */
  lineOf(step: number): number;
};

export type ReadTranscript = { ok: true; transcript: Transcript } | { ok: false; errors: FileError[] };

/** Reads a transcript and its menu. Either both, or all faults with their files and lines. */
export function readTranscript(file: string): ReadTranscript {
  const text = read(file);
  if (text === undefined) return refused({ file, line: 1, path: '', message: 'expected a readable file' });
  const source = readYaml(text, file);
  if (!source.ok) return source;
  const parsed = transcript.safeParse(source.value);
  if (!parsed.success || source.errors.length > 0) {
    const faults = parsed.success ? [] : schemaErrors(source, parsed.error);
    return { ok: false, errors: sortErrors([...source.errors, ...faults]) };
  }
  const { menu: path, lookups = {}, ...rest } = parsed.data;
  const menuFile = resolve(dirname(file), path);
  if (read(menuFile) === undefined) {
    return refused(source.errorAt(['menu'], `expected a menu file that can be read: ${menuFile} cannot`));
  }
  const loaded = loadMenu(menuFile);
  if (!loaded.ok) return loaded;
  const lineOf = (step: number) => source.errorAt(['steps', step], '').line;
  const { menu, handlers } = loaded;
  const faults = lookupFaults(menu, lookups).map((one) => {
    return source.errorAt(['lookups', ...one.path], one.message);
  });
  if (faults.length > 0) return { ok: false, errors: faults };
  const answered = handlersOfAnswers(menu, lookups);
  return { ok: true, transcript: { ...rest, menu, handlers, lookups: answered, file, text, lineOf } };
}

function refused(fault: FileError): ReadTranscript {
  return { ok: false, errors: [fault] };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
