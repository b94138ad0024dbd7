import type { Msisdn } from '../../shared/msisdn.ts';
import type { Menu } from '../schema.ts';
import type { Arrival, MenuContext } from '../state/state.ts';
import { start } from '../state/step.ts';
import { standingsAskedBy, standingsOf } from './payments.ts';

/** What is known of a dialler, and how a person would say it. */
export type KnownArrival = { readonly arrival: Arrival; readonly said?: string };

/**
 * What may be known of a dialler: first nothing; then a language; a dialogue that was cut off; a collection in every
 * state, from the dialler's wallet or another one, asked for by the dialler or another phone. Of what an attendant asked
 * of others, nothing is shown on a dial.
 */
export function arrivalsAt(menu: Menu, payers: readonly Msisdn[], context: MenuContext): KnownArrival[] {
  const cutOff = start(menu, context).state;
  const all = standingsOf(menu, payers, context);
  const own = all.filter(({ payer }) => payer === context.dialler);
  const [other = context.dialler] = payers;
  const standings = [...(context.isAttendant ? own : all), ...standingsAskedBy(other, own)];
  const [standing] = standings;
  // What comes after a collection does not depend on which one it was.
  const before: Arrival[] = standing === undefined ? [{}] : [{}, { standing }];
  const arrivals: Arrival[] = [
    ...before,
    ...before.map((one) => ({ ...one, cutOff })),
    ...menu.languages.flatMap((language) => [
      { language },
      { language, cutOff },
      ...standings.map((one) => ({ language, standing: one })),
      // A copy of the last input is held back, which the screen says.
      ...own.map((one) => ({ language, standing: one, lastInput: '1' })),
    ]),
  ];
  return arrivals.map((arrival) => {
    const said = wordsOf(arrival);
    return said === '' ? { arrival } : { arrival, said };
  });
}

function wordsOf({ language, standing, cutOff }: Arrival): string {
  return [
    ...(standing ? [`a payment of before: ${standing.state}`] : []),
    ...(cutOff ? ['a dialogue that was cut off'] : []),
    ...(language === undefined ? [] : [`the language chosen before: ${language}`]),
  ].join(', ');
}
