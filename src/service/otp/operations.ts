import type { Settings } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { requestOtp } from './request.ts';
import { createSimulatedCarrier } from './sms.ts';
import { verifyOtp } from './verify.ts';

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
