import { z } from 'zod';
import type { LookupHandlers } from '../../menu/effects/handler.ts';
import type { Menu } from '../../menu/schema.ts';
import { isAddressOrNetwork } from '../../shared/http/address-list.ts';
import { type Operator, operators, parseMsisdn } from '../../shared/msisdn.ts';
import { alphabets } from '../../shared/screen-text.ts';
import { withMilliseconds } from './durations.ts';

/*
 * The shape of the configuration file. What its parts say about each other is checked in `check.ts`. Messages
 * never quote a value: it may be a secret.
 */

const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected a name of small letters, digits and -, at most 32');

const seconds = (min: number, max: number) => {
  const expected = `expected seconds from ${min} to ${max}`;
  return z.number(expected).min(min, expected).max(max, expected);
};

const count = (min: number, max: number) => {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
};

function perOperator<T extends z.ZodType>(value: (operator: Operator) => T) {
  return z.strictObject({
    mtn: value('mtn'),
    telecel: value('telecel'),
    at: value('at'),
    glo: value('glo'),
    unknown: value('unknown'),
  });
}

/** Ports often come from the environment, as text. */
const port = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value),
  count(0, 65_535),
);

const url = z.string().transform((text, context) => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const plain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash;
  if (plain && /^https?:$/.test(parsed.protocol)) return parsed.href.replace(/\/+$/, '');
  context.addIssue({ code: 'custom', message: 'expected an http or https address without user or query' });
  return z.NEVER;
});

const signature = z
  .strictObject({
    /** Header names have no case; kept in the form in which they are looked up. */
    header: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'expected the name of a header')
      .toLowerCase()
      .default('service-signature'),
    algorithm: z.enum(['sha256', 'sha512']).default('sha256'),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    /** Of the timestamp in the header. */
    timestampUnit: z.enum(['seconds', 'milliseconds']).default('seconds'),
    toleranceSeconds: seconds(1, 3600).default(300),
  })
  .transform(withMilliseconds);

const networkCode = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'expected a network code of the service');
const networkCodes: Readonly<Record<Operator, string>> = {
  mtn: 'mtn',
  telecel: 'telecel',
  at: 'at',
  glo: 'glo',
  unknown: 'mtn',
};

const service = z.strictObject({
  url,
  signature: signature.prefault({}),
  /** What the service calls each network. */
  networks: perOperator((operator) => networkCode.default(networkCodes[operator])).prefault({}),
  /** The service offers a simulated handset under /handset. */
  simulator: z.boolean().default(false),
  callsPerSecond: count(1, 1000).default(20),
  callsInFlight: count(1, 256).default(16),
});

const addresses = z.array(
  z
    .string()
    .refine(isAddressOrNetwork, 'expected an address or a network, such as 52.50.116.54 or 10.0.0.0/8'),
);

const thisMachine = ['127.0.0.0/8', '::1'];

const promptDelay = seconds(0, 30);
const defaultPromptDelaySeconds = 1.5;
const promptDelays = perOperator(() => promptDelay.default(defaultPromptDelaySeconds));

const timings = z
  .strictObject({
    /** Between END and the prompt: the USSD session must be gone from the handset. */
    promptDelaySeconds: z
      .preprocess(
        (value) =>
          typeof value === 'number' ? Object.fromEntries(operators.map((name) => [name, value])) : value,
        promptDelays,
      )
      .prefault({}),
    /** After END no prompt is asked for later than this. */
    promptDeadlineSeconds: seconds(5, 900).default(180),
    /** How long a payer may take before a new collection is allowed. */
    retryAllowedAfterSeconds: seconds(10, 3600).default(360),
    dialogueLifetimeSeconds: seconds(30, 900).default(300),
    /** Within it, an equal input on an unsequenced channel is a repeat. */
    repeatWindowSeconds: seconds(0, 10).default(2),
    callTimeoutSeconds: seconds(1, 60).default(12),
    connectTimeoutSeconds: seconds(0.1, 30).default(2),
    /** How long one worker may hold a collection. */
    leaseSeconds: seconds(5, 600).default(30),
    /** After a lost initiate answer, how long the status must say `created` before the call is sent again. */
    resendGraceSeconds: seconds(1, 120).default(15),
    /** How long a collection is shown first to who dials again. */
    recentPaymentSeconds: seconds(0, 86_400).default(900),
    /** How long a dialogue that was cut off can be taken up again. */
    resumeWindowSeconds: seconds(0, 3600).default(300),
    /** How long a second payment of the same payer, amount and reference needs a yes of its own. */
    duplicateWindowSeconds: seconds(0, 86_400).default(900),
    /** How long a screen waits for the merchant's own system: the channel's time runs all the while. */
    lookupTimeoutSeconds: seconds(0.1, 1.5).default(1.5),
    /** How long a screen waits for the fee; 0 asks for none. */
    quoteTimeoutSeconds: seconds(0, 1).default(1),
  })
  .transform(withMilliseconds);

/** At most so many; `false` for any number, which is kept as null. */
const most = (max: number) => {
  const expected = `expected a whole number from 1 to ${max}, or false`;
  return z
    .union([z.int(expected).min(1, expected).max(max, expected), z.literal(false)], expected)
    .transform((value) => (value === false ? null : value));
};
const perPerson = (perHour: number, perDay: number) =>
  z.strictObject({ perHour: most(1000).default(perHour), perDay: most(10_000).default(perDay) }).prefault({});

/** How many collections may be opened, of each merchant. */
const limits = z.strictObject({
  /** From one phone, whoever pays. Attendants have none. */
  dialler: perPerson(20, 60),
  /** For one payer: requests of all phones, but for the payer's own phone only its own. */
  payer: perPerson(6, 20),
  merchant: z.strictObject({ perMinute: most(10_000).default(300) }).prefault({}),
  /** Requests from another phone that payers declined: after so many, none for a while. */
  declines: z
    .strictObject({ maxDeclines: most(100).default(2), coolDownSeconds: seconds(60, 86_400).default(3600) })
    .transform(withMilliseconds)
    .prefault({}),
});

/** Days; `false` for ever, which is kept as null. */
const days = (min: number) => {
  const expected = `expected a whole number of days from ${min} to 3650, or false`;
  return z
    .union([z.int(expected).min(min, expected).max(3650, expected), z.literal(false)], expected)
    .transform((value) => (value === false ? null : value));
};

/** How long is kept what no sum rests on. Facts, postings and the ids of events are kept for ever. */
const retention = z
  .strictObject({
    /** Screens, what was typed, and what was looked up. */
    dialoguesDays: days(30).default(400),
    /** The bodies of webhooks that were handled. */
    eventBodiesDays: days(30).default(90),
  })
  .transform(withMilliseconds);

const approvals: Readonly<Record<Operator, string>> = {
  mtn: 'Dial *170#, Wallet, My Approvals',
  telecel: 'Dial *110#, approvals',
  at: 'Dial *110#, approvals',
  glo: 'Open your mobile money approvals',
  unknown: 'Open your mobile money approvals',
};
const approvalText = z
  .string()
  .regex(/^[A-Za-z0-9 .,:/()?*#-]{1,60}$/, 'expected 1 to 60 letters, digits, blanks or . , : / ( ) ? * # -');

const mobileExpected = 'expected a mobile number in quotes, such as "0244123456"';
const mobile = z.string(mobileExpected).transform((raw, context) => {
  const msisdn = parseMsisdn(raw);
  if (msisdn !== undefined) return msisdn;
  context.addIssue({ code: 'custom', message: mobileExpected });
  return z.NEVER;
});

/** In the form of Standard Webhooks, as its libraries take it. */
const signingSecret = z.string().refine((text) => {
  const [, encoded = ''] = /^whsec_(.+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded;
}, 'expected whsec_ and the base64 of 24 to 64 bytes');

const merchant = z.strictObject({
  id: slug,
  /** As payers read it. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 .,:/()&'-]{0,19}$/, 'expected 1 to 20 plain letters, digits and blanks'),
  key: z
    .string()
    .regex(/^sk_(test|live)_[A-Za-z0-9_-]{4,250}$/, 'expected a secret key, sk_test_… or sk_live_…'),
  /** More than one while a secret is being changed: each of them is accepted. */
  webhookSecrets: z
    .array(
      z
        .string()
        .min(24, 'expected a secret of at least 24 characters')
        .max(256, 'expected a secret of at most 256 characters'),
    )
    .min(1, 'expected at least one secret')
    .max(5, 'expected at most 5 secrets'),
  menu: z.string().min(1, 'expected the path of a menu file'),
  /** Phones of those who work for the merchant: no limit of diallers, and what menus show to attendants alone. */
  attendants: z.array(mobile).max(100, 'expected at most 100 numbers').default([]),
  /** The merchant's own system, which the menu's look-ups ask. */
  lookups: z
    .strictObject({
      /** What the paths of look-ups are under. */
      url: url.optional(),
      /** Each question is signed with it. */
      secret: signingSecret,
    })
    .optional(),
});

/** 22 characters of base64url are 128 bits. */
const pathSecret = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22,128}$/, 'expected a secret of 22 to 128 letters, digits, - or _');

/** A channel as the file has it, durations in seconds. */
export const channelSchema = z.strictObject({
  id: slug,
  aggregator: z.string(),
  /** Part of the callback's path: the aggregator's only proof. */
  secret: pathSecret,
  /** What it was before, while the aggregator still calls there. */
  previousSecret: pathSecret.optional(),
  /** The merchant's own code with its sub-code: what a payer dials beyond it is a suffix. */
  serviceCode: z
    .string()
    .regex(/^\*\d{2,6}(\*\d{1,6}){0,4}#$/, 'expected a service code such as *713*5#, in quotes'),
  merchant: z.string(),
  /*
   * What the aggregator allows, where it is not as its dialect has it.
   */
  /** Who may call; everyone who knows the secret, unless set. */
  allowFrom: addresses
    .min(1, 'expected at least one address, or no allowFrom at all')
    .max(100, 'expected at most 100 addresses')
    .optional(),
  /** `unicode` where the aggregator passes on letters outside the GSM alphabet. */
  alphabet: z.enum(alphabets, `expected one of ${alphabets.join(', ')}`).optional(),
  /** In septets of the GSM 7-bit alphabet. */
  textLimit: count(60, 182).optional(),
  lineBreak: z.enum(['\n', '^'], 'expected "\\n" or "^"').optional(),
  forbidden: z
    .string()
    .regex(/^[!"$%&'+;<=>@[\\\]^_`{|}~]{0,30}$/, 'expected signs that screens must not hold, such as "|^&"')
    .optional(),
  replyWithinSeconds: seconds(1, 30).optional(),
  sequenced: z.boolean('expected true or false').optional(),
  promptDelaySeconds: z
    .preprocess(
      (value) =>
        typeof value === 'number' ? Object.fromEntries(operators.map((name) => [name, value])) : value,
      z.partialRecord(z.enum(operators), promptDelay),
    )
    .optional(),
  /** Further spellings of operators, as this channel's aggregator writes them. */
  operators: z
    .record(
      z.string().regex(/^.{1,32}$/, 'expected a spelling of 1 to 32 characters'),
      z.enum(operators, `expected one of ${operators.join(', ')}`),
    )
    .optional(),
  /** The aggregator's own settings, checked by its dialect. */
  settings: z.record(z.string(), z.unknown()).optional(),
});

export const configSchema = z.strictObject({
  environment: z.enum(['test', 'live']),
  listen: z
    .strictObject({
      host: z.string().min(1).max(255).default('127.0.0.1'),
      port: port.default(8080),
      /** Proxies in front, whose `x-forwarded-for` says who called: what `allowFrom` is compared with. */
      trustedProxies: addresses.max(20, 'expected at most 20 addresses').default([]),
    })
    .prefault({}),
  database: z.strictObject({ file: z.string().min(1, 'expected the path of a file') }),
  log: z
    .strictObject({
      level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      /** Who may read `/metrics`. */
      allowFrom: addresses.max(20, 'expected at most 20 addresses').default(thisMachine),
    })
    .prefault({}),
  service,
  timings: timings.prefault({}),
  limits: limits.prefault({}),
  retention: retention.prefault({}),
  approvals: perOperator((operator) => approvalText.default(approvals[operator])).prefault({}),
  merchants: z
    .array(merchant)
    .min(1, 'expected at least one merchant')
    .max(1000, 'expected at most 1000 merchants'),
  channels: z
    .array(channelSchema.transform(withMilliseconds))
    .min(1, 'expected at least one channel')
    .max(1000, 'expected at most 1000 channels'),
});

type ConfigFile = z.output<typeof configSchema>;

/** A merchant, with its menu read, and what answers its look-ups inside the gateway. */
export type Merchant = Omit<ConfigFile['merchants'][number], 'menu'> & {
  menu: Menu;
  handlers: LookupHandlers;
};

/** Everything the gateway is told from outside, checked. Holds secrets: never logged as a whole. */
export type Config = Omit<ConfigFile, 'merchants'> & { merchants: Merchant[] };
