import type { Msisdn } from '../../shared/msisdn.ts';
import type { Menu } from '../schema.ts';
import type { CallerHistory, MenuContext } from '../state/state.ts';
import { start } from '../state/step.ts';
import { paymentsAskedBy, paymentsOf } from './payments.ts';

/** What is known of a dialler, and how a person would say it. */
export type KnownCallerHistory = { readonly arrival: CallerHistory; readonly said?: string };

/**
 * What may be known of a dialler: first nothing; then a language; a dialogue that was cut off; a collection in every
 * state, from the dialler's wallet or another one, asked for by the dialler or another phone. Of what an attendant asked
 * of others, nothing is shown on a dial.
 */
export function callerHistoriesAt(
  menu: Menu,
  payers: readonly Msisdn[],
  context: MenuContext,
): KnownCallerHistory[] {
  const cutOff = start(menu, context).state;
  const all = paymentsOf(menu, payers, context);
  const own = all.filter(({ payer }) => payer === context.dialler);
  const [other = context.dialler] = payers;
  const standings = [...(context.isAttendant ? own : all), ...paymentsAskedBy(other, own)];
  const [standing] = standings;
  // What comes after a collection does not depend on which one it was.
  const before: CallerHistory[] = standing === undefined ? [{}] : [{}, { payment: standing }];
  const arrivals: CallerHistory[] = [
    ...before,
    ...before.map((one) => ({ ...one, interrupted: cutOff })),
    ...menu.languages.flatMap((language) => [
      { language },
      { language, interrupted: cutOff },
      ...standings.map((one) => ({ language, payment: one })),
      // A copy of the last input is held back, which the screen says.
      ...own.map((one) => ({ language, payment: one, lastInput: '1' })),
    ]),
  ];
  return arrivals.map((arrival) => {
    const said = wordsOf(arrival);
    return said === '' ? { arrival } : { arrival, said };
  });
}

function wordsOf({ language, payment: standing, interrupted: cutOff }: CallerHistory): string {
  return [
    ...(standing ? [`a payment of before: ${standing.state}`] : []),
    ...(cutOff ? ['a dialogue that was cut off'] : []),
    ...(language === undefined ? [] : [`the language chosen before: ${language}`]),
  ].join(', ');
}
