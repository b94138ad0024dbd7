import { readMsisdn } from '../../contract/service/field.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import type { Settings } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { apiError, isoTime, pageResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { type RequestOtp, requestOtp } from './request.ts';
import { createSimulatedCarrier, type SentSms, type SimulatedCarrier } from './sms.ts';
import { type VerifyOtp, verifyOtp } from './verify.ts';

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
