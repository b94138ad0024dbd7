import type { Msisdn } from '../../../shared/msisdn.ts';
import { septetsOf } from '../../../shared/screen-text.ts';
import type { Menu, MessageName } from '../../schema.ts';
import { endStates, type MenuContext, rejectionMessages } from '../../state/state.ts';
import {
  alreadyWaitingText,
  faultText,
  numberNotSupportedText,
  rejectionText,
  sessionLostText,
  slowText,
} from '../../text/messages.ts';
import { likelyOperator } from '../../text/render.ts';
import { type Approvals, type ChannelGroup, relevantOperators, samplePayer } from '../channel.ts';
import { largestAmount, longestTotal } from '../inputs/payments.ts';
import { assumptionsOf, inputsOf, messageOf, type Turn } from '../walk/turn.ts';
import type { Lengths, ShownText } from './lengths.ts';

/** Records the length of the text of a turn. */
export function measureTurn(menu: Menu, lengths: Lengths, turn: Turn): void {
  const { step, path, context } = turn;
  const { state, reply } = step;
  const { language } = state;
  const message = messageOf(menu, turn);
  // These screens show one of several messages, so each message is measured by its own name.
  const hasSeveral = state.screen === endStates.closed || state.screen === '(payment)';
  const screen = hasSeveral && message !== undefined ? `(${message})` : state.screen;
  recordLength(
    lengths,
    { screen, language, septets: septetsOf(reply.text, context.alphabet, context.lineBreak) },
    () => ({
      inputs: inputsOf(path),
      assumptions: assumptionsOf(path),
      path: message === undefined ? pathOf(menu, state, context) : ['messages', message, language],
    }),
  );
}

/** Records the lengths of the gateway's last screens that the walk does not reach. */
export function measurePaymentTexts(
  menu: Menu,
  lengths: Lengths,
  group: ChannelGroup,
  approvals: Approvals,
): void {
  for (const operator of relevantOperators(menu, approvals)) {
    const values = { merchant: group.merchant, approvals: approvals[operator], payer: samplePayer(operator) };
    for (const language of menu.languages) {
      for (const { name, text } of paymentTexts(menu, language, values)) {
        const measured = {
          screen: `(${name})`,
          language,
          septets: septetsOf(text, group.alphabet, group.lineBreak),
        };
        recordLength(lengths, measured, () => ({
          inputs: [],
          assumptions: [],
          path: ['messages', name, language],
        }));
      }
    }
  }
}

function recordLength(
  lengths: Lengths,
  measured: Pick<ShownText, 'screen' | 'language' | 'septets'>,
  origin: () => Pick<ShownText, 'inputs' | 'assumptions' | 'path'>,
): void {
  const key = `${measured.screen} ${measured.language}`;
  if (measured.septets <= (lengths.get(key)?.septets ?? -1)) return;
  lengths.set(key, { ...measured, ...origin() });
}

/** Returns the path of a state's text in the menu file. */
function pathOf(
  menu: Menu,
  { screen, language, answers }: Turn['step']['state'],
  context: MenuContext,
): (string | number)[] {
  const content = menu.screens[screen];
  if (content === undefined) return ['languages'];
  const operator = content.kind === 'end' && likelyOperator(answers, context);
  const isOverridden = operator && content.operators[operator] !== undefined;
  return ['screens', screen, ...(isOverridden ? ['operators', operator] : ['text']), language];
}

/** Returns the gateway's last screens that the walk does not reach, each with its longest values. */
function paymentTexts(
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
