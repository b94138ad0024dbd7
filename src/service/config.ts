import { signatureHeader } from '../contract/service/event.ts';
import type { SessionChannel } from '../contract/service/session.ts';
import type { AdvanceableClock, Clock } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import type { WebhookFetch } from '../shared/http/webhook-fetch.ts';
import type { Ids } from '../shared/ids.ts';
import type { Rate } from '../shared/limits/per-key.ts';
import type { Log } from '../shared/log.ts';
import { findWeakness } from '../shared/secret-strength.ts';
import type { CreateStore } from '../sqlite/store.ts';
import { defaultFee, type FeeSchedule } from './fee/fee-store.ts';
import { defaultKeyLifetimeMs } from './idempotency-store.ts';
import type { SmsSender } from './otp/sms.ts';
import { firstInquiryMs, type Rail, type ReportRailResult } from './rail/rail.ts';

export type WebhookConfig = {
  /** The waits between the attempts. After the last attempt the event is given up. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  /** Name of the signature header, which carries the service's brand. */
  headerName: string;
  /** An endpoint that fails for this time is disabled. A success resets it, and so does a gap longer than the longest wait. */
  disableAfterMs: number;
  /** How long the previous secret signs beside the new one after a rotation. */
  overlapMs: number;
  /** Deliveries in flight in each mode. */
  maxInFlight: number;
  /** Deliveries in flight to one endpoint that accepts them. */
  maxInFlightPerEndpoint: number;
};

export type RailConfig = {
  /** How long the rail takes to accept a push. */
  acceptDelayMs: number;
  /** How long the payer can answer a prompt. */
  promptLifetimeMs: number;
  /** Wrong PINs that fail a prompt. */
  maxWrongPins: number;
  /** True when magic numbers have a behaviour of their own. Without it, a person answers the prompts of every number. */
  magicNumbers: boolean;
  /** How long the payer of a magic number takes to answer. */
  magicDelayMs: number;
  /** How long the rail takes to accept the push of the magic number `rail_slow`. */
  magicAcceptDelayMs: number;
};

export type OtpConfig = {
  /** How long a request can be verified and used for a session. */
  lifetimeMs: number;
  /** Wrong codes that lock a request. */
  maxWrongCodes: number;
  /** Minimum time between two requests for one number, per merchant and mode. */
  resendAfterMs: number;
  /** Requests in one hour for one number, per merchant and mode. */
  maxPerHour: number;
  /** How long the carrier may take to accept a message. */
  smsTimeoutMs: number;
  /** The sender of messages when the request names none. */
  sender: string;
};

type SessionConfig = {
  /** How long an initiated session waits for a result of the rail. Then it expires without evidence (`no_result`). */
  longStopMs: number;
};

type Limits = {
  /** Calls with one key. */
  calls: Rate;
  /** Prompts to one payer, on behalf of all merchants together. */
  prompts: Rate;
};

/** The configuration of a service. Only the database file and the admin token have no default. */
export type ServiceConfig = {
  databaseFile: string;
  /** The bearer token of the admin API, at least 16 characters. Also the secret that encrypts saved responses. */
  adminToken: string;
  /** The fee of each channel, for merchants without a schedule of their own. */
  fees?: Partial<Record<SessionChannel, FeeSchedule>>;
  rail?: Partial<RailConfig>;
  session?: Partial<SessionConfig>;
  webhook?: Partial<WebhookConfig>;
  limits?: Partial<Limits>;
  otp?: Partial<OtpConfig>;
  /** How long a response is replayed under its idempotency key. */
  idempotencyKeyLifetimeMs?: number;
  /** Addresses and networks of proxies, whose `X-Forwarded-For` names the client. */
  trustedProxies?: readonly string[];
};

/** The clock, the identifiers and the log of a service, and replacements of its defaults. */
export type ServiceOverrides = {
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Sends the webhooks of test sessions. The default keeps its connections open. */
  fetch?: WebhookFetch;
  /** Sends the webhooks of live sessions. The default rejects every address that is not public. */
  fetchPublic?: WebhookFetch;
  /** Opens the database, for tests that inject faults. The default is `createSqliteStore`. */
  createStore?: CreateStore;
  /** Called when the database has failed permanently. The process must exit. */
  onBroken?(): void;
  /** Creates the rail of live sessions. Without it, live sessions cannot be initiated. */
  liveRail?(report: ReportRailResult): Rail;
  /** The SMS carrier of live mode. Without it, live OTP requests fail. Test mode has a simulated carrier. */
  sms?: SmsSender;
  /** Wraps or replaces the simulated rail, for tests that let the rail fail. */
  wrapRail?(rail: Rail, report: ReportRailResult): Rail;
  /** Makes the service a sandbox: this clock gives the time, and the admin API advances it. `clock` still dates the signatures. */
  testClock?: AdvanceableClock;
  /** True when the receiver at this URL checks the age of signatures by the test clock, as one in this process does. Default: none. */
  isOnTestClock?(url: string): boolean;
};

/** A configuration with every default filled in. */
export type Settings = ReturnType<typeof resolveSettings>;

const minAdminTokenLength = 16;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const defaults = {
  fees: { web: defaultFee, ussd: defaultFee },
  rail: {
    acceptDelayMs: 0,
    promptLifetimeMs: 2 * minute,
    maxWrongPins: 3,
    magicNumbers: true,
    magicDelayMs: 3 * second,
    magicAcceptDelayMs: 8 * second,
  },
  session: { longStopMs: day },
  webhook: {
    // Thirteen attempts in three days: close together at first, to outlast a deployment, then spread over each night.
    retryDelaysMs: [
      ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
      ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, day],
    ],
    timeoutMs: 10 * second,
    headerName: signatureHeader,
    disableAfterMs: 5 * day,
    overlapMs: day,
    maxInFlight: 64,
    // A single endpoint never has more deliveries in flight than slots are free, so it reaches half of them.
    // A lower limit would leave fewer deliveries to share one commit.
    maxInFlightPerEndpoint: 32,
  },
  limits: {
    calls: { burst: 400, perMinute: 6_000 },
    prompts: { burst: 10, perMinute: 1 },
  },
  otp: {
    lifetimeMs: 10 * minute,
    maxWrongCodes: 5,
    resendAfterMs: 30 * second,
    maxPerHour: 5,
    smsTimeoutMs: 10 * second,
    sender: 'DIALTILL',
  },
  idempotencyKeyLifetimeMs: defaultKeyLifetimeMs,
};

/**
 * Fills in the defaults of a configuration.
 *
 * @throws UserError when the admin token is too short, or weak beside a live rail, a sandbox has a live rail, or the long
 *   stop comes before the first inquiry.
 */
export function resolveSettings(
  config: ServiceConfig,
  { testClock, liveRail }: Pick<ServiceOverrides, 'testClock' | 'liveRail'> = {},
) {
  if (config.adminToken.length < minAdminTokenLength) {
    throw new UserError(
      `The admin token of the collection service is too short: use at least ${minAdminTokenLength} characters.`,
    );
  }
  const weakness = liveRail && findWeakness(config.adminToken);
  if (weakness !== undefined) {
    throw new UserError(
      `The admin token of a collection service with a live rail must be random: this one ${weakness}. Generate one with "openssl rand -base64 32".`,
    );
  }
  if (testClock && liveRail) {
    throw new UserError(
      'A sandbox with a test clock cannot have a live rail: pass testClock or liveRail, not both.',
    );
  }
  const rail = { ...defaults.rail, ...config.rail };
  // The prompts of a test can outlast a day.
  const longStopMs = Math.max(defaults.session.longStopMs, 2 * firstInquiryMs(rail.promptLifetimeMs));
  const session = { longStopMs, ...config.session };
  if (session.longStopMs <= firstInquiryMs(rail.promptLifetimeMs)) {
    throw new UserError(
      `session.longStopMs must exceed the time until the first inquiry, ${firstInquiryMs(rail.promptLifetimeMs)} ms; found ${session.longStopMs}.`,
    );
  }
  return {
    databaseFile: config.databaseFile,
    adminToken: config.adminToken,
    trustedProxies: config.trustedProxies ?? [],
    idempotencyKeyLifetimeMs: config.idempotencyKeyLifetimeMs ?? defaults.idempotencyKeyLifetimeMs,
    fees: { ...defaults.fees, ...config.fees },
    rail,
    session,
    webhook: { ...defaults.webhook, ...config.webhook },
    limits: { ...defaults.limits, ...config.limits },
    otp: { ...defaults.otp, ...config.otp },
  };
}
