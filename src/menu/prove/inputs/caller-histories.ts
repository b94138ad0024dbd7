import type { Msisdn } from '../../../shared/msisdn.ts';
import type { Menu } from '../../schema.ts';
import { startMenu } from '../../state/start-menu.ts';
import type { CallerHistory, MenuContext } from '../../state/state.ts';
import { paymentsOf, paymentsOpenedBy } from './payments.ts';

/** A caller history with its description; a dialler without a history has none. */
export type LabelledHistory = { readonly history: CallerHistory; readonly label?: string };

/**
 * Returns the caller histories that a menu can distinguish, the empty one first: a language, an interrupted dialogue, a
 * payment in every state, of the dialler's wallet or another one, opened by the dialler or another phone. Payments that
 * an attendant opened for others are never shown on a dial.
 */
export function callerHistories(
  menu: Menu,
  payers: readonly Msisdn[],
  context: MenuContext,
): LabelledHistory[] {
  const interrupted = startMenu(menu, menu.languages[0], context).state;
  const all = paymentsOf(menu, payers, context);
  const own = all.filter(({ payer }) => payer === context.dialler);
  const [other = context.dialler] = payers;
  const payments = [...(context.isAttendant ? own : all), ...paymentsOpenedBy(other, own)];
  const [payment] = payments;
  // The screens after a payment do not depend on the payment, so one stands for all.
  const withoutLanguage: CallerHistory[] = payment === undefined ? [{}] : [{}, { payment }];
  const histories: CallerHistory[] = [
    ...withoutLanguage,
    ...withoutLanguage.map((history) => ({ ...history, interrupted })),
    ...menu.languages.flatMap((language) => [
      { language },
      { language, interrupted },
      ...payments.map((one) => ({ language, payment: one })),
      // A repeat of the last input is suppressed, and the screen shows a notice.
      ...own.map((one) => ({ language, payment: one, lastInput: '1' })),
    ]),
  ];
  return histories.map((history) => {
    const label = describeHistory(history);
    return label === '' ? { history } : { history, label };
  });
}

function describeHistory({ language, payment, interrupted }: CallerHistory): string {
  return [
    ...(payment ? [`recent payment: ${payment.state}`] : []),
    ...(interrupted ? ['interrupted dialogue'] : []),
    ...(language === undefined ? [] : [`chosen language: ${language}`]),
  ].join(', ');
}
