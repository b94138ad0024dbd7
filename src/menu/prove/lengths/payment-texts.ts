import type { Msisdn } from '../../../shared/msisdn.ts';
import type { Menu, MessageName } from '../../schema.ts';
import {
  faultText,
  type RefusalMessage,
  refusalText,
  sessionLostText,
  slowText,
  waitingText,
} from '../../text/messages.ts';
import { largestAmount, longestTotal } from '../inputs/payments.ts';

const refusals: readonly RefusalMessage[] = ['rejectedBlocked', 'rejectedTooMany', 'rejectedCoolDown'];

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
    { name: 'alreadyWaiting', text: waitingText(menu, language, waiting) },
    { name: 'sessionLost', text: sessionLostText(menu, language) },
    { name: 'fault', text: faultText(menu, language) },
    { name: 'slow', text: slowText(menu, language) },
    ...refusals.map((name) => ({ name, text: refusalText(menu, language, name, { merchant, payer }) })),
  ];
}
