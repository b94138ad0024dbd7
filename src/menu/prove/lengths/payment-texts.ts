import type { Msisdn } from '../../../shared/msisdn.ts';
import type { Menu, MessageName } from '../../schema.ts';
import { rejectionMessages } from '../../state/state.ts';
import {
  alreadyWaitingText,
  faultText,
  numberNotSupportedText,
  rejectionText,
  sessionLostText,
  slowText,
} from '../../text/messages.ts';
import { largestAmount, longestTotal } from '../inputs/payments.ts';

/** Returns the gateway's last screens that the walk does not reach, each with its longest values. */
export function paymentTexts(
  menu: Menu,
  language: string,
  { merchant, approvals, payer }: { merchant: string; approvals: string; payer: Msisdn },
): { name: MessageName; text: string }[] {
  const amountMinor = largestAmount(menu);
  const chargeMinor = longestTotal(amountMinor);
  const waiting = { amountMinor, chargeMinor, merchant, approvals };
  return [
    { name: 'alreadyWaiting', text: alreadyWaitingText(menu, language, waiting) },
    { name: 'sessionLost', text: sessionLostText(menu, language) },
    { name: 'fault', text: faultText(menu, language) },
    { name: 'slow', text: slowText(menu, language) },
    { name: 'numberNotSupported', text: numberNotSupportedText(menu, language) },
    ...rejectionMessages.map((name) => ({
      name,
      text: rejectionText(menu, language, name, { merchant, payer }),
    })),
  ];
}
