import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import { isMerchantScreen, type Menu, type MessageName } from '../schema.ts';
import { paymentMessages } from '../screens/payment-offers.ts';
import { type MenuState, rejectionMessages } from '../state/state.ts';
import { message, paymentTemplateValues } from '../text/messages.ts';
import { createProofContext } from './channel.ts';
import { longestForm } from './domain.ts';
import { joinTexts } from './longest.ts';
import { listPayments } from './payments.ts';
import { type Measuring, networksOn, noticesOn, type Rendered, showAll } from './render-screen.ts';

/** The messages that end a dialogue of this menu. */
function lastMessages(menu: Menu): MessageName[] {
  const screens = Object.values(menu.screens);
  return [
    ...([
      'tooManyInvalidInputsNotPaid',
      'tooManyInvalidInputs',
      'cancelled',
      'alreadyWaiting',
      'sessionLost',
      'fault',
      'slow',
    ] as const),
    ...([
      'numberNotSupported',
      'alreadyWaiting',
      'approve',
      'promptSentAgain',
      ...rejectionMessages,
    ] as const),
    ...(['requestsBlocked', 'requestsAllowed'] as const),
    ...(screens.some(({ kind }) => kind === 'requests') ? (['unchanged'] as const) : []),
    ...(screens.some((one) => isMerchantScreen(one) && one.fallback === undefined)
      ? (['lookupFailed'] as const)
      : []),
    ...(screens.some(({ kind }) => kind === 'status') ? statusEnds : []),
  ];
}

const statusEnds = [
  ...(['attendantsOnly', 'statusNotFound', 'statusUnavailable', 'statusConfirming', 'statusPaid'] as const),
  ...(['statusWaiting', 'statusFailed', 'statusUnknown'] as const),
];

/** Renders the built-in screens, and the messages that end a dialogue. */
export function renderMessages(
  { menu, channel, approvals, screens }: Measuring,
  language: string,
): Rendered[] {
  const all = [...screens.values()].map(({ values }) => values);
  const amount = Math.max(0, ...all.flatMap(({ amount: one }) => one?.max ?? []));
  const references = all.flatMap(({ reference }) => (reference ? longestForm(reference) : []));
  const reference = references.length === 0 ? undefined : references.reduce(joinTexts);
  return networksOn(undefined, approvals).flatMap((network) => {
    const context = createProofContext({ channel, ...network, localTime: '' });
    const payments = listPayments(
      { amountMinor: amountMinor(Math.min(amount, maxAmountMinor)), reference },
      context,
    );
    const builtIn = (screen: string, name: string, more: Partial<MenuState> = {}): Rendered => {
      const state = { screen, language, answers: {}, invalidInputs: 0, ...more };
      const path = name === 'language' ? ['languages'] : ['messages', name, language];
      return {
        name: `(${name})`,
        language,
        path,
        ...showAll(menu, state, context, noticesOn(menu, state, channel)),
      };
    };
    const ends = new Map(lastMessages(menu).map((name) => [name, new Set<string>()] as const));
    for (const payment of payments.filter(({ cause }) => cause !== undefined)) {
      const values = paymentTemplateValues(menu, language, payment, context);
      for (const [name, texts] of ends)
        texts.add(message(menu, language, name, { ...values, payer: '0240000000' }));
    }
    const [payment] = payments;
    return [
      ...(menu.languages.length > 1 ? [builtIn('(language)', 'language', { lastInput: '1' })] : []),
      ...payments.map((one) =>
        builtIn('(payment)', paymentMessages[one.state], {
          callerHistory: { payment: one },
          ...(one.state === 'failed' && { lastInput: '1' }),
        }),
      ),
      ...(payment ? [builtIn('(duplicate)', 'duplicate', { duplicate: payment })] : []),
      builtIn('(resume)', 'resume', { lastInput: '1' }),
      ...[...ends].map(([name, texts]) => ({
        name: `(${name})`,
        language,
        path: ['messages', name, language],
        texts: [...texts],
        isPaged: false,
      })),
    ];
  });
}
