import { readMsisdn } from '../../contract/service/field.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import type { OtpRequest } from '../../contract/service/session-operations.ts';
import { type EpochMs, withTimeout } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { withoutDigits } from '../../shared/log.ts';
import type { OtpConfig, Settings } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import {
  type ApiError,
  type ApiResponse,
  apiError,
  isoTime,
  jsonResponse,
  pageResponse,
} from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { SavedResponse } from '../idempotency-store.ts';
import type { Caller } from '../key/authenticate.ts';
import type { Livemode } from '../schema.ts';
import type { SessionOwner } from '../session/session-store.ts';
import type { NewOtp } from './otp-store.ts';
import {
  codeMessage,
  createSimulatedCarrier,
  type SentSms,
  type SimulatedCarrier,
  type Sms,
  type SmsSender,
} from './sms.ts';
import { fixedCode, generateCode, type VerifyOtp, verifyOtp } from './verify.ts';

type RequestOtp = (
  caller: Caller,
  request: OtpRequest,
  savedResponse: SavedResponse,
) => Promise<ApiResponse | ApiError>;

const hourMs = 3_600_000;

/** When a client may repeat a call that found no carrier. */
const carrierRetrySeconds = 60;

/**
 * Sends a payer a one-time code by SMS, once. The request and its saved response are committed before the message is
 * sent, so a replay sends no second message. The code is stored nowhere: only the message contains it.
 *
 * A new request expires the earlier unverified requests for the number. When the carrier rejects the message or does not
 * answer in time, the request expires and the client gets `sms_unavailable`; a late message may still arrive. The quota
 * of a number is counted in the database and includes failed messages.
 */
function requestOtp(
  deps: Pick<ServiceContext, 'store' | 'otps' | 'merchants' | 'clock' | 'ids' | 'log'> & {
    /** Returns the carrier of a mode, if it has one. */
    selectCarrier(livemode: Livemode): SmsSender | undefined;
    config: OtpConfig;
  },
): RequestOtp {
  const { store, otps, merchants, config, clock, ids, log } = deps;

  /** Returns the seconds until the quota allows another request; `undefined` when it allows one now. */
  async function quotaWaitSeconds(
    owner: SessionOwner,
    payer: string,
    now: EpochMs,
  ): Promise<number | undefined> {
    const times = await otps.times(
      owner,
      payer,
      now - Math.max(hourMs, config.resendAfterMs),
      config.maxPerHour,
    );
    const [newest] = times;
    const resendAt = newest === undefined ? 0 : newest + config.resendAfterMs;
    const oldestInHour = times[config.maxPerHour - 1];
    const allowedAt = Math.max(resendAt, oldestInHour === undefined ? 0 : oldestInHour + hourMs);
    return allowedAt > now ? Math.ceil((allowedAt - now) / 1_000) : undefined;
  }

  async function send(carrier: SmsSender, sms: Sms): Promise<boolean> {
    try {
      const result = await withTimeout(clock, config.smsTimeoutMs, (signal) => carrier.send(sms, signal));
      if (result.kind === 'accepted') return true;
      log.warn({ otp: sms.id, reason: withoutDigits(result.reason) }, 'the carrier rejected an SMS');
    } catch (fault) {
      log.warn(
        { otp: sms.id, fault: withoutDigits(errorMessage(fault)) },
        'the carrier did not accept an SMS',
      );
    }
    return false;
  }

  return async (caller, request, savedResponse) => {
    const { merchantId, livemode, merchantName } = caller;
    const { msisdn: payer, sender_id: sender = config.sender } = request;
    if (request.sender_id !== undefined && !(await merchants.findSender(merchantId, sender))) {
      return apiError('sender_not_approved', { param: 'sender_id' });
    }
    const carrier = deps.selectCarrier(livemode);
    if (!carrier) return apiError('sms_unavailable', { retryAfterSeconds: carrierRetrySeconds });
    const waitSeconds = await quotaWaitSeconds(caller, payer, clock.now());
    if (waitSeconds !== undefined) return apiError('too_many_otps', { retryAfterSeconds: waitSeconds });

    const { code, ...hashed } = await generateCode(ids, fixedCode(livemode, payer));
    const now = clock.now();
    const row: NewOtp = {
      ...hashed,
      id: ids.next('otpr'),
      merchantId,
      livemode,
      payer,
      amountMinor: request.collection.amount_minor,
      sender,
      createdAt: now,
      expiresAt: now + config.lifetimeMs,
    };
    const quota = {
      windowStart: now - hourMs,
      maxInWindow: config.maxPerHour,
      noneSince: now - config.resendAfterMs,
    };
    const requested = jsonResponse(201, { otp_request_id: row.id, expires_at: isoTime(row.expiresAt) });
    const writes = [
      otps.supersede(caller, payer, now),
      otps.insert(row, quota),
      ...savedResponse.save(requested),
    ];
    if (!(await store.apply(writes))) {
      const waitSeconds = await quotaWaitSeconds(caller, payer, now);
      if (waitSeconds !== undefined) return apiError('too_many_otps', { retryAfterSeconds: waitSeconds });
      throw new Error(
        `the identifier ${row.id} or the idempotency key of a new OTP request is already in use`,
      );
    }

    const { lifetimeMs } = config;
    const text = codeMessage({ code, merchantName, amountMinor: row.amountMinor, lifetimeMs });
    if (await send(carrier, { id: row.id, to: payer, sender, text })) return requested;
    const unavailable = apiError('sms_unavailable');
    await store.apply([otps.expire({ id: row.id, now: clock.now() }), ...savedResponse.replace(unavailable)]);
    return unavailable;
  };
}

/** Creates the operations on one-time codes: sent by SMS in live mode, to the simulated phone in test mode. */
export function createOtpOperations(settings: Settings, context: ServiceContext) {
  const simulatedCarrier = createSimulatedCarrier(context.clock);
  const deps = { ...context, config: settings.otp };
  return {
    request: requestOtp({
      ...deps,
      selectCarrier: (livemode) => (livemode === 0 ? simulatedCarrier : context.sms),
    }),
    verify: verifyOtp(deps),
    simulatedCarrier,
  };
}

export function otpRoutes(router: Router, operations: { request: RequestOtp; verify: VerifyOtp }): void {
  router.merchant(serviceOperations.requestOtp, ({ caller, body, savedResponse }) =>
    operations.request(caller, body, savedResponse),
  );
  router.merchant(serviceOperations.verifyOtp, ({ caller, body, savedResponse }) =>
    operations.verify(caller, body, savedResponse),
  );
}

/** Serves the text messages of the simulated phone. A phone needs no API key. */
export function messageRoutes(router: Router, carrier: SimulatedCarrier): void {
  router.open(serviceOperations.listMessages, async ({ query }) => {
    const to = readMsisdn(query.msisdn);
    if (to === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    const view = ({ sentAt, ...sms }: SentSms) => ({ ...sms, sent_at: isoTime(sentAt) });
    const read = async (_: number, cursor?: string) =>
      carrier.messages(to).filter(({ id }) => cursor === undefined || id < cursor);
    return pageResponse(query, read, view);
  });
}
