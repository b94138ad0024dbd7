import { signatureHeader } from '../contract/event.ts';
import type { Channel } from '../contract/session.ts';
import type { AdvanceableClock, Clock } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import type { Rate } from '../shared/limits/rate-limit.ts';
import type { Log } from '../shared/log.ts';
import type { createSqliteStore } from '../sqlite/sqlite.ts';
import { defaultFee, type FeeSchedule } from './fee/schedule.ts';
import { defaultKeyLifetimeMs } from './idempotency/run-once.ts';
import type { OtpConfig } from './otp/request.ts';
import type { SmsSender } from './otp/sms.ts';
import type { Rail, ReportRailResult } from './rail/rail.ts';
import type { RailConfig } from './rail/simulated-rail.ts';
import type { WebhookConfig } from './webhook/deliver.ts';
import type { WebhookFetch } from './webhook/send.ts';

export type Limits = {
  /** Calls with one key. */
  calls: Rate;
  /** Prompts to one number, for one merchant. */
  prompts: Rate;
};

export type ServiceConfig = {
  databaseFile: string;
  /** Opens the back office; at least 16 characters. */
  adminToken: string;
  /** What a channel costs where a merchant has no schedule of its own. */
  fees?: Partial<Record<Channel, FeeSchedule>>;
  rail?: Partial<RailConfig>;
  webhook?: Partial<WebhookConfig>;
  limits?: Partial<Limits>;
  otp?: Partial<OtpConfig>;
  /** How long an idempotency key is remembered. */
  idempotencyKeyLifetimeMs?: number;
};

export type ServiceOverrides = {
  clock: Clock;
  ids: Ids;
  /** Sends the webhooks of test sessions; the default keeps its connections. */
  fetch?: WebhookFetch;
  /** Sends those of live sessions; the default refuses every address that is not public. */
  fetchPublic?: WebhookFetch;
  log: Log;
  /** Opens the database in the place of `createSqliteStore`: the way in for whoever injects faults at its calls. */
  createStore?: typeof createSqliteStore;
  /** Told when the database has failed for good: the process must end. */
  onDatabaseFailure?(): void;
  /** Carries the prompts of live sessions. Without it, none can be initiated. */
  liveRail?(report: ReportRailResult): Rail;
  /** Carries the SMS of live mode. Without it, live OTP requests are refused; test mode has a simulated phone. */
  sms?: SmsSender;
  /** Stands between the service and its simulated rail, to let the rail fail; or in its place, and reports itself. */
  wrapRail?(rail: Rail, report: ReportRailResult): Rail;
  /**
   * Makes the service a sandbox: time is what this clock says, it is advanced over the back office, and live keys
   * are refused. `clock` still dates the signatures, which a receiver checks against its own clock.
   */
  testClock?: AdvanceableClock;
};

/** A configuration in which everything is decided. */
export type Settings = Required<Omit<ServiceConfig, 'rail' | 'webhook' | 'limits' | 'otp' | 'fees'>> & {
  fees: Record<Channel, FeeSchedule>;
  rail: RailConfig;
  webhook: WebhookConfig;
  limits: Limits;
  otp: OtpConfig;
};

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
    magicDelayMs: 3 * second,
    magicAcceptDelayMs: 8 * second,
  },
  webhook: {
    // Thirteen attempts in three days: dense while a deploy or a restart may be the cause, then over every night.
    retryDelaysMs: [
      ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
      ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, day],
    ],
    timeoutMs: 10 * second,
    headerName: signatureHeader,
    disableAfterMs: 5 * day,
    overlapMs: day,
    maxInFlight: 64,
    // What one place alone comes to anyway: it has no more under way than are free. With fewer, commits are not shared.
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

export function resolveSettings(config: ServiceConfig): Settings {
  return {
    databaseFile: config.databaseFile,
    adminToken: config.adminToken,
    idempotencyKeyLifetimeMs: config.idempotencyKeyLifetimeMs ?? defaults.idempotencyKeyLifetimeMs,
    fees: { ...defaults.fees, ...config.fees },
    rail: { ...defaults.rail, ...config.rail },
    webhook: { ...defaults.webhook, ...config.webhook },
    limits: { ...defaults.limits, ...config.limits },
    otp: { ...defaults.otp, ...config.otp },
  };
}
