import type { OtpRequest } from '../../contract/otp.ts';
import { type Clock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Ids } from '../../shared/ids.ts';
import { type Log, withoutDigits } from '../../shared/log.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ApiResponse, jsonResponse } from '../http/response.ts';
import { isoTime } from '../http/time.ts';
import type { SavedResponse } from '../idempotency/run-once.ts';
import type { Caller } from '../key/authenticate.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import type { Livemode } from '../schema.ts';
import type { Owner } from '../session/session-store.ts';
import { generateCode } from './code.ts';
import type { NewOtp, OtpStore } from './otp-store.ts';
import { codeMessage, type Sms, type SmsSender } from './sms.ts';

export type OtpConfig = {
  /** How long a request lives: to be verified, and to be used for a session. */
  lifetimeMs: number;
  /** Wrong codes at which a request is locked. */
  maxWrongCodes: number;
  /** Time between two requests for one number, for one merchant in one mode. */
  resendAfterMs: number;
  /** Requests in one hour for one number, for one merchant in one mode. */
  maxPerHour: number;
  /** How long the carrier may take to accept a message. */
  smsTimeoutMs: number;
  /** Under which name messages go out when the caller names none. */
  sender: string;
};

export type RequestOtp = (
  caller: Caller,
  asked: OtpRequest,
  savedResponse: SavedResponse,
) => Promise<ApiResponse | ApiError>;

const hourMs = 3_600_000;

/** How soon a call may come again that found no carrier. */
const carrierRetrySeconds = 60;

/**
 * Sends a payer a one-time code, once: the request is written down, and its answer kept, before the message goes
 * out, so that no replay sends a second one. The code itself is nowhere but in the message.
 *
 * Of the requests for one number that nobody has verified, only the newest counts. A carrier that refuses the
 * message, or says nothing in time, ends the request (`sms_unavailable`), although a late message may still
 * arrive. How often a number may be asked for is counted in the database, failed messages included.
 */
export function requestOtp(deps: {
  store: Store;
  otps: OtpStore;
  merchants: MerchantStore;
  /** The carrier of a mode, if it has one. */
  carriers(livemode: Livemode): SmsSender | undefined;
  config: OtpConfig;
  clock: Clock;
  ids: Ids;
  log: Log;
}): RequestOtp {
  const { store, otps, merchants, config, clock, ids, log } = deps;

  /** Seconds until there is a place for another request; `undefined` when there is one. */
  async function wait(owner: Owner, payer: string, now: EpochMs): Promise<number | undefined> {
    const times = await otps.times(
      owner,
      payer,
      now - Math.max(hourMs, config.resendAfterMs),
      config.maxPerHour,
    );
    const [newest] = times;
    const resend = newest === undefined ? 0 : newest + config.resendAfterMs;
    const hour = times[config.maxPerHour - 1];
    const free = Math.max(resend, hour === undefined ? 0 : hour + hourMs);
    return free > now ? Math.ceil((free - now) / 1_000) : undefined;
  }

  async function isSent(carrier: SmsSender, sms: Sms): Promise<boolean> {
    try {
      const sent = await withTimeout(clock, config.smsTimeoutMs, (signal) => carrier.send(sms, signal));
      if (sent.kind === 'accepted') return true;
      log.warn({ otp: sms.id, reason: withoutDigits(sent.reason) }, 'the carrier refused an SMS');
    } catch (fault) {
      log.warn({ otp: sms.id, fault: withoutDigits(messageOf(fault)) }, 'the carrier did not take an SMS');
    }
    return false;
  }

  return async (caller, asked, savedResponse) => {
    const { merchantId, livemode, merchantName } = caller;
    const { msisdn: payer, sender_id: sender = config.sender } = asked;
    if (asked.sender_id !== undefined && !(await merchants.findSender(merchantId, sender))) {
      return apiError('sender_not_approved', { param: 'sender_id' });
    }
    const carrier = deps.carriers(livemode);
    if (!carrier) return apiError('sms_unavailable', { retryAfterSeconds: carrierRetrySeconds });
    const early = await wait(caller, payer, clock.now());
    if (early !== undefined) return apiError('too_many_otps', { retryAfterSeconds: early });

    const { code, ...hashed } = await generateCode(ids);
    const now = clock.now();
    const row: NewOtp = {
      ...hashed,
      id: ids.next('otpr'),
      merchantId,
      livemode,
      payer,
      amountMinor: asked.collection.amount_minor,
      sender,
      createdAt: now,
      expiresAt: now + config.lifetimeMs,
    };
    const places = {
      windowStart: now - hourMs,
      maxInWindow: config.maxPerHour,
      noneSince: now - config.resendAfterMs,
    };
    const requested = jsonResponse(201, { otp_request_id: row.id, expires_at: isoTime(row.expiresAt) });
    const batch = [
      otps.supersede(caller, payer, now),
      otps.insert(row, places),
      ...savedResponse.save(requested),
    ];
    if (!(await store.apply(batch))) {
      const late = await wait(caller, payer, now);
      if (late !== undefined) return apiError('too_many_otps', { retryAfterSeconds: late });
      throw new Error('a new OTP request found its identifier or its idempotency key taken');
    }

    const { lifetimeMs } = config;
    const text = codeMessage({ code, merchantName, amountMinor: row.amountMinor, lifetimeMs });
    if (await isSent(carrier, { id: row.id, to: payer, sender, text })) return requested;
    const refused = apiError('sms_unavailable');
    await store.apply([otps.end({ id: row.id, now: clock.now() }), ...savedResponse.replace(refused)]);
    return refused;
  };
}
