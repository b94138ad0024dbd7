import { amountMinor, formatCedis } from '../../shared/money.ts';
import { faultText, sessionLostText, slowText, waitingText } from '../messages.ts';
import type { Menu, MessageName } from '../schema.ts';

/** The last screens that the gateway shows by itself, without the menu being walked: each as long as it can be. */
export function standingTexts(
  menu: Menu,
  language: string,
  { merchant, approvals }: { merchant: string; approvals: string },
): { name: MessageName; text: string }[] {
  const waiting = { amountMinor: largestAmount(menu), merchant, approvals };
  return [
    { name: 'waiting', text: waitingText(menu, language, waiting) },
    { name: 'sessionLost', text: sessionLostText(menu, language) },
    { name: 'fault', text: faultText(menu, language) },
    { name: 'slow', text: slowText(menu, language) },
  ];
}

/** The largest amount that a payer of this menu can have agreed to. */
function largestAmount({ screens }: Menu) {
  const amounts = Object.values(screens).flatMap((screen) => {
    if (screen.kind === 'choose') return screen.options.flatMap(({ set }) => set?.amount ?? []);
    return screen.kind === 'ask' && screen.answer === 'amount' ? [screen.max] : [];
  });
  const byLength = amounts.sort((a, b) => formatCedis(b).length - formatCedis(a).length);
  return byLength[0] ?? amountMinor(0);
}
