import { z } from 'zod';
import type { LookupHandlers } from '../../menu/effects/lookup.ts';
import type { Menu } from '../../menu/schema.ts';
import { isAddressOrNetwork, isLoopbackHost } from '../../shared/http/addresses.ts';
import { parseCedis } from '../../shared/money.ts';
import {
  type Operator,
  operators,
  parseMsisdn,
  perOperator as perEachOperator,
} from '../../shared/msisdn.ts';
import { alphabets, lineBreaks } from '../../shared/screen-text.ts';
import { defaultTimeZone, isTimeZone, timeZoneExpected } from '../../shared/time-text.ts';
import { defaultErrorCodePointer } from '../collection/calls/client.ts';
import type { FileLocation } from '../database/database-location.ts';
import { minRetentionDays } from '../ledger/day.ts';
import { isSealSecret } from '../ledger/seal-key.ts';
import { databaseSection, ledger, withMilliseconds } from './sections.ts';

/*
 * The schema of the configuration file. `check.ts` checks its parts against each other. Messages never quote a value:
 * it may be a secret.
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
  return z.strictObject(perEachOperator(value));
}

/** A port from the environment is a string. */
const port = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value),
  count(0, 65_535),
);

const urlExpected = 'expected an address of at most 500 characters';
/** Bounded: the slashes at the end are removed in quadratic time. */
const urlText = (missing?: string) =>
  z
    .string(missing)
    .max(500, urlExpected)
    .transform((text, context) => {
      const parsed = URL.canParse(text) ? new URL(text) : undefined;
      const plain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash;
      if (plain && /^https?:$/.test(parsed.protocol)) return parsed.href.replace(/\/+$/, '');
      context.addIssue({
        code: 'custom',
        message: 'expected an http or https address without user or query',
      });
      return z.NEVER;
    });
const url = urlText();

/** True when a browser sends the address only over TLS, or not beyond this machine. */
function isTrustworthy(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** The address at which browsers open the gateway. `withAddresses` completes it in a test environment. */
const publicUrl = urlText(
  'expected the address at which browsers open the gateway, such as https://pay.example.com',
).refine(isTrustworthy, 'expected https, or http on this machine');

/** The time is always signed: otherwise an old delivery could be sent again as a new one. */
const isSignedText = (text: string) => {
  const names: readonly string[] = text.match(/\{[^{}]*\}/g) ?? [];
  const literals = text.replace(/\{(?:t|id|body)\}/g, '');
  const isComplete = names.includes('{t}') && names.includes('{body}');
  return isComplete && new Set(names).size === names.length && /^[!-z|~]{0,16}$/.test(literals);
};

const signature = z
  .strictObject({
    /** Kept in lower case: header names are not case-sensitive. */
    header: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'expected the name of a header')
      .toLowerCase()
      .default('service-signature'),
    algorithm: z.enum(['sha256', 'sha512']).default('sha256'),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    /** Unit of the timestamp in the header. */
    timestampUnit: z.enum(['seconds', 'milliseconds']).default('seconds'),
    /** The text that the signature covers. */
    signedText: z
      .string()
      .refine(isSignedText, 'expected a text with {t} and {body}, and at most one {id}, such as "{t}.{body}"')
      .default('{t}.{body}'),
    /** `text`: the key is the secret as it is written. `base64`: the key is what the secret encodes. */
    secretEncoding: z.enum(['text', 'base64'], 'expected text or base64').default('text'),
    toleranceSeconds: seconds(1, 3600).default(300),
  })
  .transform(withMilliseconds);

const networkExpected = 'expected a network code of the service, or false';
/** `false` in the file means that the service does not offer the operator's network, and becomes null. */
const networkCode = z
  .union([z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, networkExpected), z.literal(false)], networkExpected)
  .transform((code) => (code === false ? null : code));
const networkCodes: Readonly<Record<Operator, string | false>> = {
  mtn: 'mtn',
  telecel: 'telecel',
  at: 'at',
  glo: false,
  unknown: 'mtn',
};

/** When the service counts as unavailable, and what payers read then. */
const outage = z
  .strictObject({
    /** Calls in a row with one merchant's key that prove nothing. */
    afterCalls: count(2, 1000).default(5),
    /** Time within which these calls end. */
    withinSeconds: seconds(1, 3600).default(60),
    duringOutage: z.enum(['refuse', 'warn'], 'expected refuse or warn').default('refuse'),
  })
  .transform(withMilliseconds);

const service = z.strictObject({
  url,
  signature: signature.prefault({}),
  /** The service's network code of each operator; null where the service does not offer it. */
  networks: perOperator((operator) => networkCode.prefault(networkCodes[operator])).prefault({}),
  /** JSON pointer (RFC 6901) to the code in the service's error bodies. */
  errorCodePointer: z
    .string()
    .max(200)
    .regex(/^(\/([^~/]|~[01]){1,64}){1,8}$/, 'expected a JSON pointer such as /error/code')
    .default(defaultErrorCodePointer),
  outage: outage.prefault({}),
  /** True when the service has a simulated phone under `/handset`. */
  simulator: z.boolean().default(false),
  /** For each merchant's key. */
  callsPerSecond: count(1, 1000).default(20),
  /** For the whole gateway. One merchant alone gets about two thirds of them. */
  callsInFlight: count(1, 256).default(16),
});

const addresses = z.array(
  z
    .string()
    .refine(isAddressOrNetwork, 'expected an address or a network, such as 52.50.116.54 or 10.0.0.0/8'),
);

/** Networks besides the public ones that requests to a merchant's system may reach. */
const networks = addresses.max(16, 'expected at most 16 networks');

const loopback = ['127.0.0.0/8', '::1'];

const promptDelay = seconds(0, 30);
/** One number stands for all operators. */
const toEachOperator = (value: unknown) => (typeof value === 'number' ? perEachOperator(() => value) : value);
const defaultPromptDelaySeconds = 1.5;
const promptDelaysByOperator = perOperator(() => promptDelay.default(defaultPromptDelaySeconds));

const timings = z
  .strictObject({
    /** Delay from END to the prompt, until the USSD session has left the handset. One number, or one per operator. */
    promptDelaySeconds: z.preprocess(toEachOperator, promptDelaysByOperator).prefault({}),
    /** Time after END within which the prompt may be requested. */
    promptDeadlineSeconds: seconds(5, 900).default(180),
    /** Time without an input after which the operator has closed a USSD session. No prompt is sent before. */
    sessionIdleSeconds: seconds(0, 300).default(60),
    /** Time without a result after which the payer may retry. */
    retryAllowedAfterSeconds: seconds(10, 3600).default(360),
    /** Time after which a payment that no poll confirms raises an alarm. */
    unconfirmedAlarmAfterSeconds: seconds(30, 86_400).default(300),
    /** Time after its last turn within which a session continues its dialogue. */
    dialogueLifetimeSeconds: seconds(30, 900).default(300),
    /** Time within which an equal input is a repeat, on channels that do not number requests. */
    repeatWindowSeconds: seconds(0, 10).default(2),
    /** Time limit of one call to the service. */
    callTimeoutSeconds: seconds(1, 60).default(12),
    /** Time limit of connecting to the service. */
    connectTimeoutSeconds: seconds(0.1, 30).default(2),
    /** Duration of a worker's lease on a collection. */
    leaseSeconds: seconds(5, 600).default(30),
    /** Minimum age of a lost initiate call before a status of `created` lets the gateway send it again. */
    resendGraceSeconds: seconds(1, 120).default(15),
    /** Time within which a redial first shows the last payment. */
    recentPaymentSeconds: seconds(0, 86_400).default(900),
    /** Time within which a redial offers to resume an interrupted dialogue. */
    resumeWindowSeconds: seconds(0, 3600).default(300),
    /** Time within which a duplicate payment needs a second confirmation. */
    duplicateWindowSeconds: seconds(0, 86_400).default(900),
    /** Time limit of a lookup. The aggregator's own timeout runs at the same time. */
    lookupTimeoutSeconds: seconds(0.1, 1.5).default(1.5),
    /** Time limit of a quote; 0 disables quotes. */
    quoteTimeoutSeconds: seconds(0, 1).default(1),
  })
  .transform(withMilliseconds);

/** A whole number. `false` in the file means no limit, or no end, and becomes null. */
const countOrNone = (unit: string, min: number, max: number) => {
  const expected = `expected a whole number${unit} from ${min} to ${max}, or false`;
  return z
    .union([z.int(expected).min(min, expected).max(max, expected), z.literal(false)], expected)
    .transform((value) => (value === false ? null : value));
};
const limitUpTo = (max: number) => countOrNone('', 1, max);
const days = (min: number) => countOrNone(' of days', min, 3650);

const perPerson = (perHour: number, perDay: number) =>
  z
    .strictObject({ perHour: limitUpTo(1000).default(perHour), perDay: limitUpTo(10_000).default(perDay) })
    .prefault({});

/** Limits on opened collections. Their meaning is at `Limits`. */
const limits = z.strictObject({
  /** Of one phone, at each merchant. */
  dialler: perPerson(20, 60),
  /** Of one payer, at each merchant. */
  payer: perPerson(6, 20),
  /** Of each merchant. */
  merchant: z.strictObject({ perMinute: limitUpTo(10_000).default(300) }).prefault({}),
  /** Requests by other phones, at all merchants together. */
  requests: z.strictObject({ payer: perPerson(6, 20), dialler: perPerson(20, 60) }).prefault({}),
  /** Of one attendant, at each merchant. */
  attendants: z
    .strictObject({
      perHour: limitUpTo(10_000).default(300),
      perDay: limitUpTo(100_000).default(3000),
      maxDeclines: limitUpTo(1000).default(20),
    })
    .prefault({}),
  /** Declined requests from another phone, and the time without such requests that follows. */
  declines: z
    .strictObject({
      maxDeclines: limitUpTo(100).default(2),
      coolDownSeconds: seconds(60, 86_400).default(3600),
    })
    .transform(withMilliseconds)
    .prefault({}),
});

const cedisExpected = 'expected an amount in quotes, such as "10.00"';
const cedis = z.string(cedisExpected).transform((raw, context) => {
  const amount = parseCedis(raw);
  if (amount !== undefined) return amount as number;
  context.addIssue({ code: 'custom', message: cedisExpected });
  return z.NEVER;
});

/** An amount that may be zero. */
const cedisOrZero = z.union([z.literal('0.00').transform(() => 0), cedis], cedisExpected);

/** Limits on a fee that the confirm screen did not show. Amounts are pesewas after validation. */
const fees = z
  .strictObject({
    /** Maximum share of the price. */
    maxPercent: z.number().min(0).max(100).default(2),
    /** Maximum fee, whatever the price. */
    maxAmount: cedis.prefault('10.00'),
    /** A fee up to this amount is always allowed, because services have a minimum fee. */
    alwaysAllowed: cedis.prefault('0.50'),
  })
  .transform(({ maxPercent, maxAmount, alwaysAllowed }) => ({
    maxPercent,
    maxAmountMinor: maxAmount,
    alwaysAllowedMinor: alwaysAllowed,
  }));

/** Retention of rows that no booking depends on. Facts, postings and event ids have no end. */
const retention = z
  .strictObject({
    /** Screens, inputs and lookup results. */
    dialoguesDays: days(minRetentionDays).default(400),
    /** Bodies of handled webhook events. */
    eventBodiesDays: days(minRetentionDays).default(90),
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
  .regex(/^[A-Za-z0-9 .,:/()?*#-]{1,60}$/, 'expected 1 to 60 letters, digits, spaces or . , : / ( ) ? * # -');

const mobileExpected = 'expected a mobile number in quotes, such as "0244123456"';
const mobile = z.string(mobileExpected).transform((raw, context) => {
  const msisdn = parseMsisdn(raw);
  if (msisdn !== undefined) return msisdn;
  context.addIssue({ code: 'custom', message: mobileExpected });
  return z.NEVER;
});

/** A secret in the format of Standard Webhooks. */
const signingSecret = z.string().refine((text) => {
  const [, encoded = ''] = /^whsec_(.+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded;
}, 'expected whsec_ and the base64 of 24 to 64 bytes');

const columnExpected = 'expected the head of a column, at most 64 characters';
const columnHead = z.string(columnExpected).trim().min(1, columnExpected).max(64, columnExpected);
/** `false` in the file means that a statement has no such column, and becomes null. */
const columnOrNone = (head: string) =>
  z
    .union([columnHead, z.literal(false)], `${columnExpected}, or false`)
    .transform((value) => (value === false ? null : value))
    .prefault(head);
const statusList = (...names: string[]) =>
  z
    .array(z.string().trim().toLowerCase().min(1).max(64))
    .max(20, 'expected at most 20 statuses')
    .default(names);

/** The CSV of the service's statement of a day. The defaults are those of the sandbox. */
const statement = z.strictObject({
  /** The columns by their heads, in any case. */
  columns: z
    .strictObject({
      session: columnHead.default('session_id'),
      time: columnHead.default('paid_at'),
      /** The column of the amount that the payer was charged. */
      total: columnHead.default('total'),
      price: columnOrNone('price'),
      fee: columnOrNone('fee'),
      status: columnOrNone('status'),
    })
    .prefault({}),
  /** The statuses of lines that are money, that take it back, and that are neither. Any other one refuses the file. */
  statuses: z
    .strictObject({
      paid: statusList('paid'),
      reversed: statusList('reversed'),
      ignored: statusList('in_review', 'refund_due', 'refunded'),
    })
    .prefault({}),
});

const merchant = z.strictObject({
  id: slug,
  /** Shown to payers. */
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9 .,:/()&'-]{0,19}$/,
      "expected 1 to 20 plain letters, digits, spaces and . , : / ( ) & ' -, the first a letter or a digit",
    ),
  key: z
    .string()
    .regex(/^sk_(test|live)_[A-Za-z0-9_-]{4,250}$/, 'expected a secret key, sk_test_… or sk_live_…'),
  /** All of them are accepted, so that a secret can be rotated. */
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
  /** Numbers of people who work for the merchant: `limits.attendants`, and menu entries for attendants. */
  attendants: z.array(mobile).max(100, 'expected at most 100 numbers').default([]),
  /** For the conditions of the menu on the time. */
  timeZone: z
    .string(timeZoneExpected)
    .refine(isTimeZone, { message: timeZoneExpected })
    .default(defaultTimeZone),
  /** True when the account at the service also takes payments of other channels: their money is listed, and not booked. */
  otherChannels: z.boolean('expected true or false').default(false),
  /** The merchant's own system, which answers the lookups of the menu. */
  lookups: z
    .strictObject({
      /** The address under which the paths of lookups are. */
      url,
      /** Signs each request. */
      secret: signingSecret,
      /** Networks besides the public ones that lookups may reach. */
      allowNetworks: networks.default([]),
    })
    .optional(),
  /** The statement of the merchant's account, in the place of that of the gateway. */
  statement: statement.optional(),
  /** Notifications to the merchant's own systems. */
  notify: z
    .strictObject({
      /** Networks besides the public ones that they may reach, in the place of those of the gateway. */
      allowPrivate: networks,
    })
    .optional(),
});

/** 22 characters of base64url are 128 bits. */
const pathSecret = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22,128}$/, 'expected a secret of 22 to 128 letters, digits, - or _');

/** Encrypts secrets that the database contains. */
const secretsKey = z
  .string()
  .refine(isSealSecret, 'expected the base64 of 32 bytes, as "openssl rand -base64 32" prints');

/** A channel of the file, with durations in seconds. */
export const channelSchema = z.strictObject({
  id: slug,
  aggregator: z.string(),
  /** Part of the callback path. It authenticates the aggregator. */
  secret: pathSecret,
  /** Also accepted, while the aggregator still uses the previous address. */
  previousSecret: pathSecret.optional(),
  /** The merchant's code. Anything that a payer dials after it is a suffix. */
  serviceCode: z
    .string()
    .regex(/^\*\d{2,6}(\*\d{1,6}){0,4}#$/, 'expected a service code such as *713*5#, in quotes'),
  merchant: z.string(),
  /*
   * The settings below override the defaults of the aggregator.
   */
  /** Addresses that may call. Without it, the secret alone authenticates the caller. */
  allowFrom: addresses
    .min(1, 'expected at least one address, or no allowFrom')
    .max(100, 'expected at most 100 addresses')
    .optional(),
  /** `unicode` when the aggregator supports characters outside the GSM alphabet. */
  alphabet: z.enum(alphabets, `expected one of ${alphabets.join(', ')}`).optional(),
  /** Maximum length of a screen, in septets of the GSM 7-bit alphabet. */
  textLimit: count(60, 182).optional(),
  lineBreak: z
    .enum(lineBreaks, `expected ${lineBreaks.map((one) => JSON.stringify(one)).join(', ')}`)
    .optional(),
  forbidden: z
    .string()
    .regex(
      /^[!"$%&'+;<=>@[\\\]^_`{|}~]{0,30}$/,
      'expected characters that screens must not contain, such as "|^&"',
    )
    .optional(),
  replyWithinSeconds: seconds(1, 30).optional(),
  sequenced: z.boolean('expected true or false').optional(),
  sessionIdleSeconds: seconds(0, 300).optional(),
  promptDelaySeconds: z
    .preprocess(toEachOperator, z.partialRecord(z.enum(operators), promptDelay))
    .optional(),
  /** Additional operator names that this channel's aggregator sends. */
  operators: z
    .record(
      z.string().regex(/^.{1,32}$/, 'expected a spelling of 1 to 32 characters'),
      z.enum(operators, `expected one of ${operators.join(', ')}`),
    )
    .optional(),
  /** Settings that only this aggregator has. Its dialect validates them. */
  settings: z.record(z.string(), z.unknown()).optional(),
});

export const configSchema = z.strictObject({
  environment: z.enum(['test', 'live']),
  listen: z
    .strictObject({
      host: z.string().min(1).max(255).default('127.0.0.1'),
      port: port.default(8080),
      /** Proxies whose `x-forwarded-for` header is trusted for `allowFrom`. */
      trustedProxies: addresses.max(20, 'expected at most 20 addresses').default([]),
    })
    .prefault({}),
  database: databaseSection,
  log: z
    .strictObject({
      level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
      /** Share of the dialogues whose turns are logged. Warnings and errors always are. */
      turns: z.number('expected a share from 0 to 1').min(0).max(1).default(1),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      /** Addresses that may read `/metrics`. */
      allowFrom: addresses.max(20, 'expected at most 20 addresses').default(loopback),
    })
    .prefault({}),
  /** A monitor that gets a request while the gateway is ready. */
  heartbeat: z
    .strictObject({ url, everySeconds: seconds(10, 3600).default(60) })
    .transform(withMilliseconds)
    .optional(),
  service,
  timings: timings.prefault({}),
  limits: limits.prefault({}),
  fees: fees.prefault({}),
  retention: retention.prefault({}),
  ledger: ledger.prefault({}),
  statement: statement.prefault({}),
  approvals: perOperator((operator) => approvalText.default(approvals[operator])).prefault({}),
  /** Decisions of people about money. */
  decisions: z
    .strictObject({
      /** Above this amount, a second person must approve a decision. */
      secondPersonAbove: cedisOrZero.prefault('0.00'),
    })
    .transform(({ secondPersonAbove }) => ({ secondPersonAboveMinor: secondPersonAbove }))
    .prefault({}),
  /** Notifications to merchants' own systems. Without it, none are written. */
  notify: z
    .strictObject({
      /** Encrypts the secrets of endpoints in the database. */
      secretsKey,
      /** Networks besides the public ones that notifications of merchants may reach that have no such setting. */
      allowPrivate: networks.default([]),
    })
    .optional(),
  /** The browser phone of a test environment. Without it, the gateway serves none. */
  phone: z
    .strictObject({
      publicUrl,
    })
    .optional(),
  /** The console for support staff in a browser. Without it, the gateway serves none. */
  console: z
    .strictObject({
      publicUrl,
      /** Encrypts the seeds of one-time passwords in the database. */
      secretsKey,
    })
    .optional(),
  /** The server that takes the alerts of people by e-mail. Without it, they get alerts by webhook only. */
  smtp: z
    .strictObject({
      host: z.string().min(1).max(255),
      port: port.default(587),
      /** True for TLS from the first byte, as on port 465. Otherwise the connection changes to TLS. */
      secure: z.boolean().default(false),
      user: z.string().min(1).max(255).optional(),
      password: z.string().min(1).max(255).optional(),
      /** The address of the sender. */
      from: z.email().max(255),
    })
    .refine(({ user, password }) => (user === undefined) === (password === undefined), {
      path: ['password'],
      message: 'expected user and password, or neither',
    })
    .optional(),
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

/** A merchant with its loaded menu and the lookup handlers of that menu. */
export type Merchant = Omit<ConfigFile['merchants'][number], 'menu'> & {
  menu: Menu;
  handlers: LookupHandlers;
};

/** The validated configuration. It contains secrets: never log it as a whole. */
export type Config = Omit<ConfigFile, 'merchants'> & { merchants: Merchant[] };

/** A configuration whose ledger is a file. */
export type FileConfig = Config & { database: FileLocation };
